"""The reader of queries for tools: what it learns, and what becomes of files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from camphor.device.usage_events import ItemRef
from camphor.errors import DatasetError, ModelMissing, UsageError
from camphor.retrieval.context.items import DeviceItem
from camphor.retrieval.retrievers import retriever_named
from camphor.retrieval.static import StaticEncoder
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent
from camphor_lab.context.tools import SHIPPED_READER, ItemWeight, ToolFinder, app_votes, read_tool_reader
from camphor_lab.datasets.context.toolbox import context_toolbox, manifests
from camphor_lab.training.tool_reader import fit_reader, main

SONG, SEARCH = DeviceItem(ItemRef("music", "songs", 0), ""), DeviceItem(ItemRef("google", "searches", 0), "")
TOOLS = tuple(context_toolbox())
ASKED = (
    ("that again", "music", ["play_song", "get_song_details"]),
    ("that again", "google", ["search_web", "get_search_history"]),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "devices").mkdir()
    (tmp_path / "toolbox.json").write_text(json.dumps(manifests()))
    lines = []
    for person in range(10):
        device = f"devices/p{person}.device.json"
        records = {
            "music": {"records": {"songs": [{"title": "A"}]}},
            "google": {"records": {"searches": [{"query": "b"}]}},
        }
        told = {
            "format": "camphor.device/1",
            "id": f"p{person}",
            "apps": {a: {"tools": [], **r} for a, r in records.items()},
        }
        (tmp_path / device).write_text(json.dumps(told))
        for number, (query, app, tools) in enumerate(ASKED):
            name = {"music": "songs", "google": "searches"}[app]
            lines.append(
                {"id": f"{person}-{number}", "persona": f"p{person}", "device": device, "now": "2026-03-11T17:30:00",
                 "place": "", "screen": "", "query": query, "context": [{"app": app, "list": name, "item": 0}],
                 "tools": tools, "plan": [{"name": tools[0], "arguments": {}}], "intent": "i", "thread": "t"}
            )  # fmt: skip
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def first(scores: object) -> str:
    return TOOLS[int(np.argmax(np.asarray(scores)))].name


def test_it_learns_what_words_mean_beside_which_app(folder: Path, tmp_path: Path) -> None:
    fit_reader(folder).save(tmp_path / "reader.npz")
    reader = read_tool_reader(tmp_path / "reader.npz")
    vector = StaticEncoder().encode(["that again"])[0]
    assert first(reader.scores(vector, TOOLS, [SONG])) == "play_song"
    assert first(reader.scores(vector, TOOLS, [SEARCH])) == "search_web"
    assert reader.about["samples"] == 20
    unknown = DeviceItem(ItemRef("fridge", "shelves", 0), "")
    assert np.array_equal(reader.scores(vector, TOOLS, [unknown]), reader.scores(vector, TOOLS))
    stranger = Tool("open_fridge", "Open the fridge.", (), Kind.ACTION, Agent.TASK, "fridge")
    assert reader.scores(vector, [stranger], [SONG]).tolist() == [0.0]
    assert reader.scores(vector, [], [SONG]).shape == (0,)


def test_tools_that_it_never_saw_are_still_found(folder: Path) -> None:
    stranger = Tool("open_fridge", "Open the fridge door.", (), Kind.ACTION, Agent.TASK, "fridge")
    finder = ToolFinder(retriever_named("light"), ItemWeight.VOTES, reader=fit_reader(folder))
    item = DeviceItem(ItemRef("fridge", "shelves", 0), "milk")
    assert stranger in finder.find("open the fridge door", (*TOOLS, stranger), [item], 5)


def test_votes_are_shares_of_the_apps() -> None:
    assert app_votes([SONG, SEARCH, SONG], ("music", "google", "mail")) == pytest.approx([8 / 11, 3 / 11, 0])
    assert app_votes([], ("music",)).tolist() == [0.0]


def test_what_is_no_reader_is_told_with_what_makes_one(tmp_path: Path) -> None:
    for content in (b"", b"not a zip", SHIPPED_READER.read_bytes()[:2000]):
        (tmp_path / "x.npz").write_bytes(content)
        read_tool_reader.cache_clear()
        with pytest.raises(ModelMissing, match=r"camphor_lab\.training\.tool_reader"):
            read_tool_reader(tmp_path / "x.npz")


def test_what_cannot_be_learnt_from_is_told(folder: Path) -> None:
    lines = (folder / "train.jsonl").read_text()
    (folder / "train.jsonl").write_text(lines.replace("play_song", "fly"))
    with pytest.raises(DatasetError, match="line 1: there is no tool 'fly'"):
        fit_reader(folder)
    (folder / "train.jsonl").write_text("")
    with pytest.raises(UsageError, match="no queries"):
        fit_reader(folder)


def test_the_command_writes_a_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(folder), str(tmp_path / "made.npz")])
    assert read_tool_reader(tmp_path / "made.npz").tools[0] == TOOLS[0].name
    assert isinstance(json.loads(capsys.readouterr().out), dict)
