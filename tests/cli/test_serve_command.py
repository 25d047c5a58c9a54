"""`camphor serve` in a terminal of a desktop: the browser is handed the address where no other account reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.doubles.command import Camphor
from tests.doubles.terminal import Terminal

BROWSER = """#!/bin/sh
file="${1#file://}"
{ echo "$1"; stat -c %a "$file"; cat "$file"; } > "$(dirname "$0")/seen.new"
mv "$(dirname "$0")/seen.new" "$(dirname "$0")/seen"
"""


def test_the_address_is_opened_without_being_in_the_words_of_a_command(
    camphor: Camphor, terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(BROWSER, encoding="ascii")
    browser.chmod(0o700)
    camphor.environment.update(DISPLAY=":0", BROWSER=f"{browser} %s")
    shown = terminal("serve", "--port", "0")
    shown.wait_for("/enter/")
    shown.wait_for("works once")
    ticket = re.search(r"/enter/(\S+)", shown.text)
    assert ticket
    while not (tmp_path / "seen").exists():
        assert shown.read(), shown.text
    words, mode, page = (tmp_path / "seen").read_text().splitlines()
    assert ticket[1] not in words
    assert (mode, ticket[1] in page) == ("600", True)
    shown.interrupt()
    shown.end()
    assert not list((tmp_path / "home" / "web").glob("*.html"))


def test_it_can_be_left_unopened(camphor: Camphor, terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    camphor.environment.update(DISPLAY=":0", BROWSER=f"touch {tmp_path / 'seen'} %s")
    shown = terminal("serve", "--port", "0", "--no-open")
    shown.wait_for("/enter/")
    shown.interrupt()
    shown.end()
    assert not (tmp_path / "seen").exists()
