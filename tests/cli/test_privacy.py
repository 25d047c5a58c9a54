"""What is kept and who may read it; nothing connects unless it was set up; planted words stay out of sight."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doubles.command import Camphor

# What a process looks up or connects to on the network ends it, with what it was.
TRACED = """
import sys, os
def watch(event, args):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        family = getattr(args[0], "family", None)
        if event != "socket.bind" and str(family).endswith("AF_UNIX"):
            return
        sys.stderr.write(f"CONNECTED: {event} {args[1:]}\\n"); sys.stderr.flush(); os._exit(77)
sys.addaudithook(watch)
from camphor.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_what_is_kept_is_the_persons_alone(camphor: Camphor, tmp_path: Path) -> None:
    camphor("device", "new", "me", "--owner", "Ines")
    camphor("device", "export", "me", "--out", str(tmp_path / "out.json"))
    assert stat.S_IMODE((tmp_path / "out.json").stat().st_mode) == 0o600
    found = json.loads(camphor("doctor", "--privacy", "--json").out)
    stores = [each for each in found["kept"] if each["what"].startswith("a device")]
    assert [each["mode"] for each in stores] == ["0600"]
    assert stores[0]["bytes"] > 0
    assert found["open_to_others"] == []
    assert found["encrypted"] is False
    assert [each["what"] for each in found["connections"]] == ["camphor serve, while it runs"]


def test_what_others_may_read_and_what_may_connect_is_told(camphor: Camphor) -> None:
    camphor("device", "new", "me", "--owner", "Ines")
    found = json.loads(camphor("doctor", "--privacy", "--json").out)
    store = Path(next(each["path"] for each in found["kept"] if each["what"].startswith("a device")))
    home = Path(found["folders"][0])
    for folder in (home, store.parent):
        folder.chmod(0o755)
    store.chmod(0o644)
    servers = {"x": {"weather": {"command": [], "url": "https://mcp.example/w", "headers": {"K": "secret-4711"}}}}
    (home / "mcp.json").write_text(json.dumps(servers), encoding="utf-8")
    told = camphor("doctor", "--privacy")
    assert f"! {store}" in told.out.replace("\n", "")
    assert "https://mcp.example/w" in told.out
    assert "secret-4711" not in told.out + told.err


@pytest.mark.timeout(600)
def test_the_usual_commands_open_no_connection(tmp_path: Path) -> None:
    """In a process that is ended at the first name looked up or address connected to."""
    environment = {**os.environ, "CAMPHOR_HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("x", encoding="utf-8")
    commands = [
        ["device", "new", "me", "--owner", "Ines"],
        ["bring", str(vault)],
        ["ask", "what time is it?"],
        ["ask", "--yes", "remind me at 6 to call Alice"],
        ["consent", "list"],
        ["memory", "list"],
        ["health", "medicines"],
        ["tools"],
        ["doctor", "--privacy"],
        ["device", "export", "me"],
    ]
    for words in commands:
        ran = subprocess.run(
            [sys.executable, "-c", TRACED, *words], env=environment, capture_output=True, text=True, check=False
        )
        assert "CONNECTED" not in ran.stderr, (words, ran.stderr)
        assert ran.returncode in (0, 1), (words, ran.stderr)
    probe = "import socket; socket.create_connection(('127.0.0.1', 9))"
    ran = subprocess.run(
        [sys.executable, "-c", TRACED.replace("from camphor.cli import main", probe)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 77  # the trap itself works


MARKER = "zibeline-7731"


def test_planted_words_reach_no_error_and_no_log(camphor: Camphor, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "ok.md").write_text(f"{MARKER} is the code", encoding="utf-8")
    (vault / "broken.md").write_bytes(f"{MARKER}".encode() + b"\xff\xfe")
    camphor("device", "new", "me", "--owner", "Ines")
    for words in (
        ["bring", str(vault)],
        ["bring", "--again"],
        ["bring", "--forget", str(vault)],
        ["doctor", "--privacy"],
    ):
        ran = camphor(*words)
        assert MARKER not in ran.out + ran.err, words
