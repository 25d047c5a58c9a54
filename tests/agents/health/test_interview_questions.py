"""The list of questions: every one is used, sourced, and put in words that no rule takes away or repeats."""

from __future__ import annotations

from collections import Counter

import pytest

from camphor.agents.health.advice import without_advice
from camphor.agents.health.case import SPECIALISTS
from camphor.agents.health.interview.questions import GENERAL, MOST, InterviewQuestion, read_questions

LISTED = read_questions()
ALL = list(LISTED.by_id.values())


def forms(question: InterviewQuestion) -> list[str]:
    return [question.put(again=again, other=other) for again in (False, True) for other in (False, True)]


def test_every_specialist_has_one_kind_and_every_question_is_asked_somewhere() -> None:
    of = Counter(name for kind in LISTED.kinds for name in kind.of)
    assert of == Counter(SPECIALISTS)
    assert {name for kind in LISTED.kinds for name in kind.asks} == set(LISTED.by_id)
    assert set(GENERAL) <= set(LISTED.by_id)


def test_every_kind_asks_of_its_own_beside_what_is_asked_of_all() -> None:
    for kind in LISTED.kinds:
        own = [name for name in kind.asks if name not in GENERAL]
        assert 2 <= len(own) <= 4, kind.name
        assert any(name in kind.asks[:MOST] for name in own), kind.name
        assert {"duration", "medicines", "allergies"} <= set(kind.asks), kind.name
        assert set(kind.only) <= set(kind.asks)


def test_no_sentence_is_in_the_list_twice() -> None:
    said = [words for each in ALL for words in {*forms(each)}] + [each.why for each in ALL]
    assert [words for words, times in Counter(said).items() if times > 1] == []


@pytest.mark.parametrize("question", ALL, ids=[each.id for each in ALL])
def test_a_question_has_a_source_and_is_put_as_it_stands(question: InterviewQuestion) -> None:
    assert question.source.startswith("https://")
    assert question.ask.endswith("?")
    assert question.why.endswith(".")
    for words in forms(question):
        assert without_advice(words) == words
        assert LISTED.topic_of(f"That is noted. {words}") == question.id
    about_another = " ".join(question.put(again=again, other=True) for again in (False, True))
    assert " you" not in about_another


@pytest.mark.parametrize(
    ("said", "topics"),
    [
        ("my knee has hurt for two weeks", {"duration"}),
        ("since tuesday, about 7/10", {"duration", "severity"}),
        ("i'm 34 and allergic to nuts", {"age", "allergies"}),
        ("i am 30 weeks pregnant", {"pregnancy"}),
        ("i take metformin 500 twice a day", {"medicines"}),
        ("tried ice and ibuprofen, doesn't help", {"tried"}),
        ("half a year ago", {"duration"}),
        ("i'm 118 kg", set()),
        ("it hurts when i walk", set()),
    ],
)
def test_what_was_said_unasked_is_not_asked(said: str, topics: set[str]) -> None:
    assert LISTED.told(said) & set(GENERAL) == topics
