"""Accuracy and soft accuracy of function calling: pairing, references, missing and superfluous calls, values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.tools.plans import Plan, Reference
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent, Call
from camphor_lab.evaluation.calling import CallScore, PlanScorer, ScoredSample, kinds_of, measure
from camphor_lab.evaluation.calling_values import ArgumentMatcher, is_semantic, normal_form, seconds_of
from tests.doubles.evaluation import Alike

TOOLS = (
    Tool(
        "send_email",
        "Sends a mail.",
        (
            Parameter("to", "array", items="string"),
            Parameter("subject"),
            Parameter("body"),
            Parameter("cc", "array", required=False),
        ),
        Kind.ACTION,
        Agent.TASK,
    ),
    Tool(
        "get_contact_info", "Looks up.", (Parameter("name"), Parameter("key")), Kind.CONTEXT, Agent.CONTEXT
    ),
    Tool("dial", "Dials.", (Parameter("phone_number", role=Role.PHONE),), Kind.ACTION, Agent.TASK),
    Tool("take_photo", "Takes a photo.", (), Kind.ACTION, Agent.TASK),
    Tool("web_search", "Searches.", (Parameter("query", role=Role.QUERY),), Kind.ACTION, Agent.TASK),
)  # fmt: skip
SIMILARITY = Alike(("Lunch on Friday", "Friday lunch"), ("cheap tents", "low-priced tents"))
SCORER = PlanScorer(TOOLS, ArgumentMatcher(SIMILARITY))


def mail(to: Any = "a@b.org", subject: str = "Lunch on Friday", **more: Any) -> Call:
    return Call("send_email", {"to": [to], "subject": subject, "body": "See you", **more})


def info(name: str, key: str = "email") -> Call:
    return Call("get_contact_info", {"name": name, "key": key})


def shares(gold: Plan, predicted: Plan) -> list[tuple[int, int]]:
    return [(call.correct, call.total) for call in SCORER.score(gold, predicted).calls]


def test_a_semantic_text_counts_from_the_threshold_on_and_every_other_value_must_be_equal() -> None:
    assert SCORER.score((mail(),), (mail(subject="Friday lunch"),)).right
    assert not SCORER.score((mail(),), (mail(subject="Dinner"),)).right
    assert not SCORER.score((info("Ann"),), (info("Anna"),)).right
    assert SCORER.score((info("Ann"),), (info(" ann "),)).right


def test_the_soft_score_is_the_share_of_the_union_of_parameters() -> None:
    assert shares((mail(),), (mail(subject="Dinner"),)) == [(2, 3)]
    assert shares((mail(),), (mail(cc=["c@d.org"]),)) == [(3, 4)]
    assert shares((mail(cc=["c@d.org"]),), (mail(),)) == [(3, 4)]
    assert shares((mail(),), (mail(cc=None),)) == [(3, 3)]


def test_missing_and_superfluous_calls_count_nothing_and_make_a_sample_wrong() -> None:
    photo = Call("take_photo")
    assert shares((photo,), (photo,)) == [(1, 1)]
    assert shares((photo, mail()), (photo,)) == [(1, 1), (0, 3)]
    score = SCORER.score((photo,), (photo, photo))
    assert score.calls[1] == CallScore("take_photo", 0, 1, superfluous=True)
    assert not score.right
    assert SCORER.score((), ()).right
    assert not SCORER.score((), (photo,)).right


def test_calls_are_paired_in_the_best_way_whatever_their_order() -> None:
    gold = (mail("a@b.org"), mail("c@d.org", "Dinner"))
    assert SCORER.score(gold, (gold[1], gold[0])).right
    assert shares(gold, (mail("c@d.org", "Friday lunch"),)) in ([(2, 3), (0, 3)], [(0, 3), (2, 3)])


def test_a_reference_is_right_where_it_means_the_call_that_the_gold_one_means() -> None:
    gold = (info("Ann"), info("Ben"), mail(Reference(0)))
    assert SCORER.score(gold, (info("Ben"), info("Ann"), mail(Reference(1)))).right
    assert shares(gold, (info("Ben"), info("Ann"), mail(Reference(0))))[2] == (2, 3)
    assert shares(gold, (info("Ann"), info("Ben"), mail("#0")))[2] == (2, 3)
    assert shares((info("Ann"), mail(Reference(0))), (mail(Reference(5)),))[1] == (2, 3)


def test_a_model_that_repeats_itself_is_scored_in_order_and_at_once() -> None:
    assert shares((mail(), mail()), (mail(),) * 200)[:3] == [(3, 3), (3, 3), (0, 3)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1 hours 30 minutes", "90 minutes"),
        ("1h 30m", "90 min"),
        ("1 hour and 30 minutes", "1.5 hours"),
        ("2026-03-12T15:00", "2026-03-12T15:00:00"),
        ("+1 (212) 555-1212", "12125551212"),
        ("Ann@Example.org", "mailto:ann@example.org"),
        (7, "7"),
        (7, 7.0),
        (True, "true"),
        ("The  Office", "the office"),
    ],
)
def test_values_that_mean_the_same_have_one_normal_form(first: Any, second: Any) -> None:
    assert normal_form(first) == normal_form(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("10 minutes", "10 seconds"),
        ("2026-03-12T15:00", "2026-03-12T16:00"),
        (1, True),
        ("5 may", "5 m"),
        ("2026-02-30", "2026-02-31"),
        ("", "0"),
    ],
)
def test_values_that_differ_have_different_ones(first: Any, second: Any) -> None:
    assert normal_form(first) != normal_form(second)


def test_lists_are_sets_and_objects_agree_key_by_key() -> None:
    def same(gold: Any, predicted: Any) -> bool:
        return ArgumentMatcher(SIMILARITY).same(None, "days", gold, predicted, lambda reference: None)

    assert same(["Monday", "Friday"], ["friday", "Monday", "Monday"])
    assert not same(["Monday", "Friday"], ["Monday"])
    assert not same(["Monday"], "Monday")
    assert same({"phone": "212 555 1212", "name": "Ann"}, {"name": "ann", "phone": "2125551212"})
    assert not same({"name": "Ann"}, {"name": "Ann", "company": "Acme"})


def test_short_phone_numbers_are_compared_by_their_digits() -> None:
    assert SCORER.score((Call("dial", {"phone_number": "911"}),), (Call("dial", {"phone_number": 911}),)).right


def test_what_is_semantic_follows_from_role_name_and_type() -> None:
    assert is_semantic(Parameter("EXTRA_MESSAGE"), "EXTRA_MESSAGE")
    assert is_semantic(Parameter("q", role=Role.QUERY), "q")
    assert not is_semantic(Parameter("setting_type"), "setting_type")
    assert not is_semantic(Parameter("label", enum=("a", "b")), "label")
    assert not is_semantic(Parameter("message", "integer"), "message")
    assert is_semantic(None, "title")


def test_a_gold_text_that_is_a_number_is_not_compared_by_meaning() -> None:
    alike = ArgumentMatcher(Alike(("6", "7")))
    assert not alike.same(Parameter("title"), "title", "6", "7", lambda reference: None)


@pytest.mark.parametrize("text", ["", "hours", "10", "10 minutes later", "in 10 minutes", "1 hour or 2 minutes"])
def test_what_is_no_length_of_time_has_no_seconds(text: str) -> None:
    assert seconds_of(text) is None


def test_texts_to_embed_are_those_that_scoring_asks_for() -> None:
    similarity = Alike()
    scorer = PlanScorer(TOOLS, ArgumentMatcher(similarity))
    gold, predicted = (mail(), info("Ann")), (mail(subject="Dinner"), info("Ben"))
    asked = set(scorer.texts(gold, predicted))
    assert {"Lunch on Friday", "Dinner"} <= asked
    assert not {"Ann", "Ben"} & asked


def sample(name: str, gold: Plan, predicted: Plan, **more: Any) -> ScoredSample:
    return ScoredSample(name, gold, SCORER.score(gold, predicted), **more)


def test_a_dataset_is_reported_as_a_whole_and_by_kind_tag_and_function() -> None:
    nested = (info("Ann"), mail(Reference(0)))
    metrics = measure(
        [
            sample("a", (mail(),), (mail(),), tags=("chatty",)),
            sample("b", (mail(),), (mail(subject="Dinner"),), seconds=2.0),
            sample("c", nested, nested),
            sample("d", (), (Call("take_photo"),), error="ModelError: x"),
        ]
    )
    assert (metrics["items"], metrics["calls"], metrics["errors"]) == (4, 5, 1)
    assert metrics["accuracy"] == 0.5
    assert metrics["soft_accuracy"] == pytest.approx((1 + 2 / 3 + 2 + 0) / 5, abs=1e-4)
    low, high = metrics["interval_95"]["accuracy"]
    assert 0 <= low <= 0.5 <= high <= 1
    assert {kind: part["accuracy"] for kind, part in metrics["by_kind"].items()} == {
        "simple": 0.5, "complex": 1.0, "2 calls": 1.0, "nested": 1.0, "none": 0.0,
    }  # fmt: skip
    assert metrics["by_tag"]["chatty"]["items"] == 1
    assert metrics["by_function"]["take_photo"] == {
        "calls": 0, "right": None, "soft_accuracy": None, "superfluous": 1,
    }  # fmt: skip
    assert metrics["by_function"]["send_email"]["calls"] == 3
    assert measure([])["accuracy"] is None


def test_kinds() -> None:
    assert kinds_of(()) == ("none",)
    assert kinds_of((mail(),)) == ("simple",)
    assert kinds_of((info("Ann"), mail(Reference(0)))) == ("complex", "2 calls", "nested")


CALLS = st.sampled_from([mail(), mail("x@y.org"), info("Ann"), info("Ben"), Call("take_photo"), Call("unknown")])


@given(st.lists(CALLS, max_size=4), st.lists(CALLS, max_size=4))
def test_a_plan_is_right_for_itself_in_any_order_and_shares_are_shares(gold: list[Call], other: list[Call]) -> None:
    assert SCORER.score(tuple(gold), tuple(reversed(gold))).right
    score = SCORER.score(tuple(gold), tuple(other))
    assert all(0 <= call.correct <= call.total and call.total for call in score.calls)
    assert len(score.calls) >= max(len(gold), len(other))
    if score.right:
        assert len(gold) == len(other)
