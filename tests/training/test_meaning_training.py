"""Training of the part of the net that reads a message as a whole: it learns, and says in numpy what torch learnt."""

from __future__ import annotations

import numpy as np
import pytest

from camphor_lab.training.meaning import Lessons, MeaningConfig, train_meaning

torch = pytest.importorskip("torch")

URGENT = ["she cannot breathe and turns blue", "my husband fell and does not answer", "blood is pouring out of his leg"]
ROUTINE = ["my heel hurts in the morning", "please renew my prescription", "the film was about a heart attack"]
TEXTS = [*URGENT, *ROUTINE]
LESSONS = Lessons(
    TEXTS,
    np.array([1.0] * 3 + [0.0] * 3),
    np.array([1.0, 1.0, 0.0, np.nan, np.nan, np.nan]),
    np.ones(6),
    np.zeros(6, bool),
)


def test_what_was_learnt_is_said_in_numpy() -> None:
    told: list[tuple[str, int, int]] = []
    config = MeaningConfig(epochs=12, dropout=0.0)
    meaning = train_meaning(LESSONS, config, "all", lambda *step: told.append(step))
    assert told[-1] == ("all", 12, 12)
    scores = meaning.scores(TEXTS)
    assert (scores[:3, 0] > 0).all()
    assert (scores[3:, 0] < 0).all()
    assert scores[2, 1] < min(scores[0, 1], scores[1, 1])
    assert (
        meaning.scores(["he makes no sound and his face is grey"])[0, 0] > meaning.scores(["a film about hens"])[0, 0]
    )


def test_an_untrained_change_changes_nothing() -> None:
    meaning = train_meaning(LESSONS, MeaningConfig(epochs=1, rate=0.0), "none", lambda *_: None)
    assert np.abs(meaning.scores(TEXTS)).max() == 0
    assert not any(up.values.any() for up in meaning.changes.ups)


def test_light_texts_are_read_in_turn_and_some_are_picked() -> None:
    light = Lessons(TEXTS, LESSONS.urgent, LESSONS.now, LESSONS.weights, np.array([False] * 3 + [True] * 3))
    steps: list[int] = []
    train_meaning(light, MeaningConfig(epochs=2, texts=1), "light", lambda _, done, total: steps.append(total))
    assert 6 <= steps[0] < 12
    some = light.some(np.array([3, 0]))
    assert some.texts == [TEXTS[3], TEXTS[0]]
    assert some.light.tolist() == [True, False]
