"""What passes before anything else in a talk: whether what the person has just said must not wait.

No model is asked. Words that are merely suspicious are asked about, at most once a case; levels only rise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from camphor.agents.health.interview.heard import is_bare, is_nobodys, tells
from camphor.agents.health.interview.questions import GENERAL, read_questions
from camphor.agents.health.red_flags import RaisedFlag, affirmed, red_flags
from camphor.agents.health.spelling import normal
from camphor.agents.health.triage import Triage, Urgency, answered, highest, triage
from camphor.health.emergency.lines import Helplines
from camphor.health.emergency.wording import told


class RedFlag(Exception):
    """The person has just said something that stops everything else."""

    def __init__(self, findings: tuple[RaisedFlag, ...]) -> None:
        self.findings = findings


@dataclass
class Hearing:
    """Hears every message of a case.

    Args:
        put: puts a question to the person and gives the answer. tell: tells the person something.
        lines: the numbers of the person's country.

    Attributes:
        level: the most urgent that was heard.
    """

    put: Callable[[str], str]
    tell: Callable[[str], None]
    lines: Helplines
    heard: list[str] = field(default_factory=list)
    suspected: bool = False
    level: Urgency = Urgency.ROUTINE

    def hear(self, text: str, question: str = "") -> None:
        """Weigh a message, which answers a question where one is given.

        Raises:
            RedFlag: it must not wait; the person was told what to do.
        """
        said = affirmed(question, text)
        self.heard.append(said)
        if is_nobodys(text) or (question and said == text and _answers_only(text, question)):
            return
        found = triage(". ".join(self.heard)) if question and not tells(text) else triage(*self.heard)
        if found.verdict is Urgency.ASK:
            found = replace(found, verdict=found.stands) if self.suspected else self._suspect(found)
        self.level = highest(self.level, found.verdict)
        for each in told(found, self.lines):
            self.tell(each)
        if found.verdict is Urgency.NOW:
            raise RedFlag(found.findings)

    @property
    def only_today(self) -> bool:
        """Whether no slot of another day may be offered."""
        return self.level is Urgency.TODAY

    def _suspect(self, found: Triage) -> Triage:
        """Ask what is asked for urgency's sake; the verdict after the answer."""
        self.suspected = True
        answer = self.put(found.question)
        after = answered(found, answer, *self.heard)
        self.heard.append(answer)
        return after


def _answers_only(text: str, question: str) -> bool:
    """Whether an answer tells of no complaint by itself. The net has learnt from whole complaints of people: it takes
    "warfarin and digoxin" for a poisoning, and "5-6 weeks" for anything."""
    if is_bare(text):
        return True
    topic, plain = read_questions().topic_of(question), normal(text)
    if topic not in GENERAL or red_flags(text) or _TOO_MUCH.search(plain):
        return False
    return topic == "medicines" or not tells(text)


_TOO_MUCH = re.compile(
    r"\b(?:took|taken|swallow\w*|too (?:many|much)|whole|all (?:my|the|of|at)|double|extra|overdos\w*|mistake|"
    r"accident\w*|since then|bleed\w*|faint\w*|breath\w*)\b"
)
