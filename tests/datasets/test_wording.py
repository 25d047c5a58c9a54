"""Refused wishes, remembered words, questions in clauses, and answers that keep addresses as they are."""

from __future__ import annotations

from random import Random

import pytest

from camphor_lab.datasets.bank import Bank, load
from camphor_lab.datasets.contents import manifest_of
from camphor_lab.datasets.phones import make_phone
from camphor_lab.datasets.situations.open_ends import could_do
from camphor_lab.datasets.wishes import Unfit, World, best_words, sentence
from camphor_lab.datasets.wording import as_clause, weight


def world_with(*apps: str) -> World:
    bank = Bank("train")
    phone = make_phone(bank, Random(1), 1)
    for name in set(phone.data["apps"]) & set(load()["apps"]):
        del phone.data["apps"][name]
    for name in apps:
        phone.data["apps"][name] = manifest_of(load()["apps"][name], Random(2), ["Ana Prieto"], phone.now)
    return World(phone, bank, Random(3))


@pytest.mark.parametrize(
    ("line", "app"),
    [
        ("put the kitchen lights out", "hearthhub"),
        ("send my brother fifty by bank transfer", "lakecard"),
        ("order a pizza", "dishdash"),
        ("walk the dog for me", "pawpost"),
        ("feed the fish", "reefling"),
        ("do my maths homework", "slateboard"),
    ],
)
def test_a_wish_is_not_refused_where_an_app_could_do_it(line: str, app: str) -> None:
    assert could_do(world_with("hivekeep", app), line) == app
    assert could_do(world_with(), line) == ""


def test_the_list_of_what_apps_could_do_names_apps_and_every_domain_of_the_bank() -> None:
    named = {app for entry in load()["content"]["possible"] for app in entry.split(" => ")[0].split()}
    assert named <= set(load()["apps"])
    assert all(" => " in entry for entry in load()["content"]["possible"])


def test_records_are_remembered_by_what_they_name() -> None:
    world = world_with()
    record = {"subject": "Quick question about the next ladder, cancelling"}
    for _ in range(40):
        chosen = best_words(world, [record, {"subject": "A folder"}], record, record["subject"])
        assert chosen.split()[-1] in ("question", "ladder")
    with pytest.raises(Unfit):
        best_words(world, [record], record, "that was quick")
    assert weight("ladder")
    assert not weight("cancelling")


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("where's the key", "where the key is"),
        ("where does Baraka live", None),
        ("when does the bus leave", None),
        ("where is the car parked", "where the car is parked"),
        ("what is Baraka bringing", "what Baraka is bringing"),
        ("what was I going to say", None),
        ("which level is the car on", "which level the car is on"),
        ("the new gate code", "the new gate code"),
        ("who's bringing the salad", "who's bringing the salad"),
        ("how much is the wedding", "how much the wedding is"),
    ],
)
def test_a_question_inside_a_sentence(question: str, clause: str | None) -> None:
    assert as_clause(question) == clause


@pytest.mark.parametrize(
    "kept", ["https://example.org/tap is the page", "ines.pics is your name", "a@b.example", "@ana"]
)
def test_an_answer_keeps_addresses_and_handles(kept: str) -> None:
    assert sentence(kept) == kept
    assert sentence("the page") == "The page"
