"""A Llama with LoRA, forward and backward written out by hand: what training on two CPU cores needs and nothing else.

The same function as transformers' Llama with a peft LoRA adapter (a test compares loss and every gradient), faster as:
- sequences are laid end to end, so no padding is computed, and each attends to itself alone;
- a frozen weight and its LoRA factors are ONE product: [x, xA'] @ [W, sB]' forward, [dy, dyB] @ [W; A] backward
  (Hu et al. 2021, equation 3, regrouped); q, k, v and gate, up are merged;
- attention is batched products over causal blocks with fused softmax (torch's CPU flash kernel was 3 times slower);
- the last layer after its attention, and the vocabulary, are computed at trained positions only;
- frozen weights get no gradient and the first layer's input gets none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor

from camphor.training.kernels import Kernels
from camphor.training.projection import Factor, Projection

BLOCK = 128  # rows of queries that share one product over the keys before them
VOCAB_ROWS = 128  # trained positions whose logits are held at once
GROUPS: dict[str, tuple[str, ...]] = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "o": ("self_attn.o_proj",),
    "gate_up": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}


@dataclass(frozen=True)
class Shape:
    """What of a Llama's configuration the computation needs."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    eps: float
    rope_theta: float

    @classmethod
    def of(cls, config: object) -> Shape:
        """From a transformers LlamaConfig."""
        get = config.__getattribute__
        heads = get("num_attention_heads")
        rope = getattr(config, "rope_parameters", None) or {}
        theta = rope.get("rope_theta") or getattr(config, "rope_theta", None) or 10000.0
        return cls(
            get("num_hidden_layers"),
            get("hidden_size"),
            heads,
            get("num_key_value_heads"),
            getattr(config, "head_dim", None) or get("hidden_size") // heads,
            get("rms_norm_eps"),
            float(theta),
        )


@dataclass
class Layer:
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


@dataclass
class Heads:
    """One sequence's attention in one layer: q (G, S H/G, D), k and v (G, S, D), probabilities of each causal block."""

    q: Tensor
    k: Tensor
    v: Tensor
    p: list[Tensor]


@dataclass(frozen=True)
class Scores:
    """Sums over the trained positions of a pass."""

    loss: float
    tokens: int
    right: Tensor  # (tokens,) bool: the target was the greedy choice; in the order of the positions


def blocks(length: int) -> list[tuple[int, int]]:
    """Cut a sequence into near-equal blocks of at most BLOCK rows."""
    n = -(-length // BLOCK)
    edges = [length * i // n for i in range(n + 1)]
    return list(pairwise(edges))


class LeanLlama:
    """Args:
    weights: a transformers Llama's state dict, names as there.
    shape: its dimensions.
    rank, alpha: LoRA's; the factor of BA is alpha / rank.
    targets: names of projections ("q_proj", ...) that get factors.
    first_layer: layers below get none, and no gradient flows there.
    slots: how many gradient vectors; longest: tokens of the longest sequence.
    dtype: of products and stored activations; statistics, residual, factors and gradients are float32.
    """

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        shape: Shape,
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
    ) -> None:
        self.shape, self.kernels, self.dtype, self.first_layer = shape, kernels, dtype, first_layer
        self.device = torch.device(device)
        self.embedding = weights["model.embed_tokens.weight"].to(self.device, dtype)
        head = weights.get("lm_head.weight")
        self.head = self.embedding if head is None else head.to(self.device, dtype)
        self.norm = weights["model.norm.weight"].to(self.device, torch.float32)
        self._allocate(weights, rank, targets, seed, slots)
        self.layers = [self._layer(weights, i, alpha / rank) for i in range(shape.layers)]
        self._tables(longest)

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
        self.parameters = torch.zeros(total, dtype=torch.float32, device=self.device)
        self.gradients = torch.zeros(slots, total, dtype=torch.float32, device=self.device)
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

    def _layer(self, weights: Mapping[str, Tensor], index: int, scale: float) -> Layer:
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
        return Layer(norms[0], norms[1], made["qkv"], made["o"], made["gate_up"], made["down"])

    def _tables(self, length: int) -> None:
        """Rotations and the causal bias for sequences of up to `length` tokens."""
        s, self.length = self.shape, length
        half = s.head_size // 2
        frequency = s.rope_theta ** -(torch.arange(half, dtype=torch.float32) / half)
        angle = torch.arange(length, dtype=torch.float32)[:, None] * frequency
        self.cos, self.sin = angle.cos().to(self.device), angle.sin().to(self.device)
        bias = torch.full((length, length), float("-inf"), dtype=self.dtype).triu(1)
        self.bias = bias.repeat_interleave(s.heads // s.kv_heads, 0).to(self.device)

    def refresh(self) -> None:
        """Take up the factors after an optimizer step."""
        for layer in self.layers:
            for projection in (layer.qkv, layer.o, layer.gate_up, layer.down):
                projection.refresh()

    @torch.no_grad()
    def run(
        self, tokens: Tensor, lengths: Sequence[int], positions: Tensor, *, weight: float | None, slot: int = 0
    ) -> Scores:
        """One pass over sequences laid end to end.

        Args:
            tokens: (T,) int64.
            lengths: of the sequences; sum T.
            positions: (n,) int64, ascending: the trained tokens' places; each is predicted from the place before it.
            weight: None scores only; a number also adds the gradients of weight * (sum of losses) to gradients[slot].

        Threads may run passes side by side on slots of their own.
        """
        if max(lengths) > self.length:
            raise ValueError(f"a sequence of {max(lengths)} tokens: this model was made for {self.length}")
        spans, start = [], 0
        for length in lengths:
            spans.append((start, start + length))
            start += length
        rows = positions - 1
        x = self.embedding[tokens].float()
        saved: list[Saved] = []
        y: Tensor | None = None
        for index, layer in enumerate(self.layers):
            keep = rows if index == len(self.layers) - 1 else None
            x, y, kept = self._forward(layer, x, y, spans, keep)
            if weight is not None:
                saved.append(kept if index >= self.first_layer else Saved(x, x))
        assert y is not None
        out = torch.empty(x.shape, dtype=self.dtype, device=self.device)
        x = self.kernels.add_rms_norm(x, y, self.norm, self.shape.eps, out)
        scores, dout = self._vocabulary(out, tokens[positions], weight)
        if weight is not None:
            dx = torch.zeros_like(x)
            low = torch.empty_like(out)
            self.kernels.rms_norm_backward(dout, x, self.norm, self.shape.eps, dx, low)
            self._backward(dx, low, saved, spans, rows, slot)
        return scores

    def _vocabulary(self, x: Tensor, targets: Tensor, weight: float | None) -> tuple[Scores, Tensor]:
        dx = torch.empty_like(x)
        losses, right = [], []
        for start in range(0, x.shape[0], VOCAB_ROWS):
            part = slice(start, start + VOCAB_ROWS)
            loss, hit, grad = self.kernels.cross_entropy(x[part] @ self.head.t(), targets[part], weight or 0.0)
            losses.append(loss)
            right.append(hit)
            if weight is not None:
                dx[part] = grad @ self.head
        return Scores(float(torch.cat(losses).sum()), len(targets), torch.cat(right)), dx

    def _forward(
        self, layer: Layer, x: Tensor, y: Tensor | None, spans: Sequence[tuple[int, int]], keep: Tensor | None
    ) -> tuple[Tensor, Tensor, Saved]:
        """x (T, D) is the residual, y the last layer's output not yet added to it; both are returned anew."""
        k, eps = self.kernels, self.shape.eps
        rows = x.shape[0]
        in_qkv = layer.qkv.input(rows)
        if y is None:
            k.rms_norm(x, layer.norm1, eps, in_qkv[:, : layer.qkv.k])
        else:
            x = k.add_rms_norm(x, y, layer.norm1, eps, in_qkv[:, : layer.qkv.k])
        saved = Saved(x, in_qkv)
        qkv = layer.qkv.forward(in_qkv)
        in_o = layer.o.input(rows)
        for start, stop in spans:
            saved.heads.append(self._attend(qkv[start:stop], in_o[start:stop, : layer.o.k]))
        if keep is not None:
            in_o, x, rows = in_o[keep], x[keep], len(keep)
        saved.in_o = in_o
        in_gate_up = layer.gate_up.input(rows)
        x = k.add_rms_norm(x, layer.o.forward(in_o), layer.norm2, eps, in_gate_up[:, : layer.gate_up.k])
        saved.x2, saved.in_gate_up = x, in_gate_up
        saved.gate_up = layer.gate_up.forward(in_gate_up)
        saved.in_down = layer.down.input(rows)
        k.swiglu(saved.gate_up, saved.in_down[:, : layer.down.k])
        return x, layer.down.forward(saved.in_down), saved

    def _attend(self, qkv: Tensor, out: Tensor) -> Heads:
        """Causal attention of one sequence; fills out (S, H * D)."""
        s = self.shape
        length, share = qkv.shape[0], s.heads // s.kv_heads
        q, k, v = self.kernels.split_heads(qkv, self.cos[:length], self.sin[:length], s.kv_heads, s.head_size)
        heads = Heads(q, k, v, [])
        for a, b in blocks(length):
            scores = torch.bmm(q[:, a * share : b * share], k[:, :b].transpose(1, 2))
            p = self.kernels.causal_softmax(scores, self.bias[a * share : b * share, :b], s.head_size**-0.5)
            o = torch.bmm(p, v[:, :b])
            out[a:b].view(b - a, s.kv_heads, -1).copy_(o.view(s.kv_heads, b - a, -1).transpose(0, 1))
            heads.p.append(p)
        return heads

    def _attend_backward(self, heads: Heads, do: Tensor, out: Tensor) -> None:
        """do (S, H * D) is the output's gradient; fills out (S, (H + 2 G) * D) with that of qkv."""
        s = self.shape
        length, share = do.shape[0], s.heads // s.kv_heads
        q, k, v = heads.q, heads.k, heads.v
        dq = torch.empty_like(q)
        dk, dv = torch.zeros_like(k, dtype=torch.float32), torch.zeros_like(v, dtype=torch.float32)
        go = do.view(length, s.kv_heads, -1).transpose(0, 1).reshape(s.kv_heads, -1, s.head_size)
        for (a, b), p in zip(blocks(length), heads.p, strict=True):
            rows = slice(a * share, b * share)
            dv[:, :b] += torch.bmm(p.transpose(1, 2), go[:, rows])
            ds = self.kernels.softmax_backward(p, torch.bmm(go[:, rows], v[:, :b].transpose(1, 2)), s.head_size**-0.5)
            dq[:, rows] = torch.bmm(ds, k[:, :b])
            dk[:, :b] += torch.bmm(ds.transpose(1, 2), q[:, rows])
        self.kernels.join_heads(dq, dk, dv, self.cos[:length], self.sin[:length], out)

    def _backward(
        self, dx: Tensor, low: Tensor, saved: list[Saved], spans: Sequence[tuple[int, int]], rows: Tensor, slot: int
    ) -> None:
        """dx (n, D) float32 and its low-precision copy: the gradient at the last layer's output, at rows `rows`."""
        k, eps = self.kernels, self.shape.eps
        total = spans[-1][1]
        for index in range(len(self.layers) - 1, self.first_layer - 1, -1):
            layer, kept = self.layers[index], saved.pop()
            dy = layer.down.output_gradient(dx.shape[0])
            dy[:, : layer.down.n] = low
            d_act = layer.down.backward(kept.in_down, dy, slot)
            dy = layer.gate_up.output_gradient(dx.shape[0])
            k.swiglu_backward(d_act, kept.gate_up, dy[:, : layer.gate_up.n])
            d_in = layer.gate_up.backward(kept.in_gate_up, dy, slot)
            dy = layer.o.output_gradient(dx.shape[0])
            k.rms_norm_backward(d_in, kept.x2, layer.norm2, eps, dx, dy[:, : layer.o.n])
            d_heads = layer.o.backward(kept.in_o, dy, slot)
            assert d_heads is not None
            if index == len(self.layers) - 1:
                dx = dx.new_zeros(total, dx.shape[1]).index_copy_(0, rows, dx)
                d_heads = d_heads.new_zeros(total, d_heads.shape[1]).index_copy_(0, rows, d_heads)
            dy = layer.qkv.output_gradient(total)
            for (a, b), heads in zip(spans, kept.heads, strict=True):
                self._attend_backward(heads, d_heads[a:b], dy[a:b, : layer.qkv.n])
            d_in = layer.qkv.backward(kept.in_qkv, dy, slot, need_input=index > self.first_layer)
            if d_in is not None:
                low = torch.empty(dx.shape, dtype=self.dtype, device=self.device)
                k.rms_norm_backward(d_in, kept.x1, layer.norm1, eps, dx, low)
