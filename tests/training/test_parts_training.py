"""Training of what tells the parts of a query apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.parts import KINDS, PartKind, PartModel, cut, read_parts
from camphor.errors import DatasetError, UsageError
from camphor_lab.training.parts import PartsConfig, train_parts

DEVICE = {"format": "camphor.device/1", "id": "t", "owner": "K", "now": "2026-03-12T08:45:00", "apps": {}}
NAMES = [f"{first}{last}" for first in ("An", "Bo", "Cy", "Di", "El", "Fa") for last in ("a", "e", "i", "o", "u")]


SHORT = PartsConfig(epochs=8)
ASKED = PartsConfig(epochs=8, asked=6.0)


def kinds(model: PartModel, query: str) -> list[PartKind]:
    """The likeliest kind of each clause."""
    return [KINDS[int(each.argmax())] for each in model.chances(query, cut(query), False)]


def nobody(what: str, done: int, total: int) -> None:
    assert 0 <= done <= total, what


def statements(folder: Path) -> Path:
    told = [
        line
        for name in NAMES
        for line in (
            {"text": f"don't text {name}", "parts": [{"text": f"don't text {name}", "kind": "negated"}], "acts": []},
            {
                "text": f"don't call {name}, text {name} now",
                "parts": [
                    {"text": f"don't call {name}", "kind": "negated"},
                    {"text": f"text {name} now", "kind": "wish"},
                ],
                "acts": ["send_imessage_message"],
            },
        )
    ]
    path = folder / "train.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in told), encoding="utf-8")
    return path


def written(folder: Path) -> Path:
    call = {"name": "send_imessage_message", "arguments": {}}
    told: list[tuple[str, list[Any], list[str]]] = [(f"text {name} I'm late", [call], []) for name in NAMES]
    told += [(f"when did {name} write", [], ["info_only"]) for name in NAMES]
    lines = [
        {"id": str(at), "device": DEVICE, "query": query, "calls": calls, "tags": tags}
        for at, (query, calls, tags) in enumerate(told)
    ]
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_it_learns_what_refuses_and_what_asks(tmp_path: Path) -> None:
    stated, acting = [statements(tmp_path)], [written(tmp_path)]
    about = train_parts(stated, acting, [], tmp_path / "m.npz", SHORT, nobody, generated=acting)
    model = read_parts(tmp_path / "m.npz")
    assert kinds(model, "don't call Zoe, text Zoe now") == [PartKind.NEGATED, PartKind.WISH]
    assert about["held_out"]["acts_refused"] <= SHORT.lost + 0.04
    assert model.about == about


def test_plain_questions_teach_what_asks_without_a_question_mark(tmp_path: Path) -> None:
    lines = [
        {"id": name, "device": DEVICE, "query": f"{name}'s number", "calls": [], "tags": ["info_only"]}
        for name in NAMES
    ]
    asked = tmp_path / "asked.jsonl"
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    told = []
    for files in ([], [asked, asked]):  # the first of ten files is held out
        train_parts([statements(tmp_path)], [written(tmp_path)], files, tmp_path / "m.npz", ASKED, nobody)
        read_parts.cache_clear()
        query = "Zoe's number"
        [chances], _ = read_parts(tmp_path / "m.npz").chances(query, cut(query), False)
        told.append(chances[KINDS.index(PartKind.QUESTION)])
    assert told[1] > told[0]


def test_a_kind_that_does_not_exist_is_said_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"text": "a", "parts": [{"text": "a", "kind": "joke"}], "acts": []}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match="1"):
        train_parts([path], [written(tmp_path)], [], tmp_path / "m.npz", SHORT, nobody)


def test_without_statements_nothing_is_trained(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="statements"):
        train_parts([], [written(tmp_path)], [], tmp_path / "m.npz", SHORT, nobody)
    assert not (tmp_path / "m.npz").exists()
