"""The child process of `camphor.models.selftest`: opens models, writes a few tokens with each, and may die of it.

Its one argument is a JSON object, and each thing it gets done is a JSON object on a line of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from camphor.errors import CamphorError
from camphor.models.selftest import KNOWN, TEXT

CONTEXT = 128
FAULT = "CAMPHOR_SELFTEST_FAULT"
"""Set by tests: `SIGSEGV:0,1` ends the process by that signal with the first and second settings that are tried;
`SIGSEGV@model:0` only when it comes to the file that is to be opened. `wrong` and `asleep` in the signal's place have
it write other tokens, and never end."""


def main() -> None:
    """Status 0 when all was done, 1 when an ordinary error was told."""
    task = json.loads(sys.argv[1])
    _no_core_file()
    os.environ["GGML_NO_BACKTRACE"] = "1"  # else llama.cpp starts a debugger as it dies
    fault = _fault(task["settings"])
    try:
        _tell("begun")
        from camphor.models.native import Engine

        _tell("loaded")
        for stage in ("base", "model"):
            path = task[stage]
            if path is None or (stage == "model" and path == task["base"]):
                continue
            _die_of(fault, stage)
            with contextlib.closing(Engine(Path(path), None, CONTEXT, task["threads"], task["mapped"])) as engine:
                engine.use_threads(task["threads"])  # also on a busy machine, where fewer would begin
                _tell(stage, **_written(engine, fault))
    except (CamphorError, ImportError, OSError, RuntimeError) as error:
        _tell("error", error=" ".join(str(error).split())[:300])
        sys.exit(1)


def _written(engine: Any, fault: str) -> dict[str, Any]:
    engine.align(engine.tokenise(TEXT))
    tokens, finite = [], True
    for _ in KNOWN:
        logits = engine.advance()
        finite = finite and bool((logits - logits.max() > -1e30).all()) and float(logits.std()) > 0
        tokens.append(int(logits.argmax()))
        engine.sequence.append(tokens[-1])
    return {"tokens": tokens[::-1] if fault == "wrong" else tokens, "finite": finite}


def _tell(stage: str, **more: Any) -> None:
    print(json.dumps({"stage": stage, **more}), flush=True)


def _fault(settings: int) -> str:
    kind, _, which = os.environ.get(FAULT, "").partition(":")
    return kind if str(settings) in which.split(",") else ""


def _die_of(fault: str, stage: str) -> None:
    name, _, where = fault.partition("@")
    if name.startswith("SIG") and where in ("", stage):
        os.kill(os.getpid(), signal.Signals[name])
    elif fault == "asleep":
        time.sleep(3600)


def _no_core_file() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
