"""Thread counts."""

from __future__ import annotations

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
