"""The `camphor` command as a user meets it: a process of its own, with a data folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
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


class Camphor:
    """Runs `camphor` in a process of its own.

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
        done = subprocess.run(
            self.command(*words), input=stdin, capture_output=True, text=True, env=environment, timeout=280, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)


def one_line(text: str) -> str:
    """The only line of an error."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    assert lines[0].startswith("camphor: ")
    assert "Traceback" not in text
    return lines[0]
