"""Table 1 of DroidCall: how many tokens the prompt of a request has, on average, in each form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import camphor
from camphor.agents.calling.prompts import CallForm, render_answer, render_query
from camphor.evaluation.calling_data import CallDataset, Choose
from camphor.types import Prompt

_CONTROL = re.compile(r"<\|[^|]*\|>")


def prompt_tokens(prompt: Prompt, count: Callable[[str], int]) -> int:
    """Tokens of a prompt; a control token is one. `count` gives those of an ordinary text."""
    total = 0
    for segment in prompt:
        text = segment.text
        if segment.special:
            total += len(_CONTROL.findall(text))
            text = _CONTROL.sub("", text)
        total += count(text) if text else 0
    return total


def token_table(
    dataset: CallDataset, choose: Choose, count: Callable[[str], int], forms: Sequence[CallForm] = tuple(CallForm)
) -> dict[str, dict[str, float]]:
    """For each form the mean tokens of a dataset's prompts, and of the gold answers written in it."""
    table = {}
    for form in forms:
        asked = answered = 0
        for sample in dataset.samples:
            tools = choose(sample)
            asked += prompt_tokens(render_query(sample.query, tools, form, sample.now), count)
            answered += count(render_answer(sample.answers, tools, form, sample.said))
        size = len(dataset.samples)
        table[form.value] = {"prompt": round(asked / size, 1), "answer": round(answered / size, 1)}
    return table


def token_report(
    dataset: CallDataset, choose: Choose, count: Callable[[str], int], model: str, command: str
) -> dict[str, Any]:
    """What `camphor evaluate-functions --tokens --out` writes."""
    return {
        "command": command,
        "dataset": dataset.path.name,
        "dataset_sha256": dataset.fingerprint,
        "samples": len(dataset.samples),
        "model": model,
        "forms": token_table(dataset, choose, count),
        "camphor": camphor.__version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
