"""Thoughts that code makes of gold items, and the samples that a language model learns them from."""

from __future__ import annotations

import json
from pathlib import Path

from camphor_lab.context.expansion import APPS
from camphor_lab.datasets.context.simulate import TABLE as THREADS
from camphor_lab.training.expansion_samples import KINDS, expansion_samples, write_expansion_samples
from tests.doubles.context_dataset import write_folder


def test_a_thought_names_the_apps_and_the_kind_and_nothing_of_the_phone(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "data")
    thoughts = dict(expansion_samples(folder / "train.jsonl"))
    assert thoughts["what about my lesson?"] == "calendar: an event, a lesson or class"
    assert thoughts["open the guitar thing and the soup"].startswith("calendar: an event, a lesson or class; notes: ")
    assert not any("Guitar" in thought or "Leek" in thought for thought in thoughts.values())


def test_every_kind_of_thread_has_words() -> None:
    assert set(THREADS) == set(KINDS)
    assert len(APPS) == 7


def test_the_model_learns_the_thought_alone(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "data")
    assert write_expansion_samples(folder / "train.jsonl", tmp_path / "samples.jsonl") == 3
    lines = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    trained = [text for text, learnt, _ in lines[0]["segments"] if learnt]
    assert trained == ["calendar: an event, a lesson or class", "<|im_end|>"]
    assert len({line["id"] for line in lines}) == 3
