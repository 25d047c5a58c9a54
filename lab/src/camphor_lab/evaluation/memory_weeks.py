"""Scripted weeks of what a person tells in passing: is it kept, and nothing else, and does it serve days later?

A week is played turn by turn on its phone, whose clock follows the script; the memory is empty at first. Every action
is refused, so that a week changes nothing but the memory. Where the assistant asks which of two facts holds, the person
says yes: the newer one.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision
from camphor.agents.prompts import Form
from camphor.app import Assistant, predicted_calls
from camphor.device import format as device_format
from camphor.device.device import Device
from camphor.device.memories import Memory, MemoryState
from camphor.errors import CamphorError, DatasetError, UsageError
from camphor.models.base import LanguageModel
from camphor.tools.calls import calls_to_json
from camphor.types import Call
from camphor_lab.datasets.files import read_lines
from camphor_lab.evaluation.dataset import evenly, fingerprint
from camphor_lab.evaluation.expected import folded, normalised, same_calls, says
from camphor_lab.evaluation.results import Configuration, Partial, Progress, Result, about_run, kept, run_all
from camphor_lab.evaluation.values import Similarity, ValueMatcher

STRATEGY = "memory-weeks"
TELLS = ("fact", "update", "end")
"""Kinds of turns that tell something; "distractor" and "wish" tell nothing that is to be kept."""
KINDS = (*TELLS, "forget", "distractor", "wish", "use", "ask_memory")


@dataclass(frozen=True)
class WeekTurn:
    """One thing that the person says; the keys of the line that its kind has."""

    at: datetime
    say: str
    kind: str
    told: Mapping[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> Sequence[Mapping[str, Any]]:
        return self.told.get("facts") or ()


@dataclass(frozen=True)
class Week:
    id: str
    device: Path
    turns: tuple[WeekTurn, ...]


class Weeks:
    """The weeks of a folder: every `*.jsonl` in it, with the phones that they name beside it.

    Args:
        limit: how many to take, drawn evenly. None for all.

    Raises:
        DatasetError: a line breaks the format. UsageError: there is none.
    """

    def __init__(self, path: Path, limit: int | None = None) -> None:
        self.path = path
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        found = [_week(file, number, line) for file in files for number, line in read_lines(file)]
        if not found:
            raise UsageError(f"{path} holds no weeks: give a folder such as data/memory-development")
        self.files = files
        self.weeks: Sequence[Week] = evenly(found, limit)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files and the phones of these weeks."""
        return fingerprint([*self.files, *sorted({week.device for week in self.weeks})])


def _week(path: Path, number: int, line: Any) -> Week:
    try:
        turns = tuple(
            WeekTurn(datetime.fromisoformat(turn["at"]).replace(tzinfo=None), str(turn["say"]), str(turn["kind"]), turn)
            for turn in line["turns"]
        )
        week = Week(str(line["id"]), path.parent / str(line["device"]), turns)
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(str(path), number, f'expected {{"id", "device", "turns"}}: {error!r}') from error
    if unknown := next((turn.kind for turn in turns if turn.kind not in KINDS), ""):
        raise DatasetError(str(path), number, f"unknown kind of turn {unknown!r}: choose from {', '.join(KINDS)}")
    return week


class WeekPhone(Device):
    """A phone whose clock a script sets."""

    clock: datetime | None = None

    @property
    def now(self) -> datetime:
        return self.clock or super().now


@dataclass
class _Played:
    """What became of one turn, and what the memory held before and after."""

    turn: WeekTurn
    response: str
    calls: tuple[Call, ...]
    before: Mapping[int, Memory]
    after: Mapping[int, Memory]
    asked: bool
    gold: tuple[Call, ...] = ()
    error: str = ""
    seconds: float = 0.0

    @property
    def new(self) -> list[Memory]:
        return [memory for number, memory in self.after.items() if number not in self.before]


@dataclass
class WeekPlayer:
    """Plays weeks.

    Args:
        model: what thinks. form: how prompts are written. memory: makes the memory of a conversation on a phone.
        similarity: of free text.
    """

    model: LanguageModel
    memory: Callable[[Device, str], Any]
    similarity: Similarity
    form: Form = Form.NAMES

    def play(self, week: Week) -> Result:
        """The checks of every turn under `timing`; what breaks is a result.

        Raises:
            DatasetError, DeviceFileError: the phone cannot be read.
        """
        begun = time.perf_counter()
        with WeekPhone.create(None, device_format.read(week.device), week.device.stem) as device:
            matcher = ValueMatcher(device.toolbox, self.similarity)
            played: list[_Played] = []
            for number, turn in enumerate(week.turns):
                device.clock = turn.at
                played.append(self._turn(turn, device, f"{week.id}-{number}"))
            people = tuple(device.people())
        rows = list(_checked(played, matcher))
        return Result(
            id=week.id,
            query=week.turns[0].say,
            predicted=(),
            gold=(),
            response="",
            seconds=time.perf_counter() - begun,
            error=next((each.error for each in played if each.error), None),
            timing={"turns": rows, "people": len(people)},
            tags=(week.device.stem,),
        )

    def _turn(self, turn: WeekTurn, device: WeekPhone, conversation: str) -> _Played:
        """One turn in a conversation of its own: days lie between them."""
        before, gold = _living(device), tuple(normalised(call, device) for call in turn.told.get("calls") or ())
        assistant = Assistant(device, self.model, form=self.form, conversation=conversation)
        assistant.memory = self.memory(device, conversation)
        begun, asked = time.perf_counter(), False
        try:
            answered = _said(assistant, turn.say)
            if asked := getattr(assistant.memory, "in_doubt", None) is not None:
                _said(assistant, "yes")
            response, calls, error = answered.response, predicted_calls(answered), ""
        except CamphorError as problem:
            response, calls, error = "", (), f"{type(problem).__name__}: {problem}"
        seconds = time.perf_counter() - begun
        return _Played(turn, response, calls, before, _living(device), asked, gold, error, seconds)


def _said(assistant: Assistant, query: str) -> Answered:
    """The end of a query of which every action is refused; what is to be forgotten may be."""
    loop = assistant.run(query)
    event = next(loop)
    while not isinstance(event, Answered):
        if isinstance(event, ConsentNeeded):
            forgets = event.call.name == "forget"
            event = loop.send(Decision(Answer.YES if forgets else Answer.NO))
        else:
            event = next(loop)
    return event


def _living(device: Device) -> dict[int, Memory]:
    states = (MemoryState.CONFIRMED, MemoryState.UNSURE)
    return {memory.id: memory for memory in device.memories.all(states, episodes=False)}


# what is checked


def _checked(played: Sequence[_Played], matcher: ValueMatcher) -> Iterator[dict[str, Any]]:
    """A row for each turn: its kind, and of each check that it has whether it holds."""
    kept_as: dict[str, frozenset[int]] = {}
    for each in played:
        turn, checks = each.turn, dict[str, Any]()
        for fact in turn.facts:
            numbers = frozenset(number for number, memory in each.after.items() if _keeps(memory, fact))
            kept_as[str(fact["id"])] = numbers
            if fact.get("mark") == "secret":
                checks["secret_unasked"] = any(_keeps(memory, fact) for memory in each.new) and not each.asked
                continue
            checks.setdefault("captured", []).append(bool(numbers))
            if old := fact.get("replaces"):
                gone = kept_as.get(str(old), frozenset()) - numbers
                checks.setdefault("updated", []).append(bool(numbers) and not gone & each.after.keys())
        if turn.kind == "end":
            for old in turn.told.get("ends") or ():
                if known := kept_as.get(str(old)):
                    checks.setdefault("ended", []).append(not known & each.after.keys())
        if turn.kind == "forget":
            for old in turn.told.get("forgets") or ():
                if known := kept_as.get(str(old)):
                    checks.setdefault("forgotten", []).append(not known & each.after.keys())
        if turn.kind in ("distractor", "wish", "use", "ask_memory"):
            checks["falsely_captured"] = bool(each.new)
        if turn.kind in ("distractor", *TELLS) and not turn.told.get("acts"):
            checks["acted"] = bool(each.calls)
        if turn.kind == "use":
            checks["used"] = _serves(each, matcher)
            checks["used_action" if turn.told.get("calls") else "used_answer"] = checks["used"]
        if turn.kind == "ask_memory":
            checks["told"] = says(each.response, turn.told, turn.at)
        yield {
            "kind": turn.kind,
            "say": turn.say,
            "response": each.response,
            "calls": calls_to_json(each.calls),
            "kept": [memory.text for memory in each.new],
            "gone": [memory.text for number, memory in each.before.items() if number not in each.after],
            "asked": each.asked,
            "seconds": round(each.seconds, 3),
            "error": each.error,
            "checks": checks,
        }


def _keeps(memory: Memory, fact: Mapping[str, Any]) -> bool:
    """Whether a memory says what must be kept of a fact."""
    said = folded(f"{memory.text} {memory.value}")
    return all(folded(str(piece)) in said for piece in fact["keeps"])


def _serves(each: _Played, matcher: ValueMatcher) -> bool:
    if each.gold:
        return same_calls(each.gold, each.calls, matcher)
    return not each.calls and says(each.response, each.turn.told.get("answer") or {}, each.turn.at)


# figures

SHARES = ("captured", "falsely_captured", "updated", "ended", "forgotten", "used", "used_answer", "used_action", "told",
          "acted", "secret_unasked")  # fmt: skip


def measure_weeks(results: Sequence[Result]) -> dict[str, Any]:
    """Of each check the share of the turns, or facts, that have it, with how many these are.

    Raises:
        ValueError: there is nothing to measure.
    """
    if not results:
        raise ValueError("there are no weeks to measure")
    hits: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    asked = seconds = turns = 0.0
    for result in results:
        for row in result.timing["turns"]:
            turns += 1
            asked += row["asked"]
            seconds += row["seconds"]
            for name, held in row["checks"].items():
                for one in held if isinstance(held, list) else [held]:
                    counts[name] += 1
                    hits[name] += bool(one)
    shares = {name: round(hits[name] / counts[name], 4) if counts[name] else None for name in SHARES}
    return {
        "weeks": len(results),
        "turns": int(turns),
        "errors": sum(result.error is not None for result in results),
        **shares,
        "of": {name: counts[name] for name in SHARES},
        "asked_back": int(asked),
        "seconds": round(seconds / max(1, turns), 4),
    }


def evaluate_weeks(
    dataset: Weeks,
    player: WeekPlayer,
    *,
    name: str,
    told: Mapping[str, Any] | None = None,
    out: Path | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Play and score the weeks.

    Args:
        name: the model's. told: what else decides (hashes of files). out: the result file; until it is written the
            finished weeks stand in a partial file beside it. None keeps nothing. command: for the record.

    Raises:
        UsageError: nothing can be written beside `out`. DatasetError, DeviceFileError: a phone cannot be read.
    """
    import camphor

    configuration = Configuration(dataset.fingerprint, name, STRATEGY, camphor.__version__, dict(told or {}))

    def report(partial: Partial | None) -> dict[str, Any]:
        results = run_all(dataset.weeks, player.play, partial, progress)
        return {
            "metrics": measure_weeks(results),
            "run": about_run(configuration, dataset.path.name, command, datetime.now(UTC)),
            "items": [{"id": each.id, **each.timing} for each in results],
        }

    return kept(out, configuration, report)
