"""The real embedded model, small and on one thread: a busy machine slows two that wait for each other a lot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from camphor.models.llama import LlamaModel
from tests.doubles.embedded import OpenModel


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaModel]:
    """One model for the tests of a file; whatever an earlier test left in its cache must not matter."""
    with LlamaModel(adapter=False, context=512, threads=1) as opened:
        yield opened


@pytest.fixture
def open_model() -> Iterator[OpenModel]:
    """Opens further models and closes them after the test."""
    opened: list[LlamaModel] = []

    def make(model_path: Path | None = None, adapter: Path | bool = False, context: int = 512) -> LlamaModel:
        opened.append(LlamaModel(model_path, adapter, context, threads=1))
        return opened[-1]

    yield make
    for each in opened:
        each.close()
