"""DroidCall's early samples in the functions of the paper: on lines made by hand in the prototype's form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DatasetError
from camphor.trajectories.call_samples import CallSample
from scripts.public_calls.early import early_samples


def samples(folder: Path, *lines: tuple[str, str, Mapping[str, Any]]) -> tuple[list[CallSample], Counter[str]]:
    """What comes of requests with one gold call each: (request, prototype's function, its arguments)."""
    place = folder / "droidcall_early"
    place.mkdir(exist_ok=True)
    texts = [
        json.dumps(
            {"id": f"e:{number}", "grounded": True, "query": query, "calls": [{"name": name, "arguments": values}]}
        )
        for number, (query, name, values) in enumerate(lines)
    ]
    (place / "train.jsonl").write_text("\n".join(texts), encoding="utf-8")
    refused: Counter[str] = Counter()
    return list(early_samples(folder, refused)), refused


@pytest.mark.parametrize(
    ("query", "name", "values", "call", "wanted"),
    [
        (
            "Set an alarm at 6:40 AM every Monday for rowing practice",
            "ACTION_SET_ALARM",
            {"EXTRA_HOUR": 6, "EXTRA_MINUTES": 40, "EXTRA_MESSAGE": "Rowing Practice", "EXTRA_DAYS": [2]},
            "ACTION_SET_ALARM",
            {"EXTRA_HOUR": 6, "EXTRA_MINUTES": 40, "EXTRA_MESSAGE": "rowing practice", "EXTRA_DAYS": ["Monday"]},
        ),
        (
            "I need a 25-minute timer for the dough",
            "ACTION_SET_TIMER",
            {"EXTRA_LENGTH": 1500, "EXTRA_MESSAGE": "Dough timer", "EXTRA_SKIP_UI": True},
            "ACTION_SET_TIMER",
            {"duration": "25 minutes", "EXTRA_MESSAGE": "dough"},
        ),
        (
            "Can you look up the rules of curling?",
            "ACTION_WEB_SEARCH",
            {"QUERY": "rules of curling"},
            "web_search",
            {"query": "rules of curling"},
        ),
        (
            "Show me the nearest bakery on the map",
            "ACTION_VIEW_map",
            {"uri": "geo:0,0?q=bakery"},
            "search_location",
            {"query": "nearest bakery"},
        ),
        (
            "Where is the café Zoë, please?",
            "ACTION_VIEW_map",
            {"uri": "geo:0,0?q=caf%C3%A9+Zo%C3%AB"},
            "search_location",
            {"query": "café Zoë"},
        ),
        (
            "Where do I go to pair a Bluetooth speaker?",
            "ACTION_BLUETOOTH_SETTINGS",
            {},
            "open_settings",
            {"setting_type": "bluetooth"},
        ),
        ("Can I see a list of my alarms?", "ACTION_SHOW_ALARMS", {}, "ACTION_SHOW_ALARMS", {}),
        (
            "Let me choose several photos for the flyer",
            "ACTION_GET_CONTENT",
            {"EXTRA_ALLOW_MULTIPLE": True},
            "ACTION_GET_CONTENT",
            {"mime_type": "image/*", "allow_multiple": True},
        ),
        (
            "I want to open a PDF and read on",
            "ACTION_OPEN_DOCUMENT",
            {"EXTRA_MIME_TYPES": ["application/pdf"], "EXTRA_ALLOW_MULTIPLE": False},
            "ACTION_OPEN_DOCUMENT",
            {"mime_types": ["application/pdf"]},
        ),
        ("Take a picture of this mural", "ACTION_IMAGE_CAPTURE", {"EXTRA_OUTPUT": "x"}, "ACTION_IMAGE_CAPTURE", {}),
        ("Let me pick a contact's phone number", "ACTION_PICK_contact_data", {}, "ACTION_PICK", {"data_type": "PHONE"}),
        (
            "Mail jo@choir.example with the subject 'Tenors' and the message 'We need two more.'",
            "ACTION_SENDTO_email",
            {"EXTRA_SUBJECT": "Tenors", "EXTRA_TEXT": "We need two more."},
            "send_email",
            {"to": ["jo@choir.example"], "subject": "Tenors", "body": "We need two more."},
        ),
    ],
)
def test_what_fits_is_mapped(
    tmp_path: Path, query: str, name: str, values: dict[str, Any], call: str, wanted: dict[str, Any]
) -> None:
    made, refused = samples(tmp_path, (query, name, values))
    assert not refused
    assert [(sample.query, sample.answers[0].name, dict(sample.answers[0].arguments)) for sample in made] == [
        (query, call, wanted)
    ]
    assert made[0].id == "e:0"


@pytest.mark.parametrize(
    ("query", "name", "values", "reason"),
    [
        ("Wake me at 7 AM", "ACTION_SET_ALARM", {"EXTRA_HOUR": 8, "EXTRA_MINUTES": 0}, "not the one that is said"),
        (
            "Set an alarm for 7 AM",
            "ACTION_SET_ALARM",
            {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0, "EXTRA_MESSAGE": "Gym"},
            "label is not said",
        ),
        (
            "Set an alarm for 7 AM on the first Monday of the month",
            "ACTION_SET_ALARM",
            {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0},
            "cannot do",
        ),
        ("Time my eggs for 4 minutes", "ACTION_SET_TIMER", {"EXTRA_LENGTH": 300}, "not the one that is said"),
        (
            "Timer for 4 minutes without any confirmation",
            "ACTION_SET_TIMER",
            {"EXTRA_LENGTH": 240},
            "confirmed is not plain",
        ),
        ("How do cranes fly?", "ACTION_WEB_SEARCH", {"QUERY": "bird migration"}, "topic is not said"),
        ("Where can I set the volume?", "ACTION_DISPLAY_SETTINGS", {}, "settings screen"),
        ("Take a photo and send it to Ann", "ACTION_IMAGE_CAPTURE", {}, "more than a photo"),
        ("Write to my boss", "ACTION_SEND_email", {"EXTRA_SUBJECT": "Hi", "EXTRA_TEXT": "Hi"}, "no address"),
        ("Get me a taxi", "ACTION_RESERVE_TAXI_RESERVATION", {}, "no function"),
    ],
)
def test_what_does_not_fit_is_counted(
    tmp_path: Path, query: str, name: str, values: dict[str, Any], reason: str
) -> None:
    made, refused = samples(tmp_path, (query, name, values))
    assert made == []
    assert [reason in why for why in refused] == [True]
    assert next(iter(refused)).startswith(name)


def test_words_of_computed_values_are_kept(tmp_path: Path) -> None:
    values = {"EXTRA_HOUR": 21, "EXTRA_MINUTES": 5, "EXTRA_DAYS": [6]}
    made, _ = samples(tmp_path, ("An alarm at 9:05 pm on Fridays, please", "ACTION_SET_ALARM", values))
    assert made[0].said["0.EXTRA_HOUR"] == "9:05 pm"
    assert "Friday" in made[0].said["0.EXTRA_DAYS"]


def test_grounded_lines_come_first_and_others_can_be_left_out(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "grounded": False, "query": "Open the Wi-Fi settings", "calls": [{"name": "ACTION_WIFI_SETTINGS"}]},
        {"id": "b", "grounded": True, "query": "Change my Wi-Fi settings", "calls": [{"name": "ACTION_WIFI_SETTINGS"}]},
    ]
    (tmp_path / "droidcall_early.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert [sample.id for sample in early_samples(tmp_path)] == ["b", "a"]
    assert [sample.id for sample in early_samples(tmp_path, grounded_only=True)] == ["b"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "droidcall_early.jsonl").write_text('{"query": "x"}\n{"query": ', encoding="utf-8")
    with pytest.raises(DatasetError, match="line 2"):
        list(early_samples(tmp_path))
