"""A wish: what is said, what has to be looked up, what has to be done; and the world it is drawn from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from camphor.device.people import find_people
from camphor.device.text import search, words
from camphor.types import Agent
from camphor_lab.datasets.bank import Bank, Spread, Utterance, fill, slots_of
from camphor_lab.datasets.moments import SpokenMoment, SpokenSpan, draw_moment, draw_span
from camphor_lab.datasets.phones import Record, SampledPhone
from camphor_lab.datasets.telling import ExpectedAnswer
from camphor_lab.datasets.wording import listed, weight

ORDER = (Agent.DEVICE, Agent.PERCEPTION, Agent.KNOWLEDGE, Agent.CONTEXT)


class Unfit(Exception):
    """This situation cannot be drawn from this phone; another one is tried."""


@dataclass(frozen=True)
class LookUp:
    """`round` 1 is made after the observations of round 0 are known."""

    agent: Agent
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    round: int = 0


@dataclass(frozen=True)
class GoldAct:
    """A task-completion call: as the model writes it, and its gold arguments."""

    name: str
    human: Mapping[str, Any]
    gold: Mapping[str, Any]


def find(tool: str, turn: int = 0, **arguments: Any) -> LookUp:
    """A look-up of personal context."""
    return LookUp(Agent.CONTEXT, tool, arguments, turn)


def same(tool: str, /, **arguments: Any) -> GoldAct:
    """An action whose gold arguments are those that the model writes."""
    return GoldAct(tool, arguments, arguments)


def at_time(tool: str, said: str, value: datetime, name: str, written: Sequence[str]) -> GoldAct:
    """An action at a time, as it is said and as it is, with a text that may be written in several ways."""
    return GoldAct(tool, {"time": said, name: written[0]}, {"time": value.isoformat(), name: gold_text(written)})


def timed(tool: str, name: str, moment: SpokenMoment, written: Sequence[str], line: str) -> GoldAct:
    """An action at a moment, in the words of time that stand in the filled `line`."""
    return at_time(tool, moment.said(line), moment.value, name, written)


@dataclass
class Wish:
    situation: str
    text: str
    clause: bool = False
    lookups: list[LookUp] = field(default_factory=list)
    acts: list[GoldAct] = field(default_factory=list)
    response: str = ""
    tags: tuple[str, ...] = ()
    person: str = ""  # a contact whom the wish names: pronouns of a following clause refer to it
    skeleton: str = ""
    skeletons: tuple[str, ...] = ()  # of a compound
    app: str = ""  # the invented app that it needs
    told: ExpectedAnswer | None = None  # what a right answer says

    @property
    def lines(self) -> tuple[str, ...]:
        return self.skeletons or ((self.skeleton,) if self.skeleton else ())


def saying(
    name: str,
    line: str,
    clause: bool,
    values: Mapping[str, str],
    lookups: list[LookUp],
    acts: list[GoldAct],
    tags: str | Iterable[str] = (),
    *,
    response: str = "",
    person: str = "",
    app: str = "",
    told: ExpectedAnswer | None = None,
) -> Wish:
    """The wish that a line of the bank says once it is filled; `tags` may be one text."""
    marks = tuple(tags.split() if isinstance(tags, str) else tags)
    return Wish(name, fill(line, values), clause, lookups, acts, response, marks, person, line, app=app, told=told)


@dataclass
class World:
    """One phone, one source of chance, one way of speaking."""

    phone: SampledPhone
    bank: Bank
    rng: Random
    spoken: bool = False
    spread: Spread = field(default_factory=lambda: Spread(None))

    @property
    def now(self) -> datetime:
        return self.phone.now

    def need(self, app: str) -> None:
        if not self.phone.has(app):
            raise Unfit(app)

    def pick(self, records: Sequence[Any]) -> Any:
        if not records:
            raise Unfit("nothing to pick from")
        return self.rng.choice(records)

    def people(self) -> list[Record]:
        return [person for person in self.phone.records("contacts", "people") if not person["is_self"]]

    def moment(self, occasion: str = "") -> SpokenMoment:
        return draw_moment(self.rng, self.now, spoken=self.spoken, occasion=occasion)

    def span(self, *, long: bool = True) -> SpokenSpan:
        return draw_span(self.rng, long=long)

    def line(
        self, situation: str, *, clause: bool | None = None, having: str = "", without: str = ""
    ) -> tuple[str, bool]:
        """A skeleton, and whether it is a clause that can be joined to others."""
        rng = self.rng
        asked = self.bank.lines(situation, "ask")
        clauses = self.bank.lines(situation, "clause")
        if clause is None:
            clause = bool(clauses) and (not asked or rng.random() < len(clauses) / (len(clauses) + len(asked)))
        pool = clauses if clause else asked
        if having:
            pool = tuple(line for line in pool if having in slots_of(line))
        if without:
            pool = tuple(line for line in pool if without not in slots_of(line))
        return self.pick(self.spread.open(pool)), clause

    def reply(self, situation: str, values: Mapping[str, str]) -> str:
        return sentence(fill(self.bank.pick(self.rng, situation, "reply"), values))


def sentence(text: str) -> str:
    """With a capital, unless it begins with an address or a handle, which must stay as they are."""
    first = text.split(" ", 1)[0]
    return text if re.search(r"[@/_]|\w\.\w|\d", first) else text[:1].upper() + text[1:]


@dataclass(frozen=True)
class PersonReference:
    """A person as said, with the words to look up, and who it is."""

    said: str
    keyword: str
    person: Record

    @property
    def name(self) -> str:
        return str(self.person["name"])


def refer(world: World, person: Record | None = None, *, having: str = "") -> PersonReference:
    """Choose a person and a way to speak of them that fits nobody else on the phone."""
    everyone = world.phone.records("contacts", "people")
    for _ in range(12):
        who = person or world.pick([p for p in world.people() if not having or having in p])
        name = str(who["name"])
        ways = [(name.split()[0], name.split()[0])] * 4 + [(name, name)] * 3
        for said in world.phone.spoken_people.get(name, ()):
            ways += [(said, said.split(" ", 1)[-1])] * 4
        said, keyword = world.rng.choice(ways)
        if (
            [found["name"] for found in find_people(keyword, everyone)] == [name]
            and search(everyone, keyword)[:1] == [who]
            and _alone(everyone, keyword)
        ):
            return PersonReference(said, keyword, who)
    raise Unfit("no person can be named without doubt")


def _alone(records: Sequence[Record], keyword: str) -> bool:
    wanted = set(words(keyword))
    return sum(wanted <= set(words(" ".join(map(str, record.values())))) for record in records) == 1


def contact(reference: PersonReference) -> LookUp:
    return find("get_contacts_information", keyword=reference.keyword)


@dataclass(frozen=True)
class EventReference:
    said: str
    theme: str
    event: Record

    @property
    def title(self) -> str:
        return str(self.event["title"])

    @property
    def start(self) -> datetime:
        return datetime.fromisoformat(self.event["start"])

    @property
    def end(self) -> datetime:
        return datetime.fromisoformat(self.event["end"])


def refer_event(world: World, *, having: str = "", coming: bool = True, only: str = "") -> EventReference:
    """Choose an event and words of it that find it and nothing else."""
    events = world.phone.records("calendar", "events")
    pool = [
        event
        for event in events
        if (not having or event.get(having))
        and (not coming or datetime.fromisoformat(event["start"]) > world.now)
        and only in ("", event["title"])
    ]
    for _ in range(8):
        event = world.pick(pool)
        said = world.rng.choice([*world.phone.spoken_events.get(event["title"], []), event["title"]])
        title = set(words(str(event["title"])))
        theme = " ".join(
            word
            for word in said.replace("'s", "").split()
            if set(words(word)) & title and word not in ("the", "at", "of", "with", "to", "for")
        )
        if theme and unique(events, theme, event):
            return EventReference(said, theme, event)
    raise Unfit("no event can be named without doubt")


def unique(records: Sequence[Record], keyword: str, record: Record) -> bool:
    """True when a look-up of `keyword` gives this record alone."""
    found = search(records, keyword)
    return len(found) == 1 and found[0] is record


def look_up_event(event: EventReference) -> LookUp:
    return find("get_calendar_event", theme=event.theme)


def best_words(world: World, records: Sequence[Record], record: Record, text: str) -> str:
    """One to three words of `text` that find `record` alone, such as a person would remember it by.

    A rare word that names something goes before two words side by side; nobody remembers by 'quick' or 'next'.

    Raises:
        Unfit: there are none.
    """
    said = [word.strip(".,:;!?'\"()") for word in text.split()]
    strong = [weight(word) for word in said]
    singles = [word for word, is_strong in zip(said, strong, strict=True) if is_strong]
    pairs = [
        f"{said[at]} {said[at + 1]}"
        for at in range(len(said) - 1)
        if strong[at + 1]
        and len(said[at]) > 2
        and said[at].lower() not in listed("thin")
        and "," not in text.split()[at]
    ]
    triples = [
        f"{said[at]} {said[at + 1]} {said[at + 2]}" for at in range(len(said) - 2) if strong[at] and strong[at + 2]
    ]
    tiers = [singles + pairs, triples] if world.rng.random() < 0.6 else [pairs, singles, triples]
    for tier in tiers:
        world.rng.shuffle(tier)
        for candidate in tier:
            if unique(records, candidate, record):
                return candidate
    raise Unfit("no words find this record alone")


@dataclass(frozen=True)
class MessageContent:
    """What a message says: the slot it fills, as said, and the right ways to write it."""

    slot: str
    said: str
    written: tuple[str, ...]


CONTENT = ("tell", "ask", "to", "quote")


def content_for(world: World, line: str, pronouns: tuple[str, str, str], *, tell: str = "tell") -> MessageContent:
    """Fill the content slot of a line; the receiver's pronouns are put in. `tell`: the bank's list for that slot."""
    slot = next((slot for slot in CONTENT if slot in slots_of(line)), None)
    if slot is None:
        raise Unfit("no content in the line")
    said: Utterance = world.bank.say(world.rng, tell if slot == "tell" else slot)
    names = dict(zip(("he", "him", "his"), pronouns, strict=True))
    text = fill(said.said, names)
    last = line.rstrip(".?!").endswith("{quote}")
    if slot == "quote" and last and world.rng.random() < 0.5:
        text = text[:1].lower() + text[1:]
    elif slot == "quote":
        text = f'"{text}"' if not last or world.rng.random() < 0.6 else text
    return MessageContent(slot, text, tuple(fill(part, names) for part in said.written))


def gold_text(written: Sequence[str]) -> Any:
    return written[0] if len(written) == 1 else {"any_of": list(written)}


Program = Callable[[World], Wish]
PROGRAMS: dict[str, tuple[float, Program]] = {}


def situation(weight: float) -> Callable[[Program], Program]:
    """Register a program under its function's name; `weight` is how often it is drawn among single wishes."""

    def register(program: Program) -> Program:
        PROGRAMS[program.__name__] = (weight, program)
        return program

    return register
