"""The schedule that all trainers have; `test_lora` and `test_generic` drive the loop."""

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
