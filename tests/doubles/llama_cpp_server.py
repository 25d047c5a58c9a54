"""llama-cpp-python's own server, in a process of its own: python -m tests.doubles.llama_cpp_server MODEL PORT."""

from __future__ import annotations

import sys
from typing import Any


def main(model: str, port: str, *more: str) -> None:
    from llama_cpp import llama_cpp
    from llama_cpp.server import __main__ as server

    usual = llama_cpp.llama_model_default_params

    def parameters() -> Any:
        found = usual()
        found.use_extra_bufts = False  # else it dies where a compiler got Intel's AMX wrong, see models/native.py
        return found

    llama_cpp.llama_model_default_params = parameters
    sys.argv = ["llama_cpp.server", "--model", model, "--model_alias", "smollm2", "--host", "127.0.0.1", "--port", port]
    sys.argv += [*more, "--n_ctx", "1024", "--n_threads", "1", "--n_threads_batch", "1", "--api_key", "secret-key"]
    server.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
