"""However it is made, the dataset is the same: here, on several processes, on a Ray cluster, after a kill."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from camphor.errors import CamphorError, UsageError
from camphor_lab.datasets.generate import _round_end, generate
from camphor_lab.datasets.parallel import Here, Pool, Processes, RayCluster, in_order, open_pool
from camphor_lab.datasets.shards import ShardRecipe

COUNT = 420


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    generate(folder, split="train", count=COUNT, seed=11)
    return folder


def same(one: Path, other: Path) -> None:
    names = [
        sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file()) for folder in (one, other)
    ]
    assert names[0] == names[1]
    for name in names[0]:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def test_several_processes_make_the_same_files(made: Path, tmp_path: Path) -> None:
    seen: list[int] = []
    with Processes(2) as pool:
        generate(tmp_path, split="train", count=COUNT, seed=11, pool=pool, progress=lambda done, _: seen.append(done))
    same(made, tmp_path)
    assert seen == sorted(seen)
    assert seen[-1] == COUNT


def test_a_test_split_is_the_same_from_several_processes(tmp_path: Path) -> None:
    alone, together = tmp_path / "alone", tmp_path / "together"
    generate(alone, split="test", count=250, seed=12)
    with Processes(2) as pool:
        generate(together, split="test", count=120, seed=12, pool=pool)
        generate(together, split="test", count=250, seed=12, pool=pool)
    same(alone, together)


def test_rounds_of_a_test_split_grow_and_training_has_one() -> None:
    ends = [0]
    while ends[-1] < 100:
        ends.append(_round_end("test", ends[-1]))
    assert ends[:10] == list(range(10))
    assert all(after - before <= max(1, before / 8) for before, after in itertools.pairwise(ends))
    assert len(ends) < 40
    assert _round_end("train", 0) > 10**9


def test_a_ray_cluster_makes_the_same_files(made: Path, tmp_path: Path) -> None:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install ./lab[ray]")
    command = [sys.executable, "-m", "camphor", "data", "generate", str(tmp_path)]
    command += ["--split", "train", "--count", str(COUNT), "--seed", "11", "--ray", "local", "--processes", "1"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert ran.returncode == 0, ran.stderr
    same(made, tmp_path)


def test_a_cluster_that_is_not_there_is_told_in_one_line() -> None:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install ./lab[ray]")
    command = [sys.executable, "-m", "camphor", "data", "generate", "out", "--ray", "auto"]
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "Ray cluster" in ran.stderr.strip().splitlines()[-1]
    assert not Path("out").exists()


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_leaves_no_process_and_goes_on(made: Path, tmp_path: Path, stop: signal.Signals) -> None:
    command = [sys.executable, "-m", "camphor", "data", "generate", str(tmp_path)]
    command += ["--split", "train", "--count", str(COUNT * 5), "--seed", "11", "--processes", "2"]
    run = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)
    target = tmp_path / "train.jsonl"
    for _ in range(2400):
        if run.poll() is not None or (target.exists() and target.stat().st_size):
            break
        time.sleep(0.05)
    if stop is signal.SIGKILL:
        run.send_signal(stop)
    else:
        os.killpg(run.pid, stop)  # as a terminal does
    _, said = run.communicate(timeout=120)
    if stop is signal.SIGINT:
        stopped = "camphor: Stopped: the same command goes on from here."
        assert (run.returncode, said.strip().splitlines()) == (130, [stopped])
    for _ in range(400):
        if not _group_lives(run.pid):
            break
        time.sleep(0.05)
    assert not _group_lives(run.pid)
    generate(tmp_path, split="train", count=COUNT, seed=11)
    begun = (made / "train.jsonl").read_bytes()
    assert (tmp_path / "train.jsonl").read_bytes().startswith(begun)


def _group_lives(group: int) -> bool:
    """True while a process of the group runs; one that has ended and was not waited for does not count."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            return True
    return False


def _word(number: int) -> str:
    return f"shard {number}"


def _fall(number: int) -> str:
    os._exit(9)


@pytest.mark.parametrize("make", [Here, partial(Processes, 2)])
def test_a_pool_gives_every_text_back_with_its_number(make: type[Here]) -> None:
    with make() as pool:
        for number in range(5):
            pool.start(number, _word)
        found: dict[int, str] = {}
        while len(found) < 5:
            found.update(pool.finished())
    assert found == {number: f"shard {number}" for number in range(5)}


def test_a_worker_that_was_killed_is_told() -> None:
    with Processes(1) as pool:
        pool.start(0, _fall)
        with pytest.raises(CamphorError, match="same command goes on"):
            pool.finished()


def test_few_pieces_are_made_here() -> None:
    assert isinstance(open_pool(processes=8, pieces=3), Here)
    assert isinstance(open_pool(processes=1), Here)
    with open_pool(processes=2, pieces=9) as pool:
        assert isinstance(pool, Processes)
        assert pool.slots == 2


class Backwards(Here):
    """Finishes last what was begun first."""

    slots = 3

    def finished(self) -> list[tuple[int, str]]:
        self._left.reverse()
        done = super().finished()
        self._left.reverse()
        return done


def test_shards_come_in_order_and_finished_ones_are_kept(tmp_path: Path) -> None:
    recipe = ShardRecipe("train", 1, 2)
    pool: Pool = Backwards()
    taken = in_order(pool, recipe, tmp_path, 0, 6)
    assert next(taken).read_text(encoding="utf-8") == recipe(0)
    waiting = sorted(path.name for path in tmp_path.glob("*.jsonl"))
    assert len(waiting) > 1
    taken.close()
    (tmp_path / "000001.jsonl").write_text(recipe(4), encoding="utf-8")  # believed, not made again
    again = [path.read_text(encoding="utf-8") for path in in_order(Here(), recipe, tmp_path, 0, 3)]
    assert "".join(again) == recipe(0) + recipe(4) + recipe(2)


def test_an_address_without_a_cluster_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    if find_spec("ray") is not None:
        pytest.skip("Ray is installed")
    with pytest.raises(UsageError, match="lab\\[ray\\]"):
        RayCluster("local")
