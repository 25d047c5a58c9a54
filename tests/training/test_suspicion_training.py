"""Training of the second net for emergencies: what it reads, what it solves, and that the net says what was solved."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from camphor.agents.health.suspicion import Suspicion
from camphor.errors import DatasetError, UsageError
from camphor.retrieval.static import StaticEncoder
from camphor.training.suspicion import FILES, SuspicionConfig, Texts, Told, read_told, ridge, word_classes

DATA = Path(__file__).parents[2] / "data" / "health-red-flags"
TOLD = [
    Told(text, emergency, "plain", place % 2)
    for place, (text, emergency) in enumerate(
        [
            ("my wife fell and does not answer", True),
            ("blood is pouring out of his leg", True),
            ("she cannot breathe and turns blue", True),
            ("I want to book a check-up for my knee", False),
            ("my heel hurts in the morning", False),
            ("please renew my prescription", False),
        ]
    )
]


def test_net_says_what_was_solved() -> None:
    config = SuspicionConfig(classes=12, rounds=2)
    classes = word_classes(TOLD, config)
    assert classes.shape == (StaticEncoder().size,)
    assert classes.max() < 12
    texts = Texts.of([each.text for each in TOLD], classes)
    wanted = np.array([[1.0] if each.emergency else [-1.0] for each in TOLD])
    factors, bias = ridge(texts.alike(), wanted, config.shrink)
    net = Suspicion(texts.weights(factors[:, 0]), texts.rarity, classes, float(bias[0]), 0.0)
    solved = (texts.alike() @ factors + bias)[:, 0]
    assert [net.score(each.text) for each in TOLD] == pytest.approx(solved.tolist(), abs=1e-4)
    assert [net.suspects(each.text) for each in TOLD] == [each.emergency for each in TOLD]


def test_too_few_words_for_the_classes() -> None:
    with pytest.raises(UsageError, match="too few"):
        word_classes(TOLD, SuspicionConfig(classes=5000))


def test_sentences_are_well_formed_and_stand_once() -> None:
    told, styles, _ = read_told(DATA)
    lines = [json.loads(line) for name in FILES for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    texts = [" ".join(line["text"].casefold().split()) for line in lines]
    assert len(styles) == 10
    assert len(set(texts)) == len(texts)
    assert len({line["id"] for line in lines}) == len(lines)
    assert len(told) > len(lines)


def test_no_sentence_is_one_to_be_scored() -> None:
    scored = {
        " ".join(json.loads(line)["text"].casefold().split())
        for part in ("development", "test")
        for name in ("red-flags", "specialists")
        for line in (DATA.parent / f"health-{part}" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    }
    assert not {" ".join(each.text.casefold().split()) for each in read_told(DATA)[0]} & scored


def test_broken_line_is_named(tmp_path: Path) -> None:
    good = json.dumps({"text": "my knee", "emergency": False, "kind": "ordinary", "style": "plain"})
    for name in FILES:
        (tmp_path / name).write_text(good + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="one style"):
        read_told(tmp_path)
    (tmp_path / FILES[1]).write_text(good + '\n{"text": "my knee", "emergency": "no"}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match=r"near-misses.*2"):
        read_told(tmp_path)
    (tmp_path / FILES[0]).unlink()
    with pytest.raises(DatasetError, match="cannot be read"):
        read_told(tmp_path)
