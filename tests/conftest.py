"""What every test runs under."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("suite", deadline=None)  # how long an example takes says more of the machine than of the code
settings.load_profile("suite")


def pytest_configure() -> None:
    """A run in the background starts with Ctrl-C ignored, and so would every command that a test stops with it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
