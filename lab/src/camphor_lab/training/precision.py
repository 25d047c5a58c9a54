"""The number format of products: bfloat16 where the machine has such products, else float32.

On a processor without them torch imitates each one: 27 times as slow as float32 on two AVX2 cores (docs/LOG.md).
"""

from __future__ import annotations

import torch

_PRODUCTS = ("amx_bf16", "avx512_bf16", "avx512_bw")
"""What an x86 processor needs for them: its own, or those that oneDNN makes of AVX-512."""


def products_in_bfloat16() -> bool:
    """Whether the GPU that is there, or else the processor, multiplies matrices of bfloat16 at full speed."""
    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    able = torch.cpu.get_capabilities()
    return able.get("architecture") != "x86_64" or any(able.get(each) for each in _PRODUCTS)


def number_format(wanted: str) -> torch.dtype:
    """bfloat16 where it is wanted and the machine has products of it, else float32."""
    return torch.bfloat16 if wanted == "bfloat16" and products_in_bfloat16() else torch.float32
