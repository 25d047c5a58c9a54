"""Red flags: raised by what is meant here and now, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.agents.health.red_flags import FLAGS, affirmed, red_flags

SENTENCES = [
    json.loads(line)
    for line in Path(__file__)
    .parents[3]
    .joinpath("data/health-red-flags/rules.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
RAISED = [(item["text"], item["kind"]) for item in SENTENCES if item["emergency"]]
NOT_RAISED = [item["text"] for item in SENTENCES if not item["emergency"]]


@pytest.mark.parametrize(("said", "name"), RAISED)
def test_flag_is_raised(said: str, name: str) -> None:
    assert name in [found.flag.name for found in red_flags(said)]


@pytest.mark.parametrize("said", NOT_RAISED)
def test_near_miss_raises_nothing(said: str) -> None:
    assert [(found.flag.name, found.words) for found in red_flags(said)] == []


def test_signs_add_up_over_messages() -> None:
    assert not red_flags("There is a pain in my chest")
    assert [found.flag.name for found in red_flags("There is a pain in my chest", "I'm rather short of breath")] == [
        "chest_pain"
    ]


def test_bare_yes_says_what_was_asked() -> None:
    asked = affirmed("Are you also short of breath?", "Yes, a bit.")
    assert [found.flag.name for found in red_flags("my chest hurts", asked)] == ["chest_pain"]
    assert affirmed("Are you also short of breath?", "Yes, but only my knee") == "Yes, but only my knee"
    assert affirmed("Are you short of breath?", "no") == "no"


def test_somebody_else_in_need_is_told_apart() -> None:
    (found,) = red_flags("My neighbour is unconscious")
    assert found.another
    (found,) = red_flags("I lost consciousness twice today")
    assert not found.another


def test_every_flag_has_a_source_and_is_tested() -> None:
    pages = ("https://www.nhs.uk/", "https://www.sja.org.uk/")
    assert all(flag.source.startswith(pages) and flag.advice for flag in FLAGS)
    assert {flag.name for flag in FLAGS} == {name for _, name in RAISED}


def test_hostile_text_takes_no_time() -> None:
    assert red_flags("chest " * 2000 + "no " * 2000 + "\x00\ud800") == ()
