"""The root command: what it loads, and how each ending is told."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from camphor.errors import install_command
from tests.doubles.command import Camphor, one_line

HEAVY = (
    "torch", "llama_cpp", "llguidance", "sqlite3", "numpy", "transformers", "httpx", "mcp", "camphor.app",
    "camphor.models.openai", "camphor.models.llama",
)  # fmt: skip


@pytest.mark.parametrize("words", [["--help"], ["ask", "--help"], ["device", "--help"], ["data", "generate", "--help"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys; from camphor.cli import main\n"
        f"status = main({words!r})\n"
        f"print('LOADED', status, [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED 0 []"


def test_every_command_is_listed(camphor: Camphor) -> None:
    shown = camphor("--help").out
    in_lab = camphor("lab", "-h").out
    for command in ("evaluate", "data", "train", "report"):
        assert f"│ {command} " in in_lab
        assert f"│ {command} " not in shown
    for command in ("ask", "chat", "device", "tools", "health", "lab", "doctor"):
        assert f" {command} " in shown


@pytest.mark.parametrize("words", [["evaluate", "data/everyday"], ["lab", "train"], ["lab"], ["evaluate"]])
def test_without_the_laboratory_its_commands_say_how_it_is_installed(words: list[str]) -> None:
    code = f"import sys; sys.modules['camphor_lab'] = None; from camphor.cli import main; sys.exit(main({words!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "camphor-lab" in one_line(done.stderr)
    assert "run pip install ./lab" in done.stderr


def test_the_commands_of_the_laboratory_are_known_without_it() -> None:
    from camphor import lab
    from camphor_lab.cli.root import app

    assert typer.main.get_command(app).commands.keys() == lab.COMMANDS  # type: ignore[attr-defined]
    assert install_command("camphor-lab", "eval").startswith('pip install "./lab[eval]" ')


@pytest.mark.parametrize("group", ["health", "device", "lab", "lab data", "memory", "context", "service"])
def test_a_group_without_a_command_shows_its_help_and_no_error(camphor: Camphor, group: str) -> None:
    ran = camphor(*group.split())
    assert (ran.status, ran.err) == (2, "")
    assert "Usage: camphor " + group in " ".join(ran.out.split())


def test_version(camphor: Camphor) -> None:
    ran = camphor("--version")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("camphor 0")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["asc", "hello"], "ask"),
        (["ask", "--devise", "x", "hello"], "--devise"),
        (["ask", "--threads", "many", "hello"], "--threads"),
        (["ask", "--threads", "0", "hello"], "'--threads': 0: expected 1 to"),
        (["ask", "--threads", "9999", "hello"], "as many as this machine has processors"),
        (["ask", ""], "camphor ask"),
        (["call", " "], "camphor call"),
        (["memory", "remember", ""], "camphor memory remember"),
        (["tools", "search", ""], "camphor tools search"),
        (["device", "new", "ada", "--now", "2026-02-30"], "camphor: --now '2026-02-30': expected a day or a time"),
        (["device", "new", "ada", "--timezone", "Mars/Base"], "camphor: --timezone 'Mars/Base': expected the name"),
        (["device", "import"], "'file'"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor(*words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


def test_debug_shows_the_traceback_wherever_it_stands(camphor: Camphor) -> None:
    for words in (["--debug", "device", "show", "nobody"], ["device", "show", "nobody", "--debug"]):
        ran = camphor(*words)
        assert ran.status == 2
        assert "Traceback" in ran.err


def test_a_query_may_say_debug(camphor: Camphor) -> None:
    ran = camphor("ask", "--device", "nobody", "--", "--debug")
    assert "nobody" in one_line(ran.err)


def test_a_reader_that_leaves_early_is_no_error(camphor: Camphor) -> None:
    command = " ".join(camphor.command("device", "export"))
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -c 10"], capture_output=True, text=True, env=camphor.environment, check=True
    )
    assert done.stderr == ""


def test_output_to_a_full_disk_is_one_line(camphor: Camphor) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            camphor.command("device", "export"), stdout=full, stderr=subprocess.PIPE, text=True,
            env=camphor.environment, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "disk is full" in one_line(done.stderr)
