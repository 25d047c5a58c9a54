"""Implicit queries become samples in which a model judges items: what is meant, what the ranker finds beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor.agents.meant import MEANT, OTHER
from camphor.models.llama import embedded_model
from camphor_lab.training import meant
from camphor_lab.training.data import GgufTokenizer, encode_sample
from camphor_lab.training.data import _segment as segment
from camphor_lab.training.meant import meant_lines

SONGS = [{"title": title} for title in ("Silver Hours", "Low Tide", "Ash", "Rope", "Copper", "Salt", "Vane", "Wick")]
PHONE = {
    "format": "camphor.device/1",
    "id": "small",
    "now": "2026-03-16T12:00:00",
    "apps": {"music": {"songs": SONGS}},
    "usage": [{"app": "music", "list": "songs", "item": 1, "kind": "played", "at": "2026-03-16T11:30:00"}],
}
USUAL = {
    "persona": "small", "device": "small.device.json", "now": "2026-03-16T12:00:00", "place": "", "screen": "",
    "tools": [], "plan": [], "thread": "",
}  # fmt: skip
BOTH = [{"app": "music", "list": "songs", "item": place} for place in (1, 2)]
SAMPLES = [
    {"id": "s1", "intent": "act", "query": "the usual", "again": ["that one"], "context": BOTH},
    {"id": "s2", "intent": "ask", "query": "put it on", "context": BOTH},
]
PAIR = {
    "queries": ["ring him", "call the man"], "place": "yard", "when": "Thu 15:20", "list": "contacts.people",
    "item": {"name": "Dil"}, "near": {"list": "contacts.people", "item": {"name": "Ann"}},
}  # fmt: skip


def made(tmp_path: Path, seed: int = 1) -> list[dict[str, Any]]:
    (tmp_path / "small.device.json").write_text(json.dumps(PHONE), encoding="utf-8")
    lines = "".join(json.dumps({**USUAL, **sample}) + "\n" for sample in SAMPLES)
    (tmp_path / "train.jsonl").write_text(lines, encoding="utf-8")
    pairs = tmp_path / "a.jsonl"
    pairs.write_text(2 * (json.dumps(PAIR) + "\n"), encoding="utf-8")
    return [json.loads(line) for line in meant_lines(tmp_path, [pairs], seed)]


def verdicts(lines: list[dict[str, Any]], name: str) -> list[tuple[str, str]]:
    return [(line["segments"][-3][0], line["segments"][-1][0]) for line in lines if line["id"].startswith(name)]


def test_one_item_is_meant_unless_several_fit_alike(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(meant, "SHARE_OF_PAIRS", 1.0)
    lines = made(tmp_path)
    first, *others = verdicts(lines, "s1")
    assert first[0].startswith("music: title: Low Tide\nused: 1 times: played 1; 30 minutes ago")
    assert (first[1], {verdict for _, verdict in others}) == (MEANT, {OTHER})
    assert not any("Ash" in item for item, _ in others)  # it belongs to it: neither meant nor wrong
    assert [verdict for _, verdict in verdicts(lines, "s2")].count(MEANT) == 2
    assert verdicts(lines, "pair-0")[:2] == [("contacts: name: Dil", MEANT), ("contacts: name: Ann", OTHER)]


def test_samples_of_a_query_share_their_opening_and_the_verdict_alone_is_learnt(tmp_path: Path) -> None:
    tokenizer = GgufTokenizer(embedded_model())
    lines = [line for line in made(tmp_path) if line["id"].startswith("s1")]
    samples = [encode_sample(line["id"], map(segment, line["segments"]), tokenizer) for line in lines]
    assert len({(sample.opening, sample.tokens[: sample.opening].tobytes()) for sample in samples}) == 1
    assert all(sample.trained == ((len(sample.tokens) - 1, len(sample.tokens)),) for sample in samples)


def test_a_seed_draws_the_wording(tmp_path: Path) -> None:
    assert made(tmp_path, 1) == made(tmp_path, 1)
    assert len({made(tmp_path, seed)[0]["segments"][1][0] for seed in range(8)}) == 2
