"""Function tokens in training (CAMPHOR, section 3.3): the vectors of definitions, and the projector learnt on them.

The vectors come from the frozen base model and stay as they are: no gradient flows into it. What is learnt, beside the
adapter, is how they become inputs, in the form that `camphor.models.function_tokens` runs:

    y = weight @ normed((x - mean) * scale) + bias

`mean` and the norm, which is that of token embeddings, are fixed when training begins. Of the rest is learnt, by kind:

    none     nothing, and y = x: what the paper describes
    rescale  nothing, but vectors are centred and given the norm
    scale    a factor and an offset of each dimension
    linear   all of weight, from identity, and bias, from 0
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from camphor.errors import UsageError
from camphor.models.function_tokens import DefinitionEncoder, Method, Projector, model_identity
from camphor.models.sequence import Vectors

TOGETHER = 256  # definitions that are ordered by length, so that those of one product have nearly the same
PRODUCT = 2048  # tokens of one product


class BatchedEncoder(DefinitionEncoder):
    """Makes definitions into vectors as `LlamaEncoder` does, many in one product, for the thousands of a training run.

    The vectors differ from llama.cpp's by the roundings of bfloat16, a part in a hundred.

    Args:
        path: the GGUF file that `base`, a transformers model of its kind, was made from. cut: text into its tokens.
        folder: where vectors are kept; None to keep them in memory only. method: what is taken of a definition.
        number: of products and activations.
    """

    def __init__(
        self,
        path: Path,
        base: Any,
        cut: Callable[[str], list[int]],
        folder: Path | None,
        method: Method,
        number: torch.dtype,
    ) -> None:
        super().__init__(folder, method)
        self._path, self._base, self._cut, self._number = path, base, cut, number

    def _identity(self) -> str:
        return f"{model_identity(self._path)} {self._number}"

    def _output_embeddings(self, texts: Sequence[str]) -> Iterator[Vectors]:
        base: Any = copy.deepcopy(self._base.base_model).to(self._number) if texts else None
        for start in range(0, len(texts), TOGETHER):
            group = texts[start : start + TOGETHER]
            tokens = [self._cut(text) for text in group]
            found: dict[int, Vectors] = {}
            for places in _alike(tokens):
                padded = torch.zeros(len(places), len(tokens[places[-1]]), dtype=torch.int64)
                for row, place in enumerate(places):  # what stands behind a token does not change it
                    padded[row, : len(tokens[place])] = torch.tensor(tokens[place])
                with torch.inference_mode():
                    out = base(input_ids=padded.to(base.device), use_cache=False).last_hidden_state
                found |= {p: out[row, : len(tokens[p])].float().cpu().numpy() for row, p in enumerate(places)}
            yield from (found[place] for place in range(len(group)))


def _alike(texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts, the shortest first, in groups whose longest, times their number, is at most a product's."""
    group: list[int] = []
    for place in sorted(range(len(texts)), key=lambda place: len(texts[place])):
        if group and len(texts[place]) * (len(group) + 1) > PRODUCT:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


class FunctionVectors:
    """The table of a run's definitions, each k vectors, and the projector's parameters.

    Args:
        texts: the different definitions. vectors: theirs, (n, k, D) float32.
        norm: mean norm of token embeddings. kind: of `config.PROJECTORS`. device: where it computes.
    """

    def __init__(
        self, texts: Sequence[str], vectors: Vectors, method: Method, *, norm: float, kind: str, device: str = "cpu"
    ) -> None:
        self.kind, self.method = kind, method
        self._row = {text: row for row, text in enumerate(texts)}
        self._raw = vectors
        self._device = torch.device(device)
        self.count, self.width = method.vectors, vectors.shape[2]
        width = {"scale": 1, "linear": self.width}.get(kind, 0)
        self._weight_shape = (self.count, self.width, width)
        self.size = self.count * self.width * (width + 1) if width else 0
        """How many numbers are learnt."""
        if kind == "none" or not len(texts):
            self.fix(Projector(method=method))
        else:
            self.fix(Projector.centred(vectors, norm, method))

    def fix(self, projector: Projector) -> None:
        """Take what stays as it is from a projector, and compute the table that the learnt part maps."""
        self.fixed = Projector(projector.mean, projector.scale, projector.norm, method=self.method)
        made = self.fixed.apply(self._raw) if len(self._raw) else self._raw
        self._table = torch.from_numpy(made).to(self._device, torch.float32)

    def bind(self, parameters: Tensor, gradients: Tensor) -> None:
        """Keep weight and bias in parameters (size,), whose gradients go to gradients (slots, size)."""
        if not self.size:
            return
        cut = self.size - self.count * self.width
        slots = gradients.shape[0]
        self._weight, self._bias = parameters[:cut].view(self._weight_shape), parameters[cut:].view(self.count, -1)
        self._weight_gradient = gradients[:, :cut].view(slots, *self._weight_shape)
        self._bias_gradient = gradients[:, cut:].view(slots, self.count, -1)
        if self.kind == "linear":
            self._weight.copy_(torch.eye(self.width))
        elif self.kind == "scale":
            self._weight.fill_(1.0)

    def rows(self, definitions: Iterable[str]) -> Tensor:
        """Ids (n * k,) int64 of the definitions' vectors, those of one definition side by side."""
        first = torch.tensor([self._row[text] for text in definitions], dtype=torch.int64)
        return (first[:, None] * self.count + torch.arange(self.count)).flatten().to(self._device)

    def forward(self, ids: Tensor) -> Tensor:
        """Input vectors (U, D) float32 of whole definitions, as `rows` gives them."""
        x = self._inputs(ids)
        if self.kind == "linear":
            x = torch.einsum("nki,koi->nko", x, self._weight)
        elif self.kind == "scale":
            x = x * self._weight[:, :, 0]
        return (x + self._bias if self.size else x).flatten(0, 1)

    def backward(self, ids: Tensor, dy: Tensor, slot: int) -> None:
        """Add to slot the gradient of the parameters, given that of forward's result."""
        if not self.size:
            return
        x, dy = self._inputs(ids), dy.view(-1, self.count, self.width)
        if self.kind == "linear":
            self._weight_gradient[slot] += torch.einsum("nko,nki->koi", dy, x)
        else:
            self._weight_gradient[slot] += (dy * x).sum(0)[:, :, None]
        self._bias_gradient[slot] += dy.sum(0)

    def _inputs(self, ids: Tensor) -> Tensor:
        return self._table[ids[:: self.count] // self.count]

    def projector(self) -> Projector:
        """What was learnt, as it is run."""
        f = self.fixed
        if not self.size:
            return f
        weight = torch.diag_embed(self._weight[:, :, 0]) if self.kind == "scale" else self._weight
        # copies: the learnt numbers go on changing
        return Projector(f.mean, f.scale, f.norm, _copied(weight), _copied(self._bias), self.method)

    def start_from(self, projector: Projector) -> None:
        """Go on from a projector that was learnt before.

        Raises:
            UsageError: it was made for other vectors, or holds more than this kind can.
        """
        if projector.method != self.method:
            raise UsageError(
                f"the projector to start from takes {projector.method} vectors: set vectors_per_tool to it"
            )
        eye = np.eye(self.width, dtype=np.float32)
        weight = np.broadcast_to(eye if projector.weight is None else projector.weight, (self.count, *eye.shape))
        bias = np.broadcast_to(projector.bias, (self.count, self.width))
        moved = {"none": projector.mean.any() or projector.norm or not np.all(projector.scale == 1)}
        plain = not bias.any() and np.array_equal(weight, np.broadcast_to(eye, weight.shape))
        fits = {"linear": True, "scale": not (weight * (1 - eye)).any()}.get(self.kind, plain)
        if not fits or moved.get(self.kind):
            raise UsageError(f'the projector to start from holds more than projector = "{self.kind}" can: use "linear"')
        self.fix(projector)
        if self.size:
            chosen = weight if self.kind == "linear" else np.einsum("kii->ki", weight)[:, :, None]
            self._weight.copy_(torch.from_numpy(np.array(chosen)))
            self._bias.copy_(torch.from_numpy(np.array(bias)))


def _copied(tensor: Tensor) -> Vectors:
    return tensor.detach().cpu().numpy().astype(np.float32)
