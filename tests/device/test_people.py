"""People as they are spoken of."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.people import find_people

PEOPLE: list[dict[str, Any]] = [
    {"name": "Ines Marques", "phone_number": "555-000-0001", "email": "ines@example.org", "is_self": True},
    {"name": "Alice Johnson", "phone_number": "555-123-4567", "email": "alice@example.org",
     "relationship": "Travel Buddy"},
    {"name": "Mamã", "phone_number": "+351 912 555 001", "relationship": "Mother"},
    {"name": "Teresa Brandão", "phone_number": "912 555 002", "relationship": "Mother-in-law"},
    {"name": "Robert Łuczak", "phone_number": "555-0104", "relationship": "Colleague, front desk"},
    {"name": "Sharon Locke", "phone_number": "555-0105", "relationship": "Manager"},
    {"name": "Sharon Bevan", "phone_number": "555-0106", "relationship": "Hairdresser, Snips"},
    {"name": "Beth Tucker", "phone_number": "555-0107", "relationship": "Len Tucker's daughter"},
    {"name": "Nadia Haddad", "phone_number": "555-0108", "relationship": "Neighbour, has our key"},
    {"name": "Ffion Gibbs", "email": "ffion@example.net", "relationship": "Nadia's best friend"},
    {"name": "Dr Quaye", "phone_number": "555-0110"},
]  # fmt: skip


def names(text: str) -> list[str]:
    return [person["name"] for person in find_people(text, PEOPLE)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alice Johnson", "Alice Johnson"),
        ("alice", "Alice Johnson"),
        ("my travel buddy", "Alice Johnson"),
        ("Nadia's", "Nadia Haddad"),
        ("Nadia’s best friend", "Ffion Gibbs"),
        ("mum", "Mamã"),
        ("my mother", "Mamã"),
        ("MAMA", "Mamã"),
        ("mother in law", "Teresa Brandão"),
        ("Brandao", "Teresa Brandão"),
        ("Rob", "Robert Łuczak"),
        ("Bob", "Robert Łuczak"),
        ("luczak", "Robert Łuczak"),
        ("coworker", "Robert Łuczak"),
        ("neighbor", "Nadia Haddad"),
        ("boss", "Sharon Locke"),
        ("Sharon the hairdresser", "Sharon Bevan"),
        ("Sharon B", "Sharon Bevan"),
        ("Mrs Bevan", "Sharon Bevan"),
        ("the doctor Quaye", "Dr Quaye"),
        ("Haddda", "Nadia Haddad"),
        ("(555) 123 4567", "Alice Johnson"),
        ("912555001", "Mamã"),
        ("ALICE@example.org", "Alice Johnson"),
        ("me", "Ines Marques"),
        ("myself", "Ines Marques"),
        ("Ines Marques", "Ines Marques"),
        ("Len Tucker's daughter", "Beth Tucker"),
    ],
)
def test_one_is_meant(text: str, expected: str) -> None:
    assert names(text) == [expected]


def test_ties_are_all_returned() -> None:
    assert names("Sharon") == ["Sharon Locke", "Sharon Bevan"]


@pytest.mark.parametrize(
    "text", ["", "  ", "nobody", "daughter", "Ines", "555-9999999", "no@one.example", "Nadia's mother", "to"]
)
def test_nobody_is_guessed(text: str) -> None:
    assert names(text) == []


@given(st.sampled_from(PEOPLE[1:]))
def test_full_names_numbers_and_addresses_find_their_person(person: dict[str, Any]) -> None:
    for key in ("name", "phone_number", "email"):
        if key in person:
            assert find_people(person[key], PEOPLE) == [person]
            assert find_people(f" {person[key].upper()} ", PEOPLE) == [person]


@given(st.text(max_size=40))
def test_any_text_finds_people_or_none(text: str) -> None:
    assert all(person in PEOPLE for person in find_people(text, PEOPLE))


def test_people_without_names_are_passed_over() -> None:
    assert find_people("Alice", [{}, {"name": None}, {"phone_number": "1"}]) == []


def test_signs_without_a_word_mean_nobody() -> None:
    assert find_people("((((", [{"name": "Ana Sol"}]) == []
