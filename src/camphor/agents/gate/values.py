"""Where each value of a call comes from: said, found, computed, chosen, or nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from rapidfuzz import fuzz

from camphor.agents.evidence import Evidence, Origin
from camphor.agents.gate.marks import doubted, evidence, in_place_of
from camphor.agents.gate.numbers import CLOCKED, exchanged, number_evidence, unused
from camphor.agents.gate.scene import ISO, NOON, Reached, Scene, clocks_of, title_of
from camphor.agents.gate.texts import made_up, sense_changed
from camphor.agents.gate.words import any_of, content, gate_words, plain, quoted, stem
from camphor.agents.observed_facts import FoundRecord
from camphor.device.people import find_people
from camphor.device.text import text_of, words
from camphor.device.when.clocks import length_of
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical
from camphor.tools.tool import MEANT_ROLES, PERSON_ROLES, Parameter, Role, Tool
from camphor.types import Call

_TIMES = frozenset({Role.TIME, Role.DATE, Role.TIME_RANGE})
_CONTACT = "contact"
_TIME_WORDS = frozenset((*WEEKDAYS, *MONTHS))
_DAWN = 6  # hour
_ALIKE = 80  # per cent of the letters of two first names
_LONGEST_TEXT = 1500  # characters: what is longer than all that was said and found together was made up


def evidence_of(tool: Tool, written: Call, call: Call, scene: Scene) -> Iterator[Evidence]:
    """The evidence of every value of a normalised call, in its order.

    Args:
        written: the call as the model wrote it, whose words are nearer to the person's.
    """
    for name, value in call.arguments.items():
        parameter = tool.parameter(name) or Parameter(name, type="")
        before = written.arguments.get(name, value)
        for each in _each(parameter, before, value, scene):
            said, new = _in_place(parameter, each, value, call, scene)
            yield in_place_of(parameter, new, said) if said else each


def unnamed(tool: Tool, written: Call, call: Call, scene: Scene) -> str:
    """The parameter whose person or thing the person's words do not lead to; "" for none.

    They do where they name it, or where the record that it stands in has a telling word of theirs or was looked up by
    one. Where they name some contact, whom they mean is said, and a call for another is for `judge`.
    """
    others = [person for person in scene.people if not person.get("is_self")]
    named = any(find_people(said, others) for said in phrases(scene))
    for each in evidence_of(tool, written, call, scene):
        parameter = tool.parameter(each.parameter)
        if parameter is None or parameter.role not in MEANT_ROLES or each.origin not in (Origin.FOUND, Origin.NOBODY):
            continue
        value = str(call.arguments.get(parameter.name, ""))
        meant = find_people(value, scene.people) if parameter.role in PERSON_ROLES else []
        if parameter.role in PERSON_ROLES and (named or not meant):  # a number of nobody's is for `judge` too
            continue
        if any(
            person.get("is_self") or any(find_people(said, [person]) for said in phrases(scene)) for person in meant
        ):
            continue
        about = {word for text in (value, *(str(person.get("name")) for person in meant)) for word in content(text)}
        if each.origin is Origin.NOBODY or not (about & _led_to(scene) or _alone_then(value, scene)):
            return parameter.name
    return ""


def said_in(value: str, query: str) -> bool:
    """Whether a query has a telling word of a value."""
    return bool(content(value) & content(query))


def _led_to(scene: Scene) -> frozenset[str]:
    """The telling words of the records to which words of the person lead: that have one, or were looked up by one.

    What the screen shows, or was done lately, is in sight of every query and named by none.
    """
    asked = content(scene.said)
    told: set[str] = set(content(scene.answered))
    for turn in (*scene.history, scene.turn):
        for seen in (seen for step in turn.steps for seen in step.observations):
            by_words = content(text_of(dict(seen.call.arguments))) & asked
            for record in seen.records:
                about = content(text_of(dict(record)))
                told |= about if by_words or about & asked else set()
    return frozenset(told)


def _alone_then(value: str, scene: Scene) -> bool:
    """Whether a value is of the one record that a look-up found by its time alone, where the query says a time."""
    if not fragments(scene.query, scene.now):
        return False
    timed = (seen for step in scene.turn.steps for seen in step.observations if len(seen.records) == 1)
    timed = (seen for seen in timed if not content(text_of(dict(seen.call.arguments))))
    return any(value in map(str, seen.records[0].values()) for seen in timed)


def _in_place(parameter: Parameter, mark: Evidence, value: Any, call: Call, scene: Scene) -> tuple[str, str]:
    """A number that the query says and no value of a call has, with the one in its place; "" where there is none."""
    if isinstance(value, int | float):
        return (unused(call, scene), f"{value}") if mark.origin is Origin.COMPUTED else ("", "")
    if mark.origin is Origin.NOBODY or parameter.role is not Role.TEXT or not isinstance(value, str):
        return "", ""
    return exchanged(value, call, scene)


def _each(parameter: Parameter, before: Any, value: Any, scene: Scene) -> Iterator[Evidence]:
    if isinstance(value, Mapping):
        fields = {field.name: field for field in parameter.fields}
        for key, item in value.items():
            given = before.get(key, item) if isinstance(before, Mapping) else item
            yield from _each(fields.get(key, Parameter(key, type="")), given, item, scene)
    elif isinstance(value, list | tuple):
        befores = before if isinstance(before, list | tuple) and len(before) == len(value) else value
        for given, item in zip(befores, value, strict=True):
            yield from _each(parameter, given, item, scene)
    else:
        yield _one(parameter, before, value, scene)


def _one(parameter: Parameter, before: Any, value: Any, scene: Scene) -> Evidence:
    if isinstance(value, bool) or value is None or parameter.enum or parameter.choices:
        return _chosen(parameter, value, scene)
    if parameter.default is not None and value == parameter.default:
        return evidence(parameter, value, Origin.CHOSEN, "usual")
    if parameter.role in CLOCKED or isinstance(value, int | float):
        return number_evidence(parameter, value, scene)
    if parameter.role in PERSON_ROLES:
        return _receiver(parameter, str(before), str(value), scene)
    if parameter.role in _TIMES or ISO.fullmatch(str(value)):
        return _time(parameter, str(before), str(value), scene)
    if parameter.role in (Role.REFERENCE, Role.NAME):
        return _named(parameter, str(before), str(value), scene)
    return _text(parameter, str(value), scene)


# choices and figures


def _chosen(parameter: Parameter, value: Any, scene: Scene) -> Evidence:
    """A choice is said where its words are; another one's words, and not its own, speak against it."""
    own = set(words(str(value).replace("_", " ")))
    if own and own <= scene.said_words:
        return evidence(parameter, value, Origin.SAID, "said", said=value)
    return evidence(parameter, value, Origin.CHOSEN, "choice")


# people


def _receiver(parameter: Parameter, before: str, value: str, scene: Scene) -> Evidence:
    reached: Reached | None = next(
        (each for each in scene.reached if each.parameter == parameter.name and each.value == value), None
    )
    if reached is not None and reached.doubt:
        return doubted(parameter, value, reached.doubt)
    if value and plain(value) in plain(scene.said):
        return evidence(parameter, value, Origin.SAID, "said", said=value)
    meant = find_people(value, scene.people)
    if scene.meant and [person.get("name") for person in meant] == [scene.meant]:
        return evidence(parameter, value, Origin.SAID, "said", said=scene.meant)
    if len(meant) == 1 and (other := _likelier(meant[0], scene)):
        doubt = gate_words().tell("marked", "other_person", name=meant[0].get("name"), other=other.get("name"))
        return doubted(parameter, value, doubt)
    if len(meant) == 1 and _is_meant(meant[0], scene):
        return evidence(parameter, value, Origin.FOUND, "contact", name=meant[0].get("name") or value)
    if not meant and reached is not None and reached.origin != _CONTACT:
        return evidence(parameter, value, Origin.FOUND, "record", title=reached.source or reached.name or before)
    return evidence(parameter, before or value, Origin.NOBODY, "nobody")


def _likelier(person: Mapping[str, Any], scene: Scene) -> Mapping[str, Any] | None:
    """Another contact of whom the query says as much, and who shares a name with a person or has nearly theirs: of "my
    brother Brian" the other Brians are less, of "Brian" alone every one of them may be meant."""
    asked, name = words(scene.query), words(str(person.get("name") or ""))
    if f" {' '.join(name)} " in f" {' '.join(asked)} ":
        return None  # their whole name
    told = _speaks_of(person, asked)
    best: Mapping[str, Any] | None = None
    for each in scene.people:
        other = words(str(each.get("name") or ""))
        shared = set(name) & set(other) & set(asked)
        alike = not set(name) & set(asked) and set(other) & set(asked) and _nearly(name, other)
        if each.get("name") != person.get("name") and not each.get("is_self") and (shared or alike):
            more = _speaks_of(each, asked)
            if more >= max(told, 1):
                best, told = each, more + 1
    return best


def _nearly(name: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two names are easily taken for each other: "Ann Mallett", "Anne Mallows"."""
    return bool(name and other) and fuzz.ratio(name[0], other[0]) > _ALIKE


def _speaks_of(person: Mapping[str, Any], asked: Sequence[str]) -> int:
    """How many words of a contact's name and relationship a query has; an initial behind a first name is one."""
    name = words(str(person.get("name") or ""))
    initials = {f"{name[0]} {each[0]}" for each in name[1:]} if name else set()
    pairs = {f"{one} {other}" for one, other in pairwise(asked)}
    return len({*asked} & {*name, *words(str(person.get("relationship") or ""))}) + len(initials & pairs)


def _is_meant(person: Mapping[str, Any], scene: Scene) -> bool:
    """Whether the person's words speak of a contact, or a record that is not the contact itself does."""
    name = set(words(str(person.get("name") or "")))
    if name & scene.said_words or person.get("is_self"):
        return True
    if any(find_people(phrase, [person]) for phrase in phrases(scene)):
        return True
    for step in (step for turn in (*scene.history, scene.turn) for step in turn.steps):
        for seen in step.observations:
            theirs = any(record.get("name") == person.get("name") for record in seen.records)
            asked = content(" ".join(str(value) for value in seen.call.arguments.values()))
            if theirs and asked & content(scene.said):
                return True
            others = (record for record in seen.records if record.get("name") != person.get("name"))
            if any(name <= set(words(" ".join(map(str, record.values())))) for record in others):
                return True
    return bool(name & set(words(scene.answered)))


def phrases(scene: Scene) -> Iterator[str]:
    """The words of what was said, one by one and in pairs, that could name somebody."""
    said = list(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", scene.said))[-80:]
    common = gate_words().common
    for at, word in enumerate(said):
        if word.casefold() not in common and len(word) > 1:
            yield word
            if at + 1 < len(said):
                yield f"{word} {said[at + 1]}"


# times


def _time(parameter: Parameter, before: str, value: str, scene: Scene) -> Evidence:
    at = _moment(value)
    if at and "T" in value and (said := _other_half(at, scene)):
        return in_place_of(parameter, value, said)
    if before and plain(before) in plain(scene.said):
        return evidence(parameter, value, Origin.COMPUTED, "time", said=before)
    if said := _said_time(value, scene):
        return evidence(parameter, value, Origin.COMPUTED, "time", said=said)
    for moment, found, _ in scene.moments_found if at else ():
        if is_at(moment, value):
            return evidence(parameter, value, Origin.FOUND, "record", title=title_of(found.record))
    if before != value and (said := _told_in_pieces(before, scene)):
        return evidence(parameter, value, Origin.COMPUTED, "time", said=said)
    if at and (said := _composed(at, scene)):
        return evidence(parameter, value, Origin.COMPUTED, "time", said=said)
    return evidence(parameter, before if before != value else value, Origin.NOBODY, "nobody")


def _other_half(at: datetime, scene: Scene) -> str:
    """The clock that was said, where a time has it in the half of the day that nobody means: "half past seven of an
    evening" is not in the morning, and "at one" not in the night; "" where it may be so, or a record has that time."""
    if any((moment.hour, moment.minute) == (at.hour, at.minute) for moment, *_ in scene.moments_found):
        return ""
    told = set(words(scene.query))
    early, late = (bool(told & each) for each in (gate_words().early, gate_words().late))
    wrong = (at.hour < _DAWN and not (early or late)) or (early != late and late == (at.hour < NOON))
    for piece, moment in scene.moments_said if wrong else ():
        halves = clocks_of(piece.text, moment)
        if (
            piece.kind is not TimeKind.DAY
            and piece.text in scene.query
            and len(halves) > 1
            and (at.hour, at.minute) in halves
        ):
            return piece.text
    return ""


def _moment(value: str) -> datetime | None:
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return None


def is_at(moment: datetime, value: str) -> bool:
    """Whether a moment is the one of a value in ISO 8601; of a value without an hour, whether it is on that day."""
    at = _moment(value)
    return at is not None and (moment.replace(tzinfo=None) == at or ("T" not in value and moment.date() == at.date()))


def _said_time(value: str, scene: Scene) -> str:
    return next((piece.text for piece, moment in whole_pieces(scene.moments_said) if is_at(moment, value)), "")


def whole_pieces(said: Sequence[tuple[Fragment, datetime]]) -> list[tuple[Fragment, datetime]]:
    """The pieces that are no part of a longer one: of "oct 3, 3 am" neither "3" nor "oct 3, 3" means anything."""
    return [
        (piece, moment)
        for piece, moment in said
        if not any(piece is not other and piece.text != other.text and _holds(other, piece) for other, _ in said)
    ]


def _holds(outer: Fragment, inner: Fragment) -> bool:
    starts, ends = outer.start <= inner.start, inner.start + len(inner.text) <= outer.start + len(outer.text)
    return starts and ends and inner.text in outer.text


def _told_in_pieces(before: str, scene: Scene) -> str:
    """The words said of a time whose every figure and day stand in what was said or found; "" where one does not."""
    tokens = [each for each in re.findall(r"\d+|[a-z]+", canonical(before)) if each.isdigit() or each in _TIME_WORDS]
    there = canonical(scene.said) + " " + scene.said
    shown = " ".join(canonical(text[:300]) + " " + text[:300] for each in scene.records for _, text in each.shown)
    known = {each.lstrip("0") for each in re.findall(r"\d+|[a-z]+", f"{there} {shown} {scene.answered}".casefold())}
    known |= {day for day in WEEKDAYS if day[:3] in known} | {month for month in MONTHS if month[:3] in known}
    if tokens and all(each.lstrip("0") in known for each in tokens):
        return before
    return ""


def _composed(at: datetime, scene: Scene) -> str:
    """The words of a time made of a day and an hour that were said or found, or of a length from one of these."""
    pieces = whole_pieces(scene.moments_said)
    said = [(piece.text, moment) for piece, moment in pieces]
    found = [(title_of(each.record), moment.replace(tzinfo=None)) for moment, each, _ in scene.moments_found]
    known = [*said, *found, ("now", scene.now.replace(second=0, microsecond=0))]
    lengths = [
        (piece.text, length.delta)
        for text in (scene.query, *(turn.query for turn in scene.history))
        for piece in fragments(text, scene.now)
        if piece.kind is TimeKind.LENGTH and (length := length_of(canonical(piece.text)))
    ]
    for words_, delta in lengths:
        if any(moment + delta == at or moment - delta == at for _, moment in known):
            return words_
    days = {moment.date() for piece, moment in pieces if piece.kind is not TimeKind.CLOCK and piece.text in scene.query}
    if not days:  # no day was said: it is one that is known, or the next
        days = {moment.date() for _, moment in known} | {scene.now.date(), scene.now.date() + timedelta(days=1)}
    hours = {clock: words_ for words_, moment in said for clock in clocks_of(words_, moment)}
    hours |= {(moment.hour, moment.minute): title for title, moment in found}
    shifts = (-1, 0, 1) if _BEFORE.search(plain(scene.said)) or not said else (0,)
    near = {day + timedelta(days=shift) for day in days for shift in shifts}
    if at.date() in near and (at.hour, at.minute) in hours:
        return hours[at.hour, at.minute]
    if at.date() in {moment.date() for _, moment in said} and (at.hour, at.minute) == (9, 0):
        return next(words_ for words_, moment in said if moment.date() == at.date())
    return ""


_BEFORE = re.compile(r"\b(?:before|after|eve|ahead|earlier|next|following|overnight|midnight|same)\b")

# names and texts


def _named(parameter: Parameter, before: str, value: str, scene: Scene) -> Evidence:
    """A title or a code: it stands in a record that was found, or in what was said."""
    for text in (value, before):
        if text and (text == scene.meant or plain(text) in plain(scene.said)):
            return evidence(parameter, value, Origin.SAID, "said", said=text)
    for each in scene.records:
        if any(plain(value) in plain(text) for _, text in each.shown):
            if said := _another_meant(value, each, scene):
                return in_place_of(parameter, value, said)
            return evidence(parameter, value, Origin.FOUND, "record", title=title_of(each.record) or value)
    told = {stem(word) for word in words(value)}
    there = {stem(word) for word in scene.said_words | scene.found_words}
    if told & {stem(word) for word in content(value)} and told <= there:
        return evidence(parameter, value, Origin.SAID, "said", said=quoted(before))
    if content(value) & content(scene.said) and not made_up(value, scene):
        return evidence(parameter, value, Origin.SAID, "said", said=quoted(before))
    return evidence(parameter, value, Origin.NOBODY, "nobody")


def _another_meant(value: str, found: FoundRecord, scene: Scene) -> str:
    """What a query calls the thing it speaks of, where it says less of the record that a value was taken from: words of
    another record of its kind, or a name that no record has ("get me the app HoldTimer"); "" where there is none."""
    asked, said = content(scene.query), content(scene.said)
    shared = (_about(found.record) | content(value)) & asked
    others = (each.record for each in scene.records if each.record.keys() == found.record.keys())
    for other in others:
        if other != found.record and len(_about(other) & asked) > len(shared):
            return title_of(other) or any_of(sorted(_about(other) & asked))
    if shared:
        return ""
    if (_about(found.record) | content(value)) & said:
        return ""
    for match in re.finditer(r"(?<=[a-z,] )(?!I\b)[A-Z][\w’'-]{2,}(?: [A-Z][\w’'-]+)*", scene.query):
        named = words(match[0])
        if named and not any(word in scene.found_words or word in _TIME_WORDS for word in named):
            return match[0]
    return ""


def _about(record: Mapping[str, Any]) -> frozenset[str]:
    """The telling words of a record, without its figures' and times' alone."""
    return content(text_of(dict(record))[:2000])


def _text(parameter: Parameter, value: str, scene: Scene) -> Evidence:
    if len(value) > _LONGEST_TEXT and len(value) > 4 * len(scene.shown):
        doubt = gate_words().tell("marked", "long", name=parameter.name.replace("_", " "), length=f"{len(value):,}")
        return doubted(parameter, value, doubt)
    if pieces := made_up(value, scene):
        doubt = gate_words().tell("marked", "text", pieces=any_of(pieces))
        return doubted(parameter, value, doubt)
    if part := sense_changed(value, scene):
        doubt = gate_words().tell("marked", "sense", said=quoted(part))
        return doubted(parameter, value, doubt)
    shared = content(value) & content(scene.said)
    if 2 * len(shared) >= len(content(value)) or not scene.records:
        return evidence(parameter, value, Origin.SAID, "said", said=quoted(scene.query))
    best = max(scene.records, key=lambda each: len(content(" ".join(t for _, t in each.shown)) & content(value)))
    return evidence(parameter, value, Origin.FOUND, "record", title=title_of(best.record))
