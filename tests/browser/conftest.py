"""One Chromium for all tests of the browser; each test has a server, a phone and an address of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.doubles.browser import Page, Serving, chromium_of, serving


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chrome]:
    with chromium_of() as driver:
        if driver is None:
            pytest.skip("Chromium is not installed: on Debian, apt-get install chromium chromium-driver")
        yield driver


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(tmp_path) as held:
        yield held


@pytest.fixture
def page(chromium: Chrome, server: Serving) -> Iterator[Page]:
    """A page of the server; at the end nothing may have gone wrong in it."""
    held = Page(chromium, server.address)
    held.enter(server.entrance.ticket)
    yield held
    faults = held.faults()
    chromium.get("about:blank")
    assert not faults
