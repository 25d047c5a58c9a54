"""Builds fused.cpp, what surrounds the products of a lean pass in one C++ extension, once a machine and version."""

from __future__ import annotations

import functools
import hashlib
import json
import logging
from pathlib import Path
from types import ModuleType

import torch

_SOURCE = Path(__file__).with_name("fused.cpp")
# Not -ffast-math: linked into a library it changes how the whole process treats subnormal numbers.
_FLAGS = [
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-fopenmp-simd",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffinite-math-only",
    "-fno-signed-zeros",
]


@functools.cache
def fused() -> ModuleType | None:
    """The extension; None where the processor has no tile products of bfloat16 (AMX), or nothing builds it.

    The first call on a machine compiles for a minute.
    """
    able = torch.cpu.get_capabilities()
    if torch.cuda.is_available() or not able.get("amx_bf16"):
        return None
    told = [torch.__version__, _SOURCE.read_text(encoding="utf-8"), _FLAGS, dict(able)]
    mark = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]
    try:
        from torch.utils.cpp_extension import load

        return load(f"camphor_fused_{mark}", [str(_SOURCE)], extra_cflags=_FLAGS)  # type: ignore[no-any-return]
    except (ImportError, OSError, RuntimeError) as error:  # no compiler, no ninja, no headers of Python
        logging.getLogger(__name__).info("training goes on without fused kernels: %s", error)
        return None
