"""The language bank: in order, divided for good, and enough of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from camphor_lab.datasets import situations
from camphor_lab.datasets.bank import Bank, choose_split, fill, load, read_said, split_of
from camphor_lab.datasets.check import check_bank
from camphor_lab.datasets.wishes import PROGRAMS


def test_every_line_uses_slots_that_are_filled() -> None:
    assert check_bank() == []


def test_both_splits_have_lines_of_every_situation_and_share_none() -> None:
    train, test = Bank("train"), Bank("test")
    shared = []
    for situation in train.situations():
        for key in ("ask", "clause"):
            if len(load()["requests"][situation].get(key, ())) > 1:
                ours, theirs = set(train.lines(situation, key)), set(test.lines(situation, key))
                assert ours, (situation, key)
                assert theirs, (situation, key)
                shared += sorted(ours & theirs)
    assert shared == []


def test_the_bank_is_rich() -> None:
    requests = load()["requests"]
    assert sum(len(set(table.get(key, ()))) for table in requests.values() for key in ("ask", "clause")) > 500
    assert len(load()["apps"]) >= 30
    assert situations.__all__  # importing it fills PROGRAMS
    assert len(PROGRAMS) >= 40


@given(st.lists(st.text(min_size=1), min_size=2, unique=True))
def test_lines_are_divided_without_loss_or_overlap(lines: list[str]) -> None:
    train, test = choose_split(lines, "train"), choose_split(lines, "test")
    assert train
    assert test
    assert set(train) | set(test) == set(lines)
    assert not set(train) & set(test) or len(set(test)) == len(lines)


@given(st.text())
def test_a_text_keeps_its_split(text: str) -> None:
    assert split_of(text) == split_of(text) in ("train", "test")


def test_said_and_written() -> None:
    assert read_said("if {he} is in -> Are you in? | You in?").written == ("Are you in?", "You in?")
    assert read_said("call the bank").written == ("Call the bank",)
    assert fill("tell {him} {x}", {"him": "her"}) == "tell her {x}"
