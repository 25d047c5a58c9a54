"""Which values a parameter may take: what this trajectory has observed, and what the person said.

Only fields that stand for a person or a record count. Numbers and addresses inside the text of a mail, a message or a
page are data: they can never become a receiver.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from camphor.agents.observed_facts import Known
from camphor.device.when import show_time
from camphor.device.when.lexicon import canonical
from camphor.tools.tool import Role, Tool
from camphor.types import Agent

_PEOPLE_FIELDS = ("name", "phone_number", "email", "contact", "sender", "recipients", "participants")
_SEEN_FIELDS = (*_PEOPLE_FIELDS, "title", "subject", "item", "location", "relationship", "activity", "screen", "show")
_MOST_WORDS = 600  # more make the grammar slow
_MOST_NUMBERS = 400
_MOST_TEXT = 1000  # characters of one value in which codes are looked for
_IS_CODE = re.compile(r"(^|_)(id|no|number|code|ref|reference|pin|locker|plate|booking|order)$")
_CODE = re.compile(r"\b[A-Z0-9]+(?:[-/][A-Z0-9]+)*\b")
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?([T ]|$)")
_SCALES = {"hundred": 100, "thousand": 1000}
_HUNDREDS = re.compile(r"(?:\b(\d{1,3}) )?\b(hundred|thousand)\b(?:(?: and)? (\d{1,3})\b)?")
_TITLE_FIELDS = ("title", "name", "subject", "item", "id", "address", "formatted_address")


def copied_words(known: Known) -> list[str]:
    """Words that a look-up may use: the person's own, and those of names and titles seen so far, as written and bare.

    A model that invents a keyword finds nothing; one that copies finds what the person means.
    """
    texts = known.texts
    for each in known.records:
        texts += [text for field in _SEEN_FIELDS for text in _texts(each.record.get(field))]
    words: dict[str, None] = {}
    for word in re.findall(r"[^\W_]+(?:[-.@'’][^\W_]+)*", " ".join(texts)):
        bare = re.sub(r"['’]s?$", "", word)
        for form in (word, bare, bare.lower(), bare[:1].upper() + bare[1:]):
            if form:
                words[form] = None
        if len(bare) > 4 and bare.endswith("s"):
            words[bare[:-1]] = None
    return list(words)[:_MOST_WORDS]


def copied_numbers(known: Known) -> list[str]:
    """Runs of digits that a text may hold: those said, in digits or in words, those found, and today's date.

    A message with a figure that nobody gave is worse than one without.
    """
    texts = known.texts
    texts += [canonical(text) for text in texts]
    texts += [_hundreds(text) for text in texts]
    texts.append(show_time(known.now, 0))
    texts += [shown for each in known.records for _, shown in each.shown]
    return list(dict.fromkeys(re.findall(r"[0-9]+", " ".join(texts))))[:_MOST_NUMBERS]


def _hundreds(text: str) -> str:
    """The figures that a text in digits still has in words: "2 hundred and 4" is 204."""
    return " ".join(
        str(int(many or 1) * _SCALES[scale] + int(rest or 0)) for many, scale, rest in _HUNDREDS.findall(text)
    )


def seen_values(known: Known) -> str:
    """Every text that was found, as it is shown, one a line, newest turn first: names and titles are copied from it.

    Dates are no names, nor is what a contact is called or reached by: of 415 songs, places, articles and apps in the
    hand-written training calls one was, an address.
    """
    values = (
        shown
        for each in known.newest
        for (field, value), (_, shown) in zip(each.record.items(), each.shown, strict=True)
        if isinstance(value, str | list | tuple) and not _is_date(value) and not _names_contact(each.record, field)
    )
    return "\n".join(dict.fromkeys(filter(None, values)))


def _is_date(value: object) -> bool:
    return isinstance(value, str) and bool(_DATE.match(value))


def _names_contact(record: Mapping[str, Any], field: str) -> bool:
    return field in ("name", "phone_number", "email") and _is_person(record, field)


def said_by_person(known: Known) -> str:
    return "\n".join(turn.query for turn in known.turns)


def observed_choices(tools: Iterable[Tool], known: Known) -> dict[Role | tuple[str, str], list[str]]:
    """Values for each referring role, and for each parameter that names records, newest turn first."""
    records = [each.record for each in known.newest if each.agent in (Agent.CONTEXT, Agent.DEVICE, Agent.TASK)]
    people = _unique(
        part
        for record in records
        for field in _PEOPLE_FIELDS
        if _is_person(record, field)
        for value in _texts(record.get(field))
        for part in _mailbox(value)
    )
    choices: dict[Role | tuple[str, str], list[str]] = {Role.PERSON: people, Role.PHONE: people, Role.EMAIL: people}
    for tool in tools:
        for parameter in tool.parameters:
            if parameter.role is Role.REFERENCE:
                choices[tool.name, parameter.name] = named_values(records, parameter.name)
    return choices


def named_values(records: Sequence[Mapping[str, Any]], parameter: str) -> list[str]:
    """Values of the field the parameter is called after (`job_id`, `event_title` -> `title`), titles, addresses.

    A code or a number may also stand in the text of a record: the locker that a mail names.
    """
    fields = (parameter, parameter.rsplit("_", 1)[-1], *_TITLE_FIELDS)
    named = [value for field in fields for record in records for value in _texts(record.get(field))]
    if _IS_CODE.search(parameter):
        texts = [value for record in records for value in record.values() if isinstance(value, str)]
        codes = [code for text in texts for code in _CODE.findall(text[:_MOST_TEXT]) if not _is_date(code)]
        named += [code for code in codes if any(map(str.isdigit, code))]
    return _unique(named)


def _mailbox(value: str) -> tuple[str, ...]:
    """`Ana <ana@example.org>` is three ways to say one person."""
    found = re.fullmatch(r"\s*\"?([^<\"]*?)\"?\s*<([^<>\s]+@[^<>\s]+)>\s*", value)
    return (value, found[1], found[2]) if found else (value,)


def _is_person(record: Mapping[str, Any], field: str) -> bool:
    """`name` and numbers count in contacts only: a saved place has a name and a number too, but is nobody."""
    if field in ("name", "phone_number", "email"):
        return "person_id" in record or "relationship" in record or "is_self" in record
    return True


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts(item)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [str(value)]
    return []


def _unique(values: Iterable[str], longest: int = 120) -> list[str]:
    clean = (re.sub(r"\s+", " ", value).strip() for value in values)
    return list(dict.fromkeys(value for value in clean if 0 < len(value) <= longest))
