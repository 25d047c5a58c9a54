"""What a search would carry out of the phone: it is asked of others, and no consent stands before it."""

from __future__ import annotations

import re

from camphor.agents.gate.scene import Scene
from camphor.agents.gate.words import any_of, content, gate_words
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent, Call

_TRACEABLE = re.compile(r"\S*@\S+|\+?\d(?:[ ()./-]{0,2}\d){4,}")
_MOST_WORDS = 3  # of records alone: a place's name with what is asked of it


def carried_out(tool: Tool, call: Call, scene: Scene) -> str:
    """Why a search is not made: addresses, long numbers or many words that stand in the phone's records alone; "" where
    it may be."""
    if tool.agent is not Agent.KNOWLEDGE or tool.kind is not Kind.CONTEXT or tool.by_code:
        return ""
    text = " ".join(value for value in call.arguments.values() if isinstance(value, str))
    said = scene.said
    traced = [each for each in _TRACEABLE.findall(text) if _squeezed(each) not in _squeezed(said)]
    known = content(" ".join(scene.found_words))
    private = (content(text) & known) - content(f"{said} {scene.place}")
    if not traced and len(private) <= _MOST_WORDS:
        return ""
    return gate_words().tell("marked", "outgoing", pieces=any_of([*traced, *sorted(private)][:6]))


def _squeezed(text: str) -> str:
    return re.sub(r"[^\w@]", "", text.casefold())
