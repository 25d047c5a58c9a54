"""A language model that learnt it judges, one after the other, whether a query means the items that a ranker found."""

from __future__ import annotations

import math
from datetime import datetime

import pytest

from camphor.agents.meant import LONGEST, item_line, judging, meant_prompt, weighed
from camphor.agents.verdict import MOST
from camphor.device.usage_events import ItemRef
from camphor.errors import ModelError
from camphor.models.base import Reply, ScriptedModel
from camphor.models.weights import JUDGING
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.relevance import Relevant

NOON = UseSituation(datetime(2026, 3, 12, 12, 0), "work", "Mail: inbox")
YES, NO = (Reply(word, mean_logprob=-1e-9) for word in ("yes", "no"))


class Judging(ScriptedModel):
    learnt = frozenset({JUDGING})


def item(title: str, sure: float, unsaid: float = 1.0, known: bool = True) -> Relevant:
    return Relevant(
        ItemRef("notes", "notes", 0), {"title": title}, title, sure, known=known, unsaid=unsaid, use="never"
    )


def test_the_prompt_reads_the_query_before_the_item_and_the_item_last() -> None:
    prompt = meant_prompt("put it on again", NOON, item_line("music", {"title": "Low Tide"}, "3 times", 2026))
    said = [segment.text for segment in prompt if not segment.special]
    assert said[0].splitlines()[1:] == ["put it on again", "Now: Thu 12 Mar 2026 12:00, work", "Screen: Mail: inbox"]
    assert said[1] == "music: title: Low Tide\nused: 3 times"


def test_an_item_is_read_as_far_as_it_tells_something() -> None:
    record = {"url": "https://example.org", "date": "2026-03-11T08:00:00", "text": "so " * 400}
    shown = item_line("safari", record, "", 2026)
    assert shown.startswith("safari: date: Wed 11 Mar 08:00; text: so so")
    assert len(shown) <= LONGEST + len("safari: ")
    assert "example.org" not in shown


def test_a_verdict_moves_an_item_and_all_stay_as_likely_together() -> None:
    first, second = weighed([item("a", 0.4), item("b", 0.2)], [-1.0, 1.0])
    assert second.sure > first.sure
    assert first.sure + second.sure == pytest.approx(0.6)
    assert first.sure / second.sure == pytest.approx(2 * math.exp(-2.0))


def test_the_model_is_asked_of_each_item() -> None:
    model = Judging([NO, YES])
    judge = judging(model)
    assert judge is not None
    first, second = judge("put it on", NOON, [item("a", 0.5), item("b", 0.1)])
    assert (first.title, second.title) == ("a", "b")
    assert second.sure == pytest.approx(0.6 / (1 + 5 * math.exp(-2 * MOST)))
    assert ["notes: title: a\nused: never" in segment.text for segment in model.requests[0].prompt].count(True) == 1


@pytest.mark.parametrize("items", [[], [item("a", 0.5, unsaid=0.1)], [item("a", 0.5, known=False)]])
def test_nothing_is_asked_of_a_query_that_says_all_or_of_a_phone_that_is_hardly_known(items: list[Relevant]) -> None:
    judge = judging(Judging([]))
    assert judge is not None
    assert judge("put Low Tide on", NOON, items) == items


@pytest.mark.parametrize("replies", [[YES, ModelError("stopped")], [YES, Reply("perhaps", mean_logprob=-0.1)]])
def test_without_a_verdict_of_each_the_ranker_is_left(replies: list[Reply | Exception]) -> None:
    judge, items = judging(Judging(replies)), [item("a", 0.5), item("b", 0.1)]
    assert judge is not None
    assert judge("put it on", NOON, items) == items


def test_a_model_that_did_not_learn_it_is_not_asked() -> None:
    assert judging(ScriptedModel([])) is None
