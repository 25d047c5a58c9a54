import copy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch.nn.functional import cross_entropy

from camphor_lab.training.attention import BLOCK, blocks
from camphor_lab.training.base import save_adapter, with_adapter
from camphor_lab.training.config import TARGETS
from camphor_lab.training.lean import LeanLlama
from tests.doubles.lean import lean, tiny_llama

LENGTHS = [200, 131, 2, 31]  # two with several causal blocks, one as short as can be


def passage() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(0, 300, (sum(LENGTHS),), generator=generator)
    trained = torch.rand(len(tokens), generator=generator) < 0.2
    start = 0
    for length in LENGTHS:
        trained[start] = False
        start += length
    return tokens, trained


def reference(model: Any, tokens: torch.Tensor, trained: torch.Tensor) -> Any:
    """Sum of losses by transformers, each sequence on its own."""
    total: Any = 0.0
    start = 0
    for length in LENGTHS:
        part = slice(start, start + length)
        labels = torch.where(trained[part], tokens[part], -100)
        logits = model(input_ids=tokens[None, part]).logits[0]
        total = total + cross_entropy(logits[:-1], labels[1:], reduction="sum")
        start += length
    return total


def randomise(model: LeanLlama) -> None:
    generator = torch.Generator().manual_seed(2)
    for factor in model.factors.values():
        factor.b.copy_(torch.randn(factor.b.shape, generator=generator) * 0.1)
    model.refresh()


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft asks under the old name
@pytest.mark.parametrize("first_layer", [0, 1])
def test_loss_and_every_gradient_equal_those_of_transformers_and_peft(first_layer: int) -> None:
    base = tiny_llama()
    ours = lean(base, first_layer=first_layer)
    randomise(ours)
    settings = LoraConfig(
        r=4, lora_alpha=8, target_modules=list(TARGETS), layers_to_transform=list(range(first_layer, 3))
    )
    theirs = get_peft_model(copy.deepcopy(base), settings)
    weights = dict(theirs.named_parameters())
    for name, factor in ours.factors.items():
        weights[f"base_model.model.{name}.lora_A.default.weight"].data.copy_(factor.a)
        weights[f"base_model.model.{name}.lora_B.default.weight"].data.copy_(factor.b)
    tokens, trained = passage()
    loss = reference(theirs, tokens, trained)
    (loss * 0.01).backward()
    scores = ours.run(tokens, LENGTHS, trained.nonzero()[:, 0], weight=0.01)
    assert scores.tokens == int(trained.sum())
    assert scores.loss == pytest.approx(loss.item(), rel=1e-5)
    for name, factor in ours.factors.items():
        for letter, gradient in (("A", factor.grad_a[0]), ("B", factor.grad_b[0])):
            wanted = weights[f"base_model.model.{name}.lora_{letter}.default.weight"].grad
            assert wanted is not None
            torch.testing.assert_close(gradient, wanted, rtol=1e-3, atol=1e-5 * float(wanted.abs().max()) + 1e-9)


def test_peft_loads_what_is_saved_and_gives_the_same_loss(tmp_path: Path) -> None:
    base = tiny_llama()
    ours = lean(base)
    randomise(ours)
    save_adapter(ours, tmp_path, 4, 8, "tiny")
    theirs = with_adapter(base, tmp_path)
    tokens, trained = passage()
    with torch.no_grad():
        loss = float(reference(theirs, tokens, trained))
    assert ours.run(tokens, LENGTHS, trained.nonzero()[:, 0], weight=None).loss == pytest.approx(loss, rel=1e-5)


def test_scoring_leaves_gradients_alone_and_slots_are_apart() -> None:
    ours = lean(tiny_llama(), slots=2)
    randomise(ours)
    tokens, trained = passage()
    positions = trained.nonzero()[:, 0]
    ours.run(tokens, LENGTHS, positions, weight=None)
    assert not ours.gradients.any()
    ours.run(tokens, LENGTHS, positions, weight=0.01, slot=1)
    assert not ours.gradients[0].any()
    assert ours.gradients[1].any()


def test_greedy_hits_are_told() -> None:
    base = tiny_llama()
    ours = lean(base)
    tokens, trained = passage()
    with torch.no_grad():
        tokens[40] = base(input_ids=tokens[None, :40]).logits[0, -1].argmax()
    trained[:] = False
    trained[40] = True
    assert ours.run(tokens, LENGTHS, trained.nonzero()[:, 0], weight=None).right.tolist() == [True]
    tokens[40] = (tokens[40] + 1) % 300
    assert ours.run(tokens, LENGTHS, trained.nonzero()[:, 0], weight=None).right.tolist() == [False]


def test_a_sequence_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="257"):
        lean(tiny_llama()).run(torch.zeros(257, dtype=torch.int64), [257], torch.tensor([5]), weight=None)


@pytest.mark.parametrize("length", [1, BLOCK, BLOCK + 1, 1000])
def test_blocks_cover_a_sequence_in_even_pieces(length: int) -> None:
    edges = blocks(length)
    assert edges[0][0] == 0
    assert edges[-1][1] == length
    assert all(a[1] == b[0] for a, b in pairwise(edges))
    assert max(b - a for a, b in edges) <= min(BLOCK, min(b - a for a, b in edges) + 1)
