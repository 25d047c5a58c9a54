"""Fixtures of the command's tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.doubles.command import Camphor
from tests.doubles.terminal import Terminal


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


@pytest.fixture
def terminal(camphor: Camphor) -> Iterator[Callable[..., Terminal]]:
    """Starts commands in terminals of their own."""
    opened: list[Terminal] = []

    def start(*words: str) -> Terminal:
        opened.append(Terminal(camphor, *words))
        return opened[-1]

    yield start
    for each in opened:
        each.close()
