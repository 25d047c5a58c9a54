from __future__ import annotations

import pytest

from camphor.errors import DefinitionError, UnknownTool
from camphor.tools.readers import from_schema
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent

BOOK = Tool(
    "book_table",
    "Book a table.\nAsks nobody.",
    (
        Parameter("place", role=Role.REFERENCE, description="where"),
        Parameter("seats", "integer", minimum=1, maximum=8),
        Parameter("area", enum=("in", "out"), required=False),
        Parameter("tags", "array", items="string", required=False),
        Parameter("note", required=False, default="none"),
    ),
    Kind.ACTION,
    Agent.TASK,
    "tables",
)
LOOK = Tool("get_tables", "", (), Kind.CONTEXT, Agent.CONTEXT, "tables")
PLAY = Tool("play_music", "Play.", (Parameter("title"),), Kind.ACTION, Agent.TASK, "music")


def test_a_definition_is_one_line() -> None:
    head = "book_table(place, seats: int, area?: in|out, tags?: list, note?)"
    assert BOOK.definition() == f"{head}: Book a table. Asks nobody."
    assert BOOK.definition(descriptions=False) == head
    assert LOOK.definition() == "get_tables()"


def test_a_schema_is_read_back_as_the_same_tool() -> None:
    assert from_schema(BOOK.to_schema(), kind=BOOK.kind, app=BOOK.app) == BOOK


def test_a_toolbox_keeps_order_and_knows_its_experts_and_apps() -> None:
    box = Toolbox([PLAY, LOOK, BOOK])
    assert [tool.name for tool in box] == ["play_music", "get_tables", "book_table"]
    assert len(box) == 3
    assert "get_tables" in box
    assert "get_chairs" not in box
    assert box.of(Agent.TASK) == (PLAY, BOOK)
    assert box.of(Agent.KNOWLEDGE) == ()
    assert box.apps == ("music", "tables")
    assert box.get("play_music") is PLAY


def test_an_unknown_tool_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownTool, match="no tool play_musik: the nearest is play_music"):
        Toolbox([PLAY, LOOK]).get("play_musik")
    with pytest.raises(UnknownTool, match="it has 2 others"):
        Toolbox([PLAY, LOOK]).get("x" * 5000)


def test_one_name_twice_is_refused() -> None:
    other = Tool("play_music", "", (), Kind.CONTEXT, Agent.CONTEXT)
    with pytest.raises(DefinitionError, match="play_music is defined twice, by music and the device"):
        Toolbox([PLAY, other])
    with pytest.raises(DefinitionError, match="parameter a is defined twice"):
        Tool("t", "", (Parameter("a"), Parameter("a")), Kind.ACTION, Agent.TASK)


@pytest.mark.parametrize("name", ["", "two words", "1st", "a(b", 'a"', "a\n"])
def test_names_that_no_call_can_hold_are_refused(name: str) -> None:
    with pytest.raises(DefinitionError):
        Parameter(name)
    with pytest.raises(DefinitionError):
        Tool(name, "", (), Kind.ACTION, Agent.TASK)


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(DefinitionError, match="'text' is unknown"):
        Parameter("a", "text")
    with pytest.raises(DefinitionError, match="above maximum"):
        Parameter("a", "integer", minimum=3, maximum=2)
