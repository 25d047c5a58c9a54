"""The talks that the interview was developed on: nothing is kept that was not said, none goes round, each ends."""

from __future__ import annotations

from pathlib import Path

from camphor.agents.health.case import HealthStrategy
from camphor_lab.evaluation.health_data import RunOptions
from camphor_lab.evaluation.health_talks import HealthTalks, evaluate_talks

TALKS = Path(__file__).parents[2] / "data" / "health-talks-development" / "items.jsonl"


def test_records_hold_what_was_said_and_every_talk_ends() -> None:
    report = evaluate_talks(HealthTalks(TALKS), None, HealthStrategy.INTERVIEW, RunOptions("health-talks"))
    metrics = report["metrics"]
    assert (metrics["invented"], metrics["denied"], metrics["loops"], metrics["open"], metrics["errors"]) == (0,) * 5
    assert metrics["kept"] == 1
    assert metrics["ends"] >= 0.84  # 0.93 where the net alone never finds an emergency, which then finds 9% at once
    assert metrics["specialist"] >= 0.75
