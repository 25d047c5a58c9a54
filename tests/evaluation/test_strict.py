"""Strict Plan F1: what an embedding does not see."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor_lab.evaluation.scores import score_calls
from camphor_lab.evaluation.strict import same_facts
from camphor_lab.evaluation.values import ValueMatcher
from tests.doubles.evaluation import TOOLBOX, Alike, message

NOW = datetime(2026, 4, 16, 9)


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ("See you at 6", "See you at 7"),
        ("I can't come tonight", "I can come tonight"),
        ("Bring 20 bags", "Bring 2 bags"),
        ("Lunch with Ana on Friday", "Lunch with Ana on Thursday"),
        ("Tell Ana I'm late", "Tell Bea I'm late"),
        ("Ring ana", "Ring her"),
        ("It was 8.90 euros", "It was 8.50 euros"),
    ],
)
def test_another_fact_is_not_the_same_text(gold: str, predicted: str) -> None:
    assert not same_facts(gold, predicted, {"ana", "bea"}, NOW)


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ("See you at 6", "see you at six pm"),
        ("I can't come tonight", "I cannot come tonight"),
        ("Lunch tomorrow", "Lunch on Friday"),
        ("Tell Mom's friend", "tell moms friend"),
        ("The Feast starts at 18:30", "the feast starts half past six"),
        ("Buy 1,000 screws", "buy 1000 screws"),
    ],
)
def test_another_writing_is(gold: str, predicted: str) -> None:
    assert same_facts(gold, predicted, {"ana"}, NOW)


def test_a_call_may_be_right_and_not_strictly_right() -> None:
    gold, six, seven = message("See you at 6"), message("C u at 6"), message("See you at 7")
    alike = Alike(("See you at 6", "See you at 7"), ("See you at 6", "C u at 6"))
    matcher = ValueMatcher(TOOLBOX, alike)
    counts = score_calls([gold], [seven], matcher).counts
    assert (counts.plan, counts.strict) == (1, 0)
    assert score_calls([gold], [six], matcher).counts.strict == 1
    assert score_calls([gold], [seven, six], matcher).counts.strict == 1
