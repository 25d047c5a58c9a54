"""The parts of the lean Llama (lean.py): frozen projections with LoRA factors (Hu et al. 2021, equation 3), forward and
backward as single products, and the element-wise parts, each fused by torch's compiler where there is one.

Matrix products run at the processor's peak whoever calls them; what is left is memory traffic. Fused, each function
below reads and writes its arguments once. Functions that take `out` fill a slice of a wider buffer, so that the
product that follows needs no copy. Statistics are in float32 whatever the storage type (Zhang and
Sennrich 2019 for the norm; Su et al. 2021, equation 34, for the rotation).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor


def rms_norm(x: Tensor, gain: Tensor, eps: float, out: Tensor) -> None:
    """out (T, D) = gain * x / rms(x), for x (T, D) float32."""
    rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    out.copy_((x * rstd * gain).to(out.dtype))


def add_rms_norm(x: Tensor, y: Tensor, gain: Tensor, eps: float, out: Tensor) -> Tensor:
    """The new residual x + y (T, D) float32, and its norm in `out`."""
    z = x + y.float()
    rstd = torch.rsqrt(z.pow(2).mean(-1, keepdim=True) + eps)
    out.copy_((z * rstd * gain).to(out.dtype))
    return z


def rms_norm_backward(dy: Tensor, x: Tensor, gain: Tensor, eps: float, dx: Tensor, out: Tensor) -> None:
    """Add the norm's input gradient to the residual's gradient `dx` (T, D) float32; `out` gets a copy in its type."""
    rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    g = dy.float() * gain
    normed = x * rstd
    total = dx + rstd * (g - normed * (g * normed).mean(-1, keepdim=True))
    dx.copy_(total)
    out.copy_(total.to(out.dtype))


def swiglu(gate_up: Tensor, out: Tensor) -> None:
    """out (T, F) = silu(gate) * up, for gate_up (T, 2F)."""
    gate, up = gate_up.float().chunk(2, -1)
    out.copy_((gate * torch.sigmoid(gate) * up).to(out.dtype))


def swiglu_backward(dy: Tensor, gate_up: Tensor, out: Tensor) -> None:
    """Gradients of gate and up side by side in `out` (T, 2F)."""
    gate, up = gate_up.float().chunk(2, -1)
    d = dy.float()
    s = torch.sigmoid(gate)
    half = gate.shape[1]
    out[:, :half].copy_((d * up * s * (1 + gate * (1 - s))).to(out.dtype))
    out[:, half:].copy_((d * gate * s).to(out.dtype))


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x (S, H, D) rotated by its positions; cos and sin (S, D/2). Returned contiguous in (S, H, D)."""
    a, b = x.float().chunk(2, -1)
    c, s = cos[:, None, :], sin[:, None, :]
    return torch.cat((a * c - b * s, b * c + a * s), -1).to(x.dtype)


def split_heads(qkv: Tensor, cos: Tensor, sin: Tensor, kv_heads: int, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """One sequence's (S, (H + 2 G) * D) as q (G, S * H/G, D), k (G, S, D), v (G, S, D), rotated.

    The H/G query heads that share a key head stand side by side in one row of queries, so that grouped attention is a
    plain batched product over the G key heads and no key is repeated.
    """
    length = qkv.shape[0]
    heads = qkv.shape[1] // size - 2 * kv_heads
    x = qkv.reshape(length, heads + 2 * kv_heads, size)
    qk = rotate(x[:, : heads + kv_heads], cos, sin)
    q = qk[:, :heads].reshape(length, kv_heads, heads // kv_heads, size).permute(1, 0, 2, 3)
    k = qk[:, heads:].permute(1, 0, 2)
    v = x[:, heads + kv_heads :].permute(1, 0, 2)
    return q.reshape(kv_heads, -1, size).contiguous(), k.contiguous(), v.contiguous()


def join_heads(dq: Tensor, dk: Tensor, dv: Tensor, cos: Tensor, sin: Tensor, out: Tensor) -> None:
    """The gradient of split_heads: fills `out` (S, (H + 2 G) * D)."""
    groups, length, size = dk.shape
    q = dq.reshape(groups, length, -1, size).permute(1, 0, 2, 3).reshape(length, -1, size)
    qk = rotate(torch.cat((q.float(), dk.float().permute(1, 0, 2)), 1), cos, -sin)
    both = torch.cat((qk, dv.float().permute(1, 0, 2)), 1)
    out.copy_(both.reshape(length, -1).to(out.dtype))


def causal_softmax(scores: Tensor, bias: Tensor, scale: float) -> Tensor:
    """Probabilities (G, R, K) of scores (G, R, K); bias (R, K) is 0 where a key may be seen and -inf where not."""
    return torch.softmax(scores.float() * scale + bias.float(), -1).to(scores.dtype)


def softmax_backward(p: Tensor, dp: Tensor, scale: float) -> Tensor:
    pf, d = p.float(), dp.float()
    return ((d - (d * pf).sum(-1, keepdim=True)) * pf * scale).to(p.dtype)


def cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Losses (n,), whether the target is the greedy choice (n,), and the gradient (n, V) of weights (n, 1) * losses."""
    z = logits.float()
    top = z.amax(-1, keepdim=True)
    norm = torch.log(torch.exp(z - top).sum(-1, keepdim=True)) + top
    chosen = torch.gather(z, 1, targets[:, None])
    hit = torch.arange(z.shape[1], device=z.device)[None, :] == targets[:, None]
    grad = (torch.exp(z - norm) - hit.float()) * weights
    return (norm - chosen)[:, 0], (chosen >= top)[:, 0], grad.to(logits.dtype)


@dataclass(frozen=True)
class Kernels:
    rms_norm: Callable[..., None]
    add_rms_norm: Callable[..., Tensor]
    rms_norm_backward: Callable[..., None]
    swiglu: Callable[..., None]
    swiglu_backward: Callable[..., None]
    split_heads: Callable[..., tuple[Tensor, Tensor, Tensor]]
    join_heads: Callable[..., None]
    causal_softmax: Callable[..., Tensor]
    softmax_backward: Callable[..., Tensor]
    cross_entropy: Callable[..., tuple[Tensor, Tensor, Tensor]]


def make_kernels(compiled: bool | None = None) -> Kernels:
    """The functions above, compiled if asked; None compiles where a C++ compiler is found."""
    if compiled is None:
        compiled = any(shutil.which(name) for name in ("g++", "c++", "clang++"))
    functions = (
        rms_norm,
        add_rms_norm,
        rms_norm_backward,
        swiglu,
        swiglu_backward,
        split_heads,
        join_heads,
        causal_softmax,
        softmax_backward,
        cross_entropy,
    )
    chosen: list[Any] = [torch.compile(f, dynamic=True) if compiled else f for f in functions]
    return Kernels(*chosen)


@dataclass
class Factor:
    """LoRA factors of one projection: views of the flat float32 parameter and gradient vectors."""

    name: str
    rows: slice
    a: Tensor
    b: Tensor
    grad_a: Tensor  # (slots, r, K): passes that run side by side each add to their own
    grad_b: Tensor


class Projection:
    """Merged frozen projections (N, K) with LoRA factors of total rank R on some of them."""

    def __init__(self, weight: Tensor, factors: Sequence[Factor], scale: float) -> None:
        self.factors, self.scale = factors, scale
        self.n, self.k = weight.shape
        self.ranks = [f.a.shape[0] for f in factors]
        self.r = sum(self.ranks)
        self.forward_weight = weight.new_zeros(self.n, self.k + self.r)
        self.forward_weight[:, : self.k] = weight
        self.backward_weight = torch.cat((weight, weight.new_zeros(self.r, self.k)))
        self.refresh()

    def refresh(self) -> None:
        """Copy the float32 factors into the products' operands; after every optimizer step."""
        start = 0
        for factor, rank in zip(self.factors, self.ranks, strict=True):
            columns = slice(start, start + rank)
            self.forward_weight[factor.rows, self.k :][:, columns].copy_(factor.b * self.scale)
            self.backward_weight[self.n :][columns].copy_(factor.a)
            start += rank

    def input(self, rows: int) -> Tensor:
        """An empty (rows, K + R) buffer; its first K columns are the input."""
        return self.forward_weight.new_empty(rows, self.k + self.r)

    def output_gradient(self, rows: int) -> Tensor:
        """An empty (rows, N + R) buffer; its first N columns are the output's gradient."""
        return self.forward_weight.new_empty(rows, self.n + self.r)

    def forward(self, x: Tensor) -> Tensor:
        if self.r:
            x[:, self.k :] = x[:, : self.k] @ self.backward_weight[self.n :].t()
        return F.linear(x, self.forward_weight)

    def backward(self, x: Tensor, dy: Tensor, slot: int, need_input: bool = True) -> Tensor | None:
        """Adds the factors' gradients to `slot`; returns the input's (rows, K)."""
        if self.r:
            dh = dy[:, : self.n] @ self.forward_weight[:, self.k :]
            dy[:, self.n :] = dh
            da = dh.t() @ x[:, : self.k]
            start = 0
            for factor, rank in zip(self.factors, self.ranks, strict=True):
                stop = start + rank
                factor.grad_a[slot] += da[start:stop]
                factor.grad_b[slot].add_(
                    dy[:, factor.rows].t() @ x[:, self.k + start : self.k + stop], alpha=self.scale
                )
                start = stop
        return dy @ self.backward_weight if need_input else None
