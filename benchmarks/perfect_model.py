"""What stands in a good model's way: a model that writes the gold, and what policies and gate make of it.

    python benchmarks/perfect_model.py data/handwritten-development --out results/perfect-model.json

No model runs: every reply is the item's own gold step, with its times as a person says them. So whatever is not right
then was lost by code of ours. It is asked as a model on a server is, which is told how to work, with each policy
switched off in turn, and once as the tuned one is; `held` counts gold actions in doubt, which only a person can agree
to.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.policies import known_names
from camphor.agents.prompts import TOLD, Form
from camphor.device.device import Device
from camphor.models.base import Reply, Request
from camphor.tools.calls import calls_from_json, render_calls
from camphor.trajectories.items import Item
from camphor.types import Agent, Call
from camphor_lab.datasets.surface_forms import with_surface_forms
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result, write_report
from camphor_lab.evaluation.runner import AssistantAnswerer, SystemAnswer, one_by_one, score_run
from camphor_lab.evaluation.values import SentenceBert, Similarity

FORMS = {"told": Form.INSTRUCTED, "tuned": Form.NAMES}
FIGURES = ("tool_f1", "plan_f1", "no_call_accuracy", "exact")


class GoldModel:
    """Writes the gold steps of an item, whatever it is asked for next, and its response at the end."""

    context = 1_000_000

    def __init__(self, item: Item) -> None:
        steps = ((Agent(step["agent"]), calls_from_json(step["calls"])) for step in item.steps)
        self._left: list[tuple[Agent, tuple[Call, ...]]] = [each for each in steps if each[0] is not Agent.HIGH_ORDER]
        self._response = item.response or "Nothing to do."

    def complete(self, request: Request) -> Reply:
        last = request.prompt[-1].text
        if last in {agent.value for agent in Agent}:
            return Reply(" " + render_calls(self._calls(Agent(last))))
        if request.grammar is not None and Agent.TASK.value in request.grammar:
            return Reply(self._next().value)
        return Reply(self._response)

    def _next(self) -> Agent:
        if self._left and self._left[0][0] is Agent.PERCEPTION:  # code writes its one call
            return self._left.pop(0)[0]
        return self._left[0][0] if self._left else Agent.TASK

    def _calls(self, agent: Agent) -> tuple[Call, ...]:
        return self._left.pop(0)[1] if self._left and self._left[0][0] is agent else ()

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def close(self) -> None:
        """Nothing to free."""


@dataclass(frozen=True)
class GoldAnswerer:
    """The assistant with the gold model of each item."""

    form: Form
    limits: Limits = field(default_factory=Limits)

    def answer(self, item: Item, device: Device) -> SystemAnswer:
        model = GoldModel(with_surface_forms(item, device.export()))
        return AssistantAnswerer(model, self.form, self.limits).answer(item, device)


def figures(dataset: Dataset, results: Sequence[Result], similarity: Similarity) -> Mapping[str, Any]:
    """What is right of the gold after policies and gate, and which queries are not."""
    metrics = score_run(dataset, results, similarity)["metrics"]
    wrong = [item.id for item, result in zip(dataset.items, results, strict=True) if not exact(item, result)]
    return {
        **{name: metrics[name] for name in FIGURES},
        "held": sum(len(result.undone) for result in results),
        "acts": sum(len(item.calls or ()) for item in dataset.items),
        "errors": sum(result.error is not None for result in results),
        "not_exact": sorted(wrong),
    }


def exact(item: Item, result: Result) -> bool:
    """Whether as many calls of the same names came out as the gold has."""
    names = sorted(call.name for call in result.predicted)
    return result.error is None and names == sorted(call["name"] for call in item.calls or ())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, help="folders with items.jsonl, whose items have steps")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    dataset, similarity = Dataset(*arguments.sets), SentenceBert()
    if without := [item.id for item in dataset.items if item.calls and not item.steps]:
        parser.error(f"{len(without)} items act and have no steps, {without[0]} among them: there is no gold to write")
    report: dict[str, Any] = {"items": len(dataset.items), "forms": {}}
    for name, form in FORMS.items():
        rows = report["forms"][name] = {}
        for off in ("", *(known_names() if form in TOLD else ())):
            limits = Limits(off=frozenset({off} if off else ()))
            found = figures(dataset, one_by_one(dataset, GoldAnswerer(form, limits)), similarity)
            whole = rows.setdefault("(all on)", found)
            changed = sorted({*found["not_exact"]} ^ {*whole["not_exact"]})
            rows[off or "(all on)"] = found if not off else {**found, "not_exact": changed}
            print(f"{name:6} {off or '(all on)':20}", *(f"{100 * found[each]:6.1f}" for each in FIGURES), found["held"])
    command = f"python benchmarks/perfect_model.py {' '.join(map(str, arguments.sets))} --out {arguments.out}"
    write_report(arguments.out, {"command": command, "dataset_sha256": dataset.fingerprint, **report})
    print(json.dumps({"items": report["items"]}))


if __name__ == "__main__":
    main()
