"""A server on a port of this machine, the model that speaks behind it, and what a person does in a browser."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from camphor.device.device import Device
from camphor.models.base import Reply, Request
from camphor.models.scripted import ScriptedModel
from camphor.web.application import create_app
from camphor.web.security import Entrance
from camphor.web.services import Services
from tests.doubles.web import KEY, services_on

_NOT_YET = (StaleElementReferenceException, ElementNotInteractableException, ElementClickInterceptedException)
PATIENCE = 60.0
"""Seconds that anything may take: other programs may have the machine."""


class Mind:
    """A model that says what it is told to say next, and can be held up in the middle."""

    context = 4096

    def __init__(self) -> None:
        self._script = ScriptedModel(())
        self._may_go_on = threading.Event()
        self._may_go_on.set()
        self._held_at = -1

    def say(self, *replies: str) -> None:
        """The replies to the requests from now on."""
        self._script = ScriptedModel(replies)

    def hold(self, before: int) -> None:
        """Wait before that reply, counted from 0, until `go_on`."""
        self._held_at = before
        self._may_go_on.clear()

    def go_on(self) -> None:
        self._may_go_on.set()

    def complete(self, request: Request) -> Reply:
        if len(self._script.requests) == self._held_at:
            self._may_go_on.wait(PATIENCE)
        return self._script.complete(request)

    def count_tokens(self, text: str) -> int:
        return self._script.count_tokens(text)

    def close(self) -> None:
        """Nothing to free."""


class Serving:
    """The app on a real socket, in a thread; it can be ended and begun again under the same address."""

    def __init__(self, folder: Path, results: Path | None = None) -> None:
        self.folder, self.results, self.mind = folder, results, Mind()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.services: Services
        self.begin()

    def begin(self) -> None:
        if self._listener.fileno() < 0:
            self._listener = socket.create_server(("127.0.0.1", self.port))
        self.services = services_on(self.folder, self.mind)
        self.services.results = self.results
        self.entrance = Entrance(KEY)
        app = create_app(self.services, secret="of the tests", entrance=self.entrance)
        config = uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """As a signal ends it, with pages open."""
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        self._listener.close()

    def phone(self, name: str = "ines-dublin") -> Device:
        return self.services.phone(name)


_ARGUMENTS = (
    "headless=new", "no-first-run", "disable-background-networking", "disable-dev-shm-usage", "disable-gpu",
    "window-size=1280,900", "lang=en-GB", "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip


@contextlib.contextmanager
def chromium_of() -> Iterator[Chrome | None]:
    """The Chromium of this machine, which reaches nothing but it; None where there is none."""
    found = {name: shutil.which(name) for name in ("chromium", "google-chrome", "chromedriver")}
    browser, driver = found["chromium"] or found["google-chrome"], found["chromedriver"]
    if not browser or not driver:
        yield None
        return
    options = ChromeOptions()
    options.binary_location = browser
    for argument in _ARGUMENTS:
        options.add_argument(f"--{argument}")
    if os.geteuid() == 0:  # its sandbox is not for root
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    held = Chrome(options=options, service=Service(driver))
    try:
        yield held
    finally:
        held.quit()


@contextlib.contextmanager
def serving(folder: Path, results: Path | None = None) -> Iterator[Serving]:
    held = Serving(folder, results)
    try:
        yield held
    finally:
        held.mind.go_on()
        held.end()


class Page:
    """What a person does and sees. Everything waits until it is there."""

    def __init__(self, driver: Chrome, address: str) -> None:
        self.driver, self.address = driver, address

    def open(self, path: str) -> None:
        self.driver.get(self.address + path)

    def enter(self, ticket: str) -> None:
        """Be let in by the one-time address, without going on to the chat."""
        self.open("/static/leaf.svg")
        fetched = "const [path, done] = arguments; fetch(path).then((answer) => done(answer.status))"
        assert self.driver.execute_async_script(fetched, f"/enter/{ticket}") == 200

    def as_known(self) -> None:
        """As somebody who was here before."""
        self.open("/static/leaf.svg")
        self.driver.execute_script("localStorage.setItem('welcomed', 'yes')")

    def until(self, true: Callable[[], Any], what: str = "") -> Any:
        """The first value of it that counts."""

        def tried(_: Chrome) -> Any:
            try:
                return true()
            except _NOT_YET:
                return False

        seen = f"{what or 'it'} did not come to be; the page says:\n"
        try:
            return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(tried)
        except WebDriverException as error:
            raise AssertionError(seen + self.text("body")[:3000]) from error

    def all(self, css: str) -> list[WebElement]:
        return [each for each in self.driver.find_elements(By.CSS_SELECTOR, css) if each.is_displayed()]

    def one(self, css: str, says: str = "") -> WebElement:
        """The first thing of that sort that is seen, and holds the words."""
        found: WebElement = self.until(
            lambda: next(each for each in [*self.all(css), None] if self._is(each, says)), css
        )
        return found

    def press(self, css: str, says: str = "") -> None:
        """Click on it once it can be clicked on."""

        def pressed() -> bool:
            found = self.one(css, says)
            if found.is_enabled():
                self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)  # not below the bar
                found.click()
                return True
            return False

        self.until(pressed, f"pressing {css} {says}")

    def put(self, css: str, text: str) -> None:
        """Write into a field instead of what is there."""
        field = self.one(css)
        field.clear()
        field.send_keys(text)

    def keys(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for each in keys:
            self.driver.switch_to.active_element.send_keys(each)

    def text(self, css: str) -> str:
        return " ".join(str(each.text) for each in self.driver.find_elements(By.CSS_SELECTOR, css))

    def says(self, css: str, words: str) -> None:
        """Wait until the words are there."""
        self.until(lambda: words in self.text(css), f"{words!r} in {css}")

    def gone(self, css: str) -> None:
        self.until(lambda: not self.all(css), f"the end of {css}")

    def agree(self) -> None:
        """Say yes to the question of the browser."""
        self.until(self._alert, "a question of the browser").accept()

    def tab(self, css: str, most: int = 60) -> None:
        """Go with the Tab key until the focus is there."""
        for _ in range(most):
            if self.focused(css):
                return
            self.keys(Keys.TAB)
        raise AssertionError(f"Tab does not lead to {css} but to {self.driver.switch_to.active_element.tag_name}")

    def focused(self, css: str) -> bool:
        return bool(self.driver.execute_script("return document.activeElement.matches(arguments[0])", css))

    def script(self, code: str, *given: Any) -> Any:
        return self.driver.execute_script(code, *given)

    def faults(self) -> list[str]:
        """What the browser's console complains of; requests that a server refused or missed are no fault of a page."""
        every = [str(each["message"]) for each in self.driver.get_log("browser") if each["level"] == "SEVERE"]  # type: ignore[no-untyped-call]
        return [each for each in every if "Failed to load resource" not in each and "net::ERR_" not in each]

    def _is(self, each: WebElement | None, says: str) -> bool:
        return each is None or says in each.text or says in (each.get_attribute("aria-label") or "")

    def _alert(self) -> Any:
        try:
            return self.driver.switch_to.alert
        except WebDriverException:
            return None
