"""Conditions that a question's words put on records, and kinds of values that records hold."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.answering.conditions import holds, number_field, state_of
from camphor.agents.answering.programs import Pick
from camphor.agents.answering.question import ParsedQuestion, Want, read_question
from camphor.agents.answering.tables import Table, tables_of
from tests.doubles.answering import NOW, phone

TABLES = {f"{each.app}.{each.name}": each for each in tables_of(phone())}


def read(text: str) -> ParsedQuestion:
    return read_question(text, datetime.fromisoformat(NOW))


def meeting(text: str, table: Table) -> list[Any]:
    condition = state_of(read(text), table)
    assert condition is not None
    return [row.ordinal for row in table.rows if condition(row.record)]


@pytest.mark.parametrize(
    ("text", "key", "rows"),
    [
        ("which reminders are open", "reminders.reminders", [0, 2]),
        ("which reminders are done", "reminders.reminders", [1]),
        ("which reminders are not done", "reminders.reminders", [0, 2]),
        ("which orders were delivered", "amazon.orders", [0, 2]),
        ("which orders have not arrived", "amazon.orders", [1]),
        ("which orders are on the way", "amazon.orders", [1]),
        ("what did I write to Oisin", "imessage.messages", [1]),
        ("what did Oisin write", "imessage.messages", [0]),
    ],
)
def test_states(text: str, key: str, rows: list[int]) -> None:
    assert meeting(text, TABLES[key]) == rows


def test_no_word_for_a_state_no_condition() -> None:
    assert state_of(read("which reminders do I have"), TABLES["reminders.reminders"]) is None


def test_figures_that_are_compared_with() -> None:
    assert read("which orders are over 20").more == 20
    assert read("did I walk less than ten thousand steps").less == 10000
    assert read("which orders are there").more is None


def test_the_field_with_figures() -> None:
    found = number_field(read("how much is the trowel"), TABLES["amazon.orders"])
    assert found is not None
    assert found.name == "total"
    assert number_field(read("how much"), TABLES["calendar.events"]) is None


@pytest.mark.parametrize(
    ("key", "row", "held", "not_held"),
    [
        ("contacts.people", 1, [Want.PHONE, Want.EMAIL, Want.BIRTHDAY], [Want.MONEY]),
        ("contacts.people", 2, [Want.PHONE], [Want.EMAIL, Want.BIRTHDAY]),
        ("amazon.orders", 0, [Want.MONEY, Want.TIME], [Want.EMAIL]),
        ("calendar.events", 0, [Want.TIME], [Want.MONEY, Want.EMAIL]),
        ("mail.messages", 0, [], [Want.BIRTHDAY]),
    ],
)
def test_kinds_of_values_that_a_record_holds(key: str, row: int, held: list[Want], not_held: list[Want]) -> None:
    table = TABLES[key]
    pick = Pick(table, next(each for each in table.rows if each.ordinal == row))
    assert [each for each in held if not holds(pick, each)] == []
    assert [each for each in not_held if holds(pick, each)] == []


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("what's Oisin's number", Want.PHONE),
        ("what's my passport number", Want.CODE),
        ("when is the dentist", Want.TIME),
        ("how much did the lantern cost", Want.MONEY),
        ("where is the dentist", Want.PLACE),
        ("when is Oisin's birthday", Want.BIRTHDAY),
        ("who wrote to me", None),
    ],
)
def test_the_kind_of_value_that_is_asked_for(text: str, want: Want | None) -> None:
    assert read(text).wants is want
