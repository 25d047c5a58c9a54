"""`camphor lab train-answers` on a tiny set: what is read, what it says, and that the model it writes can be asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.answering.answer import answer
from camphor.agents.answering.model import read_answering
from camphor.cli.root import run
from camphor.device.device import Device
from camphor.errors import UsageError
from camphor_lab.training.answers import FEWEST, AnswersConfig, train_answers

pytest.importorskip("sklearn")

NOW = "2026-03-12T09:00:00"
SONGS = ["Curlew", "Lantern", "Meadow", "Harbour", "Thistle", "Ember"]
VISITS = ["Dentist", "Choir", "Kayak", "Pottery", "Physio", "Notary"]


def _set(folder: Path) -> Path:
    """Questions about songs and events of one phone, with their records."""
    songs = [{"title": each, "artist": "The Reeds", "played": f"2026-03-0{n + 1}"} for n, each in enumerate(SONGS)]
    events = [{"title": each, "start": f"2026-03-1{n + 2}T10:00:00"} for n, each in enumerate(VISITS)]
    phone = {
        "format": "camphor.device/1", "id": "p", "owner": "", "now": NOW, "timezone": None, "location": None,
        "screen": "", "activity": [], "apps": {"music": {"songs": songs}, "calendar": {"events": events}},
    }  # fmt: skip
    (folder / "p.device.json").write_text(json.dumps(phone), encoding="utf-8")
    lines = [
        *(_item(f"s{n}", f"when did I play {each}", f"/apps/music/songs/{n}") for n, each in enumerate(SONGS)),
        *(_item(f"t{n}", f"when was the song {each} played", f"/apps/music/songs/{n}") for n, each in enumerate(SONGS)),
        *(_item(f"e{n}", f"when is the {each}", f"/apps/calendar/events/{n}") for n, each in enumerate(VISITS)),
        *(_item(f"f{n}", f"what time is {each}", f"/apps/calendar/events/{n}") for n, each in enumerate(VISITS)),
    ]
    path = folder / "items.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in lines), encoding="utf-8")
    return path


def _item(name: str, query: str, record: str) -> dict[str, Any]:
    return {"id": name, "device": "p.device.json", "query": query, "answer": {"records": [record]}}


def test_a_model_is_trained_and_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = _set(tmp_path), tmp_path / "answering.npz"
    assert run(["train-answers", str(file), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["held_out"]["questions"] == 24
    assert told["held_out"]["held_out_top1"] > 0.8
    model = read_answering(out)
    assert set(model.lists) == {"music.songs", "calendar.events"}
    likely = model.likely("when did I play something")
    assert likely["music.songs"] > likely["calendar.events"]
    device = Device.from_file(tmp_path / "p.device.json")
    (program,) = answer("when is the Notary", device, model=model).programs
    assert [each.pointer for each in program.picks] == ["calendar.events/5"]


def test_the_same_data_give_the_same_model(tmp_path: Path) -> None:
    file = _set(tmp_path)
    config = AnswersConfig(steps=20, parts=2)
    for name in ("a.npz", "b.npz"):
        train_answers([file], [], tmp_path / name, config, lambda *_: None)
    one, other = read_answering(tmp_path / "a.npz"), read_answering(tmp_path / "b.npz")
    assert one.weights.tolist() == other.weights.tolist()
    assert one.list_weights.tolist() == other.list_weights.tolist()


def test_too_few_questions_are_refused(tmp_path: Path) -> None:
    file = _set(tmp_path)
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[:5]), encoding="utf-8")
    with pytest.raises(UsageError, match=f"5 questions with known records are too few: {FEWEST} are needed"):
        train_answers([file], [], tmp_path / "a.npz", AnswersConfig(), lambda *_: None)
    assert not (tmp_path / "a.npz").exists()


def test_questions_that_act_or_follow_are_not_learnt_from(tmp_path: Path) -> None:
    file = _set(tmp_path)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for line in lines[:12]:
        line["calls"] = [{"name": "play_music", "arguments": {}}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(UsageError, match="12 questions"):
        train_answers([file], [], tmp_path / "a.npz", AnswersConfig(), lambda *_: None)
