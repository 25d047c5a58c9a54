"""One verdict for one call."""

from __future__ import annotations

from collections.abc import Iterator

from camphor.agents.evidence import Origin
from camphor.agents.gate.asked import asked_for
from camphor.agents.gate.scene import Scene
from camphor.agents.gate.texts import about_something_else
from camphor.agents.gate.values import evidence_of, squeezed
from camphor.agents.gate.verdict import Asked, Verdict
from camphor.agents.gate.words import gate_words, quoted
from camphor.tools.tool import Role, Tool
from camphor.types import Call

__all__ = ["Scene", "judge"]


def judge(tool: Tool, written: Call, call: Call, scene: Scene, words: str) -> Verdict:
    """What the gate says of a call that is about to be proposed.

    Args:
        written: as the model wrote it. call: as the device would do it. words: what it would do, in plain words.
    """
    told = gate_words()
    asked, part = asked_for(tool, written, call, scene)
    if asked is Asked.NO:
        assert part is not None
        return Verdict(asked, part, refusal=told.tell("refused", part.kind, said=quoted(part.text), do=_lower(words)))
    evidence = tuple(evidence_of(tool, written, call, scene))
    if question := squeezed(tool, call, {each.parameter: each for each in evidence}, scene):
        return Verdict(asked, part, evidence, refusal=question)
    if any(about_something_else(value, scene) for value in _texts(tool, call)):
        return Verdict(asked, part, evidence, refusal=told.tell("marked", "about"))
    doubts = [told.tell("marked", "unsure")] if asked is Asked.UNSURE else []
    doubts += [each.doubt for each in evidence if each.origin is Origin.NOBODY and each.doubt]
    return Verdict(asked, part, evidence, doubt=" ".join(doubts))


def _texts(tool: Tool, call: Call) -> Iterator[str]:
    """The free texts of a call."""
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name)
        if parameter.role is Role.TEXT and isinstance(value, str) and not parameter.enum:
            yield value


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
