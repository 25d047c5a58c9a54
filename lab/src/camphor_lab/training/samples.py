"""Dataset items become training samples, rendered by the function that renders prompts at run time.

One trajectory is one sample: every agent's words in it are trained at once, and nothing is evaluated twice (the paper's
flattened prompt-completion pairs are about ten times as many tokens for the same function learnt).
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from camphor.agents.calling.prompts import CallForm
from camphor.agents.lookup_fallback import best, elsewhere, keyword_of, keyword_parameter
from camphor.agents.prompts import END, TOKENISED, Form, Setting, open_turn, render, render_step, render_system
from camphor.app import setting_of
from camphor.device.device import Device
from camphor.errors import UsageError
from camphor.retrieval.context.model import SHIPPED
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import TOOLS
from camphor.trajectories.items import GoldMismatch, Item, check, read_items, replay
from camphor.types import Agent, Call, Observation, Prompt, Segment, Step, Trajectory, Turn
from camphor_lab.datasets.context.given import usual_giver
from camphor_lab.datasets.parallel import end_with_parent
from camphor_lab.datasets.surface_forms import with_surface_forms
from camphor_lab.training.calling import CALL_FORMS, USUAL_FORM, context_lines, rendered_lines
from camphor_lab.training.health import HEALTH_FORMS, TRAJECTORY, health_lines, writers_of

# Values in normal form: a day, an address, a telephone number. A model writes words instead.
_NORMAL = re.compile(r"\d{4}-\d\d-\d\d|\S@\S|\+?\d[\d ()/-]{6,}")


def as_samples(path: Path, folder: Path, form: str = "names", slips: float = 0.0, distractors: float = 0.0) -> Path:
    """A file of samples: the one given, or one made from a dataset in `folder`, once while the dataset is unchanged.

    A dataset whose lines have `answers` is one of function calling, one with a `plan` and a `context` holds implicit
    queries for the planner, one with an `interaction_trajectory` cases of the health assistant, any other that has a
    `query` is one of phones.

    Args:
        form: how a dataset's prompts are written, of Form or, for function calling, CallForm; "names", which every
            data file has unless told otherwise, is "compact" there. The planner's are always compact. Of the health
            assistant, "planner" and "caller" teach one agent's words; "names" both.
        slips: the share of a dataset's items that get one (`with_slip`).
        distractors: the share of samples of function calling whose prompts show functions that they do not need.

    Raises:
        DatasetError: the dataset breaks its format. DeviceFileError: one of its devices does. UsageError: the form is
            of the other kind of dataset, or tools.json is missing beside one of function calling. ModelMissing: no
            ranker, which finds what a planner is shown.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next((line for line in lines if line.strip()), "{}"))
    except (OSError, ValueError):
        return path  # whoever reads the samples says what is wrong
    if not isinstance(first, dict) or not {TRAJECTORY, "query"} & first.keys():
        return path
    told = [str(path.resolve()), _state(path)]
    rendered: Callable[[], Iterator[str]] | None = None
    if TRAJECTORY in first:
        if form not in (*HEALTH_FORMS, Form.NAMES.value):
            raise UsageError(f"{path}: form = {form!r}: expected one of {', '.join(HEALTH_FORMS)}, or none for both")
        rendered = partial(health_lines, path, writers_of(form))
        told.append(form)
    else:
        context = {"plan", "context"} <= first.keys()
        calling = "answers" in first or context
        if calling and form == Form.NAMES.value:
            form = USUAL_FORM.value
        if calling != (form in CALL_FORMS) or (context and form != USUAL_FORM):
            known = (USUAL_FORM.value,) if context else CALL_FORMS if calling else tuple(each.value for each in Form)
            raise UsageError(f"{path}: form = {form!r}: expected one of {', '.join(known)}")
        told.append(form)
        if context:
            rendered = partial(context_lines, path, usual_giver(path.parent))
            told.append(_state(SHIPPED))
        elif calling:
            rendered = partial(rendered_lines, path, CallForm(form), distractors)
            told += [_state(path.parent / TOOLS), str(distractors)]
        elif slips:
            told.append(str(slips))
    if rendered:  # with a line as it is rendered now: prompts that are written otherwise are other samples
        told.append(next(rendered()))
    mark = hashlib.sha256(" ".join(told).encode()).hexdigest()[:12]
    made = folder / f"{path.stem}-{mark}.samples.jsonl"
    if not made.exists():
        part = made.with_suffix(".part")
        if rendered:
            part.parent.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as stream:
                stream.writelines(rendered())
        else:
            write_samples(path, part, Form(form), slips)
        part.replace(made)
    return made


def _state(path: Path) -> str:
    """What changes when a file does; a file that is missing is told of by who reads it."""
    if not path.exists():
        return "0 0"
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns}"


def write_samples(dataset: Path, out: Path, form: Form = Form.NAMES, slips: float = 0.0) -> Counter[str]:
    """Render every item of a dataset that replays to its gold calls, on every core where there are many.

    Returns:
        Counts of what was "written" and, by reason, of what was left out.
    """
    counts: Counter[str] = Counter()
    out.parent.mkdir(parents=True, exist_ok=True)
    batches = list(_batched(read_items(dataset)))
    work = partial(_rendered, folder=dataset.parent, form=form, slips=slips)
    with ExitStack() as open_until_written:
        stream = open_until_written.enter_context(out.open("w", encoding="utf-8"))
        several = len(batches) > 4  # a process takes seconds to start
        each: Any = open_until_written.enter_context(_processes()).map if several else map
        for outcomes in each(work, batches):
            for line, reason in outcomes:
                stream.write(line)
                counts[reason] += 1
    return counts


def _batched(items: Iterable[Item], size: int = 64) -> Iterator[list[Item]]:
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def _processes() -> ProcessPoolExecutor:
    """One a core; a forked one would share what this process's libraries hold."""
    return ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=end_with_parent)


def _rendered(items: Iterable[Item], folder: Path, form: Form, slips: float) -> list[tuple[str, str]]:
    """For each item its line and "written", or nothing and why it is left out."""
    devices: dict[str, dict[str, Any]] = {}
    outcomes = []
    for item in items:
        try:
            prompt = render_item(item, _device_data(item, folder, devices), form, slips)
        except GoldMismatch as error:
            outcomes.append(("", f"left out: {str(error).split(': ', 1)[-1][:100]}"))
        else:
            line = json.dumps({"id": item.id, "segments": list(_segments(prompt))}, ensure_ascii=False) + "\n"
            outcomes.append((line, "written"))
    return outcomes


def render_item(item: Item, data: dict[str, Any], form: Form = Form.NAMES, slips: float = 0.0) -> Prompt:
    """The training sample of one item; steps with normalised values, as in hand-written sets, are put in words first.

    Raises:
        GoldMismatch: the item's steps do not lead to its gold calls on its device.
    """
    if _NORMAL.search(json.dumps([item.steps, item.history], ensure_ascii=False)):
        item = with_surface_forms(item, data)
    with Device.create(None, data) as device:
        setting = setting_of(device, form)
        trajectory = replay(item, device)
        chance = random.Random(item.id)
        slipped = with_slip(trajectory.turn, device, chance) if chance.random() < slips else None
    check(item, trajectory)
    turn, history = slipped or trajectory.turn, trajectory.history
    return render(Trajectory(_finished(turn), tuple(map(_finished, history))), setting)


def _finished(turn: Turn) -> Turn:
    """A turn ends with task completion, also where the annotators left the empty step out."""
    if turn.steps and turn.steps[-1].agent is Agent.TASK:
        return turn
    return replace(turn, steps=(*turn.steps, Step(Agent.TASK)))


def _device_data(item: Item, folder: Path, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if not isinstance(item.device, str):
        return dict(item.device)
    if item.device not in known:
        known[item.device] = json.loads((folder / item.device).read_text(encoding="utf-8"))
    return known[item.device]


def _segments(prompt: Prompt) -> Iterator[list[Any]]:
    """Each as [text, trained, special, compressed], without what is false at its end."""
    for segment in prompt:
        if segment.text:
            marks = [segment.trained, segment.special, segment.compressed]
            while len(marks) > 1 and not marks[-1]:
                marks.pop()
            yield [segment.text, *marks]


def with_slip(turn: Turn, device: Device, chance: random.Random) -> Turn | None:
    """The turn with one look-up asked of an app that has nothing, then found elsewhere, as the running assistant mends
    it (agents.lookup_fallback). A model that has only seen right look-ups does not know how to go on from a mended one.
    The slip itself is shown and not learnt.

    None where no look-up goes by words alone, no other app lacks them, or the mending would not find what the look-up
    found: such a slip would teach to go on without it.
    """
    tools = device.toolbox.of(Agent.CONTEXT)
    places = [
        (number, place)
        for number, step in enumerate(turn.steps)
        if step.agent is Agent.CONTEXT
        for place, found in enumerate(step.observations)
        if found.records and not found.error and keyword_of(found.call, tools)
    ]
    chance.shuffle(places)
    for number, place in places:
        if slipped := _slip(turn, number, place, tools, device, chance):
            return slipped
    return None


def _slip(
    turn: Turn, number: int, place: int, tools: Sequence[Tool], device: Device, chance: random.Random
) -> Turn | None:
    step = turn.steps[number]
    right = step.observations[place]
    wrong = _vain(keyword_of(right.call, tools), tools, device, chance)
    if wrong is None:
        return None
    slip = replace(
        step,
        calls=(*step.calls[:place], wrong.call, *step.calls[place + 1 :]),
        observations=(*step.observations[:place], wrong, *step.observations[place + 1 :]),
        taught=False,
    )
    slipped = replace(turn, steps=(*turn.steps[:number], slip))
    tries = elsewhere(slipped, tools)
    calls = best(tries, [device.execute(call) for call in tries], slipped)
    if right.call.name not in [call.name for call in calls]:
        return None
    mended = Step(Agent.CONTEXT, calls, tuple(device.execute(call) for call in calls), taught=False)
    rest = (_without(later, calls) for later in turn.steps[number + 1 :])
    return replace(turn, steps=(*slipped.steps, mended, *(later for later in rest if later)))


def _vain(words: str, tools: Sequence[Tool], device: Device, chance: random.Random) -> Observation | None:
    """A look-up of an app that has nothing under these words."""
    others = [Call(tool.name, {name: words}) for tool in tools if (name := keyword_parameter(tool))]
    chance.shuffle(others)
    observations = (device.execute(call) for call in others)
    return next((found for found in observations if not found.records and not found.error), None)


def _without(step: Step, done: Sequence[Call]) -> Step | None:
    """The step without look-ups made already; None where nothing is left of it."""
    kept = [pair for pair in zip(step.calls, step.observations, strict=True) if pair[0] not in done]
    if len(kept) == len(step.calls):
        return step
    calls, observations = zip(*kept, strict=True) if kept else ((), ())
    return replace(step, calls=tuple(calls), observations=tuple(observations)) if kept else None


@dataclass(frozen=True)
class Pair:
    """`prompt` + `completion` is how the next pair's prompt begins, or the whole conversation."""

    agent: Agent
    prompt: str
    completion: str


def pairs(trajectory: Trajectory, setting: Setting) -> list[Pair]:
    """All prompt-completion pairs of a conversation, one for each turn of an agent (CAMPHOR, section 4). The
    high-order agent writes an agent's name, that agent its calls, and task completion the answer too where nothing was
    done. User perception has one call without parameters, which code writes, so it gives no pair (Appendix B).

    Together their completions are what `prompts.render` marks as trained.

    Raises:
        ValueError: the setting's form has function tokens, which are not text.
    """
    if setting.form in TOKENISED:
        raise ValueError("function tokens cannot be written as text")
    text, found = _text(render_system(setting)), []
    for turn in (*trajectory.history, trajectory.turn):
        text += _text(open_turn(turn.query))
        for step in turn.steps:
            name, calls, observed = render_step(step, turn.query, setting)
            found.append(Pair(Agent.HIGH_ORDER, text, name.text))
            text += name.text
            answers = step.agent is Agent.TASK and not step.calls and step is turn.steps[-1]
            written = calls.text + (observed.text + turn.response + END if answers else "")
            if calls.trained:
                found.append(Pair(step.agent, text, written))
            text += written if answers else written + observed.text
        answered = bool(turn.steps) and turn.steps[-1].agent is Agent.TASK and not turn.steps[-1].calls
        text += "\n" if answered else turn.response + END + "\n"
    return found


def _text(segments: Iterable[Segment]) -> str:
    return "".join(segment.text for segment in segments)
