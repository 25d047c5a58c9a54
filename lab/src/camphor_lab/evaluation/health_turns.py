"""Planner and caller, turn by turn after the recorded history (medical paper, section 7, Tables 2 and 3).

Each turn of a recorded case is written anew where everything before it is as recorded: the loop that runs is stopped at
its first thought, and at its second once the planner's recorded words were put in, so that prompts and grammars are
exactly those of running. A case's prompts are beginnings of one text, of which a model with a cache evaluates only what
is new.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from camphor.agents.health.case import SPECIALISTS, Called, Planned
from camphor.agents.health.loop import CALLER, PLANNER, settle
from camphor.agents.health.prompts import Writer, caller_text, planner_text
from camphor.agents.wants import Think
from camphor.errors import CamphorError
from camphor.models.base import LanguageModel, Request, Timing
from camphor.tools.tool import Tool
from camphor.types import Agent
from camphor_lab.datasets.health.cases import APPOINTMENTS
from camphor_lab.evaluation.health_data import HealthDataset, RecordedCase, Run, measured
from camphor_lab.evaluation.health_scores import Sums, Turn, TurnScorer, named
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.spent import Meter

STRATEGY = "health-turns"
Minds = Mapping[Agent, LanguageModel]
"""The model of the planner and that of the caller; they may be one."""
ToolsOf = Callable[[str], Sequence[Tool]]
"""The tools of a case, by its id, in the order in which its prompts show them."""


def minds(planner: LanguageModel, caller: LanguageModel | None = None) -> Minds:
    """One model for both agents, or one each."""
    return {PLANNER: planner, CALLER: caller or planner}


def evaluate_turns(dataset: HealthDataset, models: Minds, tools_of: ToolsOf, run: Run) -> dict[str, Any]:
    """Write and score every turn of the agents.

    Returns:
        `{"metrics", "run", "items"}`, see `measure_turns`; of an item `id`, `use_case`, `turns` by agent, `wrong`
        (those that are not word for word as recorded: agent, place, wrote, gold), `seconds`, `error` and `timing`.

    Raises:
        MissingExtra: what compares texts is not installed. UsageError: nothing can be written beside `run.out`.
    """
    scorer = TurnScorer()

    def score(results: Sequence[Result]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        pairs = list(zip(dataset.cases, results, strict=True))
        turns = [turns_of(case, result.timing.get("wrote", ()), tools_of(case.id)) for case, result in pairs]
        metrics = {
            **measure_turns([case.use_case for case in dataset.cases], turns, scorer),
            "errors": sum(result.error is not None for result in results),
            "seconds": {"mean": round(float(np.mean([result.seconds for result in results])), 4)},
        }
        return metrics, [_item(case, result, each) for (case, result), each in zip(pairs, turns, strict=True)]

    return measured(dataset, dataset.cases, lambda case: write_turns(case, models, tools_of(case.id)), score, run)


def write_turns(case: RecordedCase, models: Minds, tools: Sequence[Tool]) -> Result:
    """Have the models write each turn of a case. What broke is the result's `error`; the turns after it are empty."""
    meter, begun = Meter(), time.perf_counter()
    wrote: list[str] = []
    spent, error = Timing(), None
    try:
        for thought in thoughts(case, tools):
            request = Request(thought.prompt, thought.grammar, thought.max_tokens)
            reply = models[thought.agent].complete(request)
            wrote.append(reply.text)
            spent += reply.timing
    except CamphorError as problem:
        error = f"{type(problem).__name__}: {problem}"
    timing = {
        "wrote": wrote,
        "prompt_tokens": spent.prompt_tokens,
        "cached_tokens": spent.cached_tokens,
        "generated_tokens": spent.generated_tokens,
        **meter.spent(),
    }
    seconds = round(time.perf_counter() - begun, 4)
    return Result(
        case.id, case.case.request, (), (), seconds=seconds, error=error, timing=timing, tags=(case.use_case,)
    )


def thoughts(case: RecordedCase, tools: Sequence[Tool]) -> Iterator[Think]:
    """What the loop asks for at each turn of a recorded case, were everything before it as recorded."""
    turns = case.case.turns
    for place, turn in enumerate(turns):
        if not isinstance(turn, Planned):
            continue
        loop = settle(case.case.before(place), tools, SPECIALISTS, refers=False)
        yield _thought(next(loop))
        if not turn.closes:
            yield _thought(loop.send(planner_text(turn)))
        loop.close()


def turns_of(case: RecordedCase, wrote: Sequence[str], tools: Sequence[Tool]) -> list[Turn]:
    """What was written beside what is recorded; a turn that was not come to is empty."""
    gold = [(Writer.PLANNER, planner_text(turn)) if isinstance(turn, Planned) else
            (Writer.CALLER, caller_text(turn.call, tools))
            for turn in case.case.turns if isinstance(turn, Planned | Called)]  # fmt: skip
    texts = [*wrote, *[""] * (len(gold) - len(wrote))]
    return [Turn(writer, text, right) for (writer, right), text in zip(gold, texts, strict=True)]


def measure_turns(
    use_cases: Sequence[str], cases: Sequence[Sequence[Turn]], scorer: TurnScorer, seed: int = 0
) -> dict[str, Any]:
    """The metrics of both agents.

    Args:
        use_cases: of each case. cases: the turns of each.

    Returns:
        `cases`; `planner` and `caller` over all turns; `by_use_case` the same for each; `appointments` their mean over
        the paper's four appointment use cases, as far as they are there, each counting the same.
    """
    sums = {writer: Sums.of(writer, cases, scorer) for writer in Writer}
    rows = {name: [at for at, each in enumerate(use_cases) if each == name] for name in dict.fromkeys(use_cases)}
    booked = [each.value for each in APPOINTMENTS if each.value in rows]
    told: dict[str, Any] = {"cases": len(cases)}
    groups: dict[str, dict[str, Any]] = {name: {"cases": len(at)} for name, at in rows.items()}
    means: dict[str, Any] = {"cases": sum(len(rows[name]) for name in booked)}
    for writer, whole in sums.items():
        told[writer.value] = named(writer, whole.turns.sum(), *whole.drawn(seed))
        drawn = {}
        for number, (name, at) in enumerate(rows.items()):
            part = whole.only(at)
            drawn[name] = part.turns.sum(), *part.drawn(seed + 1 + number)
            groups[name][writer.value] = named(writer, *drawn[name])
        if booked:
            turns, value, resampled = zip(*(drawn[name] for name in booked), strict=True)
            means[writer.value] = named(writer, sum(turns), np.mean(value, axis=0), np.mean(resampled, axis=0))
    return {**told, "by_use_case": groups, **({"appointments": means} if booked else {})}


def _thought(want: Any) -> Think:
    if not isinstance(want, Think):
        raise TypeError(f"the loop wants {want!r} where an agent's turn is due")
    return want


def _item(case: RecordedCase, result: Result, turns: Sequence[Turn]) -> dict[str, Any]:
    timing = {name: each for name, each in result.timing.items() if name != "wrote"}
    return {
        "id": case.id,
        "use_case": case.use_case,
        "turns": {writer.value: sum(turn.writer is writer for turn in turns) for writer in Writer},
        "wrong": [
            {"agent": turn.writer.value, "turn": place, "wrote": turn.wrote, "gold": turn.gold}
            for place, turn in enumerate(turns)
            if not turn.same
        ],
        "seconds": result.seconds,
        "error": result.error,
        "timing": timing,
    }
