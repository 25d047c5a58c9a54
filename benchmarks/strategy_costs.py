"""What each strategy costs with a model that is always right: requests and tokens of a query.

    python benchmarks/strategy_costs.py data/handwritten-development --limit 31 --out results/strategy-costs.json

No model runs: every reply is the item's gold step in the form that the strategy asks for, with one draft and one review
where the strategy has them. So this is about the least that a capable model takes: one that thinks, errs or looks up
more takes more. Tokens are the embedded model's of the very texts that are sent: a server's own counts differ by its
tokeniser and by what its template adds. `exact`: the share of queries whose calls came out as the gold has them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.prompts import Form
from camphor.agents.strategies.registry import CHATTING, NAMES, choose
from camphor.agents.strategies.roles import ANSWER, REFLECTION, SUBMIT
from camphor.device.device import Device
from camphor.models.base import Request, ScriptedModel
from camphor.models.chat import ChatCall, ChatReply, ChatRequest, ScriptedChat
from camphor.models.chat_body import chat_body
from camphor.tools.calls import calls_from_json, render_calls
from camphor.tools.tool import Toolbox
from camphor.trajectories.items import Item
from camphor.types import Agent, Call
from camphor_lab.datasets.surface_forms import with_surface_forms
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.runner import AssistantAnswerer
from camphor_lab.evaluation.usage import Usage, mean_usage

Count = Callable[[str], int]
RIGHT, NOTHING = "Verdict: right", "Nothing is to be changed."
CONTEXT = 1_000_000


@dataclass(frozen=True)
class Gold:
    """The right look-ups of a query, by agent, its actions, and what is said where there are none."""

    found: Sequence[tuple[Agent, tuple[Call, ...]]]
    acts: tuple[Call, ...]
    response: str

    @classmethod
    def of(cls, item: Item) -> Gold:
        """Of an item with steps, its values in words as a person says them."""
        steps = [(Agent(each["agent"]), calls_from_json(each["calls"])) for each in item.steps]
        found = [(agent, calls) for agent, calls in steps if agent not in (Agent.HIGH_ORDER, Agent.TASK) and calls]
        acts = tuple(call for agent, calls in steps if agent is Agent.TASK for call in calls)
        return cls(found, acts, "" if acts else item.response or "There is nothing to be done.")

    @property
    def calls(self) -> list[Call]:
        """All, in their order."""
        return [*(call for _, calls in self.found for call in calls), *self.acts]


def written(strategy: str, gold: Gold, tools: Toolbox) -> list[str]:
    """What a model that completes texts says under a strategy."""
    said = [gold.response] * (not gold.acts)
    if strategy == "static":
        return [*(render_calls(calls) for _, calls in gold.found), render_calls(gold.acts), *said]
    if strategy == "autoact":
        asked = [
            text
            for call in gold.calls
            for text in (f"Action: {call.name}", *([render_calls([call])] * bool(tools.get(call.name).parameters)))
        ]
        return [*asked, "Action: finish", RIGHT, *said]
    if strategy in ("react", "reflexion"):
        acted = [f"Action: {render_calls([call])}" for call in gold.calls]
        return [*acted, "Action: finish", *([RIGHT] * (strategy == "reflexion")), *said]
    looked = [
        text
        for agent, calls in gold.found
        for text in (agent.value, *([render_calls(calls)] * (agent is not Agent.PERCEPTION)))
    ]
    draft = f"Response: {gold.response or 'I will.'}\nCalls: {render_calls(gold.acts)}"
    return [*looked, ANSWER, draft, REFLECTION, NOTHING, SUBMIT, draft]


def answered(strategy: str, gold: Gold) -> list[ChatReply]:
    """What a model that takes part in conversations answers under a strategy."""
    final = _reply(gold.acts) if gold.acts else ChatReply(gold.response)
    if strategy == "single_agent":
        return [*(_reply(calls) for _, calls in gold.found), final]
    looked = [
        reply
        for agent, calls in gold.found
        for reply in (_named(agent.value), *([_reply(calls)] * (agent is not Agent.PERCEPTION)))
    ]
    return [*looked, _named(ANSWER), final, _named(REFLECTION), ChatReply(NOTHING), _named(SUBMIT), final]


def _named(agent: str) -> ChatReply:
    return ChatReply(json.dumps({"agent": agent}))


def _reply(calls: Sequence[Call]) -> ChatReply:
    return ChatReply(
        calls=tuple(ChatCall(f"c{at}", call.name, json.dumps(dict(call.arguments))) for at, call in enumerate(calls))
    )


def sent(request: Request | ChatRequest) -> str:
    """The text of a request: the prompt, or messages, tools and schema as they go to a server."""
    if isinstance(request, Request):
        return "".join(segment.text for segment in request.prompt)
    body = chat_body(request)
    return "\n".join(json.dumps(body[part], ensure_ascii=False) for part in ("tools", "messages") if part in body)


def received(reply: str | ChatReply) -> str:
    """The text of a reply."""
    if isinstance(reply, str):
        return reply
    return reply.text + "".join(f"{call.name} {call.arguments}" for call in reply.calls)


def cost(strategy: str, item: Item, device: Device, count: Count) -> tuple[Usage, bool]:
    """What a query costs, and whether its actions came out as the gold has them."""
    gold = Gold.of(with_surface_forms(item, device.export()))
    work, form = choose(strategy, Form.FULL, tuned=False, usual=Form.INSTRUCTED)
    model: ScriptedModel | ScriptedChat
    replies: Sequence[str | ChatReply]
    if strategy in CHATTING:
        replies = answered(strategy, gold)
        model = ScriptedChat([*replies, *[ChatReply(gold.response or "Done.")] * 8], CONTEXT)
    else:
        replies = written(strategy, gold, device.toolbox)
        model = ScriptedModel([*replies, *[gold.response or "finish"] * 8], CONTEXT)
    predicted = AssistantAnswerer(model, form, Limits(), work).answer(item, device).calls  # type: ignore[arg-type]
    used = [received(reply) for reply in replies[: len(model.requests)]]
    usage = Usage(len(model.requests), sum(count(sent(each)) for each in model.requests), 0, sum(map(count, used)))
    return usage, sorted(call.name for call in predicted) == sorted(call["name"] for call in item.calls or ())


def costs(dataset: Dataset, count: Count, strategies: Sequence[str] = NAMES) -> dict[str, Mapping[str, Any]]:
    """The mean cost of a query under each strategy."""
    rows: dict[str, Mapping[str, Any]] = {}
    for strategy in strategies:
        measured: list[tuple[Usage, bool]] = []
        for item in dataset.items:
            with dataset.device(item) as device:
                measured.append(cost(strategy, item, device, count))
        mean = mean_usage(usage for usage, _ in measured)
        exact = sum(right for _, right in measured) / len(measured)
        shown = {name: mean[name] for name in asdict(Usage()) if name != "cached_tokens"}
        rows[strategy] = {**shown, "exact": round(exact, 4)}
        print(f"{strategy:14}", *(f"{value:10,.1f}" for value in shown.values()), f"{100 * exact:6.1f}")
    return rows


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, help="folders with items.jsonl, whose items have steps")
    parser.add_argument("--limit", type=int, help="only the first so many queries")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    from camphor.models.llama import LlamaModel

    dataset = Dataset(*arguments.sets, limit=arguments.limit)
    with closing(LlamaModel(adapter=False)) as model:
        rows = costs(dataset, model.count_tokens)
    limit = f" --limit {arguments.limit}" if arguments.limit else ""
    command = f"python benchmarks/strategy_costs.py {' '.join(map(str, arguments.sets))}{limit} --out {arguments.out}"
    report = {"command": command, "dataset_sha256": dataset.fingerprint, "items": len(dataset.items)}
    write_report(arguments.out, {**report, "strategies": rows})


if __name__ == "__main__":
    main()
