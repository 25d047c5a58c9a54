"""The collector: samplers, prompts, a language model and filters at work together (DroidCall, sections 3.2.1, 3.2.3).

Rounds are numbered. A round draws its functions, its kind and its examples, asks the model once, and what comes back
goes through the filters. Several rounds are on their way at a time, but they are taken in order, and what a round is
shown of earlier ones ends a fixed number of rounds before it: the samples do not depend on which answer came first.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from camphor.errors import ModelError, UsageError
from camphor.models.base import LanguageModel, Request
from camphor.tools.listing import to_schema
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import CallSample, write_call_samples
from camphor_lab.datasets.files import write_json
from camphor_lab.datasets.instruct.asking import Asking, ModelAnswer, Opening, OpenModel, Threads
from camphor_lab.datasets.instruct.filters import Chain, Draft, Filter, FilterOutcome, usual_filters, yields
from camphor_lab.datasets.instruct.ledger import TEST, TOOLS, TRAIN, YIELD, Rejections, SampleLedger, SampleRound
from camphor_lab.datasets.instruct.prompts import VOICES, SampleBrief, Stage, request_for
from camphor_lab.datasets.instruct.sampler import DrawingStrategy, Example, Examples, Sampler, Source, example_of
from camphor_lab.datasets.parallel import Here, Pool
from camphor_lab.datasets.similarity import split

ENOUGH_SEEDS = 8  # samples of a function, or complex ones of all, after which these are the examples
SEED_EXAMPLES, OWN_EXAMPLES = 3, 5
_SEVERAL = ""  # in place of a function's name: complex samples
_FIRST_DAY, _DAYS = datetime(2025, 1, 1), 1200  # the clocks that rounds are told


@dataclass(frozen=True)
class Plan:
    """What is wanted.

    Args:
        count: samples kept, those of earlier runs among them. test: how many of them are held out.
        complex: share of rounds that ask for complex samples, 0 to 1. batch: samples asked for at a time.
        seed: decides functions, clocks, voices and examples. patience: rounds in a row of which nothing is kept before
            it is over. requests: how many are on their way at a time. constrained: whether the model follows grammars.
        settings: what else decides the outcome, such as the model's name; a run goes on only under the same.

    Raises:
        UsageError: a number out of its range.
    """

    count: int = 100
    test: int = 0
    complex: float = 0.3
    batch: int = 15
    seed: int = 7
    patience: int = 20
    requests: int = 1
    constrained: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.complex <= 1:
            raise UsageError(f"the share of complex samples is from 0 to 1, not {self.complex:g}")
        if min(self.count, self.batch, self.patience, self.requests) < 1:
            raise UsageError("count, batch, patience and requests are 1 or more")
        if not 0 <= self.test < self.count:
            raise UsageError(f"of {self.count} samples 0 to {self.count - 1} can be held out, not {self.test}")


@dataclass(frozen=True)
class Collected:
    """How far a run is; the folder's whole content, that of earlier runs with it."""

    kept: int
    rounds: int
    barren: int
    """Rounds in a row, up to the last, of which nothing was kept."""
    filters: Mapping[str, Any]
    """The yield of each filter: in, out, reasons."""
    train: int = 0
    test: int = 0

    @property
    def refused(self) -> Counter[str]:
        """How many drafts were refused, by reason."""
        found: Counter[str] = Counter()
        for each in self.filters.values():
            found.update(each["reasons"])
        return found


class Collector:
    """Makes a dataset of samples for functions in a folder, or goes on with it.

    Args:
        tools: the functions. model: what writes; or a function that opens it, for a pool of other processes.
        out: the folder. plan: what is wanted. seeds: JSON lines files of other function-calling data.
        filters: in place of the usual ones. pool: where requests are made; threads of this process unless given.

    Raises:
        UsageError: no functions, or the folder holds another run. DatasetError: a seed file that cannot be used.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        model: LanguageModel,
        out: Path | str,
        plan: Plan | None = None,
        *,
        seeds: Sequence[Path] = (),
        filters: Iterable[Filter] | None = None,
        opening: Opening | None = None,
        pool: Pool | None = None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._plan, self._model = plan or Plan(), model
        if not self._tools:
            raise UsageError("there are no functions to make samples for")
        self._opening = opening or OpenModel(model)
        self._pool = pool or (Threads(self._plan.requests) if self._plan.requests > 1 else Here())
        self._chain = Chain(usual_filters() if filters is None else filters)
        self._samplers = _samplers(list(self._tools.values()), seeds, self._plan.seed)
        self._ledger = SampleLedger(Path(out), self._settings(seeds))
        self._kept: list[CallSample] = []
        self._places: dict[str, list[int]] = {}  # of what is kept, by its only function
        self._kept_after = [0]  # samples before each round, and after the last
        self._barren = 0
        self._running: dict[int, SampleRound] = {}

    def run(self, progress: Callable[[Collected], None] | None = None) -> Collected:
        """Ask until there are enough samples, or nothing new comes, and write the files.

        Raises:
            ModelError: the model fails three times at one request. UsageError: the folder cannot be written to. What
            was answered is kept in either case, the files are written, and the same run goes on.
        """
        try:
            self._rejections = Rejections(self._ledger.folder)
        except OSError as error:
            raise UsageError(f"{self._ledger.folder} cannot be written to: {error.strerror}") from None
        try:
            while len(self._kept) < self._plan.count and self._barren < self._plan.patience:
                self._take(self._next())
                if progress:
                    progress(self._told())
        finally:
            self._pool.forget()
            self._rejections.close()
            told = self._write()
        return told

    @property
    def _round(self) -> int:
        """The number of the next round that is taken."""
        return len(self._kept_after) - 1

    @property
    def _ahead(self) -> int:
        """Rounds that may be asked for before the one that is taken next is there."""
        return 2 * self._plan.requests if self._plan.requests > 1 else 1

    def _next(self) -> SampleRound:
        """The next round, answered."""
        number = self._round
        while number not in self._ledger:
            for each in range(number, number + self._ahead):
                if len(self._running) < self._pool.slots and each not in self._running and each not in self._ledger:
                    self._ask(each)
            self._receive()
        return self._ledger.round(number)

    def _ask(self, number: int) -> None:
        asked, brief = self._brief(number)
        request = request_for(self._model, brief, constrained=self._plan.constrained)
        self._pool.start(number, self._asking(request))
        self._running[number] = asked

    def _asking(self, request: Request) -> Asking:
        return Asking(self._opening, request)

    def _receive(self) -> None:
        failed = self._received()
        while failed and self._running:  # answers that are on their way are not lost
            self._received()
        if failed:
            raise ModelError(f"{failed} What was answered is kept: the same command goes on")

    def _received(self) -> str:
        """Keep what is answered; why something is not, or ""."""
        failed = ""
        for number, text in self._pool.finished():
            answer, asked = ModelAnswer.from_json(text), self._running.pop(number)
            if answer.error:
                failed = f"{answer.error.rstrip('.')}."
            else:
                self._ledger.keep(replace(asked, text=answer.text))
        return failed

    def _brief(self, number: int) -> tuple[SampleRound, SampleBrief]:
        """What a round asks for, by its number and by what was kept so many rounds before."""
        plan, rng = self._plan, Random(f"{self._plan.seed}:round:{number}")
        known = self._kept_after[max(0, number + 1 - self._ahead)]
        several = len(self._tools) > 1 and rng.random() < plan.complex
        names = tuple(self._samplers["complex" if several else "simple"].draw(number))
        places = self._places.get(_SEVERAL if several else names[0], [])
        own = places[: bisect_left(places, known)]
        stage = Stage.SELF if len(own) >= ENOUGH_SEEDS else Stage.SEED
        if stage is Stage.SELF:
            chosen: tuple[Example, ...] = tuple(
                example_of(self._kept[place]) for place in rng.sample(own, OWN_EXAMPLES)
            )
        else:
            chosen = tuple(self._samplers["seeds"].draw(number)) if "seeds" in self._samplers else ()
        now = _FIRST_DAY + timedelta(days=rng.randrange(_DAYS), minutes=5 * rng.randrange(84, 264))
        asked = SampleRound(number, names, several, stage, now)
        tools = tuple(self._tools[name] for name in names)
        return asked, SampleBrief(tools, several, stage, plan.batch, chosen, rng.choice(VOICES), now)

    def _take(self, answered: SampleRound) -> None:
        """Pass a round's answer through the filters."""
        tools = tuple(self._tools[name] for name in answered.tools)
        before = len(self._kept)
        for outcome in self._chain(Draft(answered.text, tools, answered.now, answered.complex)):
            if outcome.refused:
                self._rejections.add(_line(answered, outcome))
            elif outcome.draft.sample and len(self._kept) < self._plan.count:
                identity = f"{self._plan.seed}-{answered.number:05d}-{len(self._kept) - before:02d}"
                names = [call.name for call in outcome.draft.sample.answers]
                self._places.setdefault(names[0] if len(names) == 1 else _SEVERAL, []).append(len(self._kept))
                self._kept.append(replace(outcome.draft.sample, id=identity))
        self._barren = 0 if len(self._kept) > before else self._barren + 1
        self._kept_after.append(len(self._kept))

    def _told(self) -> Collected:
        return Collected(len(self._kept), self._round, self._barren, yields(self._chain.counts))

    def _write(self) -> Collected:
        folder, told = self._ledger.folder, self._told()
        train, test = split(self._kept, self._plan.test, self._plan.seed) if self._plan.test else (self._kept, [])
        try:
            write_json(folder / TOOLS, [to_schema(tool) for tool in self._tools.values()], 1)
            write_call_samples(folder / TRAIN, train)
            if test:
                write_call_samples(folder / TEST, test)
            else:
                with suppress(FileNotFoundError):
                    (folder / TEST).unlink()
            told = replace(told, train=len(train), test=len(test))
            stages = {"kept": told.kept, "rounds": told.rounds, "train": told.train, "test": told.test}
            write_json(folder / YIELD, {**stages, "filters": told.filters}, 1)
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be written to: {error.strerror}: make room, and the same command goes on"
            ) from None
        return told

    def _settings(self, seeds: Sequence[Path]) -> dict[str, Any]:
        written = json.dumps([to_schema(tool) for tool in self._tools.values()], sort_keys=True, default=str)
        plan = self._plan
        return {
            "functions": hashlib.sha256(written.encode()).hexdigest()[:16],
            "seed": plan.seed,
            "batch": plan.batch,
            "complex share": plan.complex,
            "seed data": sorted(path.name for path in seeds),
            "filters": list(self._chain.counts),
            **plan.settings,
        }


def _samplers(tools: Sequence[Tool], seeds: Sequence[Path], seed: int) -> dict[str, Sampler[list[Any]]]:
    """Of one function, of two or three, and of examples from other data."""
    names = [tool.name for tool in tools]
    some = (min(2, len(names)), min(3, len(names)))
    found: dict[str, Sampler[list[Any]]] = {
        "simple": Sampler(
            {"tools": Source(names, 1, DrawingStrategy.WITHOUT_REPLACEMENT)}, lambda drawn: drawn["tools"], seed
        ),
        "complex": Sampler({"tools": Source(names, some)}, lambda drawn: drawn["tools"], seed),
    }
    if seeds:
        source = Source(Examples(seeds), 4 * SEED_EXAMPLES)  # some lines have none
        found["seeds"] = Sampler(
            {"examples": source}, lambda drawn: [each for each in drawn["examples"] if each][:SEED_EXAMPLES], seed
        )
    return found


def _line(answered: SampleRound, outcome: FilterOutcome) -> dict[str, Any]:
    """A line of rejected.jsonl."""
    refused, draft = outcome.refused, outcome.draft
    return {
        "round": answered.number,
        "filter": outcome.by,
        "reason": refused.reason if refused else "",
        "why": refused.why if refused else "",
        "tools": list(answered.tools),
        "text": draft.text[:4000],
    }
