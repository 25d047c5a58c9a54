"""Frozen projections with LoRA factors (Hu et al. 2021, equation 3), forward and backward as single products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor


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
