"""Whom an action reaches, and where each number and address comes from.

Anybody can write any name into the header of a mail: an address that stands beside a contact's name there is not the
contact's. So a value is judged by itself, however it was found: an address book that has it, the person who said it,
or a record in which it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from camphor.device.people import Person, find_people, fold, same_number
from camphor.device.text import text_of
from camphor.tools.tool import Role, Tool
from camphor.types import Call

_ROLES = frozenset({Role.PHONE, Role.EMAIL, Role.PERSON})
_HEADER = ("sender", "from", "recipients", "to", "cc", "bcc", "reply_to")
_WRITTEN_BY_OTHERS = (*_HEADER, "contact", "author")
_NUMBERS = re.compile(r"\+?\(?\d[\d\s().\-/]*")
_LABELLED = re.compile(r"\s*\"?([^\"<(]*?)\"?\s*(?:<([^<>]+)>|\((.+)\))\s*")
_ADDRESS = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")
_NUMBER = re.compile(r"\+?[\d\s().\-/]+(?:\s*(?:x|ext\.?)\s*\d+)?", re.IGNORECASE)
_FEWEST_DIGITS, _MOST_DIGITS = 3, 15  # a short code has three; E.164 allows fifteen


class AddressOrigin(StrEnum):
    """Where a number or an address comes from, the surest first."""

    CONTACT = "contact"
    SAID = "said by the person"
    RECORD = "record"
    MAIL_HEADER = "mail header"
    MESSAGE = "message"
    UNKNOWN = "unknown"


_SURE = frozenset({AddressOrigin.CONTACT, AddressOrigin.SAID, AddressOrigin.RECORD})


@dataclass(frozen=True)
class Receiver:
    """Whom one value of a normalised call reaches.

    Args:
        parameter: whose value it is. value: the number, address or name, as the tool takes it.
        name: the contact's, or the one that stands before the address in the record: a claim, no more.
        source: what the record is called: a title or subject; "" where there is none.
    """

    parameter: str
    value: str
    origin: AddressOrigin
    name: str = ""
    source: str = ""

    @property
    def sure(self) -> bool:
        """False where only the person can tell who this is: `--yes` never stands for their word then."""
        return self.origin in _SURE

    @property
    def doubt(self) -> str:
        """What the person is told before they agree; "" where it is sure."""
        if self.sure:
            return ""
        if self.origin is AddressOrigin.UNKNOWN:
            return f"{self.value} is no contact's, and was neither said nor found: is it right?"
        place = "the header of a mail" if self.origin is AddressOrigin.MAIL_HEADER else "a message"
        which = f" (“{self.source}”)" if self.source else ""
        name = f" beside the name {self.name}" if self.name else ""
        told = f"{self.value} is no contact's: it stands in {place}{which}{name}"
        return f"{told}, where anybody can write any: is it right?"


class Phone(Protocol):
    """What must be known of a device."""

    def people(self) -> Sequence[Person]: ...

    def rows(self, query: str = "") -> Iterator[tuple[Any, list[tuple[int, dict[str, Any]]]]]: ...


def receivers(phone: Phone, tool: Tool, call: Call, said: Iterable[str]) -> tuple[Receiver, ...]:
    """Whom a normalised call reaches, value by value; nothing for one that reaches nobody.

    Args:
        said: what the person wrote in this conversation.
    """
    words = tuple(said)
    found = []
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name) if parameter.role in _ROLES else None
        for each in value if isinstance(value, list | tuple) else (value,):
            if isinstance(each, str) and each.strip():
                found.append(_receiver(phone, parameter.name, each.strip(), words))
    return tuple(found)


def without_claims(written: Call, call: Call, reached: Iterable[Receiver]) -> Call:
    """The call as it was written, to be shown: a name stays where it is a contact's, and else the bare address."""
    unsure = {each.parameter for each in reached if not each.sure}
    return Call(written.name, {**written.arguments, **{name: call.arguments[name] for name in unsure}})


def _receiver(phone: Phone, parameter: str, value: str, said: Sequence[str]) -> Receiver:
    if meant := find_people(value, phone.people()):
        return Receiver(parameter, value, AddressOrigin.CONTACT, str(meant[0].get("name") or ""))
    if any(_holds(text, value) for text in said):
        return Receiver(parameter, value, AddressOrigin.SAID)
    places = [_place(record, value) for _, rows in phone.rows(value) for _, record in rows]
    order = list(AddressOrigin)
    surest = min((each for each in places if each), key=lambda each: order.index(each[0]), default=None)
    return Receiver(parameter, value, *surest) if surest else Receiver(parameter, value, AddressOrigin.UNKNOWN)


def _place(record: Mapping[str, Any], value: str) -> tuple[AddressOrigin, str, str] | None:
    """Where in a record the value stands, the name beside it, and what the record is called."""
    source = str(record.get("subject") or record.get("title") or "")
    for text in (text for field in _HEADER for text in _texts(record.get(field))):
        if _holds(text, value):
            label = labelled(text)
            return AddressOrigin.MAIL_HEADER, label[0] if label else "", source
    if not _holds(text_of(record), value):
        return None
    written = any(record.get(field) for field in _WRITTEN_BY_OTHERS)
    return AddressOrigin.MESSAGE if written else AddressOrigin.RECORD, "", source


def _holds(text: str, value: str) -> bool:
    """Whether a text has that very address or number."""
    if "@" in value:
        return re.search(rf"(?<![\w.+-]){re.escape(fold(value))}(?![\w-]|\.\w)", fold(text)) is not None
    if well_formed_number(value):
        return any(same_number(value, each) for each in _NUMBERS.findall(text))
    return fold(value) in fold(text)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if isinstance(each, str)]


# how they are written


def labelled(text: str) -> tuple[str, str] | None:
    """`Ana (+44 7700 900123)` and `Ana <ana@example.org>`: the name, and the number or address; None for others."""
    found = _LABELLED.fullmatch(text)
    inside = (found[2] or found[3] or "").strip() if found else ""
    return (found[1], inside) if found and (is_address(inside) or well_formed_number(inside)) else None


def bare(text: str) -> str:
    """The number or address alone where a name stands before it: it says who is meant, and the name says nothing."""
    label = labelled(text)
    return label[1] if label else text.strip()


def is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None


def well_formed_number(text: str) -> bool:
    """Whether a text is a phone number: 3 to 15 digits with the usual signs between them."""
    digits = sum(char.isdigit() for char in text)
    return _NUMBER.fullmatch(text.strip()) is not None and _FEWEST_DIGITS <= digits <= _MOST_DIGITS
