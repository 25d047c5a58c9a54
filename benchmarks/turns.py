"""What an earlier turn about something else does to a query: asked by itself, after it, and after it without seeing it.

    python benchmarks/turns.py data/handwritten-development data/handwritten-development-2 --out results/turns.json

Each query of the sets is put after the gold turn of another query of the same phone that has nothing to do with it, by
`camphor.agents.topic_shift`, where its gold calls hold as before. All three ways answer the same queries. How many
follow-ups of a set lose by that rule what they follow is counted too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from camphor.agents.bounds import USUAL
from camphor.agents.topic_shift import stands_alone
from camphor.cli.model import open_model
from camphor.device.device import Device
from camphor.trajectories.items import GoldMismatch, Item, check, read_items, replay
from camphor.types import Turn
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.runner import AssistantAnswerer, evaluate
from camphor_lab.evaluation.values import SentenceBert

FIGURES = ("tool_f1", "plan_f1", "no_call_accuracy", "exact")


def turn_of(item: Item) -> dict[str, Any]:
    """The gold turn of an item, as the history of another has it."""
    return {"query": item.query, "steps": list(item.steps), "response": item.response}


def after_another(folder: Path) -> Iterator[Item]:
    """Each first query that can stand behind another one of its phone, with that one as its history."""
    firsts = [item for item in read_items(folder / "items.jsonl") if not item.history]
    for place, item in enumerate(firsts):
        others = [each for each in (*firsts[:place][::-1], *firsts[place + 1 :]) if each.device == item.device]
        for other in others:
            if not stands_alone(item.query, (Turn(other.query, (), other.response),)):
                continue
            behind = replace(item, device=str((folder / str(item.device)).resolve()), history=(turn_of(other),))
            try:
                with Device.from_file(Path(str(behind.device))) as device:
                    check(behind, replay(behind, device))
            except GoldMismatch:
                continue  # what the other one does changes what is right here
            yield behind
            break


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, help="folders with items.jsonl")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--adapter", type=Path, help="another adapter than the one that ships")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    items = [item for folder in options.sets for item in after_another(folder)]
    follow_ups = [item for folder in options.sets for item in read_items(folder / "items.jsonl") if item.history]
    lost = sum(stands_alone(item.query, _told(item)) for item in follow_ups)
    model, form = open_model(None, options.adapter, options.threads)
    similarity = SentenceBert()
    rows = []
    ways = (("by itself", False, True), ("after another", True, False), ("after another, not seeing it", True, True))
    with tempfile.TemporaryDirectory() as folder:
        for way, behind, apart in ways:
            path = Path(folder) / f"{len(rows)}.jsonl"
            asked = [item if behind else replace(item, history=()) for item in items]
            path.write_text("".join(json.dumps(item.to_json()) + "\n" for item in asked), encoding="utf-8")
            answerer = AssistantAnswerer(model, form, USUAL if apart else USUAL.without("topic_shift"))
            metrics = evaluate(Dataset(path, limit=options.limit), answerer, similarity, model="embedded")["metrics"]
            rows.append({"way": way, **{name: metrics[name] for name in FIGURES}})
            print(json.dumps(rows[-1]), flush=True)
    sets = " ".join(map(str, options.sets))
    report = {
        "command": f"python benchmarks/turns.py {sets} --threads {options.threads} --out {options.out}",
        "queries": len(items[: options.limit]),
        "follow_ups": {"all": len(follow_ups), "taken_for_alone": lost},
        "rows": rows,
    }
    write_report(options.out, report)


def _told(item: Item) -> tuple[Turn, ...]:
    return tuple(Turn(each["query"], (), each.get("response") or "") for each in item.history)


if __name__ == "__main__":
    main()
