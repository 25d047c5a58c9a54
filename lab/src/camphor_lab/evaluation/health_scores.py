"""Scores of planner and caller, turn by turn: BLEU, ROUGE, and whether a call is right (medical paper, section 7).

What the paper leaves open, and what is done here, the strictest reading of each:

* BLEU is the corpus score of all turns (sacrebleu's default: 13a words, up to four of them). ROUGE is the mean F1 of
  the turns, without stemming. The texts are reason and action, or the call; tags, which the grammar writes, are not.
* ToolAcc is the share of calls that name the right tool, ParamAcc of those that moreover give the same parameters, no
  more and no fewer, ValuesAcc of those whose values moreover are all the same, texts word for word (but for case and
  white space). "value_share" is the mean share of a call's parameters that are right, as DroidCall's soft accuracy.

Shares are from 0 to 1, BLEU as well. Intervals are 95% bootstrap ones over cases: turns of one case are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.health.prompts import Writer, read_planner
from camphor.errors import CallSyntaxError, MissingExtra
from camphor.tools.calls import parse_calls
from camphor.types import Call
from camphor_lab.evaluation.metrics import percentiles, resample
from camphor_lab.evaluation.values import fold

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
class Turn:
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

    def figures(self, turn: Turn) -> tuple[list[float], list[float]]:
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
class Sums:
    """Of each case: what BLEU counts, the other metrics' sums, and its turns. Shapes (cases, counts or metrics, ())."""

    counts: Figures
    means: Figures
    turns: Figures

    @classmethod
    def of(cls, writer: Writer, cases: Sequence[Sequence[Turn]], scorer: TurnScorer) -> Sums:
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

    def only(self, rows: Sequence[int]) -> Sums:
        return Sums(self.counts[rows], self.means[rows], self.turns[rows])

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
