"""Reading what a model wrote, sieving it, and the phones that it is shown."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.device import Device
from camphor.errors import ContextFull, UsageError
from camphor.models.base import Finish, Reply, ScriptedModel
from camphor_lab.datasets.llm.judge import Reason, Rejected, sift
from camphor_lab.datasets.llm.queries import (
    KINDS,
    VOICES,
    GivenStates,
    NamedPhone,
    QueryBrief,
    SampledStates,
    bank_queries,
    read_queries,
    show_records,
    write_queries,
)
from camphor_lab.datasets.similarity import Similar
from tests.doubles.llm import PHONE, numbered, phones

ONE, TWO = "call the dentist", "what's on tomorrow?"


@pytest.mark.parametrize(
    "text",
    [
        f"1. {ONE}\n2. {TWO}",
        f'Here are two:\n\n1) "{ONE}"\n2) “{TWO}”\n\nTell me if you want more.',
        f"**1.** {ONE}\n**2.** {TWO}",
        f"- {ONE}\n- {TWO}\nHope this helps",
        f"Sure:\n{ONE}\n{TWO}",
        f'["{ONE}", "{TWO}"]',
        f'```json\n{{"queries": [{{"query": "{ONE}"}}, "{TWO}", 3]}}\n```',
    ],
)
def test_lists_are_read_as_models_write_them(text: str) -> None:
    assert read_queries(text) == [ONE, TWO]


def test_what_is_cut_off_is_left_out() -> None:
    assert read_queries(f"1. {ONE}\n2. what's", cut_off=True) == [ONE]
    model = ScriptedModel([Reply(f"1. {ONE}\n2. what's", finish=Finish.LENGTH)])
    assert write_queries(model, brief(), Random(1)) == [ONE]


@given(st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "Zs"]), min_size=1), min_size=1, max_size=9))
def test_a_numbered_list_comes_back(queries: list[str]) -> None:
    plain = [" ".join(query.split()) for query in queries]
    plain = [query for query in plain if query]
    if plain:
        assert read_queries(numbered(*plain)) == plain


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert all(query == " ".join(query.split()) and query for query in read_queries(text))


def brief(count: int = 2) -> QueryBrief:
    return QueryBrief(NamedPhone("ann", PHONE), KINDS[0], VOICES[0], ("a seed",), count)


def test_the_prompt_fits_the_context_or_says_so() -> None:
    large, small = ScriptedModel([numbered(ONE)], 8000), ScriptedModel([numbered(ONE)], 640)
    write_queries(large, brief(), Random(1))
    write_queries(small, brief(), Random(1))
    sizes = [sum(len(segment.text) for segment in model.requests[0].prompt) for model in (large, small)]
    assert sizes[1] < sizes[0]
    with pytest.raises(ContextFull, match="ask for fewer"):
        write_queries(ScriptedModel([], 300), brief(), Random(1))


def test_no_more_than_asked_for() -> None:
    assert write_queries(ScriptedModel([numbered(ONE, TWO, ONE)]), brief(2), Random(1)) == [ONE, TWO]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("call him", Reason.SHORT),
        ("so " * 65, Reason.LONG),
        ("use get_contacts_information to find Ben", Reason.ID),
        ("call the person p-031 right now", Reason.ID),
        ("remind me at 2026-03-12T18:00:00 to cook", Reason.ID),
        ("run send(receiver='Ben', content='hi') for me", Reason.ID),
        ("tell [name] that I am late", Reason.UNFINISHED),
        ("The owner of this phone may say:", Reason.UNFINISHED),
        ("tell Ben that " + "ha" * 200, Reason.UNFINISHED),
        ("the app is called the app and the app is called the app too", Reason.REPEATS),
        ("your app stands on one line after its number", Reason.PROMPT),
        ("tell <contact> that I am late", Reason.UNFINISHED),
        ("tell Ben that dinner is ready now", Reason.ALIKE),
        ("please show me the way home", Reason.ALIKE),
    ],
)
def test_bad_queries_are_sieved_out_with_a_reason(query: str, reason: Reason) -> None:
    near = Similar(included=True)
    near.add("tell Ben that dinner is ready")
    with pytest.raises(Rejected) as caught:
        sift(query, PHONE, near, ["show me the way home"])
    assert caught.value.reason is reason
    assert caught.value.why


@pytest.mark.parametrize(
    "query", ["dentist's number, pls", "tell Ben 31 people come at 18:00 (not 17:00)", "wie spät ist es"]
)
def test_good_queries_pass(query: str) -> None:
    sift(query, PHONE, Similar(included=True), [])


def test_sampled_phones_are_the_same_by_seed_and_can_be_opened() -> None:
    one, again, other = (SampledStates(seed).draw(3) for seed in (1, 1, 2))
    assert one == again
    assert one.data != other.data
    with Device.create(None, one.data) as device:
        assert len(device.toolbox) > 10
    assert one.name == one.data["id"]


def test_given_phones_take_turns(tmp_path: Path) -> None:
    states = phones(tmp_path)
    assert states.draw(0) == states.draw(5) == NamedPhone("ann", PHONE)
    assert GivenStates(tmp_path).fingerprint == states.fingerprint


@pytest.mark.parametrize("text", [None, '{"format": "camphor.device/1", "id": "x", "apps": {}}'])
def test_folders_that_cannot_be_used(tmp_path: Path, text: str | None) -> None:
    if text:
        (tmp_path / "x.device.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        GivenStates(tmp_path)


def test_bank_queries_are_several_and_by_seed() -> None:
    found = bank_queries(Random(4), 4)
    assert len(set(found)) == 4
    assert found == bank_queries(Random(4), 4)


def test_records_are_shown_as_people_read_them() -> None:
    shown = show_records(NamedPhone("ann", PHONE), datetime(2026, 3, 12), Random(1))
    assert "calendar events: title: Choir; start: Fri 13 Mar 22:00; end: Fri 13 Mar 23:00" in shown
    assert len(shown) == 3
