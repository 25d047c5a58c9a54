"""The parts of the lean Llama (lean.py): frozen projections with LoRA factors (Hu et al. 2021, equation 3), and the
element-wise parts, each fused: by an extension in C++ (fused.cpp) for bfloat16 where the processor has tile products,
else by torch's compiler where there is one.

Matrix products run at the processor's peak whoever calls them; what is left is memory traffic. Fused, each function
below reads and writes its arguments once. Statistics are in float32 whatever the storage type (Zhang and
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

from camphor_lab.training.fused import fused


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
    """`fused` is the extension, whose `attend` and `attend_backward` stand for a sequence's whole attention."""

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
    fused: Any = None


def make_kernels(compiled: bool | None = None, dtype: torch.dtype = torch.float32) -> Kernels:
    """The functions above, compiled if asked; None takes the extension where it can be had for activations of that
    type, and else compiles where a C++ compiler is found."""
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
    extension = fused() if compiled is None and dtype is torch.bfloat16 else None
    if compiled is None:
        compiled = any(shutil.which(name) for name in ("g++", "c++", "clang++"))
    chosen: list[Any]
    if extension:
        chosen = [getattr(extension, f.__name__, f) for f in functions]
    else:
        chosen = [torch.compile(f, dynamic=True) if compiled else f for f in functions]
    return Kernels(*(*chosen, extension))


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
    """Merged projections (N, K), frozen but for LoRA factors on some of them: W + scale * BA, one matrix in products.

    It is rounded to the products' type as W itself is, anew after every optimizer step. Beside the products with x and
    dy only the factors' own gradients are computed, so that a pass costs 9% more with rank 32 than without factors.
    """

    def __init__(self, weight: Tensor, factors: Sequence[Factor], scale: float) -> None:
        self.factors, self.scale = factors, scale
        self.n, self.k = weight.shape
        self.base, self.weight = weight, weight.clone() if factors else weight
        self.a = weight.new_empty(sum(f.a.shape[0] for f in factors), self.k)
        self.b = [f.b.to(weight.dtype) for f in factors]
        self.refresh()

    def refresh(self) -> None:
        """Take up the float32 factors; after every optimizer step."""
        start = 0
        for factor, b in zip(self.factors, self.b, strict=True):
            a = self.a[start : start + len(factor.a)].copy_(factor.a)
            torch.addmm(self.base[factor.rows], b.copy_(factor.b), a, alpha=self.scale, out=self.weight[factor.rows])
            start += len(a)

    def forward(self, x: Tensor) -> Tensor:
        """x (rows, K) to (rows, N)."""
        return F.linear(x, self.weight)

    def backward(self, x: Tensor, dy: Tensor, slot: int, need_input: bool = True) -> Tensor | None:
        """Adds the factors' gradients to `slot`; returns the input's (rows, K)."""
        if self.factors:
            h = F.linear(x, self.a)
            dh = torch.cat([dy[:, f.rows] @ b for f, b in zip(self.factors, self.b, strict=True)], 1)
            da = dh.t() @ x
            start = 0
            for factor in self.factors:
                stop = start + len(factor.a)
                factor.grad_a[slot].add_(da[start:stop], alpha=self.scale)
                factor.grad_b[slot].add_(dy[:, factor.rows].t() @ h[:, start:stop], alpha=self.scale)
                start = stop
        return dy @ self.weight if need_input else None
