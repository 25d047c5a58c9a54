"""Implicit queries with plans become items whose main look-up is found by the phone's use, and not taught."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.errors import DatasetError
from camphor.trajectories.items import replay
from camphor_lab.datasets.context import plans
from camphor_lab.datasets.context.plans import PLANS, planned_items
from camphor_lab.training.samples import render_item

ANA = {"name": "Ana Silva", "phone_number": "+351 555 010 101"}
PHONE = {
    "format": "camphor.device/1",
    "id": "small",
    "owner": "Rui Lopes",
    "now": "2026-03-16T12:00:00",
    "timezone": "Europe/Lisbon",
    "apps": {
        "contacts": {"people": [ANA, {"name": "Bea Reis"}]},
        "music": {"songs": [{"title": "Silver Hours"}, {"title": "Low Tide"}]},
        "imessage": {
            "messages": [
                {"contact": "Ana Silva", "text": "which train?", "date": "2026-03-16T11:00:00", "direction": "incoming"}
            ]
        },
    },
}
SAMPLES: list[dict[str, Any]] = [
    {"id": "s1", "query": "the usual", "again": ["that, please"],
     "context": [{"app": "music", "list": "songs", "item": 1}]},
    {"id": "s2", "query": "tell her the 7:45", "again": ["write: 7:45", "the 7:45, tell her"],
     "context": [{"app": "imessage", "list": "messages", "item": 0}]},
]  # fmt: skip
PLAY = [{"name": "play_music", "arguments": {"title": "Low Tide"}}]


def sent(text: str) -> list[dict[str, Any]]:
    return [{"name": "send_imessage_message", "arguments": {"receiver": ANA["phone_number"], "content": text}}]


TELL = {
    "id": "s2",
    "look_ups": [{"name": "get_contacts_information", "arguments": {"keyword": "Ana Silva"}}],
    "calls": sent("The 7:45"),
    "again": [None, sent("The 7:45 it is")],
}


def folder(tmp_path: Path, *lines_of_plans: Any) -> Path:
    (tmp_path / "devices").mkdir()
    (tmp_path / "devices" / "small.device.json").write_text(json.dumps(PHONE), encoding="utf-8")
    usual = {
        "persona": "small", "device": "devices/small.device.json", "now": "2026-03-16T12:00:00", "place": "",
        "screen": "", "tools": [], "plan": [], "intent": "act", "thread": "",
    }  # fmt: skip
    lines = "".join(json.dumps({**usual, **sample}) + "\n" for sample in SAMPLES)
    (tmp_path / "train.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / PLANS).write_text("".join(json.dumps(plan) + "\n" for plan in lines_of_plans), encoding="utf-8")
    return tmp_path


def test_each_wording_is_an_item_and_what_use_found_is_not_taught(tmp_path: Path) -> None:
    refused: list[str] = []
    lines = ({"id": "s1", "look_ups": [], "calls": PLAY, "again": [None]}, TELL)
    made = list(planned_items(folder(tmp_path, *lines), tmp_path / "out", refused))
    made = [item for item in made if "-x" not in item.id]
    assert refused == []
    assert [item.query for item in made] == [text for s in SAMPLES for text in (s["query"], *s["again"])]
    assert [len(item.steps) for item in made] == [2, 2, 3, 3, 3]
    assert made[-1].calls == tuple(sent("The 7:45 it is"))
    for item in made:
        phone = json.loads((tmp_path / "out" / str(item.device)).read_text(encoding="utf-8"))
        with Device.create(None, phone) as device:
            first, *others = replay(item, device).turn.steps
        assert not first.taught
        assert first.observations[0].records
        assert all(step.taught for step in others)
        trained = [part.text for part in render_item(item, phone) if part.trained]
        assert not any("get_music_playlist" in text or "get_imessage_history" in text for text in trained)
        assert any(item.steps[-1]["calls"][0]["name"] in text for text in trained)


def test_where_use_found_something_else_nothing_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MISTAKEN_EVERY", 1)
    made = list(planned_items(folder(tmp_path, TELL), tmp_path / "out", []))
    mistaken = [item for item in made if "-x" in item.id]
    assert len(mistaken) == 1
    (item,) = mistaken
    assert item.calls == ()
    assert item.response.endswith("?")
    phone = json.loads((tmp_path / "out" / str(item.device)).read_text(encoding="utf-8"))
    with Device.create(None, phone) as device:
        first, last = replay(item, device).turn.steps
    assert not first.taught
    assert first.observations[0].records
    assert not any("which train?" in str(record) for record in first.observations[0].records)
    assert last.calls == ()


def test_what_does_not_replay_is_left_out_and_told(tmp_path: Path) -> None:
    refused: list[str] = []
    nowhere = {**TELL, "look_ups": [{"name": "get_contacts_information", "arguments": {"keyword": "Zebedee"}}]}
    made = planned_items(folder(tmp_path, nowhere), tmp_path / "out", refused)
    assert [item for item in made if item.calls] == []
    assert len(refused) == 3
    assert "finds nothing" in refused[0]


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("calls", [], "lists"),
        ("look_ups", [{}], "lists"),
        ("again", [None], "2 entries"),
        ("id", "s9", "id of a sample"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, key: str, value: Any, told: str) -> None:
    with pytest.raises(DatasetError, match=f"line 1.*{told}"):
        list(planned_items(folder(tmp_path, {**TELL, key: value}), tmp_path / "out", []))
