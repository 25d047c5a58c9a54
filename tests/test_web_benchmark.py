"""benchmarks/web.py: what it makes of what it measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import web

ROOT = Path(__file__).parents[1]


def test_the_share_of_the_server_is_told_apart_from_a_model_that_varies() -> None:
    here = [{"seconds": 2.0, "model": 1.9}, {"seconds": 2.0, "model": 1.9}]
    there = [{"seconds": 2.53, "model": 2.4}, {"seconds": 1.65, "model": 1.5}]
    told = web.shares(here, there)
    assert told["queries"] == 2
    assert told["added_ms"] == pytest.approx(40)
    assert told["added_ms_most"] == pytest.approx(50)
    assert told["share"] == pytest.approx(0.02)
    assert told["share_median"] == pytest.approx((2.53 + 1.65) / 4 - 1)


def test_figures_are_milliseconds_of_the_median_and_beyond() -> None:
    assert web.summary([0.1, 0.2, 0.3]) == {"median_ms": 200.0, "p95_ms": 290.0, "most_ms": 300.0}
    assert web.summary([0.1]) == {"median_ms": 100.0, "p95_ms": 100.0, "most_ms": 100.0}
    assert web.stamp("2026-03-12T08:45:00.250+00:00") % 1000 == pytest.approx(250)


def test_every_part_stands_beside_its_aim() -> None:
    times = {"median_ms": 200.0, "p95_ms": 290.0, "most_ms": 300.0}
    shares = {"share": 0.021, "added_ms": 40.0, "in_process_seconds": 2.0}
    told = {
        "pages": {"places": {"chat": times}}, "overhead": shares, "steps": {"first_step": times},
        "crowd": {"pages": 20, "ratio": 1.013, "windows_that_showed_it": 4, "ratio_with_windows": 1.09},
    }  # fmt: skip
    lines = web.table(told)
    assert len(lines) == 5
    assert "chat ready" in lines[0]
    assert "under 1500 ms" in lines[0]
    assert "2.1% (40 ms of 2.00 s)" in lines[1]
    assert "1.013 times" in lines[3]
    assert "4 painted here too" in lines[4]
    assert web.table({}) == []
