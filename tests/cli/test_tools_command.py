"""`camphor tools extract`, and the words that it shares its group with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from camphor.tools.listing import read_tools
from tests.doubles.command import Camphor, one_line

DOCS = Path(__file__).parents[2] / "docs" / "commands.md"


def example() -> str:
    """The module that the documentation shows."""
    section = DOCS.read_text(encoding="utf-8").split("### `camphor tools extract PATH`")[1]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "trips.py"
    path.write_text(example() + "\nprint('loaded')\n", encoding="utf-8")
    return path


def test_the_documented_module_is_written_as_droidcalls_json_lines(camphor: Camphor, module: Path) -> None:
    ran = camphor("tools", "extract", str(module))
    assert ran.status == 0
    assert ran.err == "loaded\n"
    find, book = map(json.loads, ran.out.splitlines())
    assert find == {
        "name": "find_trips",
        "description": "Find trips to a city.",
        "arguments": {"city": {"description": "where to go.", "type": "str", "required": True}},
        "returns": {"type": "list[str]", "description": "names of trips."},
        "kind": "context",
    }
    assert list(book) == ["name", "description", "arguments", "example"]
    assert book["arguments"]["seat"] == {
        "description": "where to sit.",
        "type": 'Literal["aisle", "window"]',
        "required": False,
        "default": "aisle",
    }
    assert book["arguments"]["legs"]["fields"]["city"]["description"] == "where it goes."


def test_json_schema_and_files(camphor: Camphor, module: Path, tmp_path: Path) -> None:
    schemas = json.loads(camphor("tools", "extract", str(module), "--format", "schema").out)
    legs = schemas[1]["parameters"]["properties"]["legs"]
    assert legs["items"]["required"] == ["city"]
    for form, name in (("schema", "tools.json"), ("droidcall", "tools.jsonl")):
        out = tmp_path / name
        ran = camphor("tools", "extract", str(module), "--format", form, "--out", str(out))
        assert (ran.status, ran.out) == (0, f"Wrote 2 tools: {out}\n")
        assert [tool.name for tool in read_tools(out)] == ["find_trips", "book_trip"]
        again = camphor("tools", "extract", str(out), "--format", "schema")
        assert json.loads(again.out) == schemas


def test_a_folder_is_extracted_whole(camphor: Camphor, module: Path) -> None:
    (module.parent / "more.py").write_text('def more() -> None:\n    """More."""\n', encoding="utf-8")
    ran = camphor("tools", "extract", str(module.parent))
    assert [json.loads(line)["name"] for line in ran.out.splitlines()] == ["more", "find_trips", "book_trip"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from io import BytesIO\ndef a(x: BytesIO): ...\n", "line 2: a: parameter x: type BytesIO cannot be read"),
        ("def a(:\n", "trips.py, line 1: is not Python"),
        ("import nowhere_at_all\n", "trips.py, line 1: raises ModuleNotFoundError"),
        ("", "defines no public function"),
    ],
)
def test_faults_are_one_line_with_status_2(camphor: Camphor, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "trips.py"
    path.write_text(text, encoding="utf-8")
    ran = camphor("tools", "extract", str(path))
    assert (ran.status, ran.out) == (2, "")
    assert message in one_line(ran.err)


@pytest.mark.parametrize(
    "words",
    [
        ["extract"],
        ["extract", "missing.py"],
        ["extract", str(DOCS)],
        ["extract", str(DOCS), "--format", "xml"],
        ["no_such_tool"],
    ],
)
def test_wrong_words_are_told(camphor: Camphor, words: list[str]) -> None:
    ran = camphor("tools", *words)
    assert (ran.status, ran.out) == (2, "")
    one_line(ran.err)


def test_the_word_show_may_be_left_out(camphor: Camphor) -> None:
    short = camphor("tools", "search_safari")
    assert short == camphor("tools", "show", "search_safari")
    assert short.out.startswith("search_safari(query)")
    assert "extract" in camphor("tools", "--help").out
    for word in ("READS", "find_trip", "--format", "RUNS"):
        assert word in camphor("tools", "extract", "--help").out


def test_a_folder_becomes_an_app_of_a_phone(camphor: Camphor, module: Path, tmp_path: Path) -> None:
    folder = str(module.parent)
    ran = camphor("device", "install", "ines-dublin", folder)
    assert (ran.status, ran.out) == (0, f"Installed {module.parent.name} on ines-dublin: 2 tools, 1 of them act\n")
    assert "acts: you are asked first" in camphor("tools", "book_trip").out
    module.write_text("def broken(:\n", encoding="utf-8")
    assert camphor("tools", "book_trip").status == 0  # the phone stays usable
    ran = camphor("device", "install", "ines-dublin", str(tmp_path / "none"))
    assert ran.status == 2
    assert "expected a folder with Python files" in one_line(ran.err)


TOOLS = [
    {"name": "setAlarm", "description": "Set an alarm.", "parameters": {"type": "object", "properties": {}}},
    {"name": "sendMail", "description": "Send an e-mail.", "parameters": {"type": "object", "properties": {}}},
]


def test_the_tools_of_a_file_are_searched_and_their_vectors_kept(camphor: Camphor, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS), encoding="utf-8")
    ran = camphor("tools", "search", "wake me up at 7", "--tools", str(path), "--json")
    assert (ran.status, ran.err) == (0, "")
    assert [hit["tool"] for hit in json.loads(ran.out)] == ["setAlarm", "sendMail"]
    (kept,) = (camphor.home / "cache" / "tool-index").iterdir()
    before = kept.stat().st_size
    new = {"name": "dial", "description": "Phone a number.", "parameters": {"type": "object", "properties": {}}}
    path.write_text(json.dumps([*TOOLS, new]), encoding="utf-8")
    ran = camphor("tools", "search", "phone 112", "--tools", str(path), "-k", "1")
    assert ran.status == 0
    assert "dial" in ran.out
    assert "setAlarm" not in ran.out
    assert kept.stat().st_size > before


def test_the_tools_of_the_demo_phone_are_searched(camphor: Camphor) -> None:
    ran = camphor("tools", "search", "remind me to water the plants", "-k", "3", "--json")
    assert ran.status == 0
    hits = json.loads(ran.out)
    assert len(hits) == 3
    assert "create_reminders" in [hit["tool"] for hit in hits]


def test_two_places_for_tools_are_refused(camphor: Camphor, tmp_path: Path) -> None:
    ran = camphor("tools", "search", "x", "--tools", str(tmp_path), "--device", "demo")
    assert ran.status == 2
    assert "give one" in one_line(ran.err)
