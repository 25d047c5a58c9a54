"""Where each value of a call comes from: said, found, computed, chosen, or nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from camphor.agents.evidence import Evidence, Origin
from camphor.agents.gate.scene import Reached, Scene, clocks_of, title_of
from camphor.agents.gate.texts import exchanged, made_up, sense_changed
from camphor.agents.gate.words import any_of, content, gate_words, plain, quoted, stem
from camphor.agents.observed_facts import FoundRecord
from camphor.device.people import find_people
from camphor.device.text import text_of, words
from camphor.device.when.clocks import length_of
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical
from camphor.tools.tool import Parameter, Role, Tool
from camphor.types import Agent, Call

_PEOPLE = frozenset({Role.PERSON, Role.PHONE, Role.EMAIL})
_TIMES = frozenset({Role.TIME, Role.DATE, Role.TIME_RANGE})
_CLOCKED = frozenset({Role.HOUR, Role.MINUTE, Role.DURATION, Role.WEEKDAYS})
_CONTACT = "contact"
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
_COUNTS: dict[str, float] = {"a": 1, "an": 1, "single": 1, "once": 1, "pair": 2, "couple": 2, "both": 2, "twice": 2}
_COUNTS |= {"dozen": 12, "half": 0.5}
_RECKONED = frozenset({"half", "twice", "dozen"})
_TIME_WORDS = frozenset((*WEEKDAYS, *MONTHS))
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
            unused = _unused_figure(call, scene) if each.origin is Origin.COMPUTED and _is_number(value) else ""
            if unused:
                doubt = gate_words().tell("marked", "other_name", name=each.value, said=unused)
                each = Evidence(each.parameter, each.value, Origin.NOBODY, each.source, doubt)
            yield each


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unused_figure(call: Call, scene: Scene) -> str:
    """A number that the query says, in digits and of no time, and that no value of the call has; "" without one."""
    there = set(re.findall(r"\d+", text_of(dict(call.arguments)).replace(",", "")))
    in_times = {each for piece, _ in scene.moments_said for each in _figures_of_time(canonical(piece.text))}
    said = re.findall(r"(?<![\d.,:])\d[\d,]*(?![\d.:])", scene.query)
    return next((each for each in said if each.replace(",", "") not in there | in_times), "")


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
        return _evidence(parameter, value, Origin.CHOSEN, "usual")
    if parameter.role in _CLOCKED or isinstance(value, int | float):
        return _number(parameter, value, scene)
    if parameter.role in _PEOPLE:
        return _receiver(parameter, str(before), str(value), scene)
    if parameter.role in _TIMES or _ISO.fullmatch(str(value)):
        return _time(parameter, str(before), str(value), scene)
    if parameter.role in (Role.REFERENCE, Role.NAME):
        return _named(parameter, str(before), str(value), scene)
    return _text(parameter, str(value), scene)


def _evidence(parameter: Parameter, value: Any, origin: Origin, source: str, **told: object) -> Evidence:
    words_ = gate_words()
    doubt = ""
    if origin is Origin.NOBODY:
        doubt = words_.tell("marked", "value", name=parameter.name.replace("_", " "), value=value)
    return Evidence(parameter.name, str(value), origin, words_.tell("source", source, **told), doubt)


# choices and figures


def _chosen(parameter: Parameter, value: Any, scene: Scene) -> Evidence:
    """A choice is said where its words are; another one's words, and not its own, speak against it."""
    own = set(words(str(value).replace("_", " ")))
    if own and own <= scene.said_words:
        return _evidence(parameter, value, Origin.SAID, "said", said=value)
    return _evidence(parameter, value, Origin.CHOSEN, "choice")


def numbers_said(scene: Scene) -> dict[float, str]:
    """The figures that the person said, in digits or in words, lengths of time in each unit; with their words."""
    found: dict[float, str] = {float(digits): digits for digits in scene.digits_said}
    for text in scene.said.splitlines():
        for digits in re.findall(r"\d+(?:[.,]\d+)?", f"{text} {canonical(text)}"):
            found.setdefault(float(digits.replace(",", ".")), digits)
            found.setdefault(float(re.sub(r"[.,]", "", digits)), digits)
        for whole, digits in re.findall(r"((\d+(?:\.\d+)?) ?k)\b", text, re.IGNORECASE):
            found.setdefault(float(digits) * 1000, whole)  # "50k"
        for word in words(text):
            if word in _COUNTS:
                found.setdefault(_COUNTS[word], word)
        for piece in fragments(text, scene.now):
            if piece.kind is TimeKind.LENGTH and (
                length := length_of(re.sub(r"^(?:for|in) ", "", canonical(piece.text)))
            ):
                minutes = length.minutes + 1440 * length.days
                for unit in (1, 60, 1440, 10080, 1 / 60):
                    found.setdefault(minutes / unit, piece.text)
                found.setdefault(float(length.months), piece.text)
    return found


def _number(parameter: Parameter, value: Any, scene: Scene) -> Evidence:
    if isinstance(value, str):  # weekdays
        return _evidence(parameter, value, Origin.COMPUTED, "said", said=quoted(scene.query))
    said, figure = numbers_said(scene), float(value)
    if figure in said:
        return _evidence(parameter, value, Origin.SAID, "said", said=said[figure])
    clocks = [at for _, at in scene.moments_said]
    if any(figure in (at.hour, at.minute, at.day, at.year, at.month) for at in clocks) and parameter.role in _CLOCKED:
        return _evidence(parameter, value, Origin.COMPUTED, "time", said=scene.moments_said[0][0].text)
    found = dict(_numbers_found(scene))
    if figure in found:
        if meant := _another_figure(figure, found[figure], scene):
            doubt = gate_words().tell("marked", "other_name", name=f"{value}", said=meant)
            return Evidence(parameter.name, str(value), Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)
        return _evidence(parameter, value, Origin.FOUND, "record", title=title_of(found[figure].record))
    # "a bike" counts nothing that could be reckoned with
    told = {one for one, word in said.items() if word not in _COUNTS or word in _RECKONED}
    near = {one + other for one in found for other in told} | {one - other for one in found for other in told}
    ends = clocks + [at.replace(tzinfo=None) for at, _, _ in scene.moments_found][:20]
    units = (60, 3600, 86400)
    spans = {abs((one - other).total_seconds()) / unit for one in clocks for other in ends for unit in units}
    sums = {one * other for one in told for other in told} | {one + other for one in told for other in told}
    if figure in near | spans | sums or round(figure, 2) in {round(each, 2) for each in near | sums}:
        return _evidence(parameter, value, Origin.COMPUTED, "said", said=any_of([*said.values()][:2]))
    return _evidence(parameter, value, Origin.NOBODY, "nobody")


def _another_figure(figure: float, found: FoundRecord, scene: Scene) -> str:
    """The number that a query names a thing by, where a figure was taken from a record that does not have it: "set job
    406" is no wish for job 405; "" where it names none, or no record's field has figures that look alike."""
    fields = [name for name, value in found.record.items() if value == figure]
    if not fields:
        return ""
    here = set(re.findall(r"\d+", text_of(dict(found.record))))
    in_times = {each for piece, _ in scene.moments_said for each in _figures_of_time(canonical(piece.text))}
    said = [each for each in re.findall(r"(?<![\d.,:])\d+(?![\d.,:])", scene.query) if each not in in_times | here]
    alike = [each for each in said if len(each) == len(f"{figure:g}") and len(each) > 1]
    return alike[0] if alike else ""


def _numbers_found(scene: Scene) -> Iterator[tuple[float, FoundRecord]]:
    for each in scene.records:
        for value, shown in each.shown:
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield float(value), each
            else:
                for digits in re.findall(r"\d+(?:\.\d+)?", shown[:400].replace(",", "")):
                    yield float(digits), each
    for digits in re.findall(r"\d+(?:\.\d+)?", scene.answered.replace(",", "")):
        yield float(digits), FoundRecord(Agent.TASK, {"title": "what I told you"}, scene.now.year)


def squeezed(tool: Tool, call: Call, evidence: Mapping[str, Evidence], scene: Scene) -> str:
    """The question where a bound made a figure another than was said; "" where none did."""
    for parameter in tool.parameters:
        value, low, high = call.arguments.get(parameter.name), parameter.minimum, parameter.maximum
        mark = evidence.get(parameter.name)
        if (low is None and high is None) or not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if mark is None or mark.origin in (Origin.SAID, Origin.FOUND):
            continue
        for figure, said in numbers_said(scene).items():
            outside = (high is not None and figure > high) or (low is not None and figure < low)
            if outside and re.search(r"\d", said) and not _of_time(said, scene):
                bounds = " to ".join(f"{bound:g}" for bound in (low, high) if bound is not None)
                name = parameter.name.replace("_", " ").capitalize()
                return gate_words().tell("marked", "squeezed", name=name, bounds=bounds, said=said)
    return ""


def _of_time(said: str, scene: Scene) -> bool:
    """Whether a figure stands in a time alone: "the twelfth of March"."""
    there = re.findall(r"\d+(?:\.\d+)?", canonical(scene.query))
    in_times = [each for piece, _ in scene.moments_said for each in _figures_of_time(canonical(piece.text))]
    return said not in there or there.count(said) <= in_times.count(said)


def _figures_of_time(text: str) -> list[str]:
    return [] if text.isdigit() else re.findall(r"\d+", text)  # a bare number may count anything


# people


def _receiver(parameter: Parameter, before: str, value: str, scene: Scene) -> Evidence:
    reached: Reached | None = next(
        (each for each in scene.reached if each.parameter == parameter.name and each.value == value), None
    )
    if reached is not None and reached.doubt:
        return Evidence(parameter.name, value, Origin.NOBODY, gate_words().tell("source", "nobody"), reached.doubt)
    if value and plain(value) in plain(scene.said):
        return _evidence(parameter, value, Origin.SAID, "said", said=value)
    meant = find_people(value, scene.people)
    if len(meant) == 1 and (other := _likelier(meant[0], scene)):
        doubt = gate_words().tell("marked", "other_person", name=meant[0].get("name"), other=other.get("name"))
        return Evidence(parameter.name, value, Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)
    if len(meant) == 1 and _is_meant(meant[0], scene):
        return _evidence(parameter, value, Origin.FOUND, "contact", name=meant[0].get("name") or value)
    if not meant and reached is not None and reached.origin != _CONTACT:
        return _evidence(parameter, value, Origin.FOUND, "record", title=reached.source or reached.name or before)
    return _evidence(parameter, before or value, Origin.NOBODY, "nobody")


def _likelier(person: Mapping[str, Any], scene: Scene) -> Mapping[str, Any] | None:
    """Another contact who shares a name with a person, and of whom the query says more: "my brother Brian"."""
    asked = set(words(scene.query))
    name = set(words(str(person.get("name") or ""))) & asked
    best, told = None, _speaks_of(person, asked)
    for each in scene.people if name else ():
        if each.get("name") != person.get("name") and name & set(words(str(each.get("name") or ""))):
            more = _speaks_of(each, asked)
            if more > told:
                best, told = each, more
    return best


def _speaks_of(person: Mapping[str, Any], asked: set[str]) -> int:
    """How many words of a contact's name and relationship a query has."""
    return len(asked & set(words(f"{person.get('name') or ''} {person.get('relationship') or ''}")))


def _is_meant(person: Mapping[str, Any], scene: Scene) -> bool:
    """Whether the person's words speak of a contact, or a record that is not the contact itself does."""
    name = set(words(str(person.get("name") or "")))
    if name & scene.said_words or person.get("is_self"):
        return True
    if any(find_people(phrase, [person]) for phrase in _phrases(scene)):
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


def _phrases(scene: Scene) -> Iterator[str]:
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
    if before and plain(before) in plain(scene.said):
        return _evidence(parameter, value, Origin.COMPUTED, "time", said=before)
    if said := _said_time(value, scene):
        return _evidence(parameter, value, Origin.COMPUTED, "time", said=said)
    at = _moment(value)
    for moment, found, _ in scene.moments_found if at else ():
        if _is_at(moment, value):
            return _evidence(parameter, value, Origin.FOUND, "record", title=title_of(found.record))
    if before != value and (said := _told_in_pieces(before, scene)):
        return _evidence(parameter, value, Origin.COMPUTED, "time", said=said)
    if at and (said := _composed(at, scene)):
        return _evidence(parameter, value, Origin.COMPUTED, "time", said=said)
    return _evidence(parameter, before if before != value else value, Origin.NOBODY, "nobody")


def _moment(value: str) -> datetime | None:
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return None


def _is_at(moment: datetime, value: str) -> bool:
    """Whether a moment is the one of a value in ISO 8601; of a value without an hour, whether it is on that day."""
    at = _moment(value)
    return at is not None and (moment.replace(tzinfo=None) == at or ("T" not in value and moment.date() == at.date()))


def _said_time(value: str, scene: Scene) -> str:
    return next((piece.text for piece, moment in _whole(scene.moments_said) if _is_at(moment, value)), "")


def _whole(said: Sequence[tuple[Fragment, datetime]]) -> list[tuple[Fragment, datetime]]:
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
    pieces = _whole(scene.moments_said)
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
        if text and plain(text) in plain(scene.said):
            return _evidence(parameter, value, Origin.SAID, "said", said=text)
    for each in scene.records:
        if any(plain(value) in plain(text) for _, text in each.shown):
            if said := _another_meant(value, each, scene):
                doubt = gate_words().tell("marked", "other_name", name=value, said=said)
                return Evidence(parameter.name, value, Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)
            return _evidence(parameter, value, Origin.FOUND, "record", title=title_of(each.record) or value)
    told = {stem(word) for word in words(value)}
    there = {stem(word) for word in scene.said_words | scene.found_words}
    if told & {stem(word) for word in content(value)} and told <= there:
        return _evidence(parameter, value, Origin.SAID, "said", said=quoted(before))
    if content(value) & content(scene.said) and not made_up(value, scene):
        return _evidence(parameter, value, Origin.SAID, "said", said=quoted(before))
    return _evidence(parameter, value, Origin.NOBODY, "nobody")


def _another_meant(value: str, found: FoundRecord, scene: Scene) -> str:
    """What a query calls the thing it speaks of, where it says nothing of the record that a value was taken from: words
    of another record of its kind, or a name that no record has ("get me the app HoldTimer"); "" where there is none."""
    said = content(scene.said)
    if (_about(found.record) | content(value)) & content(scene.query):
        return ""
    others = (each.record for each in scene.records if each.record.keys() == found.record.keys())
    for other in others:
        if other != found.record and _about(other) & content(scene.query):
            return title_of(other) or any_of(sorted(_about(other) & content(scene.query)))
    if (_about(found.record) | content(value)) & said:
        return ""
    for match in re.finditer(r"(?<=[a-z,] )[A-Z][\w’'-]{2,}(?: [A-Z][\w’'-]+)*", scene.query):
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
        return Evidence(parameter.name, value, Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)
    if pieces := made_up(value, scene):
        doubt = gate_words().tell("marked", "text", pieces=any_of(pieces))
        return Evidence(parameter.name, value, Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)
    lost, new = exchanged(value, scene)
    if lost:
        doubt = gate_words().tell("marked", "other_name", said=lost, name=new)
        return Evidence(parameter.name, value, Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)
    if part := sense_changed(value, scene):
        doubt = gate_words().tell("marked", "sense", said=quoted(part))
        return Evidence(parameter.name, value, Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)
    shared = content(value) & content(scene.said)
    if 2 * len(shared) >= len(content(value)) or not scene.records:
        return _evidence(parameter, value, Origin.SAID, "said", said=quoted(scene.query))
    best = max(scene.records, key=lambda each: len(content(" ".join(t for _, t in each.shown)) & content(value)))
    return _evidence(parameter, value, Origin.FOUND, "record", title=title_of(best.record))
