"""Samples of function calling become training samples: the prompt of a request, and the plan as the answer.

The loss is on the answer and the end of the turn alone (DroidCall, section 3.3: the model's own chat template, the
calls as the assistant's words). Prompts come from the functions that run (`agents.calling`), so that both see the same.

Implicit queries become samples of the planner (Context Tuning, section 3.4) in the same way, times in the words that
code computes them from. Each query is shown in some of the paper's five settings, drawn by its id, with the tools and
items that the retrievers of the running assistant find: a planner that only ever saw the right ones believes whatever
it is given. What an answer says that is nowhere in its prompt is not learnt: a title that no item shown has is left out
of the loss, or the model would learn to make titles up. It learns the tool and the parameters all the same.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from camphor.agents.calling.caller import Background
from camphor.agents.calling.prompts import CallForm, render_answer, render_query
from camphor.agents.prompts import END
from camphor.errors import ArgumentError, DatasetError
from camphor.tools.call_formats import write_value
from camphor.tools.tool import Tool, Toolbox
from camphor.trajectories.call_samples import CallSample, FunctionChooser, dataset_tools, read_call_samples
from camphor.types import Call, Prompt, Segment
from camphor_lab.context.planner import FORM, background_of, in_words, unsaid
from camphor_lab.datasets.context.given import Given, Giver, PlannerInput
from camphor_lab.datasets.context.samples import ContextSample, read_context_samples

CALL_FORMS = tuple(form.value for form in CallForm)
USUAL_FORM = CallForm.COMPACT
SHARES: Mapping[PlannerInput, float] = {
    PlannerInput.NONE: 0.12,
    PlannerInput.TOOLS: 0.18,
    PlannerInput.CONTEXT: 0.42,
    PlannerInput.ORACLE_TOOLS: 0.10,
    PlannerInput.ORACLE_BOTH: 0.18,
}
"""Of the settings among samples: most as the assistant runs, enough of each other that none is met unprepared."""
COPIES = 2
"""Settings that a query is shown in, all different."""


def sample_line(name: str, prompt: Iterable[Segment]) -> str:
    """A line of a samples file (see `data`), with its line feed."""
    segments = [[s.text, s.trained, s.special] for s in prompt if s.text]
    return json.dumps({"id": name, "segments": segments}, ensure_ascii=False) + "\n"


def rendered_lines(dataset: Path, form: CallForm, others: float) -> Iterator[str]:
    """Every sample of a dataset of function calling, with the functions in the tools.json beside it.

    Args:
        others: the share of samples that show functions beside those that they need (datasets.calling.shown).

    Raises:
        DatasetError: the dataset breaks its format or calls a function that there is not. UsageError: no tools.json.
    """
    shown = FunctionChooser(dataset_tools(dataset), others)
    for sample in read_call_samples(dataset):
        yield call_line(sample, shown.of(sample, dataset), form, dataset)


def call_line(sample: CallSample, tools: Sequence[Tool], form: CallForm, path: Path) -> str:
    """A line of a samples file for a request and the functions that its prompt shows.

    Raises:
        DatasetError: an answer that cannot be written; `path` is named as the dataset.
    """
    try:
        answer = render_answer(sample.answers, tools, form, sample.said)
        asked = render_query(sample.query, tools, form, sample.now)
    except ArgumentError as error:
        raise DatasetError(str(path), None, f"sample {sample.id}: {error}") from None
    return sample_line(sample.id, (*asked, Segment(answer, trained=True), Segment(END, trained=True, special=True)))


def context_lines(dataset: Path, giver: Giver) -> Iterator[str]:
    """Every query of a dataset in `COPIES` settings.

    Raises:
        DatasetError: the dataset breaks its format, or names what there is not.
    """
    for sample in read_context_samples(dataset):
        for setting in drawn_settings(sample.id):
            prompt = render_sample(sample, giver.of(sample, setting), giver.toolbox)
            yield sample_line(f"{sample.id} {setting.value}", prompt)


def drawn_settings(sample_id: str, count: int = COPIES) -> list[PlannerInput]:
    """The settings that a query is shown in, without repetition, by their shares."""
    chance = random.Random(f"settings of {sample_id}")
    left = dict(SHARES)
    drawn = []
    for _ in range(min(count, len(left))):
        chosen = chance.choices(list(left), list(left.values()))[0]
        del left[chosen]
        drawn.append(chosen)
    return drawn


def render_sample(sample: ContextSample, given: Given, toolbox: Toolbox) -> Prompt:
    """The training sample of a query with what is given of it.

    Raises:
        DatasetError: a plan that cannot be written.
    """
    background = background_of(given.records, sample.now)
    plan = in_words(sample.plan, toolbox, sample.query, given.records, sample.now)
    try:
        answer = render_answer(plan, toolbox, FORM)
        learnt = (
            tuple(_learnt(answer, plan[0], sample.query, background, toolbox)) if plan else (Segment(answer, True),)
        )
    except ArgumentError as error:
        raise DatasetError(sample.device, None, f"sample {sample.id}: {error}") from None
    return (
        *render_query(sample.query, given.tools or (), FORM, sample.now, (), background.lines),
        *learnt,
        Segment(END, trained=True, special=True),
    )


def _learnt(answer: str, call: Call, query: str, background: Background, toolbox: Toolbox) -> Iterator[Segment]:
    """The answer in pieces, those apart that its prompt does not say."""
    at = 0
    for name in unsaid(call, toolbox, query, background):
        label = f'{name}="'
        begin = answer.index(label, at) + len(label)
        end = begin + len(write_value(call.arguments[name], code=True)) - 2  # its quotes
        yield Segment(answer[at:begin], trained=True)
        yield Segment(answer[begin:end])
        at = end
    yield Segment(answer[at:], trained=True)
