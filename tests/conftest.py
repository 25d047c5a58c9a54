"""What every test runs under."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

# One worker a core is what runs: products that take every core for themselves would stand in each other's way.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

LONGEST = "test_everyday.py"
"""The file that takes longest begins first, so that the workers end together."""

settings.register_profile("suite", deadline=None)  # how long an example takes says more of the machine than of the code
settings.load_profile("suite")


def pytest_configure() -> None:
    """A run in the background starts with Ctrl-C ignored, and so would every command that a test stops with it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda each: each.path.name != LONGEST)
