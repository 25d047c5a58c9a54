"""The `camphor` command as a user meets it: a process of its own, with a data folder of its own."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LATE = (
    "personal_context",
    '[get_contacts_information(keyword="travel buddy")]',
    "task_completion",
    '[send_imessage_message(receiver="Alice Johnson", content="I\'ll be ten minutes late"); '
    'create_reminders(time="at 6 pm", content="Call Alice Johnson")]',
)
LATE_QUERY = "Text my travel buddy that I'll be ten minutes late and remind me at 6 pm to call her"


@dataclass(frozen=True)
class Ran:
    """What a finished command left behind."""

    status: int
    out: str
    err: str


LONGEST = 280
"""Seconds that a command may take."""


class Camphor:
    """Runs `camphor` in a process of its own, forked from one that has it imported.

    Args:
        home: the data folder.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {**os.environ, "CAMPHOR_HOME": str(home), "COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "camphor", *words]

    def __call__(self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ran:
        environment = {**self.environment, **(env or {})}
        if any(name.startswith("PYTHON") for name in env or {}):  # which Python reads when it starts
            done = subprocess.run(
                self.command(*words), input=stdin, capture_output=True, text=True, env=environment, timeout=LONGEST,
                check=False,
            )  # fmt: skip
            return Ran(done.returncode, done.stdout, done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            files = {name: Path(folder, name) for name in ("stdin", "stdout", "stderr")}
            files["stdin"].write_text(stdin, encoding="utf-8")
            call = {"words": words, "environment": environment, "folder": os.getcwd()}
            status = _forks().run({**call, **{name: str(file) for name, file in files.items()}})
            return Ran(status, *(files[name].read_text(encoding="utf-8") for name in ("stdout", "stderr")))


class _Forks:
    """The process of `tests.doubles.forks`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.doubles.forks"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
            env={**os.environ, "COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"},
            start_new_session=True,  # so that what it forks ends with it
        )  # fmt: skip
        atexit.register(self._end)

    def _end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def run(self, call: Mapping[str, object]) -> int:
        """The status of a call. Raises AssertionError: it takes too long, or the process is gone."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(call) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], LONGEST)
        status = process.stdout.readline() if ready else ""
        if not status:
            _forks.cache_clear()
            self._end()
            raise AssertionError(f"the command has not ended: {call['words']}")
        return int(status)


@cache
def _forks() -> _Forks:
    return _Forks()


def one_line(text: str) -> str:
    """The only line of an error."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    assert lines[0].startswith("camphor: ")
    assert "Traceback" not in text
    return lines[0]
