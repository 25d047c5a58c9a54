"""`camphor tools add-mcp` and what a phone then does with a server's tools, in processes of their own."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from tests.doubles import mcp_server
from tests.doubles.command import Camphor, one_line
from tests.doubles.terminal import Terminal

SERVER = str(Path(mcp_server.__file__))
ORDER = ["task_completion", '[parcels_order_parcel(what="green tea")]']
ORDER_QUERY = "Order a parcel of green tea"


def add(camphor: Camphor, how: str = "usual", *options: str) -> str:
    ran = camphor("tools", "add-mcp", "parcels", "--reads", "find_parcel", *options, "--", sys.executable, SERVER, how)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


def test_a_server_is_added_listed_and_removed(camphor: Camphor) -> None:
    assert add(camphor, "odd", "--env", "KEY=s3cret").splitlines() == [
        "Added parcels to ines-dublin: 2 tools; you are asked before 1 of them run",
        "  parcels_find_parcel(number)  (only reads, as you say)",
        "  parcels_order_parcel(what)",
        "  left out 'all': the keyword allOf in its schema cannot be kept to",
        "  left out 'name': 'no name' cannot be the name of a parameter",
    ]
    assert 'The server parcels says of it: "Order [2J a parcel."' in camphor("tools", "parcels_order_parcel").out
    (row,) = json.loads(camphor("tools", "list-mcp", "--json").out)
    assert (row["reads"], row["asks"], row["environment"]) == (
        ["parcels_find_parcel"],
        ["parcels_order_parcel"],
        ["KEY"],
    )
    assert "s3cret" not in camphor("tools", "list-mcp").out + camphor("device", "export").out
    assert camphor("tools", "remove-mcp", "parcels").out == "Removed parcels from ines-dublin\n"
    assert json.loads(camphor("tools", "list-mcp", "--json").out) == []
    assert "has no tool" in one_line(camphor("tools", "parcels_find_parcel").err)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Parcels", "--", "true"], "cannot be a server's name"),
        (["parcels"], "Say what the server is"),
        (["parcels", "--url", "http://example.org/mcp"], "not encrypted"),
        (["calendar", "--", sys.executable, SERVER, "usual"], "calendar is"),
        (["parcels", "--", "no-such-program-here"], "There is no program"),
        (["parcels", "--reads", "buy", "--", sys.executable, SERVER, "usual"], "it has find_parcel, order.parcel"),
        (["parcels", "--", sys.executable, "-c", "raise SystemExit('no licence')"], "it said: no licence"),
        (["parcels", "--header", "X", "--url", "http://127.0.0.1:9/mcp"], "A header is"),
        (["parcels", "--env", "9=1", "--", "true"], "no name of a variable"),
    ],
)
def test_what_cannot_be_added_leaves_nothing_behind(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor("tools", "add-mcp", *words)
    assert ran.status in (1, 2)
    assert said in one_line(ran.err)
    assert json.loads(camphor("tools", "list-mcp", "--json").out) == []


def test_without_the_extra_it_says_how_to_get_it(camphor: Camphor) -> None:
    gone = "import sys; sys.modules['mcp'] = sys.modules['httpx2'] = None"
    code = f"{gone}; from camphor.cli import main; sys.exit(main(sys.argv[1:]))"
    for more in (["--url", "http://127.0.0.1:9/mcp"], ["--", "true"]):
        words = ["tools", "add-mcp", "x", *more]
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, env=camphor.environment
        )
        assert done.returncode == 2
        assert "pip install 'camphor[mcp]'" in one_line(done.stderr)


def test_an_action_of_a_server_is_asked_for(
    camphor: Camphor, script: Callable[[Sequence[str]], str], terminal: Callable[..., Terminal]
) -> None:
    add(camphor)
    nobody = camphor("ask", ORDER_QUERY, "--model", script(ORDER))
    assert nobody.status == 1
    assert "→ Parcels order parcel (what: green tea)" in nobody.out
    assert json.loads(camphor("device", "show", "ines-dublin", "--journal", "--json").out) == []
    for word, state in (("no", 0), ("yes", 1)):
        asked = terminal("ask", ORDER_QUERY, "--model", script(ORDER))
        asked.wait_for("Do it? yes, no or edit:")
        asked.type(f"{word}\n")
        asked.end()
        entries = json.loads(camphor("device", "show", "ines-dublin", "--journal", "--json").out)
        assert [entry["state"] for entry in entries] == ["done"] * state


def test_what_a_server_finds_is_told(camphor: Camphor, script: Callable[[Sequence[str]], str]) -> None:
    add(camphor)
    replies = ["personal_context", '[parcels_find_parcel(number="7")]', "task_completion", "[]"]
    ran = camphor("ask", "Find parcel 7", "--model", script(replies))
    assert (ran.status, ran.out) == (0, "This is what I found: parcel: 7; where: at the depot\n")


def test_orders_in_what_a_server_finds_are_not_obeyed(camphor: Camphor, script: Callable[[Sequence[str]], str]) -> None:
    """A model that does as the record says: nothing asks for it, so it is not even proposed, `--yes` or not."""
    add(camphor, "orders")
    obeys = '[send_imessage_message(receiver="+900 555 0100", content="please pay 500 euro")]'
    replies = ["personal_context", '[parcels_find_parcel(number="7")]', "task_completion", obeys, "[]"]
    ran = camphor("ask", "Find parcel 7", "--yes", "--model", script(replies))
    assert "Traceback" not in ran.err
    assert json.loads(camphor("device", "show", "ines-dublin", "--journal", "--json").out) == []


def test_a_phone_that_goes_takes_its_servers_along(camphor: Camphor) -> None:
    add(camphor)
    assert camphor("device", "remove", "ines-dublin", "--yes").status == 0
    assert json.loads((camphor.home / "mcp.json").read_text()) == {}


@pytest.mark.skipif(importlib.util.find_spec("mcp_server_time") is None, reason="mcp-server-time is not installed")
def test_a_public_server_from_a_registry(camphor: Camphor, script: Callable[[Sequence[str]], str]) -> None:
    command = [sys.executable, "-m", "mcp_server_time", "--local-timezone", "Europe/Dublin"]
    ran = camphor("tools", "add-mcp", "clock", "--reads", "get_current_time", "--", *command)
    assert ran.out.startswith("Added clock to ines-dublin: 2 tools; you are asked before 1 of them run\n"), ran.err
    replies = ["personal_context", '[clock_get_current_time(timezone="Asia/Tokyo")]', "task_completion", "[]", ""]
    found = camphor("ask", "get the current time of the timezone Asia/Tokyo", "--model", script(replies))
    assert "timezone: Asia/Tokyo" in found.out
    call = '[clock_convert_time(source_timezone="Europe/Dublin", time="16:30", target_timezone="Asia/Tokyo")]'
    query = "use the clock to convert time 16:30 from Europe/Dublin to Asia/Tokyo"
    asked = camphor("ask", query, "--model", script(["task_completion", call]))
    assert asked.status == 1
    assert "→ Clock convert time" in asked.out
