"""Planner and caller, turn by turn after the recorded history (medical paper, section 7, Tables 2 and 3).

Each turn of a recorded case is written anew where everything before it is as recorded: the loop that runs is stopped at
its first thought, and at its second once the planner's recorded words were put in, so that prompts and grammars are
exactly those of running. A case's prompts are beginnings of one text, of which a model with a cache evaluates only what
is new.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.health.case import SPECIALISTS, Called, PlannerTurn
from camphor.agents.health.loop import CALLER, PLANNER, settle
from camphor.agents.health.prompts import Writer, caller_text, planner_text, read_planner
from camphor.agents.wants import Think
from camphor.errors import CallSyntaxError, CamphorError, MissingExtra
from camphor.models.base import LanguageModel, Request, Timing
from camphor.tools.calls import parse_calls
from camphor.tools.tool import Tool
from camphor.types import Agent, Call
from camphor_lab.datasets.health.cases import APPOINTMENTS
from camphor_lab.evaluation.health_data import HealthDataset, RecordedCase, RunOptions, measured
from camphor_lab.evaluation.metrics import percentiles, resample
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.sources import Meter
from camphor_lab.evaluation.values import fold

# Scores of planner and caller, turn by turn: BLEU, ROUGE, and whether a call is right (medical paper, section 7).
#
# What the paper leaves open, and what is done here, the strictest reading of each:
#
# * BLEU is the corpus score of all turns (sacrebleu's default: 13a words, up to four of them). ROUGE is the mean F1 of
#   the turns, without stemming. The texts are reason and action, or the call; tags, which the grammar writes, are not.
# * ToolAcc is the share of calls that name the right tool, ParamAcc of those that moreover give the same parameters, no
#   more and no fewer, ValuesAcc of those whose values moreover are all the same, texts word for word (but for case and
#   white space). "value_share" is the mean share of a call's parameters that are right, as DroidCall's soft accuracy.
#
# Shares are from 0 to 1, BLEU as well. Intervals are 95% bootstrap ones over cases: turns of one case are alike.

Figures = npt.NDArray[np.float64]

ROUGE = ("rouge1", "rouge2", "rougeL")
CALL = ("tool", "parameters", "values", "value_share")
METRICS: Mapping[Writer, tuple[str, ...]] = {
    Writer.PLANNER: ("bleu", *ROUGE, "same"),
    Writer.CALLER: ("bleu", *ROUGE, *CALL, "same"),
}
"""Of each agent; "same" is the share of turns that are the recorded one, word for word."""
_ORDER = 4  # of BLEU


@dataclass(frozen=True)
class WrittenTurn:
    """A turn of an agent as it was written, beside the recorded one."""

    writer: Writer
    wrote: str
    gold: str

    @property
    def same(self) -> bool:
        return self.wrote == self.gold


class TurnScorer:
    """Figures of turns. Raises: MissingExtra, sacrebleu or rouge-score is not installed."""

    def __init__(self) -> None:
        try:
            from rouge_score.rouge_scorer import RougeScorer
            from sacrebleu.metrics.bleu import BLEU
        except ModuleNotFoundError as error:
            raise MissingExtra(f"{error.name}, which compares texts,", "eval", "camphor-lab") from error
        self._rouge = RougeScorer(list(ROUGE))
        self._bleu = BLEU(effective_order=True)

    def figures(self, turn: WrittenTurn) -> tuple[list[float], list[float]]:
        """What BLEU counts in a turn (matches and n-grams of each length, words of both), and its other metrics."""
        wrote, gold = words_of(turn.writer, turn.wrote), words_of(turn.writer, turn.gold)
        counted = self._bleu.sentence_score(wrote, [gold])
        counts = [*counted.counts, *counted.totals, counted.sys_len, counted.ref_len]
        rouge = self._rouge.score(gold, wrote)
        means = [float(rouge[name].fmeasure) for name in ROUGE]
        if turn.writer is Writer.CALLER:
            means += call_figures(call_of(turn.gold), call_of(turn.wrote))
        return [float(each) for each in counts], [*means, float(turn.same)]


def words_of(writer: Writer, text: str) -> str:
    """What is compared of a turn's text."""
    if writer is Writer.CALLER:
        return text
    planned = read_planner(text)
    return f"{planned.reason} {planned.action}"


def call_of(text: str) -> Call | None:
    """The call that a caller wrote; None for text that is none, or not one."""
    try:
        calls = parse_calls(text)
    except CallSyntaxError:
        return None
    return calls[0] if len(calls) == 1 else None


def call_figures(gold: Call | None, wrote: Call | None) -> list[float]:
    """The figures of `CALL`."""
    if gold is None or wrote is None or gold.name != wrote.name:
        return [0.0] * len(CALL)
    wanted, got = gold.arguments, wrote.arguments
    right = sum(same_value(wanted[name], got[name]) for name in wanted.keys() & got.keys())
    every = len(wanted.keys() | got.keys())
    named = wanted.keys() == got.keys()
    return [1.0, float(named), float(named and right == every), right / every if every else 1.0]


def same_value(gold: Any, wrote: Any) -> bool:
    """Whether two JSON values are the same; texts in any case and spacing."""
    if isinstance(gold, str) and isinstance(wrote, str):
        return fold(gold) == fold(wrote)
    if isinstance(gold, Mapping) and isinstance(wrote, Mapping):
        return gold.keys() == wrote.keys() and all(same_value(gold[name], wrote[name]) for name in gold)
    if isinstance(gold, list | tuple) and isinstance(wrote, list | tuple):
        return len(gold) == len(wrote) and all(map(same_value, gold, wrote))
    return type(gold) is type(wrote) and bool(gold == wrote)


@dataclass(frozen=True)
class CaseSums:
    """Of each case: what BLEU counts, the other metrics' sums, and its turns. Shapes (cases, counts or metrics, ())."""

    counts: Figures
    means: Figures
    turns: Figures

    @classmethod
    def of(cls, writer: Writer, cases: Sequence[Sequence[WrittenTurn]], scorer: TurnScorer) -> CaseSums:
        counts = np.zeros((len(cases), 2 * _ORDER + 2))
        means = np.zeros((len(cases), len(METRICS[writer]) - 1))
        turns = np.zeros(len(cases))
        for row, case in enumerate(cases):
            for turn in case:
                if turn.writer is writer:
                    counted, others = scorer.figures(turn)
                    counts[row] += counted
                    means[row] += others
                    turns[row] += 1
        return cls(counts, means, turns)

    def only(self, rows: Sequence[int]) -> CaseSums:
        return CaseSums(self.counts[rows], self.means[rows], self.turns[rows])

    def metrics(self, weights: Figures) -> Figures:
        """BLEU and the other metrics where case i counts `weights[.., i]` times: shape (resamples, metrics)."""
        bleu = _bleu(weights @ self.counts)
        with np.errstate(invalid="ignore", divide="ignore"):
            others = (weights @ self.means) / (weights @ self.turns)[:, None]
        return np.column_stack([bleu, others])

    def drawn(self, seed: int = 0) -> tuple[Figures, Figures]:
        """The metrics, and those of each resample of the cases."""
        size = len(self.turns)
        return self.metrics(np.ones((1, size)))[0], self.metrics(resample(size, seed))


def _bleu(counts: Figures) -> Figures:
    """BLEU, from 0 to 1, of summed counts: sacrebleu's own."""
    from sacrebleu.metrics.bleu import BLEU

    found = np.full(len(counts), np.nan)
    for row, each in enumerate(counts.astype(int).tolist()):
        correct, total, (wrote, gold) = each[:_ORDER], each[_ORDER : 2 * _ORDER], each[2 * _ORDER :]
        if wrote or gold:
            found[row] = BLEU.compute_bleu(correct, total, wrote, gold, smooth_method="exp").score / 100
    return found


def named(writer: Writer, turns: float, value: Figures, drawn: Figures) -> dict[str, Any]:
    """The metrics of an agent by name, with their intervals; None where there are no turns."""
    names = METRICS[writer]
    shown = [None if np.isnan(each) else round(float(each), 4) for each in value]
    intervals = {name: percentiles(column) for name, column in zip(names, drawn.T, strict=True)}
    return {"turns": int(turns), **dict(zip(names, shown, strict=True)), "interval_95": intervals}


STRATEGY = "health-turns"
Minds = Mapping[Agent, LanguageModel]
"""The model of the planner and that of the caller; they may be one."""
ToolsOf = Callable[[str], Sequence[Tool]]
"""The tools of a case, by its id, in the order in which its prompts show them."""


def minds(planner: LanguageModel, caller: LanguageModel | None = None) -> Minds:
    """One model for both agents, or one each."""
    return {PLANNER: planner, CALLER: caller or planner}


def evaluate_turns(dataset: HealthDataset, models: Minds, tools_of: ToolsOf, run: RunOptions) -> dict[str, Any]:
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
        if not isinstance(turn, PlannerTurn):
            continue
        loop = settle(case.case.before(place), tools, SPECIALISTS, refers=False)
        yield _thought(next(loop))
        if not turn.closes:
            yield _thought(loop.send(planner_text(turn)))
        loop.close()


def turns_of(case: RecordedCase, wrote: Sequence[str], tools: Sequence[Tool]) -> list[WrittenTurn]:
    """What was written beside what is recorded; a turn that was not come to is empty."""
    gold = [(Writer.PLANNER, planner_text(turn)) if isinstance(turn, PlannerTurn) else
            (Writer.CALLER, caller_text(turn.call, tools))
            for turn in case.case.turns if isinstance(turn, PlannerTurn | Called)]  # fmt: skip
    texts = [*wrote, *[""] * (len(gold) - len(wrote))]
    return [WrittenTurn(writer, text, right) for (writer, right), text in zip(gold, texts, strict=True)]


def measure_turns(
    use_cases: Sequence[str], cases: Sequence[Sequence[WrittenTurn]], scorer: TurnScorer, seed: int = 0
) -> dict[str, Any]:
    """The metrics of both agents.

    Args:
        use_cases: of each case. cases: the turns of each.

    Returns:
        `cases`; `planner` and `caller` over all turns; `by_use_case` the same for each; `appointments` their mean over
        the paper's four appointment use cases, as far as they are there, each counting the same.
    """
    sums = {writer: CaseSums.of(writer, cases, scorer) for writer in Writer}
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


def _item(case: RecordedCase, result: Result, turns: Sequence[WrittenTurn]) -> dict[str, Any]:
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
