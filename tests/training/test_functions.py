"""Function tokens: loss and gradients against transformers with the mask drawn in full, one sequence at a time."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch.nn.functional import cross_entropy

from camphor.errors import UsageError
from camphor.models.function_tokens import LlamaEncoder, Method, Projector
from camphor_lab.training.base import load_transformer
from camphor_lab.training.config import TARGETS
from camphor_lab.training.data import GgufTokenizer
from camphor_lab.training.functions import BatchedEncoder, FunctionVectors
from camphor_lab.training.lean import LeanLlama, PassFunctions
from tests.doubles.lean import NAMES, lean, tiny_llama, vectors
from tests.doubles.tiny_llama import make_llama, write_gguf


def test_definitions_encoded_together_are_those_encoded_one_by_one(tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "tiny.gguf", make_llama())
    texts = [f"get_{name}(keyword): {name * length}." for length in (1, 30, 7) for name in ("mail", "song", "note")]
    base, cut = load_transformer(file, torch.float32), GgufTokenizer(file).encode
    together = BatchedEncoder(file, base, cut, tmp_path / "kept", Method.LAST_AND_MEAN, torch.float32)
    told: list[float] = []
    vectors = together.encode(texts, told.append)
    np.testing.assert_allclose(vectors, LlamaEncoder(file, None, Method.LAST_AND_MEAN).encode(texts), atol=0.02)
    assert told[-1] == 1.0
    assert np.abs(vectors[0] - vectors[1]).max() > 0.1
    again = BatchedEncoder(file, None, cut, tmp_path / "kept", Method.LAST_AND_MEAN, torch.float32)
    assert np.array_equal(again.encode(texts), vectors)


# Two share tools, one has none, one lists a definition twice, one is two causal blocks long.
TEXTS = [(31, ["a", "c", "d"]), (20, []), (150, ["d", "b", "a"]), (2, ["e", "e"])]


def made(functions: FunctionVectors) -> tuple[LeanLlama, Any]:
    """Our model with random factors and projector, and peft's with the same factors."""
    base = tiny_llama()
    ours = lean(base, functions=functions)
    generator = torch.Generator().manual_seed(2)
    for factor in ours.factors.values():
        factor.b.copy_(torch.randn(factor.b.shape, generator=generator) * 0.1)
    learnt = ours.parameters[ours.factor_size :]
    learnt += torch.randn(learnt.shape, generator=generator) * 0.1
    ours.refresh()
    theirs = get_peft_model(copy.deepcopy(base), LoraConfig(r=4, lora_alpha=8, target_modules=list(TARGETS)))
    weights = dict(theirs.named_parameters())
    for name, factor in ours.factors.items():
        weights[f"base_model.model.{name}.lora_A.default.weight"].data.copy_(factor.a)
        weights[f"base_model.model.{name}.lora_B.default.weight"].data.copy_(factor.b)
    return ours, theirs


def passage() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    lengths = [length for length, _ in TEXTS]
    tokens = torch.randint(0, 300, (sum(lengths),), generator=generator)
    trained = torch.rand(len(tokens), generator=generator) < 0.3
    for start in np.cumsum([0, *lengths[:-1]]):
        trained[start], trained[start + 1] = False, True
    return tokens, trained


def show(functions: FunctionVectors) -> PassFunctions:
    k = functions.count
    order = ["d", "a", "c", "b", "e"]  # any; each once

    def places(names: list[str]) -> torch.Tensor | None:
        rows = [order.index(name) * k + i for name in names for i in range(k)]
        return torch.tensor(rows) if rows else None

    return PassFunctions(functions.rows(order), tuple(places(names) for _, names in TEXTS))


def mask_and_positions(count: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What may be seen, (count + length) squared, and where: every function token at 0, text from 1."""
    seen = torch.zeros(count + length, count + length, dtype=torch.bool)
    for i in range(count):
        seen[i, i] = True
    for row in range(count, count + length):
        seen[row, : row + 1] = True
    start = 1 if count else 0
    return seen, torch.cat((torch.zeros(count, dtype=torch.int64), torch.arange(start, start + length)))


def reference(model: Any, inputs: dict[str, torch.Tensor], tokens: torch.Tensor, trained: torch.Tensor) -> Any:
    """Sum of losses by transformers; inputs: each definition's (k, D)."""
    embed, total, start = model.get_input_embeddings(), 0.0, 0
    for length, names in TEXTS:
        part = slice(start, start + length)
        before = [inputs[name] for name in names]
        x = torch.cat((*before, embed(tokens[part])))
        count = len(x) - length
        seen, positions = mask_and_positions(count, length)
        bias = torch.zeros(seen.shape).masked_fill(~seen, float("-inf"))
        logits = model(inputs_embeds=x[None], attention_mask=bias[None, None], position_ids=positions[None]).logits[0]
        labels = torch.where(trained[part], tokens[part], -100)
        total = total + cross_entropy(logits[count:-1], labels[1:], reduction="sum")
        start += length
    return total


pytestmark = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft asks by the old name


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize("kind", ["linear", "scale", "none"])
def test_loss_and_gradients_equal_those_of_the_mask_drawn_in_full(kind: str, method: Method) -> None:
    functions = vectors(kind, method)
    ours, theirs = made(functions)
    fixed = vectors("none" if kind == "none" else "rescale", method).projector()
    base = torch.from_numpy(fixed.apply(functions._raw))
    saved = functions.projector()
    weight = torch.tensor(saved.weight if saved.weight is not None else np.eye(48), dtype=torch.float32)
    weight = weight.expand(method.vectors, 48, 48).clone().requires_grad_()
    bias = torch.tensor(np.broadcast_to(saved.bias, (method.vectors, 48)), dtype=torch.float32).clone().requires_grad_()
    mapped = [torch.stack([weight[k] @ row[k] + bias[k] for k in range(method.vectors)]) for row in base]
    tokens, trained = passage()
    loss = reference(theirs, dict(zip(NAMES, mapped, strict=True)), tokens, trained)
    (loss * 0.01).backward()
    lengths = [length for length, _ in TEXTS]
    scores = ours.run(tokens, lengths, trained.nonzero()[:, 0], weight=0.01, shown=show(functions))
    assert scores.loss == pytest.approx(loss.item(), rel=1e-5)
    weights = dict(theirs.named_parameters())
    pairs = [
        (gradient, weights[f"base_model.model.{name}.lora_{letter}.default.weight"].grad)
        for name, factor in ours.factors.items()
        for letter, gradient in (("A", factor.grad_a[0]), ("B", factor.grad_b[0]))
    ]
    learnt = ours.gradients[0, ours.factor_size :]
    assert weight.grad is not None
    assert bias.grad is not None
    if kind == "linear":
        pairs.append((learnt, torch.cat((weight.grad.flatten(), bias.grad.flatten()))))
    elif kind == "scale":
        diagonal = torch.diagonal(weight.grad, dim1=1, dim2=2)
        pairs.append((learnt, torch.cat((diagonal.flatten(), bias.grad.flatten()))))
    for gradient, wanted in pairs:
        assert wanted is not None
        torch.testing.assert_close(gradient, wanted, rtol=1e-3, atol=1e-5 * float(wanted.abs().max()) + 1e-9)


def test_what_a_sequence_does_not_show_changes_nothing_in_it() -> None:
    functions = vectors("linear")
    ours, _ = made(functions)
    tokens, trained = passage()
    lengths = [length for length, _ in TEXTS]
    together = ours.run(tokens, lengths, trained.nonzero()[:, 0], weight=None, shown=show(functions))
    alone, start = 0.0, 0
    for length, names in TEXTS:
        part = slice(start, start + length)
        seen = torch.arange(len(names)) if names else None
        shown = PassFunctions(functions.rows(names), (seen,)) if names else None
        alone += ours.run(tokens[part], [length], trained[part].nonzero()[:, 0], weight=None, shown=shown).loss
        start += length
    assert together.loss == pytest.approx(alone, rel=1e-5)


def test_the_projector_that_is_saved_gives_the_inputs_of_training(tmp_path: Path) -> None:
    for kind in ("none", "rescale", "scale", "linear"):
        functions = vectors(kind, Method.LAST_AND_MEAN)
        made(functions)
        functions.projector().save(tmp_path / "x.tokens.npz")
        read = Projector.load(tmp_path / "x.tokens.npz")
        ran = read.apply(functions._raw).reshape(-1, 48)
        np.testing.assert_allclose(functions.forward(functions.rows(NAMES)).numpy(), ran, atol=1e-5)
        again = vectors("linear", Method.LAST_AND_MEAN)
        made(again)
        again.start_from(read)
        np.testing.assert_allclose(again.forward(again.rows(NAMES)).numpy(), ran, atol=1e-5)


def test_a_projector_that_does_not_fit_is_refused() -> None:
    learnt = vectors("linear")
    made(learnt)
    for other in (vectors("scale"), vectors("rescale"), vectors("linear", Method.LAST_AND_MEAN)):
        made(other)
        with pytest.raises(UsageError):
            other.start_from(learnt.projector())


def test_a_projector_is_not_trained_above_frozen_layers() -> None:
    with pytest.raises(ValueError, match="first_layer"):
        lean(tiny_llama(), functions=vectors("linear"), first_layer=1)


def test_more_function_tokens_than_llama_cpp_has_room_for_are_refused() -> None:
    functions = vectors("none")
    shown = PassFunctions(functions.rows(["a"]), (torch.zeros(257, dtype=torch.int64),))
    with pytest.raises(ValueError, match="257"):
        lean(tiny_llama(), functions=functions).run(
            torch.zeros(3, dtype=torch.int64), [3], torch.tensor([1]), weight=None, shown=shown
        )
