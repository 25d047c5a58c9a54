"""The embedded model with its adapter merged in: the same model, and none the worse where merging fails."""

from __future__ import annotations

from pathlib import Path

import llama_cpp
import numpy as np
import pytest
from numpy.typing import NDArray

from camphor.models import Request
from camphor.models.llama import LlamaModel, embedded_model
from camphor.models.native import Engine
from camphor.types import Segment
from tests.doubles.random_adapter import write_random_adapter

TEXT = (
    "Alice, Bob and Carol went to the market and bought apples, pears and a loaf of bread. On the way home they met "
    "an old friend of Carol's, who had just come back from Lisbon and told them about the trams and the river."
)


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_adapter(tmp_path_factory.mktemp("adapter") / "random.gguf", scale=0.1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("merged")


def distributions(path: Path, adapter: Path | None) -> NDArray[np.float64]:
    """Log-probabilities of what follows each sixth beginning of the text, (places, vocabulary)."""
    engine = Engine(path, adapter, 256, 1)
    tokens = engine.tokenise(TEXT)
    rows = []
    for length in range(6, len(tokens), 6):
        engine.align(tokens[:length])
        logits = engine.advance().astype(np.float64)
        rows.append(logits - logits.max() - np.log(np.exp(logits - logits.max()).sum()))
    engine.close()
    return np.stack(rows)


def divergence(wanted: NDArray[np.float64], found: NDArray[np.float64]) -> float:
    """Mean Kullback-Leibler divergence, nats."""
    return float((np.exp(wanted) * (wanted - found)).sum(axis=1).mean())


def test_merged_and_apart_are_the_same_model(adapter: Path, folder: Path) -> None:
    with LlamaModel(adapter=adapter, context=256, threads=1, merged_folder=folder) as model:
        merged = model.merged_path
    assert merged is not None
    apart, together = distributions(embedded_model(), adapter), distributions(merged, None)
    plain = distributions(embedded_model(), None)
    assert divergence(apart, together) < 0.1  # 0.044 measured; 0.002 with a trained adapter
    assert divergence(apart, together) < divergence(apart, plain) / 20  # the adapter matters, and is in it


def test_it_is_used_from_the_second_start_on_without_being_made(adapter: Path, folder: Path) -> None:
    told: list[float] = []
    for _ in range(2):
        told.clear()
        with LlamaModel(adapter=adapter, context=256, threads=1, merged_folder=folder, progress=told.append) as model:
            assert model.merged_path in folder.iterdir()
            assert (model.adapter_path, model.notice) == (adapter, "")
    assert told == []


def test_without_a_folder_or_an_adapter_nothing_is_merged(adapter: Path, tmp_path: Path) -> None:
    for model in (
        LlamaModel(adapter=adapter, context=256, threads=1),
        LlamaModel(adapter=False, context=256, threads=1, merged_folder=tmp_path / "none"),
    ):
        assert (model.merged_path, model.notice) == (None, "")
        model.close()
    assert not list(tmp_path.rglob("*.gguf"))


def test_where_it_cannot_be_made_the_model_runs_and_says_so(adapter: Path) -> None:
    nowhere = adapter / "folder"
    with LlamaModel(adapter=adapter, context=256, threads=1, merged_folder=nowhere) as model:
        assert model.merged_path is None
        assert model.notice.count("\n") == 0
        assert "slower" in model.notice
        assert str(adapter) in model.notice
        merged_not = model.complete(Request((Segment(TEXT),), max_tokens=6)).text
    with LlamaModel(adapter=adapter, context=256, threads=1) as model:
        assert model.complete(Request((Segment(TEXT),), max_tokens=6)).text == merged_not


def test_a_damaged_merged_file_is_made_again(adapter: Path, tmp_path: Path) -> None:
    def opened() -> tuple[Path | None, str]:
        with LlamaModel(adapter=adapter, context=256, threads=1, merged_folder=tmp_path) as model:
            return model.merged_path, model.notice

    first, _ = opened()
    assert first is not None
    whole = first.stat().st_size
    first.write_bytes(first.read_bytes()[:5_000_000])
    assert opened() == (first, "")
    assert first.stat().st_size == whole


def test_logits_are_the_same_bits_with_any_number_of_threads() -> None:
    found = []
    for threads in (1, 2):
        engine = Engine(embedded_model(), None, 256, 1)
        # Past the crew, which uses one thread on a busy machine whatever it is given.
        llama_cpp.llama_set_n_threads(engine._context, threads, threads)
        engine.align(engine.tokenise(TEXT)[:6])
        prompt = engine.advance().copy()
        engine.sequence.append(int(prompt.argmax()))
        found.append(np.stack([prompt, engine.advance()]))
        engine.close()
    assert (found[0] == found[1]).all()
