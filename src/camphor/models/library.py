"""llama.cpp's library, and the parameters with which every model is opened: in the package, its benchmarks and tests.

Importing this module loads the library (0.2 s).
"""

from __future__ import annotations

from typing import Any

from camphor.models.cores import brief_spinning

with brief_spinning():
    import llama_cpp

__all__ = ["llama_cpp", "model_parameters"]


def model_parameters(mapped: bool = True) -> Any:
    """llama.cpp's parameters of a model that run on every processor.

    No extra buffers: llama.cpp's path for Intel's AMX, compiled by GCC 12, loads a tile configuration that was never
    stored and ends in a segmentation fault. On other x86 processors nothing is lost: weights in Q8_0 and Q4_1, which
    camphor uses, have no other layout there, and both rates are the same (docs/start.md).

    Args:
        mapped: whether the file is mapped into memory, which shares it between processes; False to read it instead.
    """
    parameters = llama_cpp.llama_model_default_params()
    parameters.use_extra_bufts = False
    parameters.use_mmap = mapped
    parameters.n_gpu_layers = 0  # a 135M model gains nothing, and results stay the same from machine to machine
    return parameters
