"""How urgent a person's words are: now, today, routine, or a question first.

The net (`suspicion`) says whether a text is suspicious. If it also has a sign (`red_flags`), or its last message alone
passes a much higher bar, it is urgent; if not, the person is asked, since the net takes many plain complaints for more.
A sign of self-harm or of a poison that is said of now is asked about even where the net suspects nothing. A question is
about facts. Its answer is read as every message is, and a bare no lowers nothing that was found: it only leaves a
suspicion without ground.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from camphor.agents.health.red_flags import Flag, RaisedFlag, affirmed, concepts_of, flags, red_flags
from camphor.agents.health.spelling import normal
from camphor.agents.health.suspicion import UrgencyReading, read_suspicion

OTHER = "other"
"""The flag of what is urgent and of no kind that is known."""
CRISIS, POISON = "crisis", "poison"
_CERTAIN_KIND = -0.5
_SIGN_OF_LINE = -0.25
"""A kind that has lines and scores so much is a sign that they must be shown."""
_NOT_NOW = frozenset({"past", "story", "question", "admin", "denied", "figure"})
"""Concepts by which a sign is not said of now."""
_READ_TOGETHER = 3
"""So many of the last messages are also read as one text: signs add up, and a long talk does not drown the last."""


class Urgency(StrEnum):
    """What the words call for; `ASK` is to put a question before anything else."""

    NOW = "now"
    TODAY = "today"
    ROUTINE = "routine"
    ASK = "ask"


@dataclass(frozen=True)
class Triage:
    """What was made of a person's words.

    Attributes:
        findings: what it can be: behind `NOW` and `TODAY`, and suspected behind `ASK`.
        question: with `ASK`, what to ask. stands: with `ASK`, the level that a plain no leaves.
        lines: of "crisis" and "poison" those that must be shown whatever the verdict is.
        language: of the words, one of `suspicion.LANGUAGES`.
    """

    verdict: Urgency
    findings: tuple[RaisedFlag, ...] = ()
    question: str = ""
    stands: Urgency = Urgency.ROUTINE
    lines: tuple[str, ...] = ()
    language: str = "en"


def highest(*verdicts: Urgency) -> Urgency:
    """The most urgent of some levels; `ASK` counts as none."""
    return max(verdicts, key=_LEVELS.index)


def triage(*said: str) -> Triage:
    """The verdict on what was said in a conversation: a text a message, oldest first.

    The last message is read alone and together with those before it: only alone it can be urgent by the net's word, as
    long texts score high for their length. Lines are shown for a sign in any message.

    Raises:
        ModelMissing: the net cannot be read.
    """
    told = [each for each in said if each.strip()]
    if not told:
        return Triage(Urgency.ROUTINE)
    net = read_suspicion()
    together = [". ".join(told[-_READ_TOGETHER:])] if len(told) > 1 else []
    readings = net.read([told[-1], *together])
    bare = is_bare(told[-1])
    heard = readings[1:] if bare else readings
    signs = red_flags(*told[-_READ_TOGETHER:])
    if not heard:
        return Triage(Urgency.ROUTINE, lines=_lines(told, signs), language=readings[0].language)
    reading = max(heard, key=lambda each: each.urgent - each.bars.ask)
    sure = not bare and readings[0].urgent >= readings[0].bars.found
    return _judged(reading, sure, signs, _pressing(told[-1]), _lines(told, signs))


def answered(asked: Triage, answer: str, *said: str) -> Triage:
    """The verdict after the answer to `asked.question`: `NOW`, `TODAY` or `ROUTINE`, never below `asked.stands`.

    Args:
        said: the messages before that question, oldest first.
    """
    again = triage(*said, affirmed(asked.question, answer))
    alone = triage(answer)
    lines = tuple(dict.fromkeys((*asked.lines, *again.lines)))
    findings = (again.findings if again.verdict is not Urgency.ROUTINE else ()) or asked.findings
    if Urgency.NOW in (again.verdict, alone.verdict):
        verdict = Urgency.NOW
    elif is_no(answer):
        verdict = highest(asked.stands, alone.verdict)
    else:
        verdict = highest(asked.stands, again.verdict, alone.verdict, Urgency.TODAY)
        if again.verdict is Urgency.ASK and is_yes(answer):
            verdict = Urgency.NOW
    findings = findings if verdict is not Urgency.ROUTINE else ()
    return Triage(verdict, findings, stands=verdict, lines=lines, language=asked.language)


def is_bare(said: str) -> bool:
    """Whether a message is figures and words of time alone ("38", "six days"): an answer, and nothing by itself."""
    return all(each in _bare() for each in re.findall(r"[a-z']+", normal(said)))


@cache
def _bare() -> frozenset[str]:
    return frozenset(_words()["bare"].split())


def is_no(answer: str) -> bool:
    """Whether an answer is a plain no: nothing in it is put off, unsure, or a cry for help. Saying nothing is one."""
    told = normal(answer).strip()
    words = _words()
    if not told:
        return True
    if any(_has(told, word) for word in (*words["later"], *words["unsure"])):
        return False
    first = re.findall(r"[a-z']+", told)[:1]
    return bool(first and first[0] in words["no"]) or any(_has(told, word) for word in words["over"])


def is_yes(answer: str) -> bool:
    """Whether an answer says yes, or that it is happening: all but a no and but a story of its own do."""
    return not is_no(answer) and len(normal(answer).split()) <= _SHORT


_LEVELS = (Urgency.ASK, Urgency.ROUTINE, Urgency.TODAY, Urgency.NOW)
_SHORT = 12
_NAMED = 4
"""Words of a message that is hardly more than a name."""


def _judged(
    reading: UrgencyReading,
    sure: bool,
    signs: tuple[RaisedFlag, ...],
    pressing: tuple[RaisedFlag, ...],
    lines: tuple[str, ...],
) -> Triage:
    suspicious = sure or reading.urgent >= reading.bars.ask
    if not suspicious and not pressing:
        return Triage(Urgency.ROUTINE, lines=lines, language=reading.language)
    known = signs if suspicious else pressing
    findings = tuple(_worded(each, reading.language) for each in known or (RaisedFlag(flags()[_kind(reading)]),))
    if suspicious and (signs or sure):
        verdict = Urgency.NOW if reading.now >= reading.bars.now else Urgency.TODAY
        return Triage(verdict, findings, stands=verdict, lines=lines, language=reading.language)
    flag = findings[0].flag
    stands = Urgency.TODAY if CRISIS in lines else Urgency.ROUTINE
    lines = tuple(dict.fromkeys((*lines, *flag.lines)))
    return Triage(Urgency.ASK, findings, flag.question, stands, lines, reading.language)


def _pressing(said: str) -> tuple[RaisedFlag, ...]:
    """The signs of a message that are never routine, if they are said of now: those that have lines, by its words or by
    the net, and the name of an emergency where hardly more is said."""
    if _NOT_NOW & concepts_of(said).keys():
        return ()
    plain = normal(said)
    names = _words()["named"] if len(plain.split()) <= _NAMED else {}
    named = [RaisedFlag(flags()[kind]) for kind, told in names.items() if any(_has(plain, each) for each in told)]
    return (
        *(each for each in red_flags(said) if each.flag.lines),
        *named,
        *(RaisedFlag(each) for each in _likely(said)),
    )


def _likely(said: str) -> list[Flag]:
    """The kinds that have lines and that the net sees in a message."""
    likely = (flags()[name] for name, score in read_suspicion().kinds(said) if score >= _SIGN_OF_LINE)
    return [each for each in likely if each.lines]


def _worded(finding: RaisedFlag, language: str) -> RaisedFlag:
    """A finding with its title and question in the language of the words; the advice is English alone."""
    told = _words().get(language, {}).get(finding.flag.name, {})
    return replace(finding, flag=replace(finding.flag, **told))


def _kind(reading: UrgencyReading) -> str:
    name, score = reading.kinds[0]
    return name if score >= _CERTAIN_KIND else OTHER


def _lines(told: list[str], signs: tuple[RaisedFlag, ...]) -> tuple[str, ...]:
    """The lines that a sign in any message calls for."""
    found = [line for finding in signs for line in finding.flag.lines]
    for each in told:
        found += [line for finding in red_flags(each) for line in finding.flag.lines]
        found += [line for flag in _likely(each) for line in flag.lines]
    return tuple(dict.fromkeys(found))


def _has(told: str, words: str) -> bool:
    return re.search(rf"(?<![a-z']){re.escape(words)}(?![a-z])", told) is not None


@cache
def _words() -> dict[str, Any]:
    told = (files("camphor") / "agents" / "health" / "triage.toml").read_text(encoding="utf-8")
    return tomllib.loads(told)
