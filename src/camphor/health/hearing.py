"""What passes before anything else in a talk: whether what the person has just said must not wait.

No model is asked. Words that are merely suspicious are asked about, at most once a case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from camphor.agents.health.interview.heard import is_bare, is_nobodys
from camphor.agents.health.red_flags import Finding, affirmed, red_flags
from camphor.agents.health.triage import CONFIRMED, QUESTION, Verdict, confirms, triage


class RedFlag(Exception):
    """The person has just said something that stops everything else."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings


@dataclass
class Hearing:
    """Hears every message of a case.

    Args:
        put: puts a question to the person and gives the answer. tell: tells the person something.
    """

    put: Callable[[str], str]
    tell: Callable[[str], None]
    heard: list[str] = field(default_factory=list)
    suspected: bool = False

    def hear(self, text: str, question: str = "") -> None:
        """Weigh a message, which answers a question where one is given.

        Raises:
            RedFlag: it must not wait; the person was told what to do.
        """
        self.heard.append(affirmed(question, text))
        found = triage(*self.heard)
        findings = found.findings
        # the second net has learnt from whole complaints of people: "two weeks" by itself tells it nothing
        silent = is_nobodys(text) or (question and is_bare(text))
        if found.verdict is Verdict.ASK and not self.suspected and not silent:
            findings = self._suspect()
        for finding in findings:
            self.tell(f"This can be an emergency ({finding.flag.title}). {finding.flag.advice}")
        if findings:
            raise RedFlag(findings)

    def _suspect(self) -> tuple[Finding, ...]:
        """Ask whether it is an emergency; the flags that the answer raises."""
        self.suspected = True
        answer = self.put(QUESTION)
        self.heard.append(answer)
        return red_flags(*self.heard) or ((Finding(CONFIRMED, (answer,)),) if confirms(answer) else ())
