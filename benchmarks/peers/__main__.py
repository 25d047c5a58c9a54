"""The same model, tools and queries, driven by smolagents and by camphor, in one run.

python benchmarks/peers                  writes results/peers.json, peers-camphor.json and peers-smolagents.json

Needs `pip install ./lab[peers,eval]`. Both take every query in turn, on a fresh copy of its phone; who begins
changes from query to query, and each keeps its cache from one query to the next. The peer has all definitions in every
prompt (`smol.py` tells what else it is given), camphor its own prompts (`Form.NAMES`). Queries are spread evenly over
the data set, in its order, without follow-ups; one more, on the demo phone, warms both up and is not counted.

On a machine with other work give `--threads 1`: camphor's threads give way to it, the peer's wait for each other, and
the comparison would be in camphor's favour.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from compare import differences, ratios, report, told
from smol import CONTEXT, MAX_STEPS, MAX_TOKENS, LocalChat, SmolAnswerer

from camphor.cli.home import cache_folder
from camphor.device.device import Device
from camphor.models.base import LanguageModel, Reply, Request
from camphor.models.llama import LlamaModel
from camphor.trajectories.items import Item
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result, write_report
from camphor_lab.evaluation.runner import Answerer, AssistantAnswerer, SystemAnswer, run_item
from camphor_lab.evaluation.values import SentenceBert

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "src" / "camphor" / "demo" / "ines-dublin.device.json"
WARM_UP = "What's on tomorrow?"


class Counted:
    """A language model that counts the tokens that go through it."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.evaluated = self.generated = self.turns = 0

    @property
    def context(self) -> int:
        return self.model.context

    def complete(self, request: Request) -> Reply:
        reply = self.model.complete(request)
        self.evaluated += reply.timing.evaluated_tokens
        self.turns += 1
        return reply

    def count_tokens(self, text: str) -> int:
        return self.model.count_tokens(text)

    def close(self) -> None:
        self.model.close()


class Ours:
    """camphor as `camphor lab evaluate` runs it, with the tokens it evaluated."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = Counted(model)
        self._answerer = AssistantAnswerer(self._model)

    def answer(self, item: Item, device: Device) -> SystemAnswer:
        evaluated, turns = self._model.evaluated, self._model.turns
        answer = self._answerer.answer(item, device)
        spent = {"evaluated_tokens": self._model.evaluated - evaluated, "model_turns": self._model.turns - turns}
        return SystemAnswer(answer.calls, answer.steps, answer.response, {**answer.timing, **spent})


def chosen(dataset: Dataset, count: int) -> list[Item]:
    """So many queries, evenly spread over the data set in its order; follow-ups are left out."""
    items = [item for item in dataset.items if not item.history]
    count = min(count, len(items))
    return [items[place * len(items) // count] for place in range(count)]


def in_turns(dataset: Dataset, systems: dict[str, Answerer]) -> dict[str, list[Result]]:
    """Every query through every system, who begins changing from query to query."""
    found: dict[str, list[Result]] = {name: [] for name in systems}
    for number, item in enumerate(dataset.items):
        order = list(systems) if number % 2 == 0 else list(reversed(systems))
        for name in order:
            found[name].append(run_item(dataset, item, systems[name]))
        seconds = ", ".join(f"{name} {results[-1].seconds:.2f} s" for name, results in found.items())
        print(f"{number + 1} of {len(dataset.items)}: {seconds}", file=sys.stderr, flush=True)
    return found


def warm_up(systems: dict[str, Answerer]) -> None:
    """Files are read, threads started and grammars prepared before anything is measured."""
    for system in systems.values():
        with Device.from_file(DEMO) as device:
            system.answer(Item("warm-up", {}, WARM_UP, (), (), ()), device)


def main() -> None:
    options = _options()
    dataset = Dataset(options.dataset)
    dataset.items = chosen(dataset, options.queries)
    model = LlamaModel(adapter=options.adapter, threads=options.threads, merged_folder=cache_folder())
    path = model.merged_path
    if path is None:
        raise SystemExit(f"The peer needs base and adapter in one file, and there is none: {model.notice}")
    peer = LocalChat(path, model.threads, constrained=not options.free)
    systems: dict[str, Answerer] = {"camphor": Ours(model), "smolagents": SmolAnswerer(peer)}
    warm_up(systems)
    found = in_turns(dataset, systems)
    about = {
        "command": " ".join(["python benchmarks/peers", *sys.argv[1:]]),
        "dataset": options.dataset.name,
        "dataset_sha256": dataset.fingerprint,
        "model": path.name,
        "threads": model.threads,
        "machine": f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end",
    }
    write(options.out, dataset, found, about, free=options.free)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="camphor and smolagents on the same queries; see the module's text.")
    parser.add_argument("--dataset", type=Path, default=Path("data/handwritten-development/items.jsonl"))
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--adapter", type=Path, help="another adapter than the one that ships")
    parser.add_argument("--free", action="store_true", help="no grammar for the peer: it writes what it likes")
    parser.add_argument("--out", type=Path, default=Path("results/peers.json"))
    return parser.parse_args()


def write(out: Path, dataset: Dataset, found: dict[str, list[Result]], about: dict[str, Any], *, free: bool) -> None:
    """The comparison, and each system's results as `camphor lab evaluate` writes them, beside it."""
    similarity = SentenceBert()
    reports = {name: report(dataset, results, similarity, about) for name, results in found.items()}
    summary = {
        **about,
        "queries": len(dataset.items),
        "peer": {
            "library": f"smolagents {version('smolagents')}, ToolCallingAgent",
            "runtime": f"llama-cpp-python {version('llama-cpp-python')}, prompt cache on",
            "replies": "free text" if free else "kept to one call by a grammar of the tools' schemas",
            "definitions": "all, in every prompt",
            "steps_at_most": MAX_STEPS,
            "tokens_a_step_at_most": MAX_TOKENS,
            "context": CONTEXT,
        },
        **{name: told(found[name], reports[name][0]["metrics"]) for name in found},
        "smolagents_over_camphor": ratios(found["smolagents"], found["camphor"], first_on_a_phone(dataset.items)),
        "f1_above_smolagents_95": differences(reports["camphor"][1], reports["smolagents"][1]),
    }
    write_report(out, summary)
    for name, (told_by, _) in reports.items():
        write_report(out.with_name(f"{out.stem}-{name}.json"), told_by)
    print(json.dumps(summary, indent=1))


def first_on_a_phone(items: Sequence[Item]) -> list[bool]:
    """Whether each query is on another phone than the one before it: then no cache holds anything of its phone."""
    phones = [str(item.device) for item in items]
    return [number == 0 or phone != phones[number - 1] for number, phone in enumerate(phones)]


if __name__ == "__main__":
    main()
