"""How rightly requests to functions that a model never saw are called: exactly, with all functions of a module shown.

A plan is right where it has the calls of the gold one, in any order, and each has its arguments, no more and no fewer,
with equal values: numbers by value, texts but for capitals, spaces and marks at their ends. Where a value may be
written in several ways, the gold one is `{"any_of": [...]}`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from camphor.agents.calling.caller import Caller
from camphor.agents.calling.prompts import CallForm
from camphor.errors import CamphorError
from camphor.models.base import LanguageModel
from camphor.tools.plans import Plan, Reference, plan_to_json
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import CallSample
from camphor_lab.datasets.modules import Module
from camphor_lab.evaluation.judged import share_interval

_ENDS = " \t\n.,;:!?\"'“”‘’"
Shown = Callable[[Module], Sequence[Tool]]


@dataclass(frozen=True)
class CalledRequest:
    """One request: what was called, what was right, and why an answer cannot be used."""

    module: str
    sample: CallSample
    predicted: Plan
    right: bool
    seconds: float
    text: str = ""
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.sample.id,
            "module": self.module,
            "query": self.sample.query,
            "gold": plan_to_json(self.sample.answers),
            "predicted": plan_to_json(self.predicted),
            "right": self.right,
            "response": self.text,
            "problem": self.problem,
            "seconds": round(self.seconds, 3),
            "tags": list(self.sample.tags),
        }


def call_modules(
    modules: Sequence[Module],
    model: LanguageModel,
    form: CallForm,
    shown: Shown,
    progress: Callable[[int, int], None] | None = None,
) -> list[CalledRequest]:
    """Every request of every module through a model.

    Args:
        shown: the functions that a module's prompts show, in their order. progress: told how many of how many are done.
    """
    done: list[CalledRequest] = []
    whole = sum(len(module.samples) for module in modules)
    for module in modules:
        caller = Caller(model, shown(module), form)
        for sample in module.samples:
            done.append(_called(module, sample, caller))
            if progress:
                progress(len(done), whole)
    return done


def _called(module: Module, sample: CallSample, caller: Caller) -> CalledRequest:
    begun = time.perf_counter()
    try:
        planned = caller.plan(sample.query, sample.now)
        plan, text, problem = planned.plan, planned.text, planned.problem
    except CamphorError as error:
        plan, text, problem = (), "", str(error)
    right = problem is None and same_plan(sample.answers, plan)
    return CalledRequest(module.folder.name, sample, plan, right, time.perf_counter() - begun, text, problem)


def same_plan(gold: Plan, plan: Plan) -> bool:
    """Whether two plans have the same calls, in any order that keeps what a call takes from another."""
    return len(gold) == len(plan) and _matched(gold, plan, {})


def _matched(gold: Plan, plan: Plan, places: dict[int, int]) -> bool:
    """Whether the other calls can be matched, each of the gold plan's `places` standing for one of the plan's."""
    at = len(places)
    if at == len(gold):
        return True
    wanted = _moved(gold[at].arguments, places)
    return any(
        call.name == gold[at].name and same(wanted, call.arguments) and _matched(gold, plan, {**places, at: place})
        for place, call in enumerate(plan)
        if place not in places.values()
    )


def _moved(value: Any, places: Mapping[int, int]) -> Any:
    """A value whose references are to the places that the plan has for them."""
    if isinstance(value, Reference):
        return replace(value, to=places.get(value.to, value.to))
    if isinstance(value, Mapping):
        return {key: _moved(each, places) for key, each in value.items()}
    return [_moved(each, places) for each in value] if isinstance(value, list | tuple) else value


def same(gold: Any, value: Any) -> bool:
    """Whether a value is the gold one, or one of those that it may be."""
    if isinstance(gold, Mapping) and set(gold) == {"any_of"}:
        return any(same(each, value) for each in gold["any_of"])
    if isinstance(gold, Mapping):
        return isinstance(value, Mapping) and gold.keys() == value.keys() and all(same(gold[k], value[k]) for k in gold)
    if isinstance(gold, list | tuple):
        return isinstance(value, list | tuple) and len(gold) == len(value) and all(map(same, gold, value))
    if isinstance(gold, str):
        return isinstance(value, str) and _plain(gold) == _plain(value)
    return isinstance(gold, bool) is isinstance(value, bool) and bool(gold == value)


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(_ENDS).casefold()


def figures(done: Sequence[CalledRequest]) -> dict[str, Any]:
    """Shares of requests that are exactly right: of all with a 95% interval, by tag and module; of those for a call,
    how many have the right functions, and how many were declined."""
    tags = sorted({tag for each in done for tag in each.sample.tags})
    by_tag = {tag: [each.right for each in done if tag in each.sample.tags] for tag in tags}
    by_module = {name: [each.right for each in done if each.module == name] for name in {each.module for each in done}}
    wanted = [each for each in done if each.sample.answers]
    return {
        "requests": len(done),
        "modules": len(by_module),
        "right": _share([each.right for each in done]),
        "interval_95": share_interval(sum(each.right for each in done), len(done)),
        "by_tag": {tag: {"requests": len(rights), "right": _share(rights)} for tag, rights in by_tag.items()},
        "by_module": {name: _share(rights) for name, rights in sorted(by_module.items())},
        "functions_right": _share([_names(each.sample.answers) == _names(each.predicted) for each in wanted]),
        "declined_with_a_call": _share([not each.predicted for each in wanted]),
        "seconds": round(sum(each.seconds for each in done) / max(1, len(done)), 3),
    }


def _names(plan: Plan) -> list[str]:
    return sorted(call.name for call in plan)


def _share(rights: Sequence[bool]) -> float:
    return round(sum(rights) / max(1, len(rights)), 4)
