"""Training of the net for emergencies: what it reads, what it solves, and that the net says what was solved."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from camphor.agents.health.suspicion import LANGUAGES, NOW, URGENT, read_of
from camphor.errors import DatasetError, UsageError
from camphor.retrieval.static import StaticEncoder
from camphor_lab.training.suspicion import (
    BLIND,
    COMPLAINT,
    FILES,
    FOLDS,
    SuspicionConfig,
    SuspicionText,
    bars_of,
    lessons_of,
    net_of,
    read_told,
    wanted_of,
    weights_of,
)  # fmt: skip
from camphor_lab.training.texts import Texts, ridge, word_classes

DATA = Path(__file__).parents[2] / "data" / "health-red-flags"
TALK = DATA.parent / "health-talk"
TOLD = [
    SuspicionText("my wife fell and does not answer", "now", "unconscious"),
    SuspicionText("blood is pouring out of his leg", "now", "bleeding"),
    SuspicionText("she cannot breathe and turns blue", "now", "breathing"),
    SuspicionText("my calf is swollen and hot since the flight", "today", "clot"),
    SuspicionText("I want to book a check-up for my knee", "routine", "ordinary"),
    SuspicionText("my heel hurts in the morning", "routine", "mild"),
    SuspicionText("please renew my prescription", "routine", "admin"),
]


def test_net_says_what_was_solved() -> None:
    classes = word_classes([each.text for each in TOLD], 12, seed=1, rounds=2)
    assert classes.shape == (StaticEncoder().size,)
    assert classes.max() < 12
    texts = Texts.of([each.text for each in TOLD], classes, read_of)
    outputs, wanted = wanted_of(TOLD)
    weights = weights_of(TOLD, 0.2, 0.1)
    factors, bias = ridge(texts.alike(), wanted, 1.0, weights)
    solved = texts.alike() @ factors + bias
    columns = solved[:, outputs.index(URGENT)], solved[:, outputs.index(NOW)]
    bars = bars_of(TOLD, *columns, SuspicionConfig())
    net = net_of(outputs, texts, factors, bias, classes, bars, {})
    for each, row in zip(TOLD, solved, strict=True):
        assert net.scores(each.text) == pytest.approx(row, abs=0.05)
        assert (net.read([each.text])[0].urgent > 0) is (each.level != "routine")
    assert set(bars) == set(LANGUAGES)


def test_what_counts_more() -> None:
    weights = weights_of(TOLD, 0.2, 0.1)
    urgent = np.array([each.level != "routine" for each in TOLD])
    assert weights[urgent].sum() == pytest.approx(weights[~urgent].sum())


def test_bars_notice_what_is_urgent_and_raise_few_alarms() -> None:
    kinds = [("now", "stroke"), ("routine", "past"), ("routine", COMPLAINT)]
    told = [
        SuspicionText("", level, kind, language)
        for language in ("en", "de")
        for level, kind in kinds
        for _ in range(100)
    ]
    urgent = np.array([score / 100 + rise for _ in range(2) for rise in (0.5, 0.0, -0.5) for score in range(100)])
    config = SuspicionConfig(noticed=0.9, alarms=0.1, plain=0.02)
    bars = bars_of(told, urgent, np.ones(len(told)), config)
    assert bars["en"].ask == pytest.approx(0.6, abs=0.02)
    assert bars["en"].found == pytest.approx(0.9, abs=0.02)
    assert bars["fr"] == bars["de"]  # four languages together
    shifted = bars_of(told, np.where([each.language == "en" for each in told], urgent + 1, urgent), urgent, config)
    assert shifted["en"].ask == pytest.approx(bars["en"].ask + 1)
    assert shifted["de"].ask == pytest.approx(bars["de"].ask)
    strict = bars_of(told, urgent, urgent, SuspicionConfig(noticed=0.9, alarms=0.9, plain=0.9))
    assert strict["en"].found == strict["en"].ask  # what is found is never less sure than what is asked about


def test_what_is_learnt_of_a_message_as_a_whole() -> None:
    lessons = lessons_of([*TOLD, SuspicionText("is it raining", "routine", "elsewhere")], np.ones(len(TOLD) + 1))
    assert lessons.urgent.tolist() == [1, 1, 1, 1, 0, 0, 0, 0]
    assert lessons.now[:4].tolist() == [1, 1, 1, 0]
    assert np.isnan(lessons.now[4:]).all()
    assert lessons.light.tolist() == [False] * len(TOLD) + [True]


def test_blind_hands_are_held_out_each_in_turn() -> None:
    lines = [json.loads(line) for name in FILES for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    for line, each in zip(lines, read_told(DATA, TALK)[0], strict=False):  # complaints of diseases and talk follow
        assert line["text"] == each.text
        assert each.fold == BLIND.get((line["style"], line["lang"] == "en"), 0)


def test_too_few_words_for_the_classes() -> None:
    with pytest.raises(UsageError, match="too few"):
        word_classes([each.text for each in TOLD], 5000, seed=1)


def test_sentences_are_well_formed_and_stand_once() -> None:
    told, _ = read_told(DATA, TALK)
    lines = [json.loads(line) for name in FILES for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    texts = [" ".join(line["text"].casefold().split()) for line in lines]
    assert len(set(texts)) == len(texts)
    assert len({line["id"] for line in lines}) == len(lines)
    assert len(told) > len(lines)
    assert {each.fold for each in told} == set(range(FOLDS))
    for name, level in (("urgent.jsonl", False), ("routine.jsonl", True)):
        its = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
        assert len(its) >= 1200
        assert {each["lang"] for each in its} == set(LANGUAGES)
        assert {each["level"] == "routine" for each in its} == {level}


def test_no_sentence_is_one_to_be_scored() -> None:
    scored = {
        " ".join(json.loads(line)["text"].casefold().split())
        for part in ("development", "test")
        for name in ("red-flags", "specialists")
        for line in (DATA.parent / f"health-{part}" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    }
    assert not {" ".join(each.text.casefold().split()) for each in read_told(DATA, TALK)[0]} & scored


def test_broken_line_is_named(tmp_path: Path) -> None:
    good = json.dumps({"text": "my knee", "level": "routine", "kind": "ordinary", "lang": "en"})
    for name in FILES:
        (tmp_path / name).write_text(good + "\n", encoding="utf-8")
    (tmp_path / FILES[1]).write_text(good + '\n{"text": "my knee", "level": "soon"}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match=r"routine.*2"):
        read_told(tmp_path, TALK)
    (tmp_path / FILES[0]).unlink()
    with pytest.raises(DatasetError, match="cannot be read"):
        read_told(tmp_path, TALK)
