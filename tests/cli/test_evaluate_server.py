"""`camphor lab evaluate` with a model behind a server: docs/evaluate.md's command, against a double."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.command import Camphor, one_line
from tests.doubles.model_server import DONE, ModelServer, Said, delta, event, message, model_server

ROOT = Path(__file__).parents[2]
NOTE = {"name": "create_notes", "arguments": '{"content": "milk"}'}
DEVICE = {
    "format": "camphor.device/1",
    "id": "x",
    "owner": "Ada",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "apps": {"notes": {"notes": []}},
}
ITEM = {
    "device": DEVICE,
    "query": "write a note: milk",
    "calls": [{"name": "create_notes", "arguments": {"content": "milk"}}],
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as found:
        yield found


def counted(text: str | None, prompt: int, written: int, *calls: dict[str, str]) -> Said:
    """A streamed answer with the counts of its tokens."""
    usage = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
    made = [{"index": at, "id": f"c{at}", "type": "function", "function": call} for at, call in enumerate(calls)]
    pieces = [delta(text, tool_calls=made) if made else delta(text), delta(reason="tool_calls" if made else "stop")]
    pieces += [event({"choices": [], "usage": usage}), DONE]
    return Said(headers={"Content-Type": "text/event-stream"}, pieces=pieces)


def command_of_the_guide(strategy: str) -> list[str]:
    """The words of the page's command, without the program's name."""
    page = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")
    lines: list[str] = re.findall(r"^camphor (lab evaluate .*)$", page, re.MULTILINE)
    return next(line for line in lines if f"--strategy {strategy} " in line).split()


def run(camphor: Camphor, server: ModelServer, strategy: str, folder: Path, queries: int = 1) -> Any:
    """What the guide's command leaves, with this server, this data set and this file in place of the page's."""
    data, out = folder / "items.jsonl", folder / "table1.json"
    lines = [json.dumps({"id": f"q{number}", **ITEM}) for number in range(queries)]
    data.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    words = command_of_the_guide(strategy)
    words[2] = str(data)
    words[words.index("--model") + 1] = f"{server.url}#qwen3:8b"
    words[words.index("--out") + 1] = str(out)
    ran = camphor(*words)
    assert ran.status == 0, ran.err
    return json.loads(out.read_text(encoding="utf-8"))


def test_the_agents_are_asked_with_tools_of_their_own_and_their_tokens_are_counted(
    camphor: Camphor, server: ModelServer, tmp_path: Path
) -> None:
    server.says(counted('{"agent": "response_submit"}', 700, 8), counted(None, 900, 20, NOTE))
    report = run(camphor, server, "agents", tmp_path)
    assert report["metrics"]["plan_f1"] == 1.0
    assert report["items"][0]["usage"] == {
        "requests": 2,
        "prompt_tokens": 1600,
        "cached_tokens": 0,
        "completion_tokens": 28,
    }
    assert report["metrics"]["usage"]["prompt_tokens"] == 1600.0
    assert report["run"]["strategy"] == "agents"
    assert "tools" not in server.asked[0].body
    assert [tool["function"]["name"] for tool in server.asked[1].body["tools"]] == ["create_notes"]


def test_a_server_that_counts_nothing_leaves_its_tokens_unknown(
    camphor: Camphor, server: ModelServer, tmp_path: Path
) -> None:
    calls = [{"id": "c0", "type": "function", "function": NOTE}]
    server.says(message(None, reason="tool_calls", tool_calls=calls))
    report = run(camphor, server, "single_agent", tmp_path)
    assert report["metrics"]["plan_f1"] == 1.0
    usage = report["metrics"]["usage"]
    assert (usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (1.0, None, None)
    assert usage["unknown"] == 1


def test_a_query_that_the_server_fails_is_a_result_and_the_others_go_on(
    camphor: Camphor, server: ModelServer, tmp_path: Path
) -> None:
    broken = Said(b'{"error": {"message": "out of memory"}}', 500)
    server.says(broken, counted(None, 900, 20, NOTE))
    report = run(camphor, server, "single_agent", tmp_path, queries=2)
    assert report["metrics"]["errors"] == 1
    assert [item["error"] is None for item in report["items"]] == [False, True]
    assert report["metrics"]["usage"]["unknown"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--strategy", "agents", "--model", "MODEL"], "name a server's model"),
        (["--strategy", "single_agent", "--retrieve", "5"], "leave --retrieve out"),
    ],
)
def test_what_does_not_go_together_is_one_line_and_status_2(
    camphor: Camphor, tmp_path: Path, words: list[str], said: str
) -> None:
    replies, data = tmp_path / "replies.json", tmp_path / "items.jsonl"
    replies.write_text("[]", encoding="utf-8")
    data.write_text(json.dumps({"id": "q", **ITEM}) + "\n", encoding="utf-8")
    ran = camphor("lab", "evaluate", str(data), *(f"scripted:{replies}" if word == "MODEL" else word for word in words))
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)
