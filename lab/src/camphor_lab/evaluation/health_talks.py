"""Scripted talks with the health assistant: is anything kept that was not said, or as had that was denied?

A talk is played on a phone whose every kind of specialist is free. The person of a script says its turns in order: a
text fits any question but an offer and an emergency question, `{"to": topic, "say": text}` a question about that
topic. What was kept is read from the phone afterwards, so the figures hold for any strategy.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.agents.health.case import Called, HealthStrategy, Seen
from camphor.agents.health.interview.heard import phrases
from camphor.agents.health.interview.questions import GENERAL as EVERY
from camphor.agents.health.interview.questions import MOST, read_questions
from camphor.agents.health.interview.record import read
from camphor.agents.health.interview.talk import CORRECTED
from camphor.agents.health.referral import FIND
from camphor.agents.health.triage import Urgency
from camphor.device.device import Device
from camphor.device.health.slots import read_slot
from camphor.errors import CamphorError, DatasetError
from camphor.health.assistant import KEPT, OWN_NOTES, CaseOutcome, HealthAssistant
from camphor.models.base import LanguageModel
from camphor.types import Call
from camphor_lab.evaluation.dataset import evenly, fingerprint
from camphor_lab.evaluation.health_data import RunOptions, measured, records
from camphor_lab.evaluation.health_lines import phone
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.retrieval import mean_figures

STRATEGY = "health-talks"
METRICS = ("invented", "denied", "kept", "loops", "open", "ends", "books", "specialist")
ENDS = ("booked", "declined", "emergency", "today", "dropped", "told", "unfree")
OFFER, EMERGENCY, COMPLAINT, OTHER, ANY = "offer", "emergency", "complaint", "other", "any"
UNSAID = {OFFER: "No, thank you.", EMERGENCY: "no"}
"""What a person says to a question that the script has nothing for; `NOTHING` to any other."""
NOTHING = "I don't know."
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_NO = re.compile(r"\W*(?:no|nope|nah|none|not|never|neither|nothing)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ScriptedTurn:
    """What the person says; `to`: to a question about this alone, "" for any."""

    say: str
    to: str = ""


@dataclass(frozen=True)
class Denied:
    """A symptom that the person has not, and the words that say so."""

    symptom: str
    words: str


@dataclass(frozen=True)
class ScriptedTalk:
    """A talk as a person would hold it, and how it may end."""

    id: str
    turns: tuple[ScriptedTurn, ...]
    said: tuple[str, ...]
    denied: tuple[Denied, ...]
    specialists: tuple[str, ...]
    books: bool
    ends: tuple[str, ...]


class HealthTalks:
    """Scripted talks of a file.

    Args:
        limit: how many to take, drawn evenly. None for all.

    Raises:
        DatasetError: a line breaks the format, or repeats an id. UsageError: there is no such file.
    """

    def __init__(self, path: Path, limit: int | None = None) -> None:
        self.path = path
        found = [_talk(path, number, record) for number, record in records(path)]
        if not found:
            raise DatasetError(str(path), None, "holds no talks")
        self.talks: Sequence[ScriptedTalk] = evenly(found, limit)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the file."""
        return fingerprint([self.path])


def _talk(path: Path, number: int, record: Mapping[str, Any]) -> ScriptedTalk:
    try:
        turns = tuple(
            ScriptedTurn(raw) if isinstance(raw, str) else ScriptedTurn(raw["say"], raw["to"])
            for raw in record["turns"]
        )
        denied = tuple(Denied(each["symptom"], each["words"]) for each in record["denied"])
        expect = record["expect"]
        ends = (expect["ends"],) if isinstance(expect["ends"], str) else tuple(expect["ends"])
        known = {*EVERY, OFFER, EMERGENCY, COMPLAINT, OTHER, ANY, ""}
        if not turns or turns[0].to or any(each.to not in known for each in turns):
            raise ValueError(f"turns that begin with a text, and topics of {', '.join(sorted(known - {''}))}")
        if not set(ends) <= set(ENDS):
            raise ValueError(f"ends of {', '.join(ENDS)}")
        said, specialists = tuple(record["said_symptoms"]), tuple(expect["specialists"])
        return ScriptedTalk(record["id"], turns, said, denied, specialists, bool(expect["books"]), ends)
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(str(path), number, f"expected a scripted talk: {error}") from error


# ---- playing ---------------------------------------------------------------------------------------------------------


class ScriptedPerson:
    """Who says the turns of a script; keeps what was said on both sides."""

    def __init__(self, talk: ScriptedTalk, strategy: HealthStrategy = HealthStrategy.INTERVIEW) -> None:
        self._strategy = strategy
        self._left = list(talk.turns[1:])
        self.messages = [talk.turns[0].say]
        self.asked: list[str] = []
        self.told: list[str] = []

    def ask(self, question: str) -> str:
        self.asked.append(question)
        said = self._fitting(topic(question, self._strategy))
        self.messages.append(said)
        return said

    def notify(self, message: str) -> None:
        self.told.append(message)

    def consent(self, wanted: ConsentNeeded) -> Decision:
        yes = self.ask(f"{wanted.description}. Shall I book it?").casefold().startswith(("y", "ok", "sure"))
        return Decision(Answer.YES if yes else Answer.NO)

    def _fitting(self, about: str) -> str:
        for place, turn in enumerate(self._left):
            fits = turn.to == about or (turn.to in ("", ANY) and about not in (OFFER, EMERGENCY))
            if fits:
                return self._left.pop(place).say
        return UNSAID.get(about, NOTHING)


def topic(question: str, strategy: HealthStrategy = HealthStrategy.INTERVIEW) -> str:
    """What a question is about, as scripts name it. A model's own words are known by a few of theirs; in an interview
    whatever is neither of the list nor an offer is asked for urgency's sake."""
    says = phrases().says
    if question.endswith((says["complaint"], says["complaint_again"])):
        return COMPLAINT
    if re.search(r"\d\d:\d\d", question):
        return OFFER
    if name := read_questions().topic_of(question):
        return name if name in EVERY else OTHER
    if strategy is HealthStrategy.INTERVIEW or _URGENT.search(question.casefold()):
        return EMERGENCY
    return next((name for name, words in _WORDED.items() if words.search(question.casefold())), OTHER)


_URGENT = re.compile(r"\b(?:emergency|happening now|right now|at this moment)\b")
_WORDED = {
    "duration": re.compile(r"\b(?:how long|since when|when did)\b"),
    "severity": re.compile(r"\b(?:how (?:bad|severe|strong)|scale)\b"),
    "age": re.compile(r"\bhow old\b|\byour age\b"),
    "pregnancy": re.compile(r"\bpregnan"),
    "allergies": re.compile(r"\ballerg"),
    "medicines": re.compile(r"\b(?:medic|tablets?)"),
    "tried": re.compile(r"\b(?:tried|helped)\b"),
}


def evaluate_talks(
    dataset: HealthTalks, model: LanguageModel | None, strategy: HealthStrategy, run: RunOptions
) -> dict[str, Any]:
    """Play and score every talk.

    Args:
        model: what the planner needs; the interview asks none.

    Returns:
        `{"metrics", "run", "items"}`, see `measure_talks`; of an item `id`, `record` (what was kept), `asked`, `told`,
        `end`, `specialist` (whom a slot was looked for with), `faults`, `calls` (of the model), `seconds`, `error`.

    Raises:
        UsageError: nothing can be written beside `run.out`, or the planner has no model.
    """

    def play(talk: ScriptedTalk) -> Result:
        with Device.create(None, phone()) as device:
            return play_talk(talk, device, model, strategy)

    def score(results: Sequence[Result]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        rows = [_row(talk, result, strategy) for talk, result in zip(dataset.talks, results, strict=True)]
        return measure_talks(dataset.talks, rows), rows

    return measured(dataset, dataset.talks, play, score, run)


def play_talk(talk: ScriptedTalk, device: Device, model: LanguageModel | None, strategy: HealthStrategy) -> Result:
    """Hold a talk on a phone. What broke is the result's `error`."""
    begun, person, error = time.perf_counter(), ScriptedPerson(talk, strategy), None
    assistant = HealthAssistant(device, model, person.ask, person.notify, person.consent, strategy=strategy)
    outcome = None
    try:
        outcome = assistant.run(talk.turns[0].say)
    except CamphorError as problem:
        error = f"{type(problem).__name__}: {problem}"
    found = {
        "record": list(kept(device)),
        "written": list(_proposed(outcome)),
        "messages": person.messages,
        "asked": person.asked,
        "told": person.told,
        "end": ended(outcome, device),
        "specialist": _looked_for(outcome),
        "calls": _written_by_model(outcome) if strategy is HealthStrategy.PLANNER else 0,
    }
    seconds = round(time.perf_counter() - begun, 4)
    return Result(talk.id, talk.turns[0].say, (), (), seconds=seconds, error=error, timing=found)


def kept(device: Device) -> Iterator[str]:
    """Every text of the phone that tells what the person has."""
    for name in ("complaints", "appointments"):
        yield from (str(each["symptoms"]) for each in device.records("clinic", name) if each.get("symptoms"))
    for each in device.records("clinic", "notices"):
        yield str(each.get("message") or "").removeprefix("How are your symptoms now: ")


def ended(outcome: CaseOutcome | None, device: Device) -> str:
    """How a talk ended, as scripts name it; "" where it ended in nothing."""
    if outcome is None:
        return ""
    if outcome.findings:
        return "emergency"
    if booked := outcome.booked:
        day = read_slot(str(booked.arguments["appointment_time_date"])).start.date()
        return "today" if day == device.now.date() else "booked"
    if outcome.level is Urgency.TODAY:
        return "today"
    if outcome.end is not None:
        return outcome.end.value
    return "declined" if any(call.name == "store_symptoms" for call in outcome.done) else ""


def _proposed(outcome: CaseOutcome | None) -> Iterator[str]:
    """What the strategy itself wrote to be kept."""
    for call in _calls(outcome):
        if call.name in OWN_NOTES:
            yield from (str(call.arguments[name]) for name in KEPT if name in call.arguments)


def _calls(outcome: CaseOutcome | None) -> list[Call]:
    return [turn.call for turn in outcome.case.turns if isinstance(turn, Called)] if outcome else []


def _written_by_model(outcome: CaseOutcome | None) -> int:
    """How often planner and caller were asked for a turn."""
    return sum(not isinstance(turn, Seen) for turn in outcome.case.turns) if outcome else 0


def _looked_for(outcome: CaseOutcome | None) -> str | None:
    found = [str(each.arguments.get("specialization")) for each in _calls(outcome) if each.name == FIND]
    return found[0] if found else None


# ---- scoring ---------------------------------------------------------------------------------------------------------


def measure_talks(talks: Sequence[ScriptedTalk], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The metrics, with 95% bootstrap intervals over talks.

    Returns:
        `talks`; shares of `METRICS`: talks whose record holds a word that was not said (`invented`), or a denied
        symptom as had (`denied`); whose record holds all that was said to be had, or that
        went to the emergency path before (`kept`); that put a question twice
        or more than five, told something twice or repeat a phrase (`loops`); that ended in nothing (`open`); that ended
        as they may (`ends`), booked or not as they should (`books`), looked for an acceptable `specialist` (of those
        that look for one). `written`: `invented` and `denied` of what the strategy wrote before code put the person's
        words in its place. `questions`, `calls`: means a talk. `errors`, `seconds`.
    """
    ids = [talk.id for talk in talks]
    figures = np.array([[row["figures"][name] for name in METRICS[:-1]] for row in rows], float)
    looks = [(talk.id, row) for talk, row in zip(talks, rows, strict=True) if talk.specialists]
    told: dict[str, Any] = {"talks": len(talks), **mean_figures(METRICS[:-1], ids, figures)}
    looked = np.array([[row["figures"]["specialist"]] for _, row in looks], float)
    if looks:
        told |= mean_figures(("specialist",), [name for name, _ in looks], looked)
    told["written"] = {
        name: round(float(np.mean([row["written"][name] for row in rows])), 4) for name in ("invented", "denied")
    }
    told["questions"] = round(float(np.mean([len(row["asked"]) for row in rows])), 2)
    told["calls"] = round(float(np.mean([row["calls"] for row in rows])), 2)
    told["errors"] = sum(row["error"] is not None for row in rows)
    told["seconds"] = {"mean": round(float(np.mean([row["seconds"] for row in rows])), 4)}
    return told


def _row(talk: ScriptedTalk, result: Result, strategy: HealthStrategy) -> dict[str, Any]:
    found = result.timing
    messages, record, end, looked = (found[name] for name in ("messages", "record", "end", "specialist"))
    had = {each.symptom for text in record for each in talk.denied if stands_as_had(text, each, talk.denied)}
    faults = {
        "invented": sorted({word for text in record for word in invented(text, messages)}),
        "denied": sorted(had),
        "missing": [] if end == "emergency" else [each for each in talk.said if not _stands(each, record)],
        "loops": list(loops(found["asked"], found["told"], record, strategy)),
    }
    written = found["written"]
    return {
        "id": talk.id,
        **{name: found[name] for name in ("record", "asked", "told", "end", "specialist", "calls")},
        "faults": {name: each for name, each in faults.items() if each},
        "written": {
            "invented": any(invented(text, messages) for text in written),
            "denied": any(stands_as_had(text, each, talk.denied) for text in written for each in talk.denied),
        },
        "figures": {
            "invented": bool(faults["invented"]),
            "denied": bool(faults["denied"]),
            "kept": not faults["missing"],
            "loops": bool(faults["loops"]),
            "open": end == "" or not (found["told"] or end == "booked"),
            "ends": end in talk.ends,
            "books": (end == "booked") == talk.books,
            "specialist": looked in talk.specialists or (end in talk.ends and end in ("emergency", "today")),
        },
        "seconds": result.seconds,
        "error": result.error,
    }


def invented(text: str, messages: Sequence[str]) -> list[str]:
    """What a record's text holds that the person never said: quotes that stand in no message, and of any other text
    the words that stand in none. The questions of the list, and what code puts around quotes, are not meant."""
    if quotes := read(text):
        known = {CORRECTED, *_asks()}
        foreign = [each.asked for each in quotes if each.asked and each.asked not in known]
        return foreign + [each.said for each in quotes if not any(_holds(said, each.said) for said in messages)]
    said = {word.casefold() for message in messages for word in _WORD.findall(message)}
    return [word for word in _WORD.findall(text) if word.casefold() not in said]


def _holds(message: str, quote: str) -> bool:
    """Whether the sentences of a quote stand in a message, in their order, letter by letter."""
    place, message = 0, " ".join(message.split())
    for sentence in re.split(r"(?<=[.!?;])\s+", quote):
        place = message.find(sentence, place)
        if place < 0:
            return False
        place += len(sentence)
    return True


def stands_as_had(text: str, denied: Denied, others: Sequence[Denied] = ()) -> bool:
    """Whether a denied symptom stands in a record outside all words of denial, and behind no question denied."""
    quotes = read(text)
    parts = [(each.asked, each.said) for each in quotes] if quotes else [("", text)]
    symptom, words = _plain(denied.symptom), [_plain(each.words) for each in (denied, *others)]
    for asked, said in parts:
        left = _plain(said)
        for each in words:
            left = left.replace(each, " ")
        if re.search(rf"\b{re.escape(symptom)}\b", left) and not (asked and _NO.match(said)):
            return True
    return False


def loops(
    asked: Sequence[str],
    told: Sequence[str],
    record: Iterable[str],
    strategy: HealthStrategy = HealthStrategy.INTERVIEW,
) -> Iterator[str]:
    """What goes round: a question put twice, something told twice, too many questions, a phrase three times on end."""
    for texts in (asked, told):
        yield from sorted({each for each in texts if texts.count(each) > 1})
    questions = [each for each in asked if topic(each, strategy) not in (OFFER, EMERGENCY, COMPLAINT)]
    if len(questions) > MOST:
        yield f"{len(questions)} questions"
    for text in (*asked, *told, *record):
        if found := re.search(r"\b(\w+(?:[ ,]+\w+){0,5})(?:[ ,]+\1\b){2,}", text, re.IGNORECASE):
            yield found[1]


def _stands(words: str, record: Sequence[str]) -> bool:
    return any(_plain(words) in _plain(text) for text in record)


def _asks() -> Iterator[str]:
    for question in read_questions().by_id.values():
        yield from (question.put(again=False, other=other) for other in (False, True))


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").casefold().split())
