"""Thread counts."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
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


def crew(most: int = 2, others: float = 0.0, processors: int = 2) -> cores.Crew:
    return cores.Crew(most, lambda own: others, processors)


@pytest.mark.parametrize(
    ("most", "others", "processors", "count"),
    [(2, 0.0, 2, 2), (2, 0.4, 2, 2), (2, 1.0, 2, 1), (2, 7.0, 2, 1), (8, 0.3, 8, 8), (8, 20.0, 64, 8), (1, 9.0, 1, 1)],
)
def test_a_crew_begins_with_what_others_leave(most: int, others: float, processors: int, count: int) -> None:
    assert crew(most, others, processors).count == count


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


def test_nothing_is_tried_while_other_work_speaks_against_it() -> None:
    others = 3.0
    disturbed = cores.Crew(2, lambda own: others, 2)
    for now in range(100):
        disturbed.worked(1.0, 1.0, now)
        assert disturbed.count == 1
    others = 0.2
    disturbed.worked(1.0, 1.0, 100.0)
    assert disturbed.count == 2


@pytest.mark.skipif(sys.platform != "linux", reason="counts what runs from /proc")
def test_programs_that_want_to_run_are_counted_at_once() -> None:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        time.sleep(0.5)
        assert cores.other_work(0) >= 2  # the load of the last minute would still tell of none
    finally:
        for each in loops:
            each.kill()
            each.wait()


def test_a_busy_machine_has_its_context_begin_with_one_thread() -> None:
    """Before, a context began with all its threads whatever else ran, and a query took 23 seconds in place of one."""
    code = """
import llama_cpp
from camphor.models.llama import embedded_model
from camphor.models.native import LlamaEngine
engine = LlamaEngine(embedded_model(), None, 64, 2)
print(engine._crew.count, llama_cpp.llama_n_threads(engine._context), llama_cpp.llama_n_threads_batch(engine._context))
"""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        time.sleep(0.5)
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    finally:
        for each in loops:
            each.kill()
            each.wait()
    assert told.split() == ["1", "1", "1"]


def test_threads_of_openmp_soon_sleep_unless_the_person_chose_otherwise() -> None:
    code = """
import os
from camphor.models.cores import brief_spinning
with brief_spinning():
    print(os.environ.get("GOMP_SPINCOUNT"))
print(os.environ.get("GOMP_SPINCOUNT"))
"""

    def told(**chosen: str) -> list[str]:
        known = {name: value for name, value in os.environ.items() if not name.startswith(("GOMP_", "OMP_"))}
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, env={**known, **chosen}
        ).stdout.split()

    assert told() == [cores.SPINS, "None"]
    assert told(GOMP_SPINCOUNT="7") == ["7", "7"]
    assert told(OMP_WAIT_POLICY="active") == ["None", "None"]
