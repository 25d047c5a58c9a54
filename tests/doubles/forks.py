"""A process that has imported the command, and forks itself for each call: a call then costs no start of Python.

Each line on stdin is a call as JSON, `{"words", "environment", "folder", "stdin", "stdout", "stderr"}`, the last three
files; answered, when it has ended, by its status on a line of stdout.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import traceback
from typing import Any

import camphor.app
import camphor.cli.root  # noqa: F401
from camphor.cli import main


def run(call: dict[str, Any]) -> int:
    """What the forked process does: all that a call of its own would."""
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    for number, name, flags in (
        (0, "stdin", os.O_RDONLY),
        (1, "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        os.dup2(os.open(call[name], flags), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    sys.argv = ["camphor", *call["words"]]
    try:
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # what Python does with one that nobody caught
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return int(status or 0)


def serve() -> None:
    for line in sys.stdin:
        child = os.fork()
        if not child:
            os._exit(run(json.loads(line)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
