"""One implicit query: a wording, and what the life says that it means (Context Tuning, section 3.1).

The words come first, then code looks who else could be meant by them: among all threads of the kinds that the wording
fits, the query is about the nearest one, and where another is as near nobody asks it that way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from camphor.device.usage import ItemRef
from camphor.errors import ArgumentError
from camphor.tools.invoke import check
from camphor.types import Call
from camphor_lab.datasets.calling.dates import drawn_moment
from camphor_lab.datasets.calling.times import NoWords
from camphor_lab.datasets.context.finders import Meant
from camphor_lab.datasets.context.intents import ANY, QueryIntent
from camphor_lab.datasets.context.lives import Life, LifePerson, Thread
from camphor_lab.datasets.context.phrases import QueryBank, QueryPhrase, Wording, fill
from camphor_lab.datasets.context.samples import ContextSample
from camphor_lab.datasets.context.scene import LifeMoment
from camphor_lab.datasets.context.toolbox import context_toolbox
from camphor_lab.datasets.style import LOWERED, STYLES, as_said, restyle

_PRONOUNS = {
    "she": {"they": "she", "them": "her", "their": "her"},
    "he": {"they": "he", "them": "him", "their": "his"},
    "they": {"they": "they", "them": "them", "their": "their"},
}
_AHEAD = {
    "ten minutes": 10, "fifteen minutes": 15, "a quarter of an hour": 15, "twenty minutes": 20, "half an hour": 30,
    "45 minutes": 45, "an hour": 60, "one hour": 60, "an hour and a half": 90, "90 minutes": 90, "two hours": 120,
    "3 hours": 180, "a day": 1440, "two days": 2880,
}  # fmt: skip
_QUESTION = re.compile(
    r"(what|where|when|who|whose|which|how|why|is|are|was|were|do|does|did|am|have|has|had|can|could|should|shall|will)"
    r"(n't|'s|'re)?\b(?!.*[.!?])",
    re.IGNORECASE,
)
_GREETED = re.compile(r"^(good )((?:mo|af|ev|da)[a-z]+)\b", re.IGNORECASE)
_MOMENTS = timedelta(days=12)
_FAR_MOMENTS = 60  # draws
_VAGUE = 4  # kinds; words for so many name none of them
_COMPANY = {"date_night": ("family", "friend"), "trip": ("family", "friend"), "birthday": ("family", "friend")}
_MET = ("venue", "gym", "clinic")  # places of what the person is on the way to
_AS_NEAR = 0.2  # hours within which two threads are equally near


@dataclass(frozen=True)
class QueryDraft:
    """A query before it is worded: its scene, its thread, what it means and the slots' words and values."""

    scene: LifeMoment
    thread: Thread
    found: Meant
    words: Mapping[str, str]
    arguments: Mapping[str, Any]


def about(life: Life, intent: QueryIntent, kinds: tuple[str, ...]) -> list[Thread]:
    """The threads that a wording for these kinds could mean; one that stands for the whole life for "any"."""
    if ANY in kinds:
        return [Thread(ANY, "", {}, list(range(len(life.items))))]
    return [thread for thread in life.threads if thread.kind in kinds]


def ask(
    life: Life, phrase: QueryPhrase, thread: Thread, now: datetime, bank: QueryBank, rng: Random
) -> QueryDraft | None:
    """What a wording means at a moment; None where it would not mean this thread, or nobody would ask."""
    scene, intent = LifeMoment(life, now), phrase.intent
    if intent.away and scene.place in _MET:
        scene.place = "out"
    found = intent.find(scene, thread)
    if found is None or not found.items or not _nearest(scene, phrase, thread, found):
        return None
    words: dict[str, str] = {}
    arguments = dict(found.arguments)
    if phrase.slots & {"they", "them", "their"}:
        if found.who is None:
            return None
        words.update(_PRONOUNS[found.who.pronoun])
    for slot, argument in intent.slots:
        drawn = _draw(scene, slot, found, bank, rng, thread.kind)
        if drawn is None:
            return None
        words[slot], arguments[argument], more = drawn
        found = replace(found, items=(*found.items, *more))
    return QueryDraft(scene, thread, found, words, arguments)


def _nearest(scene: LifeMoment, phrase: QueryPhrase, thread: Thread, found: Meant) -> bool:
    """Whether the words mean this thread, and not another that they fit."""
    intent = phrase.intent
    names_no_kind = len(phrase.kinds) > 1 and (phrase.kinds == intent.kinds or len(phrase.kinds) >= _VAGUE)
    if names_no_kind and _all_day(scene, found):
        return False  # nobody has to be anywhere at its midnight
    for rival in about(scene.life, intent, phrase.kinds):
        if rival is thread or rival.kind == ANY:
            continue
        other = intent.find(scene, rival)
        if not other or (names_no_kind and _all_day(scene, other)):
            continue
        if set(other.items) != set(found.items) and other.score < found.score + _AS_NEAR:
            return False
    return intent.usage or not names_no_kind or _first_of_all(scene, found)


def _all_day(scene: LifeMoment, found: Meant) -> bool:
    return any(scene.all_day(item) for item in found.items if scene.life.items[item].app == "calendar")


def _first_of_all(scene: LifeMoment, found: Meant) -> bool:
    """Whether no other item of the phone, of whatever thread or of none, comes to mind before the one that is meant."""
    app = scene.life.items[found.items[0]].app
    if found.when is not None and app != "mail":
        away = abs(scene.hours_to(found.when)) + _AS_NEAR
        events = [item for item in scene.known("calendar") if item not in found.items and not scene.all_day(item)]
        return all(abs(scene.hours_to(scene.start(event))) > away for event in events)
    others = [item for item in scene.known(app) if item not in found.items]
    if app == "reminders":
        dues = [due for item in others if (due := scene.due(item))]
        return all(abs(scene.hours_to(due)) > found.score + _AS_NEAR for due in dues)
    if app in ("google", "notes", "mail", "phone"):
        return all(scene.hours_since(item) > scene.hours_since(found.items[0]) for item in others)
    return True


def _draw(
    scene: LifeMoment, slot: str, found: Meant, bank: QueryBank, rng: Random, kind: str
) -> tuple[str, Any, tuple[int, ...]] | None:  # fmt: skip
    """Words for a slot, the value of its parameter, and further items that are meant."""
    if slot == "moment":
        return _moment(scene.now, rng)
    if slot == "ahead":
        fitting = [each for each in _AHEAD.items() if found.when and _before(found.when, each[1]) > scene.now]
        if not fitting or found.when is None:
            return None
        words, minutes = rng.choice(fitting)
        return words, _before(found.when, minutes).isoformat(), ()
    if slot == "relation":
        return _relation(scene, found, rng, kind)
    words = rng.choice(bank.values[slot])
    return words, words, ()


def _before(moment: datetime, minutes: int) -> datetime:
    return moment - timedelta(minutes=minutes)


def _moment(now: datetime, rng: Random) -> tuple[str, str, tuple[int, ...]] | None:
    for _ in range(_FAR_MOMENTS):
        try:
            drawn = drawn_moment(rng, now)
        except NoWords:
            continue
        moment = datetime.fromisoformat(drawn.fields["iso"])
        if now < moment < now + _MOMENTS and not drawn.words.startswith("in "):
            return drawn.words, drawn.fields["iso"], ()
    return None


def _relation(scene: LifeMoment, found: Meant, rng: Random, kind: str) -> tuple[str, str, tuple[int, ...]] | None:
    """A person whom a call on the phone names, by their relationship: "my sister"; one who may come along."""
    people: list[tuple[LifePerson, int]] = []
    if kind == "date_night" and (found.who is None or found.who.circle != "friend"):
        return None  # a couple stays alone
    for person in scene.life.persona.people:
        call = scene.call_with(person)
        if call is None or person.circle == "service" or call in found.items:
            continue
        if person == found.who or person.circle not in _COMPANY.get(kind, (person.circle,)):
            continue
        alike = [one for one in scene.life.persona.people if one.relationship == person.relationship]
        taken = any(scene.says(item, person.name) for item in found.items)
        if len(alike) == 1 and not taken and scene.says(call, person.relationship):
            people.append((person, call))
    if not people:
        return None
    person, call = rng.choice(people)
    return f"my {person.relationship.lower()}", person.name, (call,)


# ---- words -----------------------------------------------------------------------------------------------------------


def word(asked: QueryDraft, phrase: QueryPhrase, refs: Mapping[int, ItemRef], rng: Random) -> ContextSample | None:
    """The sample, without its id; None where the plan does not fit its tool or its text was lost."""
    wording = fill(phrase, asked.words, rng)
    query, style = _styled(wording, asked.scene.now.hour, rng)
    intent, arguments = phrase.intent, dict(asked.arguments)
    if intent.text:
        said = _as_written(query, style, wording.marked)
        if said is None:
            return None
        arguments[intent.text] = said
    for slot, argument in intent.slots:
        if arguments[argument] == asked.words[slot]:  # copied, as the query has it
            said = _as_written(query, style, asked.words[slot])
            if said is None:
                return None
            arguments[argument] = said
    try:
        call = check(context_toolbox().get(intent.tools[0]), Call(intent.tools[0], arguments))
    except ArgumentError:
        return None
    scene, persona = asked.scene, asked.scene.life.persona.id
    return ContextSample(
        id="",
        persona=persona,
        device=f"devices/{persona}.device.json",
        now=scene.now,
        place=scene.place,
        screen=scene.screen,
        query=query,
        context=tuple(refs[item] for item in asked.found.items),
        tools=intent.tools,
        plan=(call,),
        intent=intent.name,
        thread=asked.thread.kind,
    )


def _styled(wording: Wording, hour: int, rng: Random) -> tuple[str, str]:
    style = rng.choice(STYLES)
    text = wording.text
    asks = bool(_QUESTION.match(text))
    if text[-1].isalnum() and style not in (*LOWERED, "terse") and rng.random() < (0.6 if asks else 0.35):
        text += "?" if asks else "."
    return _greeting(restyle(text, style, rng, wording.kept), hour), style


def _greeting(text: str, hour: int) -> str:
    """A greeting that begins the text, as the clock wants it."""
    time = "morning" if 4 <= hour < 12 else "afternoon" if 12 <= hour < 18 else "evening"
    return _GREETED.sub(lambda found: found[1] + time, text)


def _as_written(query: str, style: str, words: str) -> str | None:
    """These words as the query has them, whatever their capitals."""
    for wanted in (words, as_said(words, style)):
        at = query.lower().find(wanted.lower())
        if at >= 0 and len(query.lower()) == len(query):
            return query[at : at + len(wanted)]
    return None
