"""A command in a real terminal."""

from __future__ import annotations

import errno
import os
import pty
import select
import signal
import subprocess
import time

from tests.doubles.command import Camphor

PATIENCE = 60.0  # seconds until a test gives up waiting for text


class Terminal:
    """A command running in a terminal of its own."""

    def __init__(self, camphor: Camphor, *words: str) -> None:
        self.mine, theirs = pty.openpty()
        self.process = subprocess.Popen(
            camphor.command(*words),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=camphor.environment,
            start_new_session=True,
        )
        os.close(theirs)
        self.text = ""

    def read(self) -> bool:
        """Take what has been written; False at the end."""
        if not select.select([self.mine], [], [], 0.2)[0]:
            return True
        try:
            data = os.read(self.mine, 65536)
        except OSError as error:
            if error.errno == errno.EIO:  # the other side is closed
                return False
            raise
        self.text += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)

    def wait_for(self, text: str, count: int = 1) -> None:
        until = time.monotonic() + PATIENCE
        while self.text.count(text) < count:
            assert self.read(), f"ended without {text!r}: {self.text!r}"
            assert time.monotonic() < until, f"no {text!r} in {self.text!r}"

    def type(self, text: str) -> None:
        os.write(self.mine, text.encode())

    def interrupt(self) -> None:
        os.kill(self.process.pid, signal.SIGINT)

    def end(self) -> int:
        until = time.monotonic() + PATIENCE
        while self.read():
            assert time.monotonic() < until, self.text
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.mine)
