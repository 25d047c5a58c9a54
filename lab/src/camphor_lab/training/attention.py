"""Causal attention of sequences that see themselves, the function tokens they show (CAMPHOR, section 3.3), and all of a
sequence that several of them go on: the opening that the queries to one phone have in common.

Function tokens come in rows before all sequences, at position 0, and see themselves alone; text behind them begins at
position 1. Batched products over causal blocks with fused softmax: torch's CPU flash kernel was 3 times slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from camphor_lab.training.kernels import Kernels

BLOCK = 128  # rows of queries that share one product over the keys before them
MOST_FUNCTIONS = 256  # vectors that one sequence may show; llama.cpp has room for no more


@dataclass(frozen=True)
class LlamaShape:
    """What of a Llama's configuration the computation needs."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    eps: float
    rope_theta: float

    @classmethod
    def of(cls, config: object) -> LlamaShape:
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


class Span(NamedTuple):
    """Rows [start, stop) of a sequence, the rows of the function tokens that it shows, and the place of the sequence
    that it goes on, which comes before it and shows the same ones."""

    start: int
    stop: int
    seen: Tensor | None
    after: int | None = None


@dataclass
class Heads:
    """One sequence's attention in one layer: q (G, S H/G, D), k and v (G, F + S, D), and each causal block's
    probabilities (of the extension's blocks all in one).

    The first F keys and values are those of the function tokens that the sequence shows, or all those of the sequence
    that it goes on. `begin` is the position of its first token.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    p: list[Tensor]
    begin: int


def blocks(length: int) -> list[tuple[int, int]]:
    """Cut a sequence into near-equal blocks of at most BLOCK rows."""
    n = -(-length // BLOCK)
    edges = [length * i // n for i in range(n + 1)]
    return list(pairwise(edges))


class Attention:
    """Args:
    longest: tokens of the longest sequence, with the one that it goes on.
    functions: whether sequences may show function tokens, MOST_FUNCTIONS at most.
    dtype: of products; the gradients of keys and values are summed in float32.
    """

    def __init__(
        self,
        shape: LlamaShape,
        kernels: Kernels,
        longest: int,
        functions: bool,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.shape, self.kernels = shape, kernels
        half = shape.head_size // 2
        frequency = shape.rope_theta ** -(torch.arange(half, dtype=torch.float32) / half)
        angle = torch.arange(longest + 1, dtype=torch.float32)[:, None] * frequency
        self.cos, self.sin = angle.cos().to(device), angle.sin().to(device)
        most = longest + (MOST_FUNCTIONS if functions else 0)
        bias = torch.full((most, most), float("-inf"), dtype=dtype).triu(1)
        self.bias = bias.repeat_interleave(shape.heads // shape.kv_heads, 0).to(device)

    def forward(self, qkv: Tensor, out: Tensor, spans: Sequence[Span]) -> list[Heads]:
        """qkv (T, (H + 2 G) * D) of all rows; fills out (T, H * D); returns what backward needs, one a sequence."""
        first = spans[0].start
        fk, fv = self._function_heads(qkv[:first], out[:first]) if first else (qkv, qkv)
        kept: list[Heads] = []
        for start, stop, seen, after in spans:
            before, begin = None, 0
            if after is not None:
                gone = kept[after]
                before, begin = (gone.k, gone.v), gone.begin + spans[after].stop - spans[after].start
            elif seen is not None:
                before, begin = (fk[:, seen], fv[:, seen]), 1
            kept.append(self._attend(qkv[start:stop], out[start:stop], before, begin))
        return kept

    def backward(self, heads: Sequence[Heads], spans: Sequence[Span], do: Tensor, out: Tensor) -> None:
        """The gradient of every sequence's attention, and of what they share: function tokens, and the sequences that
        others go on; fills out."""
        s, first = self.shape, spans[0].start
        dk, dv = (do.new_zeros(s.kv_heads, first, s.head_size, dtype=torch.float32) for _ in range(2))
        owed: dict[int, tuple[Tensor, Tensor]] = {}  # by sequence: what those that go it on add
        for place in reversed(range(len(spans))):
            a, b, seen, after = spans[place]
            dkf, dvf = self._attend_backward(heads[place], do[a:b], out[a:b], owed.pop(place, None))
            if after in owed:
                owed[after][0].add_(dkf)
                owed[after][1].add_(dvf)
            elif after is not None:
                owed[after] = (dkf, dvf)
            elif seen is not None:
                dk.index_add_(1, seen, dkf)
                dv.index_add_(1, seen, dvf)
        if first:
            self._function_heads_backward(do[:first], dk, dv, out[:first])

    def _function_heads(self, qkv: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (G, U, D) of function tokens, unrotated at position 0; fills out (U, H * D).

        Who sees itself alone gets its own value, whatever its query.
        """
        s = self.shape
        own = qkv.view(qkv.shape[0], -1, s.head_size)[:, s.heads :]
        k, v = own[:, : s.kv_heads], own[:, s.kv_heads :]
        out.view(qkv.shape[0], s.heads, s.head_size).copy_(v.repeat_interleave(s.heads // s.kv_heads, 1))
        return k.transpose(0, 1), v.transpose(0, 1)

    def _function_heads_backward(self, do: Tensor, dk: Tensor, dv: Tensor, out: Tensor) -> None:
        """do (U, H * D) is their own outputs' gradient, dk and dv (G, U, D) what the sequences add; fills out."""
        s = self.shape
        own = do.view(do.shape[0], s.kv_heads, -1, s.head_size).float().sum(2)
        queries = s.heads * s.head_size
        out[:, :queries] = 0
        out[:, queries:] = torch.cat((dk.transpose(0, 1), dv.transpose(0, 1) + own), 1).flatten(1)

    def _attend(self, qkv: Tensor, out: Tensor, before: tuple[Tensor, Tensor] | None, begin: int) -> Heads:
        """Causal attention of one sequence that also sees all of `before` (G, F, D); fills out (S, H * D)."""
        s = self.shape
        length, share = qkv.shape[0], s.heads // s.kv_heads
        at = slice(begin, begin + length)
        if self.kernels.fused:
            k0, v0 = before or (None, None)
            q, k, v, p = self.kernels.fused.attend(
                qkv, k0, v0, self.cos[at], self.sin[at], s.kv_heads, s.head_size, out
            )
            return Heads(q, k, v, [p], begin)
        q, k, v = self.kernels.split_heads(qkv, self.cos[at], self.sin[at], s.kv_heads, s.head_size)
        f = 0
        if before is not None:
            f = before[0].shape[1]
            k, v = torch.cat((before[0], k), 1), torch.cat((before[1], v), 1)
        heads = Heads(q, k, v, [], begin)
        for a, b in blocks(length):
            scores = torch.bmm(q[:, a * share : b * share], k[:, : f + b].transpose(1, 2))
            bias = self.bias[(f + a) * share : (f + b) * share, : f + b]
            p = self.kernels.causal_softmax(scores, bias, s.head_size**-0.5)
            o = torch.bmm(p, v[:, : f + b])
            out[a:b].view(b - a, s.kv_heads, -1).copy_(o.view(s.kv_heads, b - a, -1).transpose(0, 1))
            heads.p.append(p)
        return heads

    def _attend_backward(
        self, heads: Heads, do: Tensor, out: Tensor, owed: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor]:
        """do (S, H * D) is the output's gradient, `owed` what others add to that of its keys and values; fills out
        (S, (H + 2 G) * D) with that of qkv.

        Returns those of the keys and values (G, F, D) that came before it.
        """
        s = self.shape
        length, share = do.shape[0], s.heads // s.kv_heads
        q, k, v = heads.q, heads.k, heads.v
        f = k.shape[1] - length
        at = slice(heads.begin, heads.begin + length)
        dk, dv = owed or (torch.zeros_like(k, dtype=torch.float32), torch.zeros_like(v, dtype=torch.float32))
        if self.kernels.fused:
            self.kernels.fused.attend_backward(q, k, v, *heads.p, do, dk, dv, self.cos[at], self.sin[at], out)
            return dk[:, :f], dv[:, :f]
        dq = torch.empty_like(q)
        go = do.view(length, s.kv_heads, -1).transpose(0, 1).reshape(s.kv_heads, -1, s.head_size)
        for (a, b), p in zip(blocks(length), heads.p, strict=True):
            rows = slice(a * share, b * share)
            keys = slice(0, f + b)
            dv[:, keys] += torch.bmm(p.transpose(1, 2), go[:, rows])
            dp = torch.bmm(go[:, rows], v[:, keys].transpose(1, 2))
            ds = self.kernels.softmax_backward(p, dp, s.head_size**-0.5)
            dq[:, rows] = torch.bmm(ds, k[:, keys])
            dk[:, keys] += torch.bmm(ds.transpose(1, 2), q[:, rows])
        self.kernels.join_heads(dq, dk[:, f:], dv[:, f:], self.cos[at], self.sin[at], out)
        return dk[:, :f], dv[:, :f]
