from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from camphor.errors import UsageError
from camphor.retrieval.retrievers import Dense, Hybrid, Lexical, by_scores, rank
from camphor.retrieval.static import StaticEncoder
from camphor.retrieval.tool_index import ToolIndex, Vectors
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent


def tool(name: str, description: str) -> Tool:
    return Tool(name, description, (), Kind.ACTION, Agent.TASK)


TOOLS = (
    tool("set_alarm", "Set an alarm at an hour and minute."),
    tool("send_mail", "Send an e-mail to somebody."),
    tool("play_music", "Play a song or an album."),
    tool("dial", "Phone a number."),
)


class Counting:
    """The real encoder, and a list of all it was asked to embed."""

    def __init__(self, identity: str = "counting") -> None:
        self.identity = identity
        self._encoder = StaticEncoder()
        self.dimensions = self._encoder.dimensions
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return self._encoder.encode(texts)


def found(index: ToolIndex, query: str, k: int = 5) -> list[str]:
    return [hit.tool.name for hit in index.search(query, k)]


def test_the_tool_that_a_query_needs_comes_first() -> None:
    index = ToolIndex(StaticEncoder())
    index.replace(TOOLS)
    assert found(index, "wake me up with an alarm at 7", 1) == ["set_alarm"]
    assert found(index, "e-mail Ana the song", 2)[0] == "send_mail"
    assert len(found(index, "anything", 99)) == len(TOOLS)


def test_search_ranks_as_the_retriever_of_the_same_kind() -> None:
    dense = Dense(StaticEncoder())
    for fusion, retriever in ((None, dense), (by_scores, Hybrid(Lexical(), dense, fusion=by_scores))):
        index = ToolIndex(StaticEncoder(), fusion=fusion)
        index.replace(TOOLS)
        for query in ("play an album", "ring 112", "send mail"):
            np.testing.assert_allclose(index.scores(query), retriever.scores(query, TOOLS), atol=5e-3)
            assert found(index, query, 1) == [rank(retriever, query, TOOLS)[0].name]


def test_only_new_and_reworded_tools_are_embedded(tmp_path: Path) -> None:
    encoder = Counting()
    index = ToolIndex(encoder, tmp_path / "tools.index")
    assert index.replace(TOOLS[:3]) == 3
    encoder.asked.clear()
    assert index.add(TOOLS[3]) == 1
    assert encoder.asked == ["dial. Phone a number."]
    assert found(index, "phone a number", 1) == ["dial"]
    encoder.asked.clear()
    assert index.add(tool("dial", "Call somebody by phone.")) == 1
    assert encoder.asked == ["dial. Call somebody by phone."]
    assert len(index) == 4


def test_a_tool_that_is_removed_is_not_found(tmp_path: Path) -> None:
    encoder = Counting()
    index = ToolIndex(encoder, tmp_path / "tools.index")
    index.replace(TOOLS)
    encoder.asked.clear()
    index.remove("play_music", "no_such_tool")
    assert encoder.asked == []
    assert "play_music" not in found(index, "play music")
    index.remove(*(each.name for each in TOOLS))
    assert found(index, "play music") == []


def test_vectors_are_kept_for_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "new" / "tools.index"
    first, second = Counting(), Counting()
    ToolIndex(first, path).replace(TOOLS)
    index = ToolIndex(second, path)
    assert index.replace(TOOLS) == 0
    assert second.asked == []
    assert found(index, "play an album", 1) == ["play_music"]
    assert [each.name for each in path.parent.iterdir()] == ["tools.index"]


@pytest.mark.parametrize("damage", ["torn", "changed", "foreign", "empty"])
def test_a_file_that_is_not_whole_is_made_again(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "tools.index"
    ToolIndex(Counting(), path).replace(TOOLS)
    whole = path.read_bytes()
    path.write_bytes({
        "torn": whole[:-7], "changed": whole[:-1] + bytes([whole[-1] ^ 1]), "foreign": b"PK\x03\x04 else", "empty": b"",
    }[damage])  # fmt: skip
    assert ToolIndex(Counting(), path).replace(TOOLS) == len(TOOLS)
    assert path.read_bytes() == whole


def test_vectors_of_another_encoder_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "tools.index"
    ToolIndex(Counting(), path).replace(TOOLS)
    assert ToolIndex(Counting("another"), path).replace(TOOLS) == len(TOOLS)


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    index = ToolIndex(StaticEncoder(), tmp_path / "file" / "tools.index")
    assert index.replace(TOOLS) == len(TOOLS)
    assert found(index, "play an album", 1) == ["play_music"]


def test_wrong_use_is_told() -> None:
    index = ToolIndex(StaticEncoder())
    assert index.search("anything") == ()
    with pytest.raises(UsageError, match="twice"):
        index.replace((TOOLS[0], tool("set_alarm", "Another.")))
    with pytest.raises(UsageError, match="1 or more"):
        index.search("anything", 0)
