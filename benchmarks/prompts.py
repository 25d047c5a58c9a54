"""How long the fixed part of a prompt is in each form (CAMPHOR, Tables 3 and 4), in tokens and bytes of KV cache.

Static tokens are all that stands before the first query: instructions, definitions, clock. In this project the agents
share them, so they are evaluated once for all. The share of an agent is what the prompt is shorter by without its
tools. A function token counts as the one token that it is. No model is run, only its tokenizer.

python benchmarks/prompts.py          writes results/prompts.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from camphor.agents.prompts import DYNAMIC, Form, Setting, render_system
from camphor.app import setting_of
from camphor.device.device import Device
from camphor.models.llama import embedded_model
from camphor.models.native import cut, llama_cpp, load_model
from camphor.tools.tool import Toolbox
from camphor.types import Agent, Segment
from camphor_lab.evaluation.results import write_report

DEMO = Path("src/camphor/demo/ines-dublin.device.json")
PHONES = Path("data/generated-test/devices")
BYTES = 2  # of one value of the KV cache, float16

Count = Callable[[Segment], int]
"""How many tokens a segment is."""


def static_tokens(setting: Setting, count: Count) -> int:
    """Tokens before the first query; a compressed segment is one."""
    return sum(1 if segment.compressed else count(segment) for segment in render_system(setting))


def share(setting: Setting, agent: Agent, count: Count) -> int:
    """Tokens that the tools of one agent add to the static ones."""
    others = Toolbox(tool for tool in setting.toolbox if tool.agent is not agent)
    return static_tokens(setting, count) - static_tokens(replace(setting, toolbox=others), count)


def measure(setting: Setting, count: Count, kv_bytes: int) -> dict[str, Any]:
    """One phone in every form. `reduction` is against the full form, from 0 to 1; `kv_bytes` that of one token."""
    forms: dict[str, Any] = {}
    for form in Form:
        written = replace(setting, form=form, hints=frozenset())  # they are the query's
        total = static_tokens(written, count)
        forms[form.value] = {
            "static_tokens": total,
            **{agent.value: share(written, agent, count) for agent in DYNAMIC},
            "kv_bytes": total * kv_bytes,
        }
    for figures in forms.values():
        figures["reduction"] = round(1 - figures["static_tokens"] / forms[Form.FULL.value]["static_tokens"], 4)
    tools = {agent.value: len(setting.toolbox.of(agent)) for agent in DYNAMIC}
    return {"phones": 1, "tools": tools, "forms": forms}


def mean_of(measured: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means over phones; the reduction is that of the mean prompt."""
    first = measured[0]
    forms = {
        form: {key: round(fmean(each["forms"][form][key] for each in measured), 1) for key in figures}
        for form, figures in first["forms"].items()
    }
    for figures in forms.values():
        figures["reduction"] = round(1 - figures["static_tokens"] / forms[Form.FULL.value]["static_tokens"], 4)
    tools = {agent: round(fmean(each["tools"][agent] for each in measured), 1) for agent in first["tools"]}
    return {"phones": len(measured), "tools": tools, "forms": forms}


def kv_bytes_of(model: Any) -> int:
    """Bytes of keys and values that one token takes up: layers x KV heads x head size x 2 x bytes of a value."""
    head = llama_cpp.llama_model_n_embd(model) // llama_cpp.llama_model_n_head(model)
    layers, heads = llama_cpp.llama_model_n_layer(model), llama_cpp.llama_model_n_head_kv(model)
    return int(layers * heads * head * 2 * BYTES)


def _settings(paths: Iterable[Path]) -> list[Setting]:
    settings = []
    for path in paths:
        with Device.from_file(path) as device:
            settings.append(setting_of(device))
    return settings


def main() -> None:
    parser = argparse.ArgumentParser(description="Static prompt tokens in each form; see the module's text.")
    parser.add_argument("--out", type=Path, default=Path("results/prompts.json"))
    options = parser.parse_args()
    model = load_model(embedded_model())
    vocabulary, kv_bytes = llama_cpp.llama_model_get_vocab(model), kv_bytes_of(model)

    def count(segment: Segment) -> int:
        return len(cut(vocabulary, segment.text, segment.special))

    groups = {"demo": _settings([DEMO]), "generated-test": _settings(sorted(PHONES.glob("*.device.json")))}
    told: dict[str, Any] = {
        "command": " ".join(["python benchmarks/prompts.py", *sys.argv[1:]]),
        "model": embedded_model().name,
        "kv_bytes_per_token": kv_bytes,
        "groups": {
            name: mean_of([measure(setting, count, kv_bytes) for setting in settings])
            for name, settings in groups.items()
        },
    }
    llama_cpp.llama_model_free(model)
    write_report(options.out, told)
    for name, group in told["groups"].items():
        print(name, group["tools"])
        for form, figures in group["forms"].items():
            print(f"  {form:12}", figures)


if __name__ == "__main__":
    main()
