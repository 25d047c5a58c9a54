"""A server that speaks adb's protocol for one phone, whose shell is this machine's own `sh`.

The phone's programs (`am`, `content`, `getprop`) are small scripts: each notes the words that it was given, as the
shell understood them, and prints what a phone would. See AOSP, packages/modules/adb, SERVICES.TXT and the protocol of
`shell,v2`.
"""

from __future__ import annotations

import os
import socketserver
import struct
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from io import BufferedIOBase
from pathlib import Path
from typing import Any

OKAY, FAIL = b"OKAY", b"FAIL"
_SCRIPT = """#!/bin/sh
for word in {name} "$@"; do printf '%s\\0' "$word"; done >> "{log}"
printf '\\n\\0' >> "{log}"
{answer}
"""


class Phone:
    """One phone: what its programs print, and what they were called with."""

    def __init__(self, folder: Path, serial: str = "emulator-5554") -> None:
        self.serial, self.state, self.unplugged = serial, "device", False
        self.pulled_out_by = ""  # words of a command line: while it runs, the phone is pulled out
        self.sockets: dict[str, Callable[[BufferedIOBase, BufferedIOBase], None]] = {}
        """Programs that listen on a local socket of the phone, by its name: each is called with a connection's ends."""
        self._bin, self._log = folder / "bin", folder / "log"
        self._bin.mkdir()
        self._log.touch()
        self.program("am", 'echo "Starting: Intent { act=x }"; echo "Status: ok"; echo Complete')
        self.program("getprop", 'case "$1" in persist.sys.timezone) echo Europe/Lisbon;; *) echo "of $1";; esac')
        self.program("content", "echo 'No result found.'")

    def program(self, name: str, answer: str) -> None:
        path = self._bin / name
        path.write_text(_SCRIPT.format(name=name, log=self._log, answer=answer))
        path.chmod(0o755)

    def shell(self, line: bytes) -> tuple[int, bytes]:
        done = subprocess.run(
            [b"/bin/sh", b"-c", line],
            env={"PATH": f"{self._bin}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=20,
        )
        return done.returncode, done.stdout

    @property
    def calls(self) -> list[list[str]]:
        """The words of each call of a program, oldest first."""
        text = self._log.read_bytes().decode()
        return [each.rstrip("\0").split("\0") for each in text.split("\n\0") if each]


class _Handler(socketserver.StreamRequestHandler):
    server: Any

    def handle(self) -> None:
        phone: Phone = self.server.phone
        while True:
            size = self.rfile.read(4)
            if not size:
                return
            asked = self.rfile.read(int(size, 16)).decode()
            if asked == "host:version":
                return self._block("0029")
            if asked in ("host:devices", "host:devices-l"):
                return self._block("" if phone.unplugged else f"{phone.serial}\t{phone.state}\n")
            if asked == "host:features" or asked.endswith(":features"):
                return self._block("shell_v2,cmd")
            if asked.startswith(("host:transport", "host:tport")):
                if phone.unplugged or phone.state != "device":
                    return self._fail(f"device '{phone.serial}' not found")
                self.wfile.write(OKAY)
                if asked.startswith("host:tport"):
                    self.wfile.write(struct.pack("<Q", 1))
            elif asked.startswith("shell"):
                return self._shell(phone, asked)
            elif asked.startswith("localabstract:"):
                return self._socket(phone, asked.removeprefix("localabstract:"))
            else:
                return self._fail(f"unknown request {asked}")

    def _shell(self, phone: Phone, asked: str) -> None:
        kind, _, line = asked.partition(":")
        self.wfile.write(OKAY)
        status, output = phone.shell(line.encode())
        phone.unplugged |= bool(phone.pulled_out_by) and phone.pulled_out_by in line
        if phone.unplugged:  # pulled out while the command ran: the connection ends without its result
            return
        if "v2" not in kind:
            self.wfile.write(output)
            return
        for each, data in ((1, output), (3, bytes([status]))):
            self.wfile.write(struct.pack("<BI", each, len(data)) + data)

    def _socket(self, phone: Phone, name: str) -> None:
        listening = phone.sockets.get(name)
        if listening is None:
            return self._fail("closed")
        self.wfile.write(OKAY)
        with suppress(OSError):  # whoever asked has heard enough
            listening(self.rfile, self.wfile)

    def _block(self, text: str) -> None:
        self.wfile.write(OKAY + f"{len(text.encode()):04x}".encode() + text.encode())

    def _fail(self, text: str) -> None:
        self.wfile.write(FAIL + f"{len(text):04x}".encode() + text.encode())


class AdbServer:
    """The server, on a free port of the loopback interface, while the context lasts."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone

    def __enter__(self) -> AdbServer:
        self._server: Any = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.phone = self.phone
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
