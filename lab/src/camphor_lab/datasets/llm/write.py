"""The loop: a model writes queries round after round, the agents solve them, and what holds is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from camphor.device.device import Device
from camphor.device.when import show_time
from camphor.errors import ModelError, ModelMissing, ToolError
from camphor.models.base import LanguageModel
from camphor.trajectories.items import Item
from camphor.types import Turn
from camphor_lab.datasets.generate import word_frequency
from camphor_lab.datasets.llm.judge import Reason, Rejected, approve, judge, problems, sift
from camphor_lab.datasets.llm.ledger import QueryLedger, QueryRound
from camphor_lab.datasets.llm.queries import (
    NamedPhone,
    QueryBrief,
    States,
    bank_queries,
    draw_kind,
    kind_named,
    write_queries,
)
from camphor_lab.datasets.similarity import Similar

Solve = Callable[[str, Device], Turn]
"""Solves a query on a device, which it may change: every action is consented to. Raises: ModelError."""
BANK_SEEDS, ACCEPTED_SEEDS = 4, 2  # examples in a prompt; self-instruction has six and two, for far shorter prompts
FAILURES = 3  # queries in a row at which a model that fails is given up


@dataclass(frozen=True)
class WritePlan:
    """What is wanted.

    Args:
        count: accepted queries, those of earlier runs among them. seed: decides phones, kinds, voices and seeds.
        batch: queries asked for at a time. patience: rounds in a row of which nothing is accepted before it is over.
        opinion: whether the model is asked for a second opinion. settings: what else decides the outcome, such as the
            model's name; a run goes on only under the same.
    """

    count: int
    seed: int = 7
    batch: int = 8
    patience: int = 20
    opinion: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class WritingProgress:
    """How far a run is: the folder's whole content, that of earlier runs with it."""

    accepted: int
    rejected: Counter[Reason]
    rounds: int
    barren: int = 0
    """Rounds in a row, up to the last, of which nothing was accepted."""


Progress = Callable[[WritingProgress], None]


def write(
    out: Path, model: LanguageModel, solve: Solve, states: States, plan: WritePlan, progress: Progress | None = None
) -> WritingProgress:
    """Write `OUT/written.jsonl` and `OUT/rejected.jsonl`, or go on with them.

    With a model that answers the same to the same, the files are the same however often the run was stopped.

    Raises:
        UsageError: the folder holds a run of other settings, or cannot be written to.
        ModelError: the model cannot answer; what was kept stays, and the same call goes on.
    """
    settings = {
        "seed": plan.seed,
        "batch": plan.batch,
        "second opinion": plan.opinion,
        "devices": states.fingerprint,
        **plan.settings,
    }
    return _Run(model, solve, states, plan, QueryLedger(out, settings), progress).to_end()


class _Run:
    def __init__(
        self,
        model: LanguageModel,
        solve: Solve,
        states: States,
        plan: WritePlan,
        ledger: QueryLedger,
        progress: Progress | None,
    ) -> None:
        self._model, self._solve, self._states = model, solve, states
        self._plan, self._ledger, self._progress = plan, ledger, progress
        self._near = Similar(included=True, frequency=word_frequency())
        for query in ledger.tried:
            self._near.add(query)
        self._rounds = self._barren = 0
        self._failed: list[tuple[Item, str]] = []

    def to_end(self) -> WritingProgress:
        while not self._done and self._barren < self._plan.patience:
            state = self._states.draw(self._rounds)
            asked = self._ledger.round(self._rounds) or self._ask(state)
            self._rounds += 1
            if self._through(asked, state):
                self._barren = 0
            elif not self._done:
                self._barren += 1
        self._keep_failed()
        return self._told()

    @property
    def _done(self) -> bool:
        return len(self._ledger.accepted) >= self._plan.count

    def _told(self) -> WritingProgress:
        ledger = self._ledger
        return WritingProgress(len(ledger.accepted), Counter(ledger.reasons), self._rounds, self._barren)

    def _ask(self, state: NamedPhone) -> QueryRound:
        """Let the model write the next round's queries."""
        number, plan, ledger = self._rounds, self._plan, self._ledger
        rng = Random(f"{plan.seed}:llm:{number}")
        kind, voice = draw_kind(rng)
        own = rng.sample(ledger.accepted, min(ACCEPTED_SEEDS, len(ledger.accepted)))
        seeds = (*bank_queries(rng, BANK_SEEDS), *own)
        queries = write_queries(self._model, QueryBrief(state, kind, voice, seeds, plan.batch), rng)
        asked = QueryRound(number, state.name, kind.name, seeds, tuple(queries))
        ledger.begin(state, asked)
        return asked

    def _through(self, asked: QueryRound, state: NamedPhone) -> int:
        """Try the queries of a round that were not tried before; how many of the round are accepted."""
        accepted = 0
        for place, query in enumerate(asked.queries):
            if self._done and self._ledger.outcome(_identity(self._plan, asked, place)) is None:
                break
            item = Item(
                _identity(self._plan, asked, place),
                QueryLedger.device_file(state.name),
                query,
                tags=("llm", asked.kind),
            )
            known = self._ledger.outcome(item.id)
            accepted += self._try(item, asked, state) if known is None else known
            if self._progress:
                self._progress(self._told())
        return accepted

    def _try(self, item: Item, asked: QueryRound, state: NamedPhone) -> bool:
        """Sift, solve and judge one query, and keep what came of it at once; whether it was accepted."""
        turn: Turn | None = None
        try:
            sift(item.query, state.data, self._near, asked.seeds)
            self._near.add(item.query)
            with Device.create(None, state.data) as device:
                clock = show_time(device.now, 0)
                turn = self._solved(item.query, device)
            made = judge(turn, state, kind_named(asked.kind), item.id, str(item.device))
            if self._plan.opinion:
                approve(self._model, turn, clock)
        except Rejected as rejected:
            if turn:
                self._keep_failed()
            self._ledger.reject(item, rejected.reason, rejected.why, **(problems(turn) if turn else {}))
            return False
        except ModelMissing:
            raise
        except ModelError as error:
            self._fail(item, error)
            return False
        self._keep_failed()
        self._ledger.accept(made)
        return True

    def _solved(self, query: str, device: Device) -> Turn:
        try:
            return self._solve(query, device)
        except ToolError as error:  # a tool that does not exist, by a model without a grammar
            raise Rejected(Reason.INVALID, str(error)) from None

    def _fail(self, item: Item, error: ModelError) -> None:
        """One query that a model cannot answer is an outcome; several in a row are a model that is out of order.

        These are kept only once another query went well, so that they are tried again when the run goes on.
        """
        self._failed.append((item, str(error)))
        if len(self._failed) == FAILURES:
            raise error

    def _keep_failed(self) -> None:
        for item, why in self._failed:
            self._ledger.reject(item, Reason.MODEL, why)
        self._failed.clear()


def _identity(plan: WritePlan, asked: QueryRound, place: int) -> str:
    return f"llm-{plan.seed}-{asked.number:04d}-{place:02d}"
