"""Plain words for actions: what will be done (for consent) and what was done (for the answer).

Answers about actions are composed by code from what was really executed, so they cannot claim what did not happen.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any

from camphor.agents.display import show_record, show_value
from camphor.agents.references import title_of
from camphor.device.people import Person, find_people, labelled
from camphor.device.text import COMMON, words
from camphor.device.when import show_time
from camphor.types import Agent, Call, Observation, Step

_TABLE: dict[str, dict[str, tuple[str, str]]] = tomllib.loads(
    (files("camphor") / "agents" / "actions.toml").read_text(encoding="utf-8")
)
BUILT_IN_ACTIONS = tuple(_TABLE["built_in"])
"""The actions of the apps that come with a phone."""
WORDS = {**_TABLE["built_in"], **_TABLE["android"]}
"""By action: what will be done, what was done."""
_SLOT = re.compile(r"\{(\w+)\}")
_NOT = re.compile(
    r"\b(?:no|not|nothing|none|nobody|nowhere|never|neither|cannot|without|unknown|empty|missing|unable)\b|n['’]t\b",
    re.IGNORECASE,
)
_FOUND_NOTHING = re.compile(
    r"\bfound (?:nothing|no)\b|\bnothing (?:was |is )?found\b|\b(?:can['’]?t|cannot|couldn['’]?t) find\b", re.IGNORECASE
)
_DONE = (
    "opened|sent|cancell?ed|added|set|put|wrote|written|noted|played|called|rang|posted|booked|ordered|moved|made|deleted|"
    "removed|saved|texted|mailed|told|messaged|downloaded|reminded|changed|showed|shown|started|created|let"
)
_CLAIMING = re.compile(rf"\bI(?:['’]ve| have)?(?: (?:just|also|now|already))? (?:{_DONE})\b", re.IGNORECASE)
ASKS_OF_DEEDS = re.compile(r"\b(?:did|have|had|has) (?:you|i)\b", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?")


def label(parameter: str) -> str:
    """A parameter's name as people read it: EXTRA_SKIP_UI is "skip ui"."""
    return parameter.removeprefix("EXTRA_").replace("_", " ").casefold()


def will_do(call: Call, written: Call, year: int, about: Mapping[str, Any] | None = None) -> str:
    """What consent is asked for. `written` is the call as the model wrote it: it names the person behind a number.

    Args:
        about: the record that it would take away: when that is tells it from its namesakes.
    """
    return _words(0, call, written, year) + _when(about, year)


def did(call: Call, written: Call, year: int) -> str:
    return _words(1, call, written, year)


def compose(
    steps: Sequence[Step],
    refused: Sequence[Call],
    year: int,
    doubts: Sequence[tuple[Call, str]] = (),
    held: Collection[str] = (),
    people: Sequence[Person] = (),
) -> str:
    """The answer after actions: one sentence for each thing done, refused or failed.

    Args:
        doubts: what only the person can tell of what was refused. held: why actions were not proposed at all.
        people: the contacts, whose names stand before their numbers and addresses.
    """
    sentences: list[str] = []
    for step in steps:
        if step.agent is not Agent.TASK:
            continue
        for call, observation in zip(step.calls, step.observations, strict=True):
            written = _with_name(call, observation.call, people)
            if observation.error is not None:
                told = observation.error if observation.error in held else f"Not done: {observation.error}"
                sentences += [told] if told not in sentences else []
            elif observation.call in refused:
                doubt = next(
                    (f" ({text.rstrip('.')})" for call, text in doubts if call == observation.call and text), ""
                )
                sentences.append(f"Not done without your yes: {will_do(observation.call, written, year)}{doubt}")
            else:
                taken = observation.records[:1] if observation.removed else ()
                sentences.append(did(observation.call, written, year) + "".join(_when(each, year) for each in taken))
    return " ".join(sentence if sentence.endswith((".", "!", "?")) else sentence + "." for sentence in sentences)


def _with_name(written: Call, call: Call, people: Sequence[Person]) -> Call:
    """A call whose receiver was written as a number or address alone, with the contact's name in its place."""
    value = call.arguments.get("receiver")
    if not isinstance(value, str) or written.arguments.get("receiver") != value:
        return written
    meant = find_people(value, people)
    name = meant[0].get("name") if len(meant) == 1 else None
    return Call(written.name, {**written.arguments, "receiver": name}) if name else written


def grounded(answer: str, said: str, observations: Iterable[Observation], year: int) -> bool:
    """True if every number in a model's answer stands in what was said or found: the rest is not checked."""
    known = said + " " + " ".join(show_record(record, year) for found in observations for record in found.records)
    digits = set(re.findall(r"\d+", known))
    return all(number in digits or len(number) == 1 for number in re.findall(r"\d+", answer))


def owns_up(answer: str, query: str, observations: Sequence[Observation]) -> bool:
    """False if an answer tells something though all that was looked up found nothing: it would be made up.

    To say that nothing is there, it must name something of what was asked.
    """
    if not observations or any(found.records for found in observations):
        return True
    if answer.rstrip().endswith("?") or _FOUND_NOTHING.search(answer):
        return True
    asked = {word for word in words(query) if len(word) > 2} - COMMON
    return bool(_NOT.search(answer) and asked.intersection(words(answer)))


def claims(answer: str, query: str) -> bool:
    """True if an answer says that something was done; where no action was, only one about what was done before may."""
    return bool(_CLAIMING.search(answer)) and not ("?" in query or ASKS_OF_DEEDS.search(query))


NOT_UNDERSTOOD = "I did nothing, for I am not sure what you want. Please say it in other words."
_SENTENCE_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bNo)[.!?;]\s+")
_MOST_IN_SHORT = 4
_MISSING = re.compile(r"\bno (?P<app>[\w' -]{2,24}?) app\b", re.IGNORECASE)


def asked_back(answer: str, query: str, observations: Sequence[Observation], apps: Sequence[str], year: int) -> str:
    """Of a model's own words, where no action and no record stands behind them, what may be told.

    That is a question back without figures of its own, or that an app is missing which is not there. What a question
    comes with tells of the phone: in its place stands what was found, as records have it.
    """
    told = (match.span()[1] for match in _SENTENCE_END.finditer(answer.rstrip()))
    question = answer.rstrip()[max(told, default=0) :]
    missing = _MISSING.search(answer)
    lacks = missing and not any(missing["app"].casefold() in app.replace("_", " ") for app in apps)
    if question.endswith("?") and grounded(question, query, observations, year):
        if question == answer.strip():
            return question
        if missing and lacks:
            return f"There is no {missing['app'].strip()} app on this phone. {question}"
        found = [in_short(record, year) for each in observations for record in each.records]
        return f"I found {'; '.join(found[:_MOST_IN_SHORT])}. {question}" if found else question
    if missing and lacks:
        return f"There is no {missing['app'].strip()} app on this phone, so I cannot do that."
    return NOT_UNDERSTOOD


def in_short(record: Mapping[str, Any], year: int) -> str:
    """What a record is called, with when it is or who that is."""
    beside = next((record[name] for name in ("start", "time", "date", "relationship") if record.get(name)), "")
    title = title_of(record)
    return f"“{title}”{f' ({show_value(beside, year)})' if beside else ''}" if title else show_record(record, year)


def list_findings(observations: Iterable[Observation], year: int, most: int = 4) -> str:
    """The fallback answer: what was found, as it stands on the device."""
    lines = [show_record(record, year) for found in observations for record in found.records]
    if not lines:
        return "I found nothing about that on this device."
    more = f" ({len(lines) - most} more)" if len(lines) > most else ""
    return "This is what I found: " + " · ".join(lines[:most]) + more


def _when(record: Mapping[str, Any] | None, year: int) -> str:
    start = str((record or {}).get("start") or "")
    return f" ({_show(start, year)})" if _ISO.fullmatch(start) else ""


def _words(which: int, call: Call, written: Call, year: int) -> str:
    """The sentence of a call: 0 for what will be done, 1 for what was done."""
    values = {}
    for name, value in call.arguments.items():
        before = written.arguments.get(name)
        shown = f"{value:02}" if name == "EXTRA_MINUTES" and isinstance(value, int) else _show(value, year)
        named = isinstance(before, str) and name in ("receiver",) and before.casefold() != str(value).casefold()
        if named and not labelled(str(before)):  # of "Ana (+44 ...)" the number says who it is
            shown = f"{before} ({value})"
        values[name] = shown
    template: str = WORDS.get(call.name, ("", ""))[which]
    slots = _SLOT.findall(template)
    if not template or not set(slots) <= values.keys():
        spoken = re.sub(r"[_.]", " ", call.name)
        template, slots = (f"Done: {spoken}" if which else spoken.capitalize()), []
    # what the sentence does not name is shown too: nobody consents to a value that is not seen
    others = [f"{label(name)}: {value}" for name, value in values.items() if name not in slots]
    return template.format(**values) + (f" ({', '.join(others)})" if others else "")


def _show(value: object, year: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_show(each, year) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{label(str(name))} {_show(each, year)}" for name, each in value.items())
    text = str(value)
    if _ISO.fullmatch(text):
        return show_time(datetime.fromisoformat(text), year, clock="T" in text)
    return text


def what_was_done(actions: int) -> str:
    """Of so many actions, in words."""
    return f"{actions} action{'s were' if actions > 1 else ' was'} done" if actions else "nothing was done"


def stopped(actions: int, where: str = "") -> str:
    """What somebody is told who stopped an answer: how much was done by then, and where to see what."""
    if not actions:
        return f"Stopped: {what_was_done(0)}."
    return f"Stopped after {actions} action{'s' if actions > 1 else ''}{f': {where}' if where else '.'}"
