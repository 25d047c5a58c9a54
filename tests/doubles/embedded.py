"""How a test opens the embedded model; see models/conftest.py."""

from __future__ import annotations

from collections.abc import Callable

from camphor.models.llama import LlamaModel

OpenModel = Callable[..., LlamaModel]
