"""Thread counts."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from camphor.models import cores


def test_there_is_a_core_and_never_more_than_processors() -> None:
    assert 1 <= cores.physical_cores() <= (os.cpu_count() or 1)
    assert 1 <= cores.default_threads() <= cores.MOST_THREADS


@pytest.mark.parametrize(
    ("text", "quota"), [("max 100000", None), ("150000 100000", 2), ("20000 100000", 1), ("odd", None)]
)
def test_a_container_quota_is_read(tmp_path: Path, text: str, quota: int | None) -> None:
    (tmp_path / "cpu.max").write_text(text)
    assert cores.container_quota(tmp_path / "cpu.max") == quota


def test_no_container_has_no_quota(tmp_path: Path) -> None:
    assert cores.container_quota(tmp_path / "missing") is None


def crew(most: int = 2, load: float = 0.0, processors: int = 2) -> cores.Crew:
    return cores.Crew(most, lambda: load, processors)


@pytest.mark.parametrize(
    ("most", "load", "processors", "count"),
    [(2, 0.0, 2, 2), (2, 0.4, 2, 2), (2, 1.0, 2, 1), (2, 7.0, 2, 1), (8, 0.3, 8, 8), (8, 20.0, 64, 8), (1, 9.0, 1, 1)],
)
def test_a_crew_begins_with_what_the_load_leaves(most: int, load: float, processors: int, count: int) -> None:
    assert crew(most, load, processors).count == count


def test_threads_that_get_their_processors_stay() -> None:
    undisturbed = crew()
    for now in range(100):
        undisturbed.worked(0.2, 0.39, now)
    assert undisturbed.count == 2


def test_threads_kept_waiting_are_halved_until_they_are_not() -> None:
    disturbed = crew(8, processors=8)
    counts = []
    for _ in range(4):
        disturbed.worked(1.0, 0.8 * disturbed.count, 0.0)
        counts.append(disturbed.count)
    assert counts == [4, 2, 2, 2]


def test_a_moment_is_not_judged() -> None:
    disturbed = crew()
    disturbed.worked(0.09, 0.09, 0.0)
    assert disturbed.count == 2
    disturbed.worked(0.09, 0.09, 0.0)
    assert disturbed.count == 1


def test_more_threads_are_tried_again_less_and_less_often() -> None:
    disturbed = crew()
    tried = []
    for now in range(200):
        disturbed.worked(1.0, 1.0, now)
        if disturbed.count == 2:
            tried.append(now)
    gaps = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert gaps == sorted(gaps)
    assert gaps[0] < 10
    assert gaps[-1] > 30


def test_nothing_is_tried_while_the_load_speaks_against_it() -> None:
    load = 3.0
    disturbed = cores.Crew(2, lambda: load, 2)
    for now in range(100):
        disturbed.worked(1.0, 1.0, now)
        assert disturbed.count == 1
    load = 1.2  # one of it is the crew's own thread
    disturbed.worked(1.0, 1.0, 100.0)
    assert disturbed.count == 2


def test_the_load_is_told_or_taken_for_none() -> None:
    assert cores.system_load() >= 0.0
