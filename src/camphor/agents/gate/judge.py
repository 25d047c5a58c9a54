"""One verdict for one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from camphor.agents.evidence import Evidence, Origin
from camphor.agents.gate.asked import asked_for
from camphor.agents.gate.numbers import squeezed
from camphor.agents.gate.scene import Asked, Scene, Verdict
from camphor.agents.gate.texts import about_something_else
from camphor.agents.gate.values import evidence_of
from camphor.agents.gate.words import content, gate_words, plain, quoted
from camphor.agents.parts import Part
from camphor.tools.tool import Role, Tool
from camphor.types import Call

__all__ = ["Scene", "judge", "refusal_of", "why_nothing"]


_NAMING = frozenset({Role.REFERENCE, Role.NAME})


def judge(tool: Tool, written: Call, call: Call, scene: Scene, words: str) -> Verdict:
    """What the gate says of a call that is about to be proposed.

    Args:
        written: as the model wrote it. call: as the device would do it. words: what it would do, in plain words.
    """
    told = gate_words()
    asked, part = asked_for(tool, written, call, scene)
    if asked is Asked.NO:
        return Verdict(asked, part, refusal=_refused(part, words))
    evidence = tuple(evidence_of(tool, written, call, scene))
    if question := squeezed(tool, call, {each.parameter: each for each in evidence}, scene):
        return Verdict(asked, part, evidence, refusal=question)
    if any(about_something_else(value, scene) for value in _texts(tool, call)):
        return Verdict(asked, part, evidence, refusal=told.tell("marked", "about"))
    unsure = asked is Asked.UNSURE or _once_more(tool, call, evidence, scene)
    doubts = [told.tell("marked", "unsure")] if unsure else []
    doubts += [each.doubt for each in evidence if each.origin is Origin.NOBODY and each.doubt]
    return Verdict(asked, part, evidence, doubt=" ".join(doubts))


def _once_more(tool: Tool, call: Call, evidence: Iterable[Evidence], scene: Scene) -> bool:
    """Whether a call is one more of the same tool for this query, in other words alone, or about a thing that the query
    does not name: of one order that is to be cancelled, no other one's record is a reason."""
    before = [each for each in scene.proposed if each.name == call.name]
    if any(_in_other_words(tool, call, each) for each in before):
        return True
    if not before or gate_words().several.search(plain(scene.query)):
        return False
    said = content(scene.query)
    for each in evidence:
        parameter = tool.parameter(each.parameter)
        value = call.arguments.get(each.parameter)
        names = parameter is not None and (parameter.role in _NAMING or bool(parameter.enum or parameter.choices))
        other = all(done.arguments.get(each.parameter) != value for done in before)
        if names and other and each.origin in (Origin.FOUND, Origin.CHOSEN) and not content(each.value) & said:
            return True
    return False


def _in_other_words(tool: Tool, call: Call, before: Call) -> bool:
    """Whether two calls differ in free texts alone, that share most words where the calls have nothing else."""
    names = {*call.arguments, *before.arguments}
    changed = [name for name in names if call.arguments.get(name) != before.arguments.get(name)]
    texts = [name for name in changed if (each := tool.parameter(name)) and each.role is Role.TEXT]
    if texts != changed:
        return False
    one, other = (content(" ".join(str(each.arguments.get(name)) for name in texts)) for each in (call, before))
    return len(names) > len(texts) or 2 * len(one & other) >= min(len(one), len(other))


def refusal_of(tool: Tool, written: Call, call: Call, scene: Scene, words: str) -> str:
    """Why a call is not to be proposed as nothing asks for it; "" where it may be. Arguments as those of `judge`."""
    asked, part = asked_for(tool, written, call, scene)
    return _refused(part, words) if asked is Asked.NO else ""


def why_nothing(part: Part) -> str:
    """A sentence on a query that asks for nothing, by the part that shows it."""
    kind = part.kind if part.kind in gate_words().told["idle"] else "other"
    return gate_words().tell("idle", kind, said=quoted(part.text))


def _refused(part: Part, words: str) -> str:
    return gate_words().tell("refused", part.kind, said=quoted(part.text), do=_lower(words))


def _texts(tool: Tool, call: Call) -> Iterator[str]:
    """The free texts of a call."""
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name)
        if parameter.role is Role.TEXT and isinstance(value, str) and not parameter.enum:
            yield value


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
