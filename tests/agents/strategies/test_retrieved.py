from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.bounds import Limits
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Form, Setting
from camphor.agents.wants import Think
from camphor.errors import UsageError
from camphor.retrieval.retrievers import Lexical
from camphor.tools.tool import Kind, Tool, Toolbox
from camphor.types import Agent
from camphor_lab.evaluation.retrieval import Retrieved


def tool(name: str, description: str, agent: Agent) -> Tool:
    return Tool(name, description, (), Kind.ACTION if agent is Agent.TASK else Kind.CONTEXT, agent, app="x")


BOX = Toolbox(
    [
        tool("get_notes", "What was written down.", Agent.CONTEXT),
        tool("get_songs", "Music.", Agent.CONTEXT),
        tool("play_song", "Play a song.", Agent.TASK),
        tool("write_note", "Write a note.", Agent.TASK),
    ]
)
SETTING = Setting(BOX, datetime(2026, 3, 12), form=Form.DEFINITIONS)


def opening(k: int) -> str:
    want = next(Retrieved(orchestrate, k, Lexical())("play that song", (), SETTING, Limits()))
    assert isinstance(want, Think)
    return "".join(segment.text for segment in want.prompt)


def test_the_prompt_defines_only_what_was_retrieved() -> None:
    few, all_of_them = opening(1), opening(2)
    assert "play_song()" in few
    assert "write_note()" not in few
    assert few.count("\n") == all_of_them.count("\n") - 2
    assert all(f"{each.name}()" in all_of_them for each in BOX)


def test_retrieving_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="1 or more"):
        opening(0)
