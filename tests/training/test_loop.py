"""The schedule that all trainers have; `test_lora` and `test_generic` drive the loop."""

from dataclasses import replace
from pathlib import Path

import pytest

from camphor_lab.training.loop import learning_rate
from tests.doubles.trainer import settings


def test_the_rate_warms_up_and_falls_to_its_last_share(tmp_path: Path) -> None:
    for schedule in ("cosine", "linear"):
        config = settings(tmp_path, schedule=schedule, learning_rate=1.0, warmup_steps=10)
        assert learning_rate(config, 0, 0.0) == pytest.approx(0.1)
        assert learning_rate(config, 10, 0.0) == pytest.approx(1.0)
        assert learning_rate(config, 99, 0.5) == pytest.approx(0.55)
        assert learning_rate(config, 99, 1.0) == pytest.approx(0.1)


def test_a_stable_rate_falls_only_in_the_steps_of_its_decay(tmp_path: Path) -> None:
    config = settings(tmp_path, schedule="wsd", learning_rate=1.0, warmup_steps=10, final_rate=0.2)
    assert learning_rate(config, 4, 0.0) == pytest.approx(0.5)
    assert learning_rate(config, 500, 0.99) == pytest.approx(1.0)
    config = replace(config, decay_from=100, decay_steps=50)
    rates = [learning_rate(config, step, 0.5) for step in (99, 100, 125, 150)]
    assert rates == pytest.approx([1.0, 1.0, 0.6, 0.2])
