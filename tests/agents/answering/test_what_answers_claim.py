"""What an answer may not pretend: a sum of what nobody asked for, a list that is whole, a deed, a near record."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from camphor.agents.answering.answer import answer
from camphor.agents.answering.question import Operation
from camphor.device.device import Device
from tests.doubles.answering import PHONE, phone

PEDAL: dict[str, Any] = {
    "description": "Bike share stations.",
    "records": {"stations": [{"station": "Library Square", "bikes": 7}, {"station": "Market", "bikes": 4}]},
    "tools": [{**PHONE["apps"]["beekeeper"]["tools"][0], "name": "get_pedal_stations", "returns": "stations"}],
}


def phone_with(**apps: dict[str, Any]) -> Device:
    changed = deepcopy(PHONE)
    changed["apps"] |= apps
    return Device.create(None, changed)


@pytest.mark.parametrize("query", ["what's the total of my library books", "how much are my library books altogether"])
def test_a_figure_that_nothing_in_the_question_speaks_of_is_not_summed(query: str) -> None:
    with phone_with(pedal=PEDAL) as device:
        told = answer(query, device)
    assert "in all" not in told.text
    assert not told.found


def test_a_figure_that_is_named_is_summed() -> None:
    with phone_with(pedal=PEDAL) as device:
        assert (
            "11 bikes in all, of 2 stations" in answer("how many bikes are there in all at the stations", device).text
        )


def _crowd(many: int) -> dict[str, Any]:
    return {"people": [{"person_id": f"{each:03}", "name": f"Wilma Q{each}"} for each in range(many)]}


@pytest.mark.parametrize("query", ["How many people are in my contacts?", "how many contacts do I have"])
def test_a_count_has_its_number_and_a_shortened_list_says_so(query: str) -> None:
    with phone_with(contacts=_crowd(15)) as device:
        told = answer(query, device).text
    assert told.startswith("15 contacts")
    assert "and 3 more" in told


@pytest.mark.parametrize("query", ["Cancel everything I have on Saturday", "delete all my events of Saturday"])
def test_a_wish_that_ends_in_records_is_said_not_to_have_been_done(query: str) -> None:
    told = answer(query, phone())
    assert told.text.startswith("I did not do this:")
    assert "Kayak course" in told.text


@pytest.mark.parametrize("query", ["what's on today", "show me my events of Saturday", "give me Oisin's number"])
def test_a_question_is_not_said_to_be_undone(query: str) -> None:
    assert "I did not" not in answer(query, phone()).text


@pytest.mark.parametrize("query", ["When did I last talk to my sister?", "last message from my uncle"])
def test_the_record_of_somebody_else_is_not_near(query: str) -> None:
    told = answer(query, phone())
    assert [each.operation for each in told.programs] == [Operation.NONE]
    assert "Oisin" not in told.text
