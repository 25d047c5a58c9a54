"""The one-time address in a real browser, whose cookie no other site's link carries (SameSite=Strict)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome

from camphor.web.security import COOKIE
from tests.doubles.browser import Page, Serving
from tests.doubles.web import DEMO

NOT_IN = "This browser does not know the way in yet"


@pytest.fixture
def stranger(chromium: Chrome, server: Serving) -> Iterator[Page]:
    """A browser that was never let in."""
    held = Page(chromium, server.address)
    held.as_known()  # so that the chat leads on to no welcome
    chromium.delete_all_cookies()
    yield held
    chromium.get("about:blank")


def elsewhere(page: Page, folder: Path, address: str) -> None:
    """A page of another site that leads to an address, as the file does that `camphor serve` hands to the desktop."""
    file = folder / "open.html"
    file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n', encoding="ascii")
    page.driver.get(file.as_uri())


def let_in(page: Page) -> None:
    """Wait for the chat, and for what it asks the server for."""
    page.until(lambda: urlsplit(page.driver.current_url).path == "/chat", "the way in")
    page.one("#query")
    page.until(lambda: DEMO in page.text("header"), "the name of the phone")
    assert not page.faults()


def test_the_address_lets_a_browser_in_from_another_site_and_it_stays_in(
    stranger: Page, server: Serving, tmp_path: Path
) -> None:
    stranger.open("/chat")
    stranger.says("h1", NOT_IN)
    elsewhere(stranger, tmp_path, f"{server.address}/enter/{server.entrance.ticket}")
    let_in(stranger)
    (cookie,) = [each for each in stranger.driver.get_cookies() if each["name"] == COOKIE]
    assert (cookie["sameSite"], cookie["httpOnly"]) == ("Strict", True)
    stranger.open("/device")
    stranger.one("#app-cards .app")
    assert stranger.driver.execute_async_script(
        "const done = arguments[0]; fetch('/api/session').then((a) => a.json()).then((told) => done(told.entered))"
    )


def test_the_address_may_be_typed_too(stranger: Page, server: Serving) -> None:
    stranger.open(f"/enter/{server.entrance.ticket}")
    let_in(stranger)


def test_a_second_browser_is_not_let_in_by_the_same_address(stranger: Page, server: Serving) -> None:
    used = server.entrance.ticket
    stranger.open(f"/enter/{used}")
    let_in(stranger)
    stranger.driver.delete_all_cookies()
    stranger.open(f"/enter/{used}")
    stranger.says("h1", NOT_IN)
    stranger.open("/chat")
    stranger.says("h1", NOT_IN)


def test_a_link_on_another_site_reaches_nothing_of_the_phone(stranger: Page, server: Serving, tmp_path: Path) -> None:
    stranger.open(f"/enter/{server.entrance.ticket}")
    let_in(stranger)
    elsewhere(stranger, tmp_path, f"{server.address}/device")
    stranger.says("h1", NOT_IN)
    stranger.driver.refresh()
    stranger.open("/device")
    stranger.one("#app-cards .app")
