"""How long the first word of the first query on a phone takes in each form of the prompt, with nothing kept of it.

This is what the fixed part of a prompt costs and what compression saves (CAMPHOR, section 5.4): the model reads
everything before the query and the query itself, and the orchestrator names the first agent. What comes after it
depends on the answers, not on the form, and is left to `camphor lab evaluate --form`. Vectors of function tokens are
made once for a tool and kept on disk, so their making is measured apart. Forms take turns on every phone, as machines
drift.

python benchmarks/first_query.py          writes results/first-query.json
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any, Protocol

from camphor.agents.bounds import NAME_TOKENS
from camphor.agents.prompts import Form, Setting, available_agents, function_tokens, open_turn, render_system
from camphor.agents.tool_priors import with_hints
from camphor.app import setting_of
from camphor.cli.home import cache_folder
from camphor.device.device import Device
from camphor.models.base import Reply, Request
from camphor.models.function_tokens import LlamaEncoder, Method
from camphor.models.llama import LlamaModel
from camphor.tools.grammar import agent_grammar
from camphor.trajectories.items import Item, read_items
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import Meter


class Forgets(Protocol):
    """A language model that can drop its cache."""

    def forget(self) -> None: ...

    def complete(self, request: Request) -> Reply: ...


def first_word(setting: Setting, query: str) -> Request:
    """What the orchestrator asks first: which agent begins."""
    names = [agent.value for agent in available_agents(setting.toolbox)]
    return Request((*render_system(setting), *open_turn(query)), agent_grammar(names), NAME_TOKENS)


def measure(model: Forgets, setting: Setting, query: str) -> dict[str, float]:
    """Seconds, processor seconds, joules where the machine tells, and tokens evaluated, from an empty cache."""
    request = first_word(setting, query)
    model.forget()
    meter, started = Meter(), time.perf_counter()
    reply = model.complete(request)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, **meter.spent(), "tokens": reply.timing.evaluated_tokens}


def summary(measured: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Median and largest seconds; means of the rest."""
    times = [each["seconds"] for each in measured]
    means = {key: fmean(each[key] for each in measured) for key in measured[0] if key != "seconds"}
    return {
        "seconds_median": round(median(times), 4),
        "seconds_most": round(max(times), 4),
        **{key: round(value, 4) for key, value in means.items()},
    }


def one_per_phone(path: Path, count: int) -> list[Item]:
    """The first query of each of the first phones of a dataset, without those that follow up."""
    found: dict[str, Item] = {}
    for item in read_items(path):
        if not item.history:
            found.setdefault(str(item.device), item)
    return list(found.values())[:count]


def time_vectors(model: LlamaModel, setting: Setting) -> dict[str, Any]:
    """What making the vectors of one phone's tools takes, once, with none kept."""
    definitions = function_tokens(replace(setting, form=Form.COMPRESSED))
    meter, started = Meter(), time.perf_counter()
    LlamaEncoder(model.model_path, None, Method.LAST, model.threads).encode(definitions)
    return {"tools": len(definitions), "seconds": round(time.perf_counter() - started, 4), **meter.spent()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of a phone's first word in each form; see the module's text.")
    parser.add_argument("--dataset", type=Path, default=Path("data/generated-test/test.jsonl"))
    parser.add_argument("--phones", type=int, default=20)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--adapter", type=Path, help="another adapter than the one that ships")
    parser.add_argument("--out", type=Path, default=Path("results/first-query.json"))
    options = parser.parse_args()
    measured: dict[str, list[dict[str, float]]] = {form.value: [] for form in Form}
    items = one_per_phone(options.dataset, options.phones)
    with LlamaModel(adapter=options.adapter, threads=options.threads, merged_folder=cache_folder()) as model:
        for item in items:
            with Device.from_file(options.dataset.parent / str(item.device)) as device:
                setting = setting_of(device)
            model.complete(first_word(replace(setting, form=Form.COMPRESSED), item.query))  # its vectors are kept now
            for form in Form:
                written = with_hints(replace(setting, form=form), item.query, ())
                measured[form.value].append(measure(model, written, item.query))
        vectors = time_vectors(model, setting)
        told: dict[str, Any] = {
            "command": " ".join(["python benchmarks/first_query.py", *sys.argv[1:]]),
            "machine": f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}",
            "threads": model.threads,
            "model": (model.merged_path or model.model_path).name,
            "phones": len(items),
            "forms": {form: summary(figures) for form, figures in measured.items()},
            "vectors": vectors,
        }
    write_report(options.out, told)
    for form, figures in told["forms"].items():
        print(f"{form:12}", figures)
    print("vectors     ", vectors)


if __name__ == "__main__":
    main()
