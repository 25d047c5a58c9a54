"""A second opinion: a model reads what was asked, found and done, and says whether that is right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from camphor.models.base import LanguageModel, Request
from camphor.tools.calls import render_calls
from camphor.tools.grammar import line_grammar
from camphor.types import Agent, Prompt, Segment, Turn
from camphor_lab.datasets.llm.reasons import Reason, Rejected

TASK = """\
You check the work of an assistant on a person's phone. You read the request, what the assistant looked up, what the
phone answered, what was done at the end, and what the person was told."""
ASK = """\
Is this exactly what was asked for, nothing left out and nothing added, for the right people and times? Where it cannot
be done, or is not clear, nothing may be done, and the person must be told or asked. Write `yes` or `no`, a colon, and
the reason in one line."""
MOST_RESULTS = 1200  # characters of the answers to one step
TOKENS = 80
_VERDICT = re.compile(r"\W*(?:verdict\W+|answer\W+)?(yes|no)\b\W*(?P<why>[^\n]*)", re.IGNORECASE)


def approve(model: LanguageModel, turn: Turn, now: str) -> None:
    """Ask whether the turn does what was asked.

    Args:
        now: the device's clock, in words.

    Raises:
        Rejected: the model says no, or nothing that can be understood. ModelError: it cannot answer.
    """
    grammar = f'start: ("yes" | "no") ": " LINE\nLINE: {line_grammar(200).removeprefix("start: ").strip()}\n'
    said = model.complete(Request(_prompt(turn, now), grammar, TOKENS)).text
    verdict = _VERDICT.match(said)
    if verdict is None:
        raise Rejected(Reason.OPINION, f"it says neither yes nor no: {said.strip()[:120]!r}")
    if verdict.group(1).casefold() == "no":
        raise Rejected(Reason.OPINION, verdict["why"].strip() or "it gives no reason")


def _prompt(turn: Turn, now: str) -> Prompt:
    lines = [f"Now: {now}", f"Request: {turn.query}", *_told(turn), f"The person was told: {turn.response}", ASK]
    return (
        Segment("<|im_start|>system\n", special=True),
        Segment(TASK),
        Segment("<|im_end|>\n<|im_start|>user\n", special=True),
        Segment("\n".join(lines)),
        Segment("<|im_end|>\n<|im_start|>assistant\n", special=True),
    )


def _told(turn: Turn) -> Iterator[str]:
    acted = False
    for step in turn.steps:
        if step.agent is Agent.TASK:
            for observation in step.observations:
                acted = True
                yield f"Done: {render_calls([observation.call])}"
            continue
        for observation in step.observations:
            records = json.dumps(observation.records, ensure_ascii=False)
            yield f"Looked up: {render_calls([observation.call])}"
            yield f"Found: {observation.error or records[:MOST_RESULTS]}"
    if not acted:
        yield "Nothing was done."
