"""A Llama with LoRA, forward and backward written out by hand: what training on two CPU cores needs and nothing else.

The same function as transformers' Llama with a peft LoRA adapter (a test compares loss and every gradient), faster as:
- sequences are laid end to end, so no padding is computed, and each attends to itself alone, or also to one that it
  goes on: what samples begin with alike is computed once;
- a frozen weight and its LoRA factors are ONE product, with W + sBA, merged anew after each optimizer step (Hu et al.
  2021, equation 3); q, k, v and gate, up are merged;
- attention is products over causal blocks (attention.py), and what surrounds products is fused (kernels.py);
- the last layer after its attention, and the vocabulary, are computed at trained positions only;
- frozen weights get no gradient, and of the first layer's input only the function tokens get one.

Function tokens (CAMPHOR, section 3.3) are input vectors at position 0 that see themselves alone, so what a layer makes
of one is the same in every sequence that shows it. A pass computes each different one once, in rows before the
sequences (for 1,000 tokens in five prompts with 30 tools each, some 50 rows instead of 150), and the sequences'
attention gathers their keys and values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from camphor_lab.training.attention import MOST_FUNCTIONS, Attention, Heads, LlamaShape, Span
from camphor_lab.training.functions import FunctionVectors
from camphor_lab.training.kernels import Factor, Kernels, Projection

VOCAB_ROWS = 128  # trained positions whose logits are held at once
GROUPS: dict[str, tuple[str, ...]] = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "o": ("self_attn.o_proj",),
    "gate_up": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}


@dataclass
class LlamaLayer:
    norm1: Tensor
    norm2: Tensor
    qkv: Projection
    o: Projection
    gate_up: Projection
    down: Projection


@dataclass
class Saved:
    """What one layer keeps for its backward pass."""

    x1: Tensor
    in_qkv: Tensor
    heads: list[Heads] = field(default_factory=list)
    in_o: Tensor = field(default_factory=lambda: torch.empty(0))
    x2: Tensor = field(default_factory=lambda: torch.empty(0))
    in_gate_up: Tensor = field(default_factory=lambda: torch.empty(0))
    gate_up: Tensor = field(default_factory=lambda: torch.empty(0))
    in_down: Tensor = field(default_factory=lambda: torch.empty(0))


@dataclass(frozen=True)
class PassFunctions:
    """The function tokens of a pass.

    ids (U,) int64: vectors of the model's table, each once; seen: for each sequence the places (F,) int64 in `ids` of
    those that it shows, None for a sequence without.
    """

    ids: Tensor
    seen: tuple[Tensor | None, ...]


@dataclass(frozen=True)
class Scores:
    """Sums over the trained positions of a pass."""

    loss: float
    tokens: int
    right: Tensor  # (tokens,) bool: the target was the greedy choice; in the order of the positions


class LeanLlama:
    """Args:
    weights: a transformers Llama's state dict, names as there.
    shape: its dimensions.
    rank, alpha: LoRA's; the factor of BA is alpha / rank.
    targets: names of projections ("q_proj", ...) that get factors.
    first_layer: layers below get none, and no gradient flows there.
    slots: how many gradient vectors; longest: tokens of the longest sequence, with the one that it goes on.
    functions: vectors of function tokens; their projector's parameters stand behind the factors'.
    dtype: of products and stored activations; statistics, residual, factors and gradients are float32.
    """

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        shape: LlamaShape,
        kernels: Kernels,
        *,
        rank: int,
        alpha: float,
        targets: Sequence[str],
        first_layer: int = 0,
        dtype: torch.dtype = torch.bfloat16,
        device: str = "cpu",
        seed: int = 0,
        slots: int = 1,
        longest: int = 2048,
        functions: FunctionVectors | None = None,
    ) -> None:
        if functions and functions.size and first_layer:
            raise ValueError("a trained projector needs gradients down to its vectors: first_layer must be 0")
        self.functions, self.longest = functions, longest
        self.shape, self.kernels, self.dtype, self.first_layer = shape, kernels, dtype, first_layer
        self.device = torch.device(device)
        self.embedding = weights["model.embed_tokens.weight"].to(self.device, dtype)
        head = weights.get("lm_head.weight")
        self.head = self.embedding if head is None else head.to(self.device, dtype)
        self.norm = weights["model.norm.weight"].to(self.device, torch.float32)
        self._allocate(weights, rank, targets, seed, slots)
        self.layers = [self._layer(weights, i, alpha / rank) for i in range(shape.layers)]
        self.attention = Attention(shape, kernels, longest, functions is not None, dtype, self.device)

    def _allocate(
        self, weights: Mapping[str, Tensor], rank: int, targets: Sequence[str], seed: int, slots: int
    ) -> None:
        """One flat vector of all factors, A as peft initialises it (Kaiming uniform, a = sqrt 5) and B zero."""
        sizes: list[tuple[str, tuple[int, int], tuple[int, int]]] = []
        for i in range(self.first_layer, self.shape.layers):
            for names in GROUPS.values():
                for name in names:
                    if name.split(".")[1] in targets:
                        n, k = weights[f"model.layers.{i}.{name}.weight"].shape
                        sizes.append((f"model.layers.{i}.{name}", (rank, k), (n, rank)))
        total = sum(a[0] * a[1] + b[0] * b[1] for _, a, b in sizes)
        self.factor_size = total
        total += self.functions.size if self.functions else 0
        self.parameters = torch.zeros(total, dtype=torch.float32, device=self.device)
        self.gradients = torch.zeros(slots, total, dtype=torch.float32, device=self.device)
        if self.functions:
            self.functions.bind(self.parameters[self.factor_size :], self.gradients[:, self.factor_size :])
        generator = torch.Generator().manual_seed(seed)
        self.factors: dict[str, Factor] = {}
        start = 0
        for name, shape_a, shape_b in sizes:
            mid = start + shape_a[0] * shape_a[1]
            stop = mid + shape_b[0] * shape_b[1]
            a, b = self.parameters[start:mid].view(shape_a), self.parameters[mid:stop].view(shape_b)
            a.copy_((torch.rand(shape_a, generator=generator) * 2 - 1) / shape_a[1] ** 0.5)
            grad_a = self.gradients[:, start:mid].view(slots, *shape_a)
            grad_b = self.gradients[:, mid:stop].view(slots, *shape_b)
            self.factors[name] = Factor(name, slice(0, 0), a, b, grad_a, grad_b)
            start = stop

    def _layer(self, weights: Mapping[str, Tensor], index: int, scale: float) -> LlamaLayer:
        prefix = f"model.layers.{index}."
        made = {}
        for group, names in GROUPS.items():
            parts = [weights[f"{prefix}{name}.weight"].to(self.device, self.dtype) for name in names]
            factors, start = [], 0
            for name, part in zip(names, parts, strict=True):
                factor = self.factors.get(prefix + name)
                if factor:
                    factor.rows = slice(start, start + part.shape[0])
                    factors.append(factor)
                start += part.shape[0]
            made[group] = Projection(torch.cat(parts), factors, scale)
        norms = [
            weights[f"{prefix}{n}.weight"].to(self.device, torch.float32)
            for n in ("input_layernorm", "post_attention_layernorm")
        ]
        return LlamaLayer(norms[0], norms[1], made["qkv"], made["o"], made["gate_up"], made["down"])

    def refresh(self) -> None:
        """Take up the factors after an optimizer step."""
        for layer in self.layers:
            for projection in (layer.qkv, layer.o, layer.gate_up, layer.down):
                projection.refresh()

    @torch.no_grad()
    def run(
        self,
        tokens: Tensor,
        lengths: Sequence[int],
        positions: Tensor,
        *,
        weight: float | None,
        slot: int = 0,
        weights: Tensor | None = None,
        shown: PassFunctions | None = None,
        after: Sequence[int | None] = (),
    ) -> Scores:
        """One pass over sequences laid end to end.

        Args:
            tokens: (T,) int64.
            lengths: of the sequences; sum T.
            positions: (n,) int64, ascending: the trained tokens' places; each is predicted from the place before it.
            weight: None scores only; a number also adds the gradients of weight * (sum of losses) to gradients[slot].
            weights: (n,) float32 factors on the losses in that sum; the scores are without them.
            shown: the function tokens that the sequences show.
            after: for each sequence the place of the one before it that it goes on, or None; empty for none. No
                sequence's first token is trained.

        Threads may run passes side by side on slots of their own.
        """
        first = len(shown.ids) if shown else 0
        spans = self._spans(lengths, shown, after, first)
        rows = positions - 1 + first
        x = self.embedding[tokens].float()
        if shown and self.functions:
            x = torch.cat((self.functions.forward(shown.ids), x))
        x, y, saved = self._through(x, spans, rows, weight is not None)
        out = self._empty(*x.shape)
        x = self.kernels.add_rms_norm(x, y, self.norm, self.shape.eps, out)
        factors = torch.full((len(positions), 1), weight or 0.0, device=self.device)
        if weights is not None:
            factors *= weights[:, None]
        scores, dout = self._vocabulary(out, tokens[positions], factors, weight is not None)
        if weight is not None:
            dx = torch.zeros_like(x)
            low = torch.empty_like(out)
            self.kernels.rms_norm_backward(dout, x, self.norm, self.shape.eps, dx, low)
            dx = self._backward(dx, low, saved, spans, rows, slot)
            if shown and self.functions:
                self.functions.backward(shown.ids, dx[:first], slot)
        return scores

    def _spans(
        self, lengths: Sequence[int], shown: PassFunctions | None, after: Sequence[int | None], first: int
    ) -> list[Span]:
        """The sequences' rows, of which the first comes after the function tokens'."""
        none = [None] * len(lengths)
        spans: list[Span] = []
        start = first
        for length, seen, gone_on in zip(lengths, shown.seen if shown else none, after or none, strict=True):
            whole = length + (lengths[gone_on] if gone_on is not None else 0)
            if whole > self.longest:
                raise ValueError(f"a sequence of {whole} tokens: this model was made for {self.longest}")
            if seen is not None and len(seen) > MOST_FUNCTIONS:
                raise ValueError(f"{len(seen)} function tokens in a sequence: at most {MOST_FUNCTIONS}")
            spans.append(Span(start, start + length, seen, gone_on))
            start += length
        return spans

    def _through(
        self, x: Tensor, spans: Sequence[Span], rows: Tensor, learn: bool
    ) -> tuple[Tensor, Tensor, list[Saved]]:
        """Inputs x (T, D) through all layers: residual and last output at `rows`, and what `_backward` needs."""
        saved: list[Saved] = []
        y: Tensor | None = None
        for index, layer in enumerate(self.layers):
            keep = rows if index == len(self.layers) - 1 else None
            x, y, kept = self._forward(layer, x, y, spans, keep)
            if learn:
                saved.append(kept if index >= self.first_layer else Saved(x, x))
        assert y is not None
        return x, y, saved

    def _vocabulary(self, x: Tensor, targets: Tensor, factors: Tensor, learn: bool) -> tuple[Scores, Tensor]:
        dx = torch.empty_like(x)
        losses, right = [], []
        for start in range(0, x.shape[0], VOCAB_ROWS):
            part = slice(start, start + VOCAB_ROWS)
            loss, hit, grad = self.kernels.cross_entropy(x[part] @ self.head.t(), targets[part], factors[part])
            losses.append(loss)
            right.append(hit)
            if learn:
                dx[part] = grad @ self.head
        return Scores(float(torch.cat(losses).sum()), len(targets), torch.cat(right)), dx

    def _forward(
        self, layer: LlamaLayer, x: Tensor, y: Tensor | None, spans: Sequence[Span], keep: Tensor | None
    ) -> tuple[Tensor, Tensor, Saved]:
        """x (T, D) is the residual, y the last layer's output not yet added to it; both are returned anew."""
        k, eps = self.kernels, self.shape.eps
        rows = x.shape[0]
        in_qkv = self._empty(rows, layer.qkv.k)
        if y is None:
            k.rms_norm(x, layer.norm1, eps, in_qkv)
        else:
            x = k.add_rms_norm(x, y, layer.norm1, eps, in_qkv)
        saved = Saved(x, in_qkv)
        qkv = layer.qkv.forward(in_qkv)
        in_o = self._empty(rows, layer.o.k)
        saved.heads = self.attention.forward(qkv, in_o, spans)
        if keep is not None:
            in_o, x, rows = in_o[keep], x[keep], len(keep)
        saved.in_o = in_o
        in_gate_up = self._empty(rows, layer.gate_up.k)
        x = k.add_rms_norm(x, layer.o.forward(in_o), layer.norm2, eps, in_gate_up)
        saved.x2, saved.in_gate_up = x, in_gate_up
        saved.gate_up = layer.gate_up.forward(in_gate_up)
        saved.in_down = self._empty(rows, layer.down.k)
        k.swiglu(saved.gate_up, saved.in_down)
        return x, layer.down.forward(saved.in_down), saved

    def _backward(
        self, dx: Tensor, low: Tensor, saved: list[Saved], spans: Sequence[Span], rows: Tensor, slot: int
    ) -> Tensor:
        """dx (n, D) float32 and its low-precision copy: the gradient at the last layer's output, at rows `rows`.

        Returns a gradient whose rows of function tokens are that of the input, where they are trained.
        """
        k, eps = self.kernels, self.shape.eps
        first, total = spans[0].start, spans[-1].stop
        for index in range(len(self.layers) - 1, self.first_layer - 1, -1):
            layer, kept = self.layers[index], saved.pop()
            d_act = layer.down.backward(kept.in_down, low, slot)
            dy = self._empty(dx.shape[0], layer.gate_up.n)
            k.swiglu_backward(d_act, kept.gate_up, dy)
            d_in = layer.gate_up.backward(kept.in_gate_up, dy, slot)
            low = self._empty(*dx.shape)
            k.rms_norm_backward(d_in, kept.x2, layer.norm2, eps, dx, low)
            d_heads = layer.o.backward(kept.in_o, low, slot)
            assert d_heads is not None
            if index == len(self.layers) - 1:
                dx = dx.new_zeros(total, dx.shape[1]).index_copy_(0, rows, dx)
                d_heads = d_heads.new_zeros(total, d_heads.shape[1]).index_copy_(0, rows, d_heads)
            dy = self._empty(total, layer.qkv.n)
            self.attention.backward(kept.heads, spans, d_heads, dy)
            d_in = layer.qkv.backward(kept.in_qkv, dy, slot, need_input=index > self.first_layer)
            if d_in is not None:
                low = self._empty(*dx.shape)
                k.rms_norm_backward(d_in, kept.x1, layer.norm1, eps, dx, low)
            elif first and self.functions and self.functions.size:
                d_in = dy[:first] @ layer.qkv.weight
                k.rms_norm_backward(d_in, kept.x1[:first], layer.norm1, eps, dx[:first], torch.empty_like(d_in))
        return dx

    def _empty(self, rows: int, width: int) -> Tensor:
        return torch.empty(rows, width, dtype=self.dtype, device=self.device)
