"""Samples of function calling become training samples: the prompt of a request, and the plan as the answer.

The loss is on the answer and the end of the turn alone (DroidCall, section 3.3: the model's own chat template, the
calls as the assistant's words). Prompts come from the functions that run (`agents.calling`), so that both see the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from camphor.agents.calling.prompts import CallForm, render_answer, render_query
from camphor.agents.prompts import END
from camphor.errors import ArgumentError, DatasetError
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import CallSample, Shown, dataset_tools, read_call_samples
from camphor.types import Prompt, Segment

CALL_FORMS = tuple(form.value for form in CallForm)
USUAL_FORM = CallForm.COMPACT


def write_calling_samples(dataset: Path, out: Path, form: CallForm = USUAL_FORM, others: float = 0.0) -> int:
    """Render every sample of a dataset, with the functions in the tools.json beside it; returns how many.

    Args:
        others: the share of samples that show functions beside those that they need (datasets.calling.shown).

    Raises:
        DatasetError: the dataset breaks its format or calls a function that there is not. UsageError: no tools.json.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with out.open("w", encoding="utf-8") as stream:
        for line in rendered_lines(dataset, form, others):
            stream.write(line)
            count += 1
    return count


def rendered_lines(dataset: Path, form: CallForm, others: float) -> Iterator[str]:
    """The lines of a samples file, each with its line feed; arguments and errors as for `write_calling_samples`."""
    shown = Shown(dataset_tools(dataset), others)
    for sample in read_call_samples(dataset):
        try:
            prompt = render_sample(sample, shown.of(sample, dataset), form)
        except ArgumentError as error:
            raise DatasetError(str(dataset), None, f"sample {sample.id}: {error}") from None
        segments = [[s.text, s.trained, s.special] for s in prompt if s.text]
        yield json.dumps({"id": sample.id, "segments": segments}, ensure_ascii=False) + "\n"


def render_sample(sample: CallSample, tools: tuple[Tool, ...], form: CallForm = USUAL_FORM) -> Prompt:
    """The training sample of a request, with these functions in its prompt.

    Raises:
        ArgumentError: an argument that cannot be written as JSON.
    """
    answer = render_answer(sample.answers, tools, form, sample.said)
    return (
        *render_query(sample.query, tools, form, sample.now),
        Segment(answer, trained=True),
        Segment(END, trained=True, special=True),
    )
