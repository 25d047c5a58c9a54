"""`camphor health prescription`, `medicines`, `doses`, `taken`, `snooze`, `skip` and `remind`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.command import Camphor, one_line

METFORMIN = "Metformin 850 mg 1 tab bd with meals for 30 days"


def listed(camphor: Camphor, *words: str) -> Any:
    return json.loads(camphor("health", *words, "--json").out)


def test_a_prescription_becomes_reminders_and_doses_are_noted(camphor: Camphor) -> None:
    shown = camphor("health", "prescription", "--text", METFORMIN)
    assert shown.status == 0
    assert "Nothing was kept" in shown.out
    assert listed(camphor, "medicines") == []
    begun = ("--from", "2026-05-18T08:00", "--add")
    assert "Kept: Metformin" in camphor("health", "prescription", "--text", METFORMIN, *begun).out
    (medicine,) = listed(camphor, "medicines")
    assert (medicine["name"], medicine["plan"]) == ("Metformin", {"times": ["08:00", "20:00"], "days": 30})
    reminded = camphor("health", "remind", "--once").out
    assert reminded.startswith("09:10  Metformin 850 mg, 1 tablet, with food, due 08:00, 70 minutes ago")
    assert camphor("health", "remind", "--once").out == "Nothing is due now\n"
    assert camphor("health", "snooze", "--minutes", "30").out == "I remind you of dose 1 again at 09:40\n"
    noted = camphor("health", "taken", "--at", "08:05")
    assert noted.out == "Noted: Metformin 850 mg, 1 tablet, with food, taken at 08:05\n"
    assert "already: nothing was changed" in camphor("health", "taken", "1").out
    assert listed(camphor, "doses")["counts"] == {"taken": 1, "skipped": 0, "missed": 0, "open": 1}
    assert camphor("health", "taken", "1", "--undo").status == 0
    assert "skipped at 09:10" in camphor("health", "skip", "--why", "felt sick").out
    stands = camphor("health", "remind")
    assert stands.status == 0
    assert "stands still at 18 May 2026 09:10" in stands.out
    assert "Stopped: Metformin" in camphor("health", "medicines", "--stop", "1").out
    assert [each["state"] for each in listed(camphor, "doses")["doses"]] == ["skipped"]


def test_what_is_in_doubt_is_settled_or_left_out(camphor: Camphor) -> None:
    text = "Metformin 5OO mg bd; Foobarol 20 mg od"
    refused = camphor("health", "prescription", "--text", text, "--add")
    assert refused.status == 2
    assert "--set 1.strength" in one_line(refused.err)
    settled = ("1.strength=500 mg", "1.dose=1 tablet", "1.when=twice a day")
    words = (*(word for each in settled for word in ("--set", each)), "--leave", "2", "--add")
    assert "Kept: Metformin" in camphor("health", "prescription", "--text", text, *words).out
    again = camphor("health", "prescription", "--text", METFORMIN, "--add")
    assert again.status == 1
    assert "--despite" in one_line(again.err)
    allergic = camphor("health", "prescription", "--text", "Amoxicillin 500 mg tds 5/7", "--add")
    assert "allergic to penicillin" in one_line(allergic.err)
    assert len(listed(camphor, "medicines")) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("prescription",), "Give a photo"),
        (("prescription", "nowhere.png"), "There is no file"),
        (("prescription", "--text", "hello", "--add"), "No medicine was found"),
        (("prescription", "--text", METFORMIN, "--set", "9.dose=1"), "no medicine 9"),
        (("prescription", "--text", METFORMIN, "--set", "dose"), "says no field"),
        (("prescription", "--text", METFORMIN, "--add", "--from", "soon"), "is no time"),
        (("taken",), "No dose waits"),
        (("taken", "99"), "no dose 99"),
        (("taken", "--medicine", "9"), "no medicine 9"),
        (("doses", "--day", "tomorrow"), "is no day"),
        (("medicines", "--stop", "4"), "no medicine 4"),
    ],
)
def test_bad_input_is_told_in_one_line(camphor: Camphor, words: tuple[str, ...], told: str) -> None:
    ran = camphor("health", *words)
    assert ran.status == 2
    assert told in one_line(ran.err)


def test_a_device_file_is_shown_what_it_says_and_never_changed(camphor: Camphor, tmp_path: Path) -> None:
    file = tmp_path / "phone.device.json"
    camphor("device", "export", "ines-dublin", "--out", str(file))
    shown = camphor("health", "prescription", "--text", METFORMIN, "--device", str(file), "--json")
    assert json.loads(shown.out)["medicines"][0]["name"]["value"] == "Metformin"
    refused = camphor("health", "prescription", "--text", METFORMIN, "--add", "--device", str(file))
    assert "camphor device import" in one_line(refused.err)
