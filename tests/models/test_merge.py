"""Merging as file work: what comes out, when, and what is left when something goes wrong."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from camphor.models.facts import CheckedFiles
from camphor.models.llama import embedded_model
from camphor.models.merge import is_whole, merge, merged_path, sum_path
from camphor.models.weights import MergeFailed
from tests.doubles import tiny_files
from tests.doubles.random_adapter import write_random_adapter
from tests.doubles.tiny_files import ALPHA, RANK, write_adapter, write_base


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return write_base(tmp_path / "base.gguf")


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    return write_adapter(tmp_path / "adapter.gguf")


def test_the_merged_weights_are_the_sum(base: Path, adapter: Path, tmp_path: Path) -> None:
    before, change, after = (tiny_files.read(path) for path in (base, adapter, merge(base, adapter, tmp_path / "new")))
    name = "blk.0.ffn_up.weight"
    wanted = before[name] + ALPHA / RANK * change[f"{name}.lora_b"] @ change[f"{name}.lora_a"]
    step = np.abs(wanted).reshape(-1, 32).max(axis=1) / 127
    error = np.abs(after[name] - wanted).reshape(-1, 32).max(axis=1)
    assert (error <= 0.51 * step + 1e-6).all()
    for other in before.keys() - {name}:
        np.testing.assert_array_equal(after[other], before[other])


def test_the_metadata_stay_but_for_the_file_type(base: Path, adapter: Path, tmp_path: Path) -> None:
    told = [
        {name: field.contents() for name, field in gguf.GGUFReader(str(path)).fields.items()}
        for path in (base, merge(base, adapter, tmp_path))
    ]
    assert told[1].pop("general.file_type") == gguf.LlamaFileType.MOSTLY_Q8_0
    assert told[0].pop("general.file_type") != gguf.LlamaFileType.MOSTLY_Q8_0
    assert told[0] == told[1]


def test_it_is_made_once_with_its_progress_told(base: Path, adapter: Path, tmp_path: Path) -> None:
    told: list[float] = []
    made = merge(base, adapter, tmp_path / "a" / "b", told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    stamp = made.stat().st_mtime_ns
    told.clear()
    assert merge(base, adapter, made.parent, told.append) == made
    assert (told, made.stat().st_mtime_ns) == ([], stamp)
    assert set(made.parent.iterdir()) == {made, sum_path(made)}


def test_other_files_give_another_name(base: Path, adapter: Path, tmp_path: Path) -> None:
    first = merged_path(base, adapter, tmp_path)
    write_adapter(adapter, seed=2)
    second = merged_path(base, adapter, tmp_path)
    write_base(base, rows=128)
    assert len({first, second, merged_path(base, adapter, tmp_path)}) == 3


def test_old_merged_files_and_old_leftovers_go(base: Path, adapter: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    made = []
    for seed in range(4):
        made.append(merge(base, write_adapter(adapter, seed=seed), folder))
        os.utime(made[-1], (seed, seed))
    (folder / ".killed.partial").touch()
    os.utime(folder / ".killed.partial", (0, 0))
    (folder / ".running.partial").touch()
    (folder / "mine.txt").touch()
    last = merge(base, write_adapter(adapter, seed=9), folder)
    kept = {made[-1], sum_path(made[-1]), last, sum_path(last)}
    assert set(folder.iterdir()) == {*kept, folder / ".running.partial", folder / "mine.txt"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"type": "model"}, "no LoRA adapter"),
        ({"architecture": "qwen2"}, "another kind of model"),
        ({"alpha": False}, "alpha"),
        ({"name": "blk.7.ffn_up.weight"}, r"blk\.7\.ffn_up\.weight has no counterpart"),
        ({"parts": ("lora_a",)}, "no counterpart"),
        ({"rows": 32}, "does not fit"),
        ({"name": "token_embd.weight", "rows": 3}, "does not fit"),
    ],
)
def test_an_adapter_that_does_not_fit_is_refused(
    base: Path, tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    wrong = write_adapter(tmp_path / "wrong.gguf", **changes)
    with pytest.raises(MergeFailed, match=told):
        merge(base, wrong, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("which", ["base", "adapter"])
def test_a_file_cut_short_is_told_and_leaves_nothing(base: Path, adapter: Path, tmp_path: Path, which: str) -> None:
    damaged = {"base": base, "adapter": adapter}[which]
    damaged.write_bytes(damaged.read_bytes()[:-200])
    with pytest.raises(MergeFailed, match="damaged"):
        merge(base, adapter, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told(base: Path, adapter: Path) -> None:
    with pytest.raises(MergeFailed, match=r"base\.gguf"):
        merge(base, adapter, base / "cache")


FULL = """
import resource, sys
from pathlib import Path
from camphor.models.merge import merge
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
merge(*map(Path, sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")
def test_a_disk_that_takes_no_more_is_told_and_left_clean(base: Path, adapter: Path, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(base), str(adapter), str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "MergeFailed" in ended.stderr.splitlines()[-1]
    assert "File too large" in ended.stderr.splitlines()[-1]
    assert list((tmp_path / "cache").iterdir()) == []


def _merge_slowly(base: Path, adapter: Path, folder: Path) -> None:
    merge(base, adapter, folder, lambda _: time.sleep(0.05))


def test_processes_that_make_it_at_once_agree(base: Path, adapter: Path, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    folder = tmp_path / "cache"
    running = [context.Process(target=_merge_slowly, args=(base, adapter, folder)) for _ in range(2)]
    for process in running:
        process.start()
    for process in running:
        process.join()
    assert [process.exitcode for process in running] == [0, 0]
    made = merged_path(base, adapter, folder)
    assert set(folder.iterdir()) == {made, sum_path(made)}
    assert is_whole(made, CheckedFiles(None))
    assert tiny_files.read(merged_path(base, adapter, folder)).keys() == tiny_files.read(base).keys()


KILLED = """
import os, sys
from pathlib import Path
from camphor.models.merge import merge
merge(*map(Path, sys.argv[1:]), lambda done: done > 0.1 and os._exit(9))
"""


def test_a_killed_process_leaves_no_merged_file(base: Path, adapter: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(base), str(adapter), str(folder)], check=False)
    assert ended.returncode == 9
    assert [path.suffix for path in folder.iterdir()] == [".partial"]
    assert merge(base, adapter, folder).is_file()


SMALL = """
import sys
from pathlib import Path
from camphor.models.merge import merge
merge(*map(Path, sys.argv[1:]))
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_making_it_takes_little_memory(tmp_path: Path) -> None:
    adapter = write_random_adapter(tmp_path / "adapter.gguf")
    ended = subprocess.run(
        [sys.executable, "-c", SMALL, str(embedded_model()), str(adapter), str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(ended.stdout) < 200  # MB; 44 measured, and 450 is the limit for the whole assistant
