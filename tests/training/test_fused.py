"""The extension computes what plain torch does."""

from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from camphor_lab.training.attention import Attention, LlamaShape
from camphor_lab.training.config import TARGETS
from camphor_lab.training.fused import fused
from camphor_lab.training.kernels import make_kernels
from camphor_lab.training.lean import LeanLlama

extension = fused()
pytestmark = pytest.mark.skipif(extension is None, reason="no tile products of bfloat16 here, or no C++ compiler")

LENGTHS = [150, 70, 1, 33]  # more than one block, and less
AFTER = [None, 0, None, 0]  # two go the first one on


def model(fused: bool, dtype: torch.dtype) -> LeanLlama:
    config = LlamaConfig(
        vocab_size=301,
        hidden_size=384,
        intermediate_size=320,
        num_hidden_layers=2,
        num_attention_heads=6,
        num_key_value_heads=2,
    )
    torch.manual_seed(0)
    base = LlamaForCausalLM(config)
    made = LeanLlama(
        base.state_dict(),
        LlamaShape.of(config),
        make_kernels(None if fused else False, dtype),
        rank=4,
        alpha=8,
        targets=TARGETS,
        dtype=dtype,
        longest=256,
    )
    generator = torch.Generator().manual_seed(2)
    made.parameters += torch.randn(made.parameters.shape, generator=generator) * 0.05
    made.refresh()
    return made


def error(found: torch.Tensor, right: torch.Tensor) -> float:
    return float((found.float() - right).norm() / right.norm())


def test_loss_and_gradients_are_as_near_to_float32_as_those_of_plain_torch() -> None:
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(0, 301, (sum(LENGTHS),), generator=generator)
    trained = torch.rand(len(tokens), generator=generator) < 0.2
    trained[[0, 150, 220, 221]] = False
    losses, gradients = [], []
    for extended, dtype in (False, torch.float32), (False, torch.bfloat16), (True, torch.bfloat16):
        made = model(extended, dtype)
        assert (made.kernels.fused is not None) == extended
        scores = made.run(tokens, LENGTHS, trained.nonzero()[:, 0], weight=0.01, after=AFTER)
        losses.append(scores.loss)
        gradients.append(made.gradients[0])
    assert losses[1:] == pytest.approx([losses[0]] * 2, rel=2e-3)
    plain, ours = (error(found, gradients[0]) for found in gradients[1:])
    assert ours < max(1.1 * plain, 0.01)


@pytest.mark.parametrize(("length", "before"), [(1, 0), (33, 0), (64, 5), (180, 165)])
def test_attention(length: int, before: int) -> None:
    shape = LlamaShape(1, 576, 9, 3, 64, 1e-5, 10000.0)
    found: list[tuple[torch.Tensor, ...]] = []
    for extended, dtype in (False, torch.float32), (True, torch.bfloat16):
        torch.manual_seed(0)
        qkv, do = torch.randn(length, 960).bfloat16().to(dtype), torch.randn(length, 576).bfloat16().to(dtype)
        seen: Any = tuple(torch.randn(3, before, 64).bfloat16().to(dtype) for _ in "kv") if before else None
        kernels = make_kernels(None if extended else False, dtype)
        attention = Attention(shape, kernels, 512, False, dtype, torch.device("cpu"))
        out, grad = torch.empty(length, 576, dtype=dtype), torch.empty(length, 960, dtype=dtype)
        heads = attention._attend(qkv, out, seen, before)
        found.append((out, grad, *attention._attend_backward(heads, do, grad, None)))
    for right, ours in zip(*found, strict=True):
        if right.numel():
            assert error(ours, right) < 0.006


def test_numbers_far_from_zero_are_no_trouble() -> None:
    assert extension is not None
    gate_up = torch.tensor([[-200.0, 200.0, 0.0, 30.0, 1.0, 1.0, 1.0, -1.0]]).bfloat16()
    out = torch.empty(1, 4, dtype=torch.bfloat16)
    extension.swiglu(gate_up, out)
    assert out.tolist()[0] == pytest.approx([0.0, 200.0, 0.0, -30.0], abs=1e-20)
    logits = torch.tensor([[300.0, -300.0, 0.0]]).bfloat16()
    losses, hits, _ = extension.cross_entropy(logits, torch.tensor([1]), torch.ones(1, 1))
    assert losses.tolist() == pytest.approx([600.0])
    assert hits.tolist() == [False]
