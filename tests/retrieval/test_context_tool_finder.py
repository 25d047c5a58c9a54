"""Tools found for a query and the items that it is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from camphor.device.usage_events import ItemRef
from camphor.errors import UsageError
from camphor.retrieval.context.items import DeviceItem
from camphor.retrieval.retrievers import Scores
from camphor.tools.tool import Kind, Parameter, Tool
from camphor.types import Agent
from camphor_lab.context.tools import LONGEST_WORDS, MOST_ITEMS, ItemWeight, ToolFinder, in_words, votes


def tool(name: str, app: str) -> Tool:
    return Tool(name, name.replace("_", " "), (Parameter("title"),), Kind.ACTION, Agent.TASK, app)


TOOLS = (
    tool("call_contact", "phone"),
    tool("play_song", "music"),
    tool("queue_song", "music"),
    tool("open_note", "notes"),
)
SONG = DeviceItem(ItemRef("music", "songs", 0), "Blue Train\nJohn Coltrane", "Blue Train")
NOTE = DeviceItem(ItemRef("notes", "notes", 2), "Diet\noats", "Diet")


class Shared:
    """Counts how many of a tool's words a text has; keeps the texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        self.texts.append(query)
        words = query.casefold().replace(":", " ").split()
        return np.array([sum(words.count(word) for word in each.name.split("_")) for each in tools], np.float32)


def names(found: Sequence[Tool]) -> list[str]:
    return [each.name for each in found]


def test_items_vote_for_the_tools_of_their_app() -> None:
    assert votes(TOOLS, [SONG, NOTE]).tolist() == [0.0, 1.0, 1.0, 0.5]
    found = ToolFinder(Shared()).find("play that again", TOOLS, [SONG, NOTE], 2)
    assert names(found) == ["play_song", "queue_song"]


def test_the_query_decides_among_the_tools_of_an_app() -> None:
    assert names(ToolFinder(Shared()).find("queue it", TOOLS, [SONG], 1)) == ["queue_song"]


def test_without_items_all_uses_are_the_query_alone() -> None:
    for use in ItemWeight:
        retriever = Shared()
        assert names(ToolFinder(retriever, use).find("open it", TOOLS, (), 1)) == ["open_note"]
        assert retriever.texts == ["open it"]
    retriever = Shared()
    ToolFinder(retriever, ItemWeight.NONE).find("open it", TOOLS, [SONG], 1)
    assert retriever.texts == ["open it"]


def test_items_in_words_stand_behind_the_query() -> None:
    retriever = Shared()
    ToolFinder(retriever, ItemWeight.WORDS).find("put it on", TOOLS, [SONG, NOTE], 1)
    assert retriever.texts == ["put it on\nmusic: Blue Train\nnotes: Diet"]
    long = DeviceItem(ItemRef("notes", "notes", 0), "x" * 10_000_000)
    assert len(in_words("q", [long])) < LONGEST_WORDS + 20


def test_only_the_first_items_count() -> None:
    retriever = Shared()
    many = [SONG] * MOST_ITEMS + [NOTE] * 1000
    ToolFinder(retriever).scores("q", TOOLS, many)
    assert retriever.texts
    assert not any("notes" in text for text in retriever.texts)


def test_an_item_of_an_app_without_tools_changes_nothing() -> None:
    stranger = DeviceItem(ItemRef("fridge", "shelves", 0), "", "")
    assert names(ToolFinder(Shared()).find("open it", TOOLS, [stranger], 1)) == ["open_note"]


def test_few_tools_and_no_tools() -> None:
    assert len(ToolFinder(Shared()).find("q", TOOLS, [SONG], 99)) == len(TOOLS)
    assert ToolFinder(Shared()).find("q", (), [SONG]) == ()
    with pytest.raises(UsageError, match="0 tools"):
        ToolFinder(Shared()).find("q", TOOLS, k=0)
