"""Sieves out queries that are not worth solving, and judges what the agents made of the others.

CAMPHOR's trajectories were verified with human oversight (section 4). Here code does what it can: every look-up kept
must have worked, every action must be one that the device takes, with values that were said or found, what was done
must be of the kind that was asked for, and all of it must come out the same on a fresh copy of the device. What holds
becomes an item, any other is rejected with a reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from camphor.device.device import Device
from camphor.device.text import text_of, words
from camphor.models.base import LanguageModel, Request
from camphor.tools.calls import render_calls
from camphor.tools.grammar import REFERRING, line_grammar
from camphor.tools.tool import Role, Toolbox
from camphor.trajectories.items import GoldMismatch, Item, check, replay
from camphor.types import Agent, Call, Observation, Step, Turn
from camphor_lab.datasets.llm.queries import LONGEST_LINE, RULES, TASK, Expect, NamedPhone, QueryKind, ids_of, two_turns
from camphor_lab.datasets.similarity import ALIKE, Similar, rouge_l

FEWEST, MOST = 3, 64  # words; of 1,220 hand-written queries 13 have 2, and the longest has 62
DISTINCT = 0.85  # of the runs of three words; the hand-written queries have 0.94 or more
PARROTED = 5  # words in a row that stand in the prompt's own sentences
_MACHINE = (
    (re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b"), "a name that only machines use"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT?"), "a time as machines write it"),
    (re.compile(r"\w\(.*\w\s*=.*\)"), "a call"),
)
_BLANK = re.compile(r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{2,}|\bX{2,}\b|\.\.\.\s*\.\.\.")


class Reason(StrEnum):
    """What the summary counts; the values are what `rejected.jsonl` and people read."""

    SHORT = "too short"
    LONG = "too long"
    ID = "quotes what no person says"
    UNFINISHED = "unfinished"
    REPEATS = "repeats itself"
    PROMPT = "repeats the prompt"
    ALIKE = "like an earlier query"
    MODEL = "the model failed"
    CUT_OFF = "not brought to an end"
    INVALID = "an action that the phone does not take"
    MADE_UP = "a value that was neither said nor found"
    NOT_LOOKED_UP = "a receiver who was not looked up"
    NOTHING_DONE = "nothing was done"
    ACTED = "acted where nothing was to be done"
    NOT_ASKED = "did not ask back"
    BLIND = "answered without looking anything up"
    REPLAY = "a replay comes out otherwise"
    OPINION = "the second opinion is against it"


SIEVED = frozenset(
    (Reason.SHORT, Reason.LONG, Reason.ID, Reason.UNFINISHED, Reason.REPEATS, Reason.PROMPT, Reason.ALIKE)
)
"""Reasons that are known before anyone tries to solve the query."""


class Rejected(Exception):
    """A query, or its solution, is not taken.

    Args:
        reason: the kind of fault. why: the evidence, in words.
    """

    def __init__(self, reason: Reason, why: str) -> None:
        self.reason, self.why = reason, why
        super().__init__(f"{reason.value}: {why}")


def sift(query: str, data: Mapping[str, Any], near: Similar, seeds: Iterable[str]) -> None:
    """Let a query pass.

    Args:
        data: the device's values. near: all queries that passed before. seeds: what the model was shown.

    Raises:
        Rejected: says what is wrong with it.
    """
    said = words(query)
    if len(said) < FEWEST:
        raise Rejected(Reason.SHORT, f"{len(said)} words, and {FEWEST} are needed")
    if len(said) > MOST:
        raise Rejected(Reason.LONG, f"{len(said)} words, and {MOST} are allowed")
    for form, what in _MACHINE:
        if found := form.search(query):
            raise Rejected(Reason.ID, f"{found.group(0)!r} is {what}")
    tokens = set(re.findall(r"[\w-]+", query.casefold()))
    for number in ids_of(data):
        if number.casefold() in tokens:
            raise Rejected(Reason.ID, f"{number!r} is the id of a record")
    if found := _BLANK.search(query):
        raise Rejected(Reason.UNFINISHED, f"{found.group(0)!r} is a blank to fill in")
    if query.endswith((":", ",", ";")) or len(query) >= LONGEST_LINE:
        raise Rejected(Reason.UNFINISHED, f"it breaks off after {query[-40:]!r}")
    distinct, runs = len(_runs(said, 3)), len(said) - 2
    if distinct < DISTINCT * runs:
        raise Rejected(Reason.REPEATS, f"{distinct} of {runs} runs of three words differ")
    if parroted := _runs(said, PARROTED) & _runs(words(f"{TASK} {RULES}"), PARROTED):
        raise Rejected(Reason.PROMPT, f"{' '.join(min(parroted))!r} stands in it")
    for seed in seeds:
        if rouge_l(seed, query) >= ALIKE:
            raise Rejected(Reason.ALIKE, f"ROUGE-L F of {ALIKE} or more with the seed {seed!r}")
    if near.alike(query):
        raise Rejected(Reason.ALIKE, f"ROUGE-L F of {ALIKE} or more with a query that was written before")


def _runs(said: Sequence[str], length: int) -> set[tuple[str, ...]]:
    """The different runs of so many words."""
    return {tuple(said[start : start + length]) for start in range(len(said) - length + 1)}


TAG = "llm"
RECOVERED = "recovered"
_THOUSANDS = re.compile(r"(?<=[0-9])[,. '’](?=[0-9]{3}(?![0-9]))")
_TASK = """\
You check the work of an assistant on a person's phone. You read the request, what the assistant looked up, what the
phone answered, what was done at the end, and what the person was told."""
_ASK = """\
Is this exactly what was asked for, nothing left out and nothing added, for the right people and times? Where it cannot
be done, or is not clear, nothing may be done, and the person must be told or asked. Write `yes` or `no`, a colon, and
the reason in one line."""
_MOST_RESULTS = 1200  # characters of the answers to one step
_TOKENS = 80
_VERDICT = re.compile(r"\W*(?:verdict\W+|answer\W+)?(yes|no)\b\W*(?P<why>[^\n]*)", re.IGNORECASE)


def judge(turn: Turn, state: NamedPhone, kind: QueryKind, identity: str, device_file: str) -> Item:
    """The item of a turn that holds.

    Look-ups that failed and were put right later are left out of its steps, and it is tagged `recovered`: an item says
    what is right, not what was tried.

    Args:
        turn: what was done on a copy of the device that nobody else has changed. kind: what the query was to be.
        identity: the item's id. device_file: where its device file stands, relative to the dataset.

    Raises:
        Rejected: says why it does not hold.
    """
    steps = _mended(turn.steps)
    calls = tuple(observation.call.to_json() for observation in _actions(steps))
    _meets(kind, turn.response, steps)
    with Device.create(None, state.data) as device:
        _said_or_found(turn.query, steps, device.toolbox, device.now)
    recovered = sum(len(step.calls) for step in steps) < sum(len(step.calls) for step in turn.steps)
    size = ("multi" if len(calls) > 1 else "single",) if calls else ()
    item = Item(
        id=identity,
        device=device_file,
        query=turn.query,
        steps=steps_to_json(steps),
        calls=calls,
        response=turn.response,
        tags=(TAG, kind.name, *size, *((RECOVERED,) if recovered else ())),
    )
    prove(item, steps, state)
    return item


def steps_to_json(steps: Iterable[Step]) -> tuple[dict[str, Any], ...]:
    """Steps as items hold them: agents and calls, with arguments as the model wrote them."""
    return tuple({"agent": step.agent.value, "calls": [call.to_json() for call in step.calls]} for step in steps)


def prove(item: Item, steps: Sequence[Step], state: NamedPhone) -> None:
    """Carry an item out on a fresh copy of its device.

    Args:
        steps: what happened when it was solved.

    Raises:
        Rejected: other calls come of it, other records are found, or an action fails.
    """
    with Device.create(None, state.data) as device:
        again = replay(item, device)
        try:
            check(item, again)
        except GoldMismatch as error:
            raise Rejected(Reason.REPLAY, str(error).removeprefix(f"{item.id}: ")) from None
        for before, after in zip(steps, again.turn.steps, strict=True):
            for one, other in zip(before.observations, after.observations, strict=True):
                if before.agent is not Agent.TASK and one.records != other.records:
                    raise Rejected(Reason.REPLAY, f"{render_calls([one.call])} finds other records")
        for observation in _actions(steps):
            done = device.execute(observation.call)
            if done.error is not None:
                raise Rejected(Reason.REPLAY, f"{render_calls([observation.call])}: {done.error}")


def _mended(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps without look-ups that failed, and without agents that called nothing; the last is task completion's."""
    kept = []
    for step in steps:
        pairs = list(zip(step.calls, step.observations, strict=True))
        if step.agent is Agent.TASK:
            for call, observation in pairs:
                if observation.error is not None:
                    raise Rejected(Reason.INVALID, f"{render_calls([call])}: {observation.error}")
            kept.append(step)
            continue
        good = [(call, observation) for call, observation in pairs if observation.error is None]
        if good:
            calls, observations = zip(*good, strict=True)
            kept.append(Step(step.agent, calls, observations))
    if not kept or kept[-1].agent is not Agent.TASK:
        raise Rejected(Reason.CUT_OFF, "the last step is not task completion's")
    return tuple(kept)


def _meets(kind: QueryKind, response: str, steps: Sequence[Step]) -> None:
    """Raises: Rejected, where the query was not ended as its kind wants."""
    done, asked = bool(list(_actions(steps))), "?" in response
    looked_up = any(step.calls for step in steps if step.agent is not Agent.TASK)
    shown = response if len(response) <= 160 else response[:157] + "..."
    if kind.expect is Expect.ACTION:
        if not done:
            raise Rejected(Reason.NOTHING_DONE, f"the query was to lead to an action, the answer was {shown!r}")
        return
    if done:
        made = render_calls([observation.call for observation in _actions(steps)])
        raise Rejected(Reason.ACTED, f"the query was to lead to no action, made was {made}")
    if kind.expect is Expect.QUESTION and not asked:
        raise Rejected(Reason.NOT_ASKED, f"something is not clear in the query, the answer was {shown!r}")
    if kind.expect is Expect.ANSWER and not looked_up:
        raise Rejected(Reason.BLIND, f"the answer was {shown!r}")


def _actions(steps: Iterable[Step]) -> Iterable[Observation]:
    return (observation for step in steps if step.agent is Agent.TASK for observation in step.observations)


@dataclass
class _Known:
    """Words and numbers that were said or found."""

    words: set[str] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)

    def add(self, text: str) -> None:
        self.words.update(words(text))
        found = numbers_of(text)
        # 22:00 is found, and "10 pm" is written
        self.numbers.update(found, (number - 12 for number in found if 12 < number < 24))

    def holds(self, value: Any) -> bool:
        return self.words.issuperset(words(str(value)))


def numbers_of(text: str) -> set[int]:
    """Whole numbers, however thousands are set apart: 9,812 and 9812 are one."""
    text = _THOUSANDS.sub("", text)
    return {int(digits) for digits in re.findall(r"[0-9]+", text) if len(digits) < 20}


def _said_or_found(query: str, steps: Iterable[Step], toolbox: Toolbox, now: datetime) -> None:
    """Raises: Rejected, for an action's value that came out of nowhere."""
    known, found = _Known(), _Known()
    known.add(query)
    known.add(now.isoformat())
    for step in steps:
        if step.agent is Agent.TASK:
            for call in step.calls:
                _check_values(call, toolbox, known, found, query)
        for observation in step.observations:
            text = text_of(observation.records)
            known.add(text)
            found.add(text)


def _check_values(call: Call, toolbox: Toolbox, known: _Known, found: _Known, query: str) -> None:
    tool = toolbox.get(call.name)
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        role = parameter.role if parameter else Role.TEXT
        if role in (Role.PHONE, Role.EMAIL) and not _dictated(value, query) and not found.holds(value):
            raise Rejected(Reason.NOT_LOOKED_UP, f"{value!r} in {render_calls([call])}")
        if role in REFERRING and not known.holds(value):
            raise Rejected(Reason.MADE_UP, f"{value!r} in {render_calls([call])}")
        if role in (Role.TEXT, Role.NAME) and isinstance(value, str):
            strange = sorted(number for number in numbers_of(value) - known.numbers if number > 9)
            if strange:
                raise Rejected(Reason.MADE_UP, f"{strange[0]} in {render_calls([call])}")


def _dictated(value: Any, query: str) -> bool:
    """Whether the person gave the number or address itself."""
    text = str(value)
    return any(sign in text for sign in "@0123456789") and set(words(text)) <= set(words(query))


def problems(turn: Turn) -> Mapping[str, Any]:
    """What is kept of a turn that was rejected, for people who look into it."""
    return {"steps": list(steps_to_json(turn.steps)), "response": turn.response}


# ---- a second opinion: a model reads what was asked, found and done, and says whether that is right ----


def approve(model: LanguageModel, turn: Turn, now: str) -> None:
    """Ask whether the turn does what was asked.

    Args:
        now: the device's clock, in words.

    Raises:
        Rejected: the model says no, or nothing that can be understood. ModelError: it cannot answer.
    """
    grammar = f'start: ("yes" | "no") ": " LINE\nLINE: {line_grammar(200).removeprefix("start: ").strip()}\n'
    lines = [f"Now: {now}", f"Request: {turn.query}", *_told(turn), f"The person was told: {turn.response}", _ASK]
    said = model.complete(Request(two_turns(_TASK, lines), grammar, _TOKENS)).text
    verdict = _VERDICT.match(said)
    if verdict is None:
        raise Rejected(Reason.OPINION, f"it says neither yes nor no: {said.strip()[:120]!r}")
    if verdict.group(1).casefold() == "no":
        raise Rejected(Reason.OPINION, verdict["why"].strip() or "it gives no reason")


def _told(turn: Turn) -> Iterator[str]:
    acted = False
    for step in turn.steps:
        if step.agent is Agent.TASK:
            for observation in step.observations:
                acted = True
                yield f"Done: {render_calls([observation.call])}"
            continue
        for observation in step.observations:
            records = json.dumps(observation.records, ensure_ascii=False)
            yield f"Looked up: {render_calls([observation.call])}"
            yield f"Found: {observation.error or records[:_MOST_RESULTS]}"
    if not acted:
        yield "Nothing was done."
