"""Training of what rules actions out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from camphor.agents.answers import BUILT_IN_ACTIONS
from camphor.agents.policies.action_classifier import read_plausibility
from camphor.errors import DatasetError, UsageError
from camphor_lab.training.plausible import PlausibleConfig, train_plausible

CONFIG = PlausibleConfig()
DEVICE = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Kathi Huber",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Vienna",
    "apps": {},
}


def written(folder: Path, name: str, actions: Sequence[str] = tuple(BUILT_IN_ACTIONS)) -> Path:
    """A hand that asks for each action in the words of its name, thrice, and has three questions."""
    folder.mkdir(exist_ok=True)
    told = [(f"please {' '.join(action.split('_'))} for {who}", [action]) for action in actions for who in "abc"]
    told += [(f"what was it again that {who} said", []) for who in "abc"]
    lines = [
        {"id": str(at), "device": DEVICE, "query": query, "calls": [{"name": call, "arguments": {}} for call in calls]}
        for at, (query, calls) in enumerate(told)
    ]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def nobody(what: str, done: int, total: int) -> None:
    assert 0 <= done <= total, what


def test_it_learns_which_words_ask_for_what(tmp_path: Path) -> None:
    hands = [written(tmp_path / "hands", str(number)) for number in range(5)]
    about = train_plausible(hands, [], tmp_path / "model.npz", CONFIG, nobody)
    model = read_plausibility(tmp_path / "model.npz")
    scores = dict(zip(model.actions, model.scores("please play music for a"), strict=True))
    assert max(scores, key=lambda action: scores[action]) == "play_music"
    assert "play_music" not in model.ruled_out("please play music for a")
    assert about["held_out"]["queries"] == about["texts"] == 5 * 3 * (len(BUILT_IN_ACTIONS) + 1)
    assert about["held_out"]["ruled_out"] <= CONFIG.lost
    assert about == model.about


def test_generated_queries_are_not_held_out(tmp_path: Path) -> None:
    hands = [written(tmp_path / "hands", str(number)) for number in range(5)]
    about = train_plausible(hands, [written(tmp_path, "generated")], tmp_path / "model.npz", CONFIG, nobody)
    assert about["texts"] - about["held_out"]["queries"] == 3 * (len(BUILT_IN_ACTIONS) + 1)


def test_fewer_hands_than_parts_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="hand-written files given: 1; give 5 or more"):
        train_plausible([written(tmp_path, "one")], [], tmp_path / "model.npz", CONFIG, nobody)


def test_an_action_that_nobody_asks_for_is_told(tmp_path: Path) -> None:
    hands = [written(tmp_path / "hands", str(number), ["play_music", "send_mail"]) for number in range(5)]
    with pytest.raises(UsageError, match="no hand-written query asks for send_imessage_message"):
        train_plausible(hands, [], tmp_path / "model.npz", CONFIG, nobody)


def test_a_broken_line_is_told_with_its_place(tmp_path: Path) -> None:
    hands = [written(tmp_path / "hands", str(number)) for number in range(5)]
    with hands[3].open("a", encoding="utf-8") as file:
        file.write("{\n")
    with pytest.raises(DatasetError, match=rf"3\.jsonl.*{3 * (len(BUILT_IN_ACTIONS) + 1) + 1}"):
        train_plausible(hands, [], tmp_path / "model.npz", CONFIG, nobody)


def test_a_file_that_cannot_be_written_is_told_with_nothing_left(tmp_path: Path) -> None:
    hands = [written(tmp_path / "hands", str(number)) for number in range(5)]
    with pytest.raises(UsageError, match="name a file in a folder that exists"):
        train_plausible(hands, [], tmp_path / "none" / "model.npz", CONFIG, nobody)
