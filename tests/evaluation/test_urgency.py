"""Urgency of hand-written words is measured by level, language and kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.errors import CamphorError
from camphor_lab.evaluation.health_data import RunOptions
from camphor_lab.evaluation.health_lines import STRATEGY, UrgencyItems, evaluate_urgency, measure_urgency

ITEMS = [
    {"id": "a", "text": "he is blue and does not breathe", "level": "now", "kind": "breathing", "lang": "en"},
    {"id": "b", "text": "¿qué tiempo hará mañana en Sevilla?", "level": "routine", "kind": "other", "lang": "es"},
    {"id": "c", "text": "x", "turns": ["my leg is a bit swollen", "since yesterday, one calf, hot and sore"],
     "level": "today", "kind": "clot", "lang": "en"},
]  # fmt: skip


def test_items_are_judged_and_counted(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(each) + "\n" for each in ITEMS), encoding="utf-8")
    out, dataset = tmp_path / "out.json", UrgencyItems(tmp_path)
    report = evaluate_urgency(dataset, RunOptions(STRATEGY, out=out, command="camphor lab evaluate health"))
    metrics = report["metrics"]
    assert metrics["urgent"] == {"items": 2, "noticed": 1, "found": metrics["urgent"]["found"]}
    assert metrics["routine"] == {"items": 1, "alarms": 0, "asked": 0}
    assert metrics["by_language"]["es"] == {"routine": 1, "alarms": 0, "asked": 0}
    assert (metrics["missed"], metrics["alarms"]) == ([], [])
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert kept["run"]["dataset_sha256"] == dataset.fingerprint
    assert kept["source"]["parts"]
    assert "my leg" not in out.read_text(encoding="utf-8")


def test_shares() -> None:
    rows = [
        {"id": str(place), "level": level, "kind": "k", "lang": "en", "verdict": verdict}
        for place, (level, verdict) in enumerate(
            [("now", "now"), ("now", "routine"), ("today", "ask"), ("today", "today"), ("routine", "today"),
             ("routine", "ask"), ("routine", "routine"), ("routine", "routine")]
        )
    ]  # fmt: skip
    told = measure_urgency(rows)
    assert told["urgent"] == {"items": 4, "noticed": 0.75, "found": 0.5}
    assert told["routine"] == {"items": 4, "alarms": 0.25, "asked": 0.25}
    assert told["levels"]["now"] == {"items": 2, "now": 0.5, "today": 0, "routine": 0.5, "ask": 0}
    assert (told["missed"], told["alarms"]) == (["1"], ["4"])


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "a"}', '{"id": "a", "text": "x", "level": "soon"}', ""])
def test_broken_items_are_told(tmp_path: Path, line: str) -> None:
    (tmp_path / "items.jsonl").write_text(line + "\n")
    with pytest.raises(CamphorError, match=r"items\.jsonl"):
        UrgencyItems(tmp_path / "items.jsonl")
