"""vCard files (`.vcf`), as address books export them: who is in them, and how they are reached.

Nothing is kept here, and nobody in a file becomes an emergency contact without being chosen.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.device.people import is_address, well_formed_number
from camphor.errors import MissingExtra, UsageError

MOST = 5000
_LARGEST = 32 * 1024 * 1024
_MOBILE = {"cell", "mobile", "iphone", "text", "msg"}
_NO_VOICE = {"fax", "pager", "modem"}
_BEGIN, _END = re.compile(r"^BEGIN:VCARD[ \t]*$", re.I | re.M), re.compile(r"^END:VCARD", re.I | re.M)
# a line that goes on is folded in vCard 3 (a space begins the next) and ends with = in quoted-printable (vCard 2.1)
_QUOTED = re.compile(r"^[^:\n]*QUOTED-PRINTABLE[^:\n]*:[^\n]*=$", re.I)


@dataclass(frozen=True)
class Card:
    """One card; what is no number or address is left out.

    Args:
        numbers, emails: the preferred ones first, else in its order. mobiles: those of the numbers that take text
        messages. title: a job, such as doctor.
    """

    name: str
    numbers: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    organisation: str = ""
    title: str = ""
    address: str = ""
    mobiles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book:
    """The cards of a file that have a name and a way to reach them; how many have none, and how many are broken."""

    cards: tuple[Card, ...]
    bare: int = 0
    broken: int = 0
    beyond: int = 0

    @property
    def left_out(self) -> str:
        """What is not in `cards`, in a sentence; "" where all is."""
        counted = (
            (self.bare, "without a name, or without a number and an e-mail address"),
            (self.broken, "that cannot be read"),
            (self.beyond, f"beyond the first {MOST:,}"),
        )
        told = ", ".join(f"{count:,} {what}" for count, what in counted if count)
        return f"Left out of the file: {told}" if told else ""


def read_cards(path: Path) -> Book:
    """The cards of a file.

    Raises:
        UsageError: there is no such file, it is none of vCards, or nobody in it has a name and a way to be reached.
        MissingExtra: vobject.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path}: it has more than {_LARGEST >> 20} MB: export it without pictures, or in parts")
        text = _decoded(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror}): name a .vcf file") from error
    parts = _BEGIN.split(text.replace("\r\n", "\n").replace("\r", "\n"))[1:]
    if not parts:
        raise UsageError(f"{path}: it has no vCards: export your contacts as vCard (.vcf)")
    found = list(_cards(parts[:MOST]))
    cards = tuple(card for card in found if card and card.name and (card.numbers or card.emails))
    broken = found.count(None)
    book = Book(cards, len(found) - broken - len(cards), broken, max(0, len(parts) - MOST))
    if not cards:
        raise UsageError(f"{path}: none of its cards has a name and a number or an e-mail address")
    return book


def _decoded(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", errors="replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")  # of phones of before vCard 3.0


def _cards(parts: list[str]) -> Iterator[Card | None]:
    """Card by card, None for a broken one: it keeps none of the others from being read."""
    try:
        import vobject
    except ImportError as error:
        raise MissingExtra("vobject, which reads vCards,", "health") from error
    logging.getLogger("vobject").setLevel(logging.CRITICAL)  # it prints lines of people that it does not know
    vobject.base.logger.setLevel(logging.CRITICAL)
    for part in parts:
        body = _joined(_END.split(part)[0])
        try:
            yield _card(vobject.readOne(f"BEGIN:VCARD{body}END:VCARD\n", ignoreUnreadable=True))
        except Exception:  # whatever breaks in a parser of what others wrote
            yield None


def _joined(body: str) -> str:
    """With each quoted-printable value on one line."""
    lines: list[str] = []
    for line in body.split("\n"):
        if lines and _QUOTED.match(lines[-1]):
            lines[-1] = lines[-1][:-1] + line
        else:
            lines.append(line)
    return "\n".join(lines)


def _card(read: Any) -> Card:
    def values(field: str) -> list[str]:
        ordered = sorted(read.contents.get(field, ()), key=lambda each: "pref" not in _types(each))
        return [_text(each.value) for each in ordered]

    def first(field: str) -> str:
        return next(filter(None, values(field)), "")

    calls = [each for each in read.contents.get("tel", ()) if not _types(each) & _NO_VOICE]
    calls.sort(key=lambda each: "pref" not in _types(each))
    numbers = [(_number(each.value), bool(_types(each) & _MOBILE)) for each in calls]
    numbers = [(number, mobile) for number, mobile in numbers if well_formed_number(number)]
    name = first("fn") or first("n") or first("org")
    return Card(
        name[:120],
        tuple(dict.fromkeys(number for number, _ in numbers)),
        tuple(dict.fromkeys(each for each in values("email") if is_address(each))),
        first("org")[:120],
        (first("title") or first("role"))[:120],
        first("adr")[:200],
        tuple(dict.fromkeys(number for number, mobile in numbers if mobile)),
    )


def _types(line: Any) -> set[str]:
    """What a line says of its value: TYPE=CELL in vCard 3 and 4, plain CELL in 2.1, PREF=1 in 4."""
    said = [*line.params.get("TYPE", ()), *line.singletonparams, *(["pref"] if "PREF" in line.params else [])]
    return {each.strip().casefold() for value in said for each in value.split(",")}


def _number(value: Any) -> str:
    """As it is written, without what a phone dials behind it; of a tel: address with its extension."""
    written, *more = re.split(r"[;,]", str(value or "").strip().removeprefix("tel:"))
    extension = next((each.partition("=")[2] for each in more if each.strip().lower().startswith("ext=")), "")
    return " ".join(written.split()) + (f" ext. {extension}" if extension else "")


def _text(value: Any) -> str:
    """A value as one line: names, organisations and addresses have parts."""
    if isinstance(value, list | tuple):
        return " ".join(filter(None, map(_text, value)))
    return " ".join(str(value or "").split()).strip(" ,;")
