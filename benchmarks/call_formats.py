"""How long a prompt of function calling is in each form (DroidCall, Table 1): average tokens over a dataset.

Each prompt shows the functions that its answer calls, as the paper's perfect retriever finds them. With `--functions N`
it shows at least N: those and others of the tools file, drawn by chance. Answers are counted beside. No model is run,
only its tokenizer: of the embedded model, of a GGUF file, or of a model in transformers' form.

python benchmarks/call_formats.py DATASET.jsonl TOOLS.json          writes results/call-formats.json
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from camphor.agents.calling.prompts import CallForm, render_answer, render_query
from camphor.errors import MissingExtra, UsageError
from camphor.tools.listing import read_tools
from camphor.tools.tool import Tool, Toolbox
from camphor.trajectories.call_samples import CallSample, read_call_samples
from camphor.types import Segment
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import CALLING

Count = Callable[[Segment], int]
"""How many tokens a segment is."""
BASE = CallForm.JSON
"""Ratios are against the longest of the paper's forms."""
SEED = 4


def shown_tools(sample: CallSample, toolbox: Toolbox, functions: int) -> list[Tool]:
    """The functions that the answer calls, filled up to so many with others, in the toolbox's order."""
    wanted = {call.name for call in sample.answers}
    others = [tool.name for tool in toolbox if tool.name not in wanted]
    more = max(0, min(functions - len(wanted), len(others)))
    wanted |= set(random.Random(f"{SEED} {sample.id}").sample(others, more))
    return [tool for tool in toolbox if tool.name in wanted]


def measure(samples: Iterable[CallSample], toolbox: Toolbox, functions: int, count: Count) -> dict[str, Any]:
    """Mean tokens of prompts and of answers in every form; `ratio` is a prompt's to that in the form `json`."""
    told: dict[str, list[tuple[int, int]]] = {form.value: [] for form in CallForm}
    for sample in samples:
        tools = shown_tools(sample, toolbox, functions)
        for form in CallForm:
            prompt = render_query(sample.query, tools, form, sample.now)
            answer = Segment(render_answer(sample.answers, tools, form, sample.said))
            told[form.value].append((sum(map(count, prompt)), count(answer)))
    if not told[BASE]:
        raise UsageError("the dataset holds no samples: there is nothing to count")
    base = fmean(prompt for prompt, _ in told[BASE])
    return {
        form: {
            "prompt_tokens": round(fmean(prompt for prompt, _ in pairs), 1),
            "answer_tokens": round(fmean(answer for _, answer in pairs), 1),
            "ratio": round(fmean(prompt for prompt, _ in pairs) / base, 3),
        }
        for form, pairs in told.items()
    }


def counter(model: str | None) -> tuple[str, Count]:
    """The tokenizer's name, and what counts with it."""
    if model is not None and not model.endswith(".gguf"):
        from camphor.models.sequence import hub_cutter

        try:
            from transformers import AutoTokenizer
        except ImportError:
            raise MissingExtra("transformers", "train", "camphor-lab") from None
        of_hub = hub_cutter(AutoTokenizer.from_pretrained(model))
        return Path(model).name, lambda segment: len(of_hub(segment.text, segment.special))
    from camphor.models.llama import embedded_model
    from camphor.models.native import cut, llama_cpp, load_model

    path = Path(model) if model else embedded_model()
    vocabulary = llama_cpp.llama_model_get_vocab(load_model(path))
    return path.name, lambda segment: len(cut(vocabulary, segment.text, segment.special))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Prompt tokens of function calling; see the module's text.")
    parser.add_argument("dataset", type=Path)
    parser.add_argument("tools", type=Path)
    parser.add_argument("--functions", type=int, default=0, help="the least that a prompt shows")
    parser.add_argument("--limit", type=int, default=None, help="of the dataset's samples")
    parser.add_argument("--model", default=None, help="a GGUF file or a folder in transformers' form")
    parser.add_argument("--out", type=Path, default=Path("results/call-formats.json"))
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(given)
    samples = list(read_call_samples(options.dataset))[: options.limit]
    name, count = counter(options.model)
    forms = measure(samples, Toolbox(read_tools(options.tools)), options.functions, count)
    told = {
        "command": " ".join(["python benchmarks/call_formats.py", *given]),
        "tokenizer": name,
        "samples": len(samples),
        "functions_at_least": options.functions,
        "forms": forms,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_report(options.out, told, CALLING)
    for form, figures in forms.items():
        print(f"{form:12}", figures)


if __name__ == "__main__":
    main()
