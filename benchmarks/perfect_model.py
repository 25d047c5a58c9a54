"""What stands in a good model's way: a model that writes the gold, and what policies and gate make of it.

    python benchmarks/perfect_model.py data/handwritten-development --out results/perfect-model.json

No model runs: every reply is the item's own gold step, with its times as a person says them. So whatever is not right
then was lost by code of ours. It is asked as one that is told how to work, with each policy switched off in turn, once
as the tuned one is, and once as one that converses, which looks up the records that the gold answer rests on and says
the gold response; `held` counts gold actions in doubt, which only a person can agree to (of
one that converses after a second reading by the shipped model, as with `--yes`), and `answers` those of the
items with annotated answers that are told.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.lookup_fallback import keyword_parameter
from camphor.agents.policies import known_names
from camphor.agents.prompts import Form
from camphor.agents.strategies.single_agent import single_agent
from camphor.device.device import Device
from camphor.device.text import words
from camphor.models.base import Reply, Request
from camphor.models.chat import ChatCall, ChatReply, ScriptedChat
from camphor.tools.calls import calls_from_json, render_calls
from camphor.tools.tool import Kind
from camphor.trajectories.items import Item
from camphor.types import Agent, Call
from camphor_lab.datasets.surface_forms import with_surface_forms
from camphor_lab.evaluation.answer_scores import leaves, pointed
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result, write_report
from camphor_lab.evaluation.runner import AssistantAnswerer, SystemAnswer, one_by_one, score_run
from camphor_lab.evaluation.values import SentenceBert, Similarity, alternatives

FORMS = {"told": Form.INSTRUCTED, "tuned": Form.NAMES, "conversing": Form.FULL}
NOTHING = "That is not on the phone."
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


class GoldChat(ScriptedChat):
    """Converses as the gold does: looks up what its steps look up, or where it has none the records that its answer
    rests on, then acts, or answers."""

    def __init__(self, item: Item, device: Device) -> None:
        steps = [(Agent(step["agent"]), calls_from_json(step["calls"])) for step in item.steps]
        acts = [call for agent, calls in steps if agent is Agent.TASK for call in calls] or [
            Call(call.name, {name: alternatives(value)[0] for name, value in call.arguments.items()})
            for call in calls_from_json(item.calls or ())
        ]
        looked_up = [calls for agent, calls in steps if calls and agent not in (Agent.TASK, Agent.HIGH_ORDER)]
        if not looked_up and item.answer:
            looked_up = [tuple(calls)] if (calls := look_ups(item, device)) else []
        messages = [*looked_up, *([acts] if acts else [])]
        replies = [_message(number, calls) for number, calls in enumerate(messages)]
        said = item.response or ". ".join(alternatives(each)[0] for each in (item.answer or {}).get("must", ()))
        super().__init__([*replies, *([said or NOTHING] * 2 if said or not acts else [])])


def _message(number: int, calls: Sequence[Call]) -> ChatReply:
    return ChatReply(
        calls=tuple(
            ChatCall(f"call_{number}_{at}", call.name, json.dumps(call.arguments, ensure_ascii=False))
            for at, call in enumerate(calls)
        )
    )


def look_ups(item: Item, device: Device) -> list[Call]:
    """Look-ups that find the records of the item's answer: by a word of the record, or without any."""
    document, found = device.export(), []
    tools = [tool for tool in device.toolbox if tool.kind is not Kind.ACTION and not tool.by_code]
    for pointer in (item.answer or {}).get("records", ()):
        record = pointed(document, pointer)
        texts = set(leaves(record))
        keywords = [*sorted(texts), *dict.fromkeys(word for text in texts for word in words(text) if len(word) > 3)][
            :40
        ]
        tries = [Call(tool.name, {}) for tool in tools]
        for tool in tools:
            needed = [each.name for each in tool.parameters if each.required] or [keyword_parameter(tool)]
            tries += [Call(tool.name, dict.fromkeys(needed, word)) for word in keywords if all(needed)]
        tries += [Call(tool.name, {"user_id": user}) for tool in tools for user in _users(document)]
        for call in tries:
            seen = device.execute(call)
            if seen.error is None and any(_same_record(each, texts) for each in seen.records):
                found.append(call)
                break
    return list({json.dumps([call.name, dict(call.arguments)]): call for call in found}.values())


def _users(document: Any) -> list[str]:
    """Under which identities the owner is known to apps."""
    if isinstance(document, Mapping):
        own = [document["user_id"]] if isinstance(document.get("user_id"), str) else []
        return own + [user for value in document.values() for user in _users(value)]
    return []


def _same_record(found: Mapping[str, Any], texts: set[str]) -> bool:
    shown = [text for text in leaves(found) if len(text) > 3]
    longest = max(shown, key=len, default="")
    return longest in texts and sum(text in texts for text in shown) * 2 > len(shown)


@dataclass(frozen=True)
class GoldAnswerer:
    """The assistant with the gold model of each item."""

    form: Form
    limits: Limits = field(default_factory=Limits)

    def answer(self, item: Item, device: Device) -> SystemAnswer:
        if self.form is Form.FULL:
            chat = AssistantAnswerer(
                GoldChat(item, device), self.form, self.limits, single_agent, remembers=True, unseen=True
            )
            return chat.answer(item, device)
        model = GoldModel(with_surface_forms(item, device.export()))
        return AssistantAnswerer(model, self.form, self.limits).answer(item, device)


def figures(dataset: Dataset, results: Sequence[Result], similarity: Similarity) -> Mapping[str, Any]:
    """What is right of the gold after policies and gate, and which queries are not."""
    scored = score_run(dataset, results, similarity)
    metrics = scored["metrics"]
    wrong = [item.id for item, result in zip(dataset.items, results, strict=True) if not exact(item, result)]
    return {
        **{name: metrics[name] for name in FIGURES},
        "held": sum(len(result.undone) for result in results),
        "acts": sum(len(item.calls or ()) for item in dataset.items),
        "errors": sum(result.error is not None for result in results),
        "not_exact": sorted(wrong),
        **({"answers": _answers(scored)} if "answers_right" in metrics else {}),
    }


def _answers(scored: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of the items with annotated answers: how many there are, the share told, and which are not."""
    told = {row["id"]: row["score"]["answer"]["verdict"] for row in scored["items"] if row["score"].get("answer")}
    return {
        "items": len(told),
        "right": scored["metrics"]["answers_right"],
        "not_right": sorted(name for name, verdict in told.items() if verdict != "right"),
    }


def exact(item: Item, result: Result) -> bool:
    """Whether as many calls of the same names came out as the gold has."""
    names = sorted(call.name for call in result.predicted)
    return result.error is None and names == sorted(call["name"] for call in item.calls or ())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, help="folders with items.jsonl, whose items have steps")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=["told", "tuned"], help="how it is asked")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    dataset, similarity = Dataset(*arguments.sets), SentenceBert()
    if arguments.forms != ["conversing"] and (
        without := [item.id for item in dataset.items if item.calls and not item.steps]
    ):
        parser.error(f"{len(without)} items act and have no steps, {without[0]} among them: there is no gold to write")
    report: dict[str, Any] = {"items": len(dataset.items), "forms": {}}
    for name in arguments.forms:
        form = FORMS[name]
        rows: dict[str, Any] = {}
        report["forms"][name] = rows
        for off in ("", *(known_names() if name == "told" else ())):
            limits = Limits(off=frozenset({off} if off else ()))
            found = figures(dataset, one_by_one(dataset, GoldAnswerer(form, limits)), similarity)
            whole = rows.setdefault("(all on)", found)
            changed = sorted({*found["not_exact"]} ^ {*whole["not_exact"]})
            rows[off or "(all on)"] = found if not off else {**found, "not_exact": changed}
            print(f"{name:6} {off or '(all on)':20}", *(f"{100 * found[each]:6.1f}" for each in FIGURES), found["held"])
    command = f"python benchmarks/perfect_model.py {' '.join(map(str, arguments.sets))}"
    if arguments.forms != parser.get_default("forms"):
        command += f" --forms {' '.join(arguments.forms)}"
    write_report(
        arguments.out, {"command": f"{command} --out {arguments.out}", "dataset_sha256": dataset.fingerprint, **report}
    )
    print(json.dumps({"items": report["items"]}))


if __name__ == "__main__":
    main()
