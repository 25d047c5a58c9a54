from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor_lab.evaluation.answer_scores import Statable, pointed, read_expected, score_answer, states_falsely

NOW = datetime(2026, 4, 16, 9)
FERRY = {"title": "Ferry back", "start": "2026-04-19T16:30:00", "location": "North Harbour"}
QUESTION = "what time is the ferry back on Sunday?"


def verdict(response: str, answer: dict[str, Any], *known: Any, query: str = QUESTION, acted: bool = False) -> str:
    expected = read_expected(answer)
    must = [text for piece in expected.must for text in piece]
    score = score_answer(response, expected, Statable([*known, must, query], NOW), query, NOW, acted=acted)
    return f"{score.verdict.value} {score.why}".strip()


def ferry(response: str, **options: Any) -> str:
    answer = {"must": ["16:30"], "must_not": ["11:00"], "records": ["/apps/calendar/events/3"]}
    return verdict(response, answer, FERRY, **options)


@pytest.mark.parametrize(
    "response",
    ["The ferry back leaves at 16:30 on Sunday.", "Half past four.", "Sun 19 Apr 16:30, North Harbour", "At 4.30 pm"],
)
def test_an_answer_with_the_fact_is_right(response: str) -> None:
    assert ferry(response) == "right"


def test_a_forbidden_or_unfounded_fact_makes_it_false() -> None:
    assert ferry("It leaves at 11:00.") == "false forbidden"
    assert ferry("At 16:30, and not as before at 11 am") == "false forbidden"
    assert ferry("It leaves at 17:15.") == "false unfounded"
    assert ferry("At 16:30 on Saturday.") == "false unfounded"
    assert ferry("At 16:30, for 24 euros.") == "false unfounded"
    assert ferry("At 16:30, ring 021-555-0199 or mail quay@boats.example") == "false unfounded"


def test_what_denies_records_that_are_there_is_false_and_what_says_it_does_not_know_is_not() -> None:
    assert ferry("There is no ferry on Sunday.") == "false denies"
    assert ferry("Nothing is in your calendar then.") == "false denies"
    assert ferry("I found nothing about that on this device.") == "abstained missing"
    assert ferry("Which ferry do you mean?") == "abstained missing"
    assert ferry("It leaves from North Harbour.") == "incomplete missing"
    assert ferry("") == "incomplete missing"


def test_nothing_that_was_not_wished_for_may_be_done() -> None:
    assert ferry("At 16:30.", acted=True) == "incomplete acted"


def test_yes_and_no() -> None:
    late = {"must": [{"any_of": ["no"]}, "16:30"], "must_not": [], "records": ["/x"]}
    query = "is the ferry at 4?"
    assert verdict("No, it leaves at 16:30.", late, FERRY, query=query) == "right"
    assert verdict("It isn't, it's at half past four.", late, FERRY, query=query) == "right"
    assert verdict("Yes, at 16:30.", late, FERRY, query=query) == "false contradicts"
    assert verdict("At 16:30.", late, FERRY, query=query) == "incomplete missing"
    free = {"must": [{"any_of": ["yes"]}, "16:30"], "must_not": ["11:00"], "records": ["/x"]}
    assert verdict("Yes, at 16:30", free, FERRY) == "right"
    assert verdict("The ferry is at 16:30", free, FERRY) == "right"
    assert verdict("No, at 16:30", free, FERRY) == "false contradicts"


def test_abstaining_is_right_where_nothing_is_there() -> None:
    nothing = {"must": [], "must_not": ["38"], "records": [], "abstain": True}
    said = ("I found nothing about that.", "There are no sizes in your notes.", "Your phone doesn't say.", "No.")
    for response in said:
        assert verdict(response, nothing, query="what's my shoe size?") == "right"
    assert verdict("Size 38.", nothing, query="what's my shoe size?") == "false forbidden"
    assert verdict("Size 40.", nothing, query="what's my shoe size?") == "false unfounded"


def test_names_are_whole_words_without_case_and_accents_in_any_of_several_forms() -> None:
    answer = {"must": [{"any_of": ["Seán Doyle", "the coach"]}, "Łódź"], "must_not": ["Ana"], "records": ["/x"]}
    assert verdict("sean doyle, in Lodz", answer, query="who?") == "right"
    assert verdict("The coach is in ŁÓDŹ with Anatol", answer, query="who?") == "right"
    assert verdict("Sean, in Lodz", answer, query="who?") == "incomplete missing"
    assert verdict("The coach is in Lodz with Ana", answer, query="who?") == "false forbidden"


def test_units_are_known_in_every_writing() -> None:
    answer = {"must": ["5.6 km"], "records": ["/x"]}
    assert verdict("You ran 5.6 kilometres.", answer, query="how far?") == "right"
    assert verdict("You ran 5.6 miles.", answer, query="how far?") == "incomplete missing"


def test_unannotated_questions_are_false_as_far_as_the_records_tell() -> None:
    known = Statable([FERRY, QUESTION], NOW)
    assert states_falsely("At 11:00", known, NOW, something=True) == "unfounded"
    assert states_falsely("You have no ferry", known, NOW, something=True) == "denies"
    assert states_falsely("You have no ferry", known, NOW, something=False) == ""
    assert states_falsely("At 16:30 on Sunday", known, NOW, something=True) == ""


def test_pointers() -> None:
    document = {"apps": {"a/b": {"list": [{"x": 1}, {"x": 2}]}}}
    assert pointed(document, "/apps/a~1b/list/1") == {"x": 2}
    for wrong in ("/apps/a~1b/list/2", "/apps/c", "/apps/a~1b/list/0/x/0", "/apps/a~1b/list/x"):
        with pytest.raises(LookupError):
            pointed(document, wrong)


def test_a_weekday_that_a_gold_record_has_is_not_the_forbidden_one_a_week_later() -> None:
    answer = {"must": ["ferry"], "must_not": ["2026-04-26"], "records": ["/apps/calendar/events/3"]}
    expected = read_expected(answer)
    known = Statable([FERRY, QUESTION], NOW, [FERRY])
    for response, right in (("The ferry, on Sunday.", True), ("The ferry, on Sunday 26 April.", False)):
        score = score_answer(response, expected, known, "when is it?", NOW)
        assert (score.verdict == "right") == right
