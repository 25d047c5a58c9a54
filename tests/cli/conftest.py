"""Fixtures of the command's tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cli_doubles import Camphor


@pytest.fixture
def camphor(tmp_path: Path) -> Camphor:
    return Camphor(tmp_path / "home")


@pytest.fixture
def script(tmp_path: Path) -> Callable[[Sequence[str]], str]:
    """Makes a `--model` that gives these replies."""

    def write(replies: Sequence[str]) -> str:
        path = tmp_path / "replies.json"
        path.write_text(json.dumps(list(replies)), encoding="utf-8")
        return f"scripted:{path}"

    return write
