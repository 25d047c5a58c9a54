"""The hand-written health sets keep their form: fields, counts, every specialist and kind, and no text twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[2] / "data"
SPECIALISTS = frozenset(
    [
        "general physician",
        "cardiologist",
        "dermatologist",
        "dietician",
        "endocrinologist",
        "ent specialist",
        "gastroenterologist",
        "gynecologist",
        "hematologist",
        "hepatologist",
        "infectious disease specialist",
        "nephrologist",
        "neurologist",
        "oncologist",
        "ophthalmologist",
        "orthopedist",
        "psychiatrist",
        "pulmonologist",
        "rheumatologist",
        "urologist",
        "vascular surgeon",
        "dentist",
    ]
)
KINDS = frozenset(
    [
        "chest_pain",
        "stroke",
        "suicide",
        "bleeding",
        "anaphylaxis",
        "breathing",
        "unconscious",
        "seizure",
        "poisoning",
        "burn",
        "pregnancy",
        "meningitis",
        "choking",
        "head_injury",
    ]
)


def lines(folder: str, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / folder / name).read_text(encoding="utf-8").splitlines()]


def bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


@pytest.mark.parametrize(
    ("folder", "size", "unclear", "least"), [("health-test", 160, 20, 6), ("health-development", 80, 10, 3)]
)
def test_specialists(folder: str, size: int, unclear: int, least: int) -> None:
    items = lines(folder, "specialists.jsonl")
    assert len({item["id"] for item in items}) == len(items) == size
    best: Counter[str] = Counter()
    for item in items:
        assert set(item) == {"id", "text", "specialists", "red_flag", "why"}
        assert item["text"].strip()
        assert item["why"].strip()
        assert item["red_flag"] is False
        accepted = item["specialists"]
        assert len(set(accepted)) == len(accepted) > 0
        assert accepted == ["ask"] or SPECIALISTS.issuperset(accepted), item["id"]
        best[accepted[0]] += 1
    assert best.pop("ask") == unclear
    assert best.keys() == SPECIALISTS
    assert min(best.values()) >= least


@pytest.mark.parametrize(("folder", "size", "least"), [("health-test", 120, 4), ("health-development", 60, 2)])
def test_red_flags(folder: str, size: int, least: int) -> None:
    items = lines(folder, "red-flags.jsonl")
    assert len({item["id"] for item in items}) == len(items) == size
    kinds: Counter[str] = Counter()
    for item in items:
        assert set(item) == {"id", "text", "red_flag", "kind", "why"}
        assert item["text"].strip()
        assert item["why"].strip()
        assert item["red_flag"] is (item["kind"] != "none"), item["id"]
        kinds[item["kind"]] += 1
    assert kinds.pop("none") == size // 2
    assert kinds.keys() == KINDS
    assert min(kinds.values()) >= least


def test_no_text_or_id_stands_twice() -> None:
    items = [
        item
        for folder in ("health-test", "health-development")
        for name in ("specialists.jsonl", "red-flags.jsonl")
        for item in lines(folder, name)
    ]
    assert len({item["id"] for item in items}) == len(items)
    assert [text for text, count in Counter(bare(item["text"]) for item in items).items() if count > 1] == []
