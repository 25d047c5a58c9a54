"""A folder of real recorded cases with their phones, drawn by the generator, and what an agent writes in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from camphor.models.scripted import ScriptedModel
from camphor_lab.datasets.health.cases import draw
from camphor_lab.datasets.health.diseases import read_diseases
from camphor_lab.datasets.health.flows import UseCase
from camphor_lab.evaluation.health_data import HealthDataset
from camphor_lab.evaluation.health_turns import turns_of
from camphor_lab.training.health import shuffled_tools


def write_cases(folder: Path, use_cases: Sequence[str], each: int = 1) -> Path:
    """As `camphor lab data health` writes them, `test.jsonl` and `devices/`."""
    (folder / "devices").mkdir(parents=True)
    lines = []
    for name in use_cases:
        for number in range(each):
            record, data = draw("development", UseCase(name), number, 11, read_diseases())
            record["device"] = f"devices/{record['id']}.device.json"
            (folder / record["device"]).write_text(json.dumps(data), encoding="utf-8")
            lines.append(json.dumps(record) + "\n")
    (folder / "test.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def gold_texts(dataset: HealthDataset) -> list[str]:
    """All turns as they are recorded."""
    return [turn.gold for case in dataset.cases for turn in turns_of(case, (), shuffled_tools(case.id))]


def perfect(dataset: HealthDataset) -> ScriptedModel:
    return ScriptedModel(gold_texts(dataset))
