"""Whether llama.cpp runs here: found out in a child process, which these tests make die in earnest."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from camphor.errors import ModelError, ModelMissing
from camphor.models import Request, selftest
from camphor.models.llama import LlamaModel, embedded_model
from camphor.models.selftest import FAULT, TRIED, USUAL, find_settings
from camphor.types import Segment

BASE = embedded_model()


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """What another test of this process found out is not known."""
    kept = dict(selftest._here)
    selftest._here.clear()
    yield
    selftest._here.clear()
    selftest._here.update(kept)


def found(folder: Path | None, threads: int = 2, afresh: bool = False) -> selftest.SelftestVerdict:
    selftest._here.clear()
    return find_settings(BASE, BASE, threads, folder, afresh)


def test_what_runs_is_found_once_and_then_costs_nothing(tmp_path: Path) -> None:
    verdict = found(tmp_path)
    assert (verdict.settings, verdict.deaths, verdict.notice) == (USUAL, (), "")
    assert verdict.seconds > 0
    started = time.perf_counter()
    assert found(tmp_path) == selftest.SelftestVerdict(USUAL)
    assert time.perf_counter() - started < 0.1  # 0.002 s measured
    assert found(tmp_path, afresh=True).seconds > 0


@pytest.mark.parametrize(
    ("fault", "settings", "said"),
    [
        ("SIGILL:0", 1, "it executed an instruction that this processor does not have (SIGILL)"),
        ("SIGSEGV:0,1", 2, "it ended in a segmentation fault (SIGSEGV)"),
        ("SIGABRT@model:0", 1, "it was ended (SIGABRT)"),
        ("wrong:0", 1, "it computed wrongly"),
    ],
)
def test_safer_settings_are_tried_in_turn_and_remembered(
    fault: str, settings: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT, fault)
    other = tmp_path / "copy.gguf"  # a link: another name for the same model
    other.symlink_to(BASE)
    model = other if "@" in fault else BASE
    verdict = find_settings(BASE, model, 2, tmp_path)
    assert verdict.settings == TRIED[settings]
    assert verdict.deaths == (said,) * settings
    assert "one thread" in verdict.notice
    assert said in verdict.notice
    assert "\n" not in verdict.notice
    monkeypatch.delenv(FAULT)
    selftest._here.clear()
    assert find_settings(BASE, model, 2, tmp_path).settings == TRIED[settings]  # not tested again


def test_a_model_runs_with_the_settings_that_were_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FAULT, "SIGSEGV:0,1")
    with LlamaModel(adapter=False, context=256, threads=2, merged_folder=tmp_path) as model:
        assert model.threads == 1
        assert "not mapped" in model.notice
        prompt = (Segment(selftest.TEXT),)
        assert model.complete(Request(prompt, max_tokens=8)).text == " five, six, seven, eight,"
    selftest._here.clear()
    with LlamaModel(adapter=False, context=256, threads=2, merged_folder=tmp_path) as model:
        assert (model.threads, model.notice) == (1, "")  # said once


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("SIGILL:0,1,2", r"an instruction that this processor does not have \(SIGILL\).*--no-cache-dir"),
        ("SIGSEGV:0,1,2", r"segmentation fault \(SIGSEGV\).*--force-reinstall --no-deps llama-cpp-python==\d"),
        ("SIGKILL:0,1,2", r"killed by the system \(SIGKILL\).*memory has most likely run out"),
        ("wrong:0,1,2", r"computed wrongly.*compile it anew"),
    ],
)
def test_where_nothing_works_one_line_says_what_died_and_what_to_do(
    fault: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT, fault)
    with pytest.raises(ModelError, match=said) as caught:
        LlamaModel(adapter=False, context=256, merged_folder=tmp_path)
    assert "\n" not in str(caught.value)
    monkeypatch.delenv(FAULT)
    assert found(tmp_path).settings == USUAL  # after a repair it is tried again


def test_a_file_that_kills_llama_cpp_is_told_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killer = tmp_path / "killer.gguf"
    killer.symlink_to(BASE)
    monkeypatch.setenv(FAULT, "SIGSEGV@model:0,1,2")
    with pytest.raises(ModelMissing, match=r"killer\.gguf: llama\.cpp ended in a segmentation fault"):
        LlamaModel(killer, context=256, merged_folder=tmp_path)
    LlamaModel(adapter=False, context=256, threads=1, merged_folder=tmp_path).close()


def test_a_child_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FAULT, "asleep:0")
    verdict = find_settings(BASE, BASE, 2, tmp_path, limit=15.0)  # more than a busy machine needs for the next
    assert verdict.deaths == ("it did not end within 15 seconds",)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"x": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_memory_counts_as_none(content: bytes, tmp_path: Path) -> None:
    for name in (selftest.FILE, "files.json"):
        (tmp_path / name).write_bytes(content)
    assert found(tmp_path).seconds > 0
    assert found(tmp_path).seconds == 0


def test_a_verdict_of_another_form_counts_as_none(tmp_path: Path) -> None:
    found(tmp_path)
    (key,) = json.loads((tmp_path / selftest.FILE).read_text())
    for odd in (1, None, [], {"settings": 1, "deaths": []}, {"settings": "one thread", "deaths": 3}, {"deaths": []}):
        (tmp_path / selftest.FILE).write_text(json.dumps({key: odd}))
        assert found(tmp_path).settings == USUAL


def test_a_cache_that_cannot_be_written_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file" / "cache"
    assert found(nowhere).settings == USUAL
    LlamaModel(adapter=False, context=256, threads=1, merged_folder=nowhere).close()


def test_in_one_process_it_is_found_once_also_without_a_folder() -> None:
    assert found(None).seconds > 0
    assert find_settings(BASE, BASE, 2, None) is find_settings(BASE, BASE, 2, None)


def test_the_library_is_loaded_after_the_self_test() -> None:
    """A build for another processor may die as it is loaded: then only the child process does."""
    code = "import sys, camphor.models.llama, camphor.cli.doctor; print('llama_cpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_what_a_status_means() -> None:
    assert "(SIGILL)" in selftest.death(0xC000001D)  # as Windows tells it
    assert "(SIGSEGV)" in selftest.death(-11)
    assert selftest.death(3) == "ended with status 3"
