"""Notifications on a desktop: a real bus, with a server of notifications in a process of its own; and none at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from camphor.health.emergency.delivery import HandOverOutcome
from camphor.service.state import Desktop

_SERVER = """
import asyncio, sys
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

class Notifications(ServiceInterface):
    @method()
    def Notify(self, app: "s", replaces: "u", icon: "s", summary: "s", body: "s", actions: "as", hints: "a{sv}",
               timeout: "i") -> "u":
        print(app, summary, body, hints["urgency"].value, sep="|", flush=True)
        return 1

    @method()
    def GetCapabilities(self) -> "as":
        return ["body"]

    @method()
    def GetServerInformation(self) -> "ssss":
        return ["test", "camphor", "1", "1.2"]

async def serve():
    bus = await MessageBus().connect()
    bus.export("/org/freedesktop/Notifications", Notifications("org.freedesktop.Notifications"))
    await bus.request_name("org.freedesktop.Notifications")
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()

asyncio.run(serve())
"""
_RING = """
import subprocess, sys
from camphor.service.state import Desktop
server = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE, text=True)
assert server.stdout.readline() == "ready\\n"
desktop = Desktop()
print(repr(desktop.problem()), desktop.show("Time for: Metformin", "1 tablet", True).outcome.value)
print(server.stdout.readline().strip())
server.kill()
server.wait()
print(desktop.show("Again", "1 tablet", False).outcome.value, desktop.problem() != "")
"""


@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="there is no D-Bus here")
def test_a_desktop_rings_and_one_that_is_gone_is_not_said_to() -> None:
    told = subprocess.run(
        ["dbus-run-session", "--", sys.executable, "-W", "error", "-c", _RING, _SERVER],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert told.stdout.splitlines() == [
        "'' taken",
        "camphor|Time for: Metformin|1 tablet|2",
        "refused True",
    ], told.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system always has a desktop")
def test_without_a_desktop_that_is_said_and_nothing_of_the_text_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    held = {name: os.environ.pop(name, "") for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY")}
    try:
        desktop = Desktop()
        assert "no desktop" in desktop.problem()
        assert desktop.show("Time for: Metformin", "1 tablet", True).outcome is HandOverOutcome.REFUSED
        assert "Metformin" not in caplog.text
    finally:
        os.environ.update({name: value for name, value in held.items() if value})
