"""Public function-calling sets through camphor's own loop: exact-match accuracy, for each category and in all.

A line's functions stand in the prompt as the tools of an app that the model has never seen (`Form.NAMES`), all of them
task completion's; the loop is `camphor.agents.orchestrator`, with its grammar, and ends when the calls are written.
Nothing is executed and no device normalises anything, so values count as they were written.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import camphor
from camphor.agents.bounds import Limits
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Setting
from camphor.agents.relevant import POLICIES
from camphor.agents.wants import Act, Think
from camphor.app import clean_query
from camphor.errors import CamphorError, DefinitionError
from camphor.models.base import LanguageModel, Request
from camphor.models.constraint import accepts
from camphor.tools.calls import calls_to_json, render_calls
from camphor.tools.grammar import call_list_grammar
from camphor.tools.readers import from_schema
from camphor.tools.tool import Kind, Role, Tool, Toolbox
from camphor.types import Agent, Call
from camphor_lab.evaluation.public_lines import PublicLine, problem
from camphor_lab.evaluation.report_files import papers

APP = "functions"
NOW = datetime(2024, 1, 15, 9, 0)
"""The clock in every prompt; the sets name none."""
# The longest answers of the single-turn lines have 8 calls; nothing is known of a phone, so nothing is recalled of it,
# and a question is for the functions: no records answer it.
LIMITS = Limits(calls=8, call_tokens=400).without(*POLICIES, "record_answers")
HARNESS = (
    "Each line's functions stand in the prompt as short definitions of an app that the model never saw, all of them "
    "task completion's; the assistant's own loop writes one call list under its grammar (form `names`, greedy, values "
    "as written, nothing executed), and a line is right when every call has the name and, for each argument, one of "
    "the values that the set accepts (texts without case, spaces and punctuation), or when no call is made where none "
    "is right. The leaderboard instead hands each model its own published prompt or function-calling interface, checks "
    "types as well, and weights its categories, so its figures are not of the same test."
)
Progress = Callable[[int, int, "LineOutcome"], None]
"""Told after each line: how many are done, of how many, and the outcome."""


@dataclass(frozen=True)
class LineOutcome:
    """What happened to one line.

    Args:
        problem: what is wrong, in a few words; "" where the line is right.
        unwritable: why the grammar could not have written the answer that the set lists first, or "": `form`, a value
            nested deeper than an array of objects, of another type than the definition says, or a name that
            cannot be read; `words`, a value that the person did not say, where only said words are allowed.
    """

    line: PublicLine
    predicted: tuple[Call, ...] = ()
    problem: str = ""
    unwritable: str = ""
    seconds: float = 0.0
    error: str | None = None

    @property
    def right(self) -> bool:
        return not self.problem

    def to_json(self) -> dict[str, Any]:
        """Without the line's own text: a result file is no copy of the set."""
        return {
            "id": self.line.id,
            "category": self.line.category,
            "predicted": calls_to_json(self.predicted),
            "right": self.right,
            "problem": self.problem,
            "unwritable": self.unwritable,
            "seconds": round(self.seconds, 4),
            "error": self.error,
        }


def run_lines(lines: Sequence[PublicLine], model: LanguageModel, progress: Progress | None = None) -> list[LineOutcome]:
    """Answer every line, in order; a line that breaks is wrong, with its error."""
    outcomes = []
    for line in lines:
        outcomes.append(run_line(line, model))
        if progress:
            progress(len(outcomes), len(lines), outcomes[-1])
    return outcomes


def run_line(line: PublicLine, model: LanguageModel) -> LineOutcome:
    """Answer one line and compare. A query that is too long or a prompt that does not fit is an outcome too."""
    started = time.perf_counter()
    tools = readable_tools(line)
    predicted: tuple[Call, ...] = ()
    grammar, error = "", None
    try:
        predicted, grammar = _answer(line, tools, model)
    except CamphorError as fault:
        error = f"{type(fault).__name__}: {fault}"
    seconds = time.perf_counter() - started
    wrong = "an error" if error else problem(line.accept, predicted)
    return LineOutcome(line, predicted, wrong, _unwritable(line, tools, grammar), seconds, error)


def readable_tools(line: PublicLine) -> list[Tool]:
    """The line's functions as tools; one whose name or schema cannot be written in a call is left out."""
    tools: dict[str, Tool] = {}
    for schema in line.tools:
        try:
            tool = from_schema(schema, kind=Kind.ACTION, agent=Agent.TASK, app=APP)
        except DefinitionError:
            continue
        tools.setdefault(tool.name, tool)
    return list(tools.values())


def _answer(line: PublicLine, tools: Sequence[Tool], model: LanguageModel) -> tuple[tuple[Call, ...], str]:
    """The calls, and the grammar that they were written under."""
    setting = Setting(Toolbox(tools), NOW)
    loop = orchestrate(clean_query(line.query), line.history, setting, LIMITS)
    grammar, reply = "", None
    while True:
        try:
            want = loop.send(reply)
        except StopIteration:  # it asks back whom is meant
            return (), grammar
        if isinstance(want, Act):
            return want.calls, grammar
        assert isinstance(want, Think)
        if want.agent is not Agent.HIGH_ORDER:
            if grammar:  # the calls are written, none, and this would be the answer in words
                return (), grammar
            grammar = want.grammar
        reply = model.complete(Request(want.prompt, want.grammar, want.max_tokens, copies=want.copies)).text


def _unwritable(line: PublicLine, tools: Sequence[Tool], grammar: str) -> str:
    known = {tool.name: tool for tool in tools}
    if any(call.name not in known for call in line.calls):
        return "form"
    text = render_calls(_in_order(call, known[call.name]) for call in line.calls)
    if not accepts(call_list_grammar([_plain(tool) for tool in tools], most=LIMITS.calls), text):
        return "form"
    return "words" if grammar and not accepts(grammar, f" {text}") else ""


def _in_order(call: Call, tool: Tool) -> Call:
    """Its arguments as calls are written, in the order of the tool's parameters; the others last."""
    names = [parameter.name for parameter in tool.parameters if parameter.name in call.arguments]
    names += [name for name in call.arguments if name not in names]
    return Call(call.name, {name: call.arguments[name] for name in names})


def _plain(tool: Tool) -> Tool:
    """The tool with values of any words."""
    return replace(tool, parameters=tuple(replace(each, role=Role.TEXT) for each in tool.parameters))


def public_report(
    path: Path, outcomes: Sequence[LineOutcome], *, model: str, command: str, seed: int
) -> dict[str, Any]:
    """What `--out` writes: accuracies from 0 to 1 with 95% intervals (Wilson 1927), published figures beside.

    Args:
        model: what was tested. command: the command line. seed: of the sample.
    """
    categories = sorted({outcome.line.category for outcome in outcomes})
    groups = {name: [each for each in outcomes if each.line.category == name] for name in categories}
    published = papers()["bfcl"]
    return {
        "command": command,
        "model": model,
        "harness": HARNESS,
        **_accuracy(outcomes),
        "mean_of_categories": round(sum(_share(each) for each in groups.values()) / len(groups), 4),
        "categories": {name: _accuracy(each) for name, each in groups.items()},
        "problems": dict(Counter(each.problem for each in outcomes if each.problem).most_common()),
        "listed_answer_unwritable": dict(Counter(each.unwritable for each in outcomes if each.unwritable)),
        "published": {row["name"]: row["accuracy"] / 100 for row in published["rows"]},
        "published_where": f"{published['where']}; {published['data']}",
        "run": {
            "file": path.name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "seed": seed,
            "camphor": camphor.__version__,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(sum(each.seconds for each in outcomes), 2),
        },
        "items": [outcome.to_json() for outcome in outcomes],
    }


def _accuracy(outcomes: Sequence[LineOutcome]) -> dict[str, Any]:
    low, high = wilson(sum(each.right for each in outcomes), len(outcomes))
    return {
        "accuracy": round(_share(outcomes), 4),
        "lines": len(outcomes),
        "interval_95": [round(low, 4), round(high, 4)],
        "errors": sum(each.error is not None for each in outcomes),
        "unwritable": sum(bool(each.unwritable) for each in outcomes),
    }


def _share(outcomes: Iterable[LineOutcome]) -> float:
    rights = [each.right for each in outcomes]
    return sum(rights) / len(rights)


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson score interval of a share, 95% unless another `z` is given; `total` is 1 or more."""
    share, extra = right / total, z * z / total
    middle = (share + extra / 2) / (1 + extra)
    around = z * math.sqrt(share * (1 - share) / total + extra / (4 * total)) / (1 + extra)
    return max(0.0, middle - around), min(1.0, middle + around)
