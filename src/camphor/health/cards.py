"""vCard files (`.vcf`), as address books export them: who is in them, and how they are reached.

Nothing is kept here, and nobody in a file becomes an emergency contact without being chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.device.receivers import is_address, well_formed_number
from camphor.errors import MissingExtra, UsageError

MOST = 5000
_LARGEST = 32 * 1024 * 1024


@dataclass(frozen=True)
class Card:
    """One card. `numbers` and `emails` in its order, such as are none left out; `title`: a job, such as doctor."""

    name: str
    numbers: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    organisation: str = ""
    title: str = ""
    address: str = ""


def read_cards(path: Path) -> list[Card]:
    """The cards of a file that have a name and a way to reach them.

    Raises:
        UsageError: there is no such file, it is none of vCards, or none of them has both. MissingExtra: vobject.
    """
    try:
        raw = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror}): name a .vcf file") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")  # of phones of before vCard 3.0
    if "BEGIN:VCARD" not in text[:10_000].upper():
        raise UsageError(f"{path}: it has no vCards: export your contacts as vCard (.vcf)")
    found = [card for card in _cards(path, text) if card.name and (card.numbers or card.emails)]
    if not found:
        raise UsageError(f"{path}: none of its cards has a name and a number or an e-mail address")
    return found


def _cards(path: Path, text: str) -> Iterator[Card]:
    try:
        import vobject
    except ImportError as error:
        raise MissingExtra("vobject, which reads vCards,", "health") from error
    # card by card: a broken one keeps none of the others from being read
    for part in text.replace("\r\n", "\n").replace("\r", "\n").split("BEGIN:VCARD")[1 : MOST + 1]:
        body = part.partition("END:VCARD")[0]
        try:
            yield _card(vobject.readOne(f"BEGIN:VCARD{body}END:VCARD\n", ignoreUnreadable=True))
        except Exception:  # whatever breaks in a parser of what others wrote
            continue


def _card(read: Any) -> Card:
    def values(field: str) -> list[str]:
        return [_text(each.value) for each in read.contents.get(field, ())]

    def first(field: str) -> str:
        return next(filter(None, values(field)), "")

    numbers = [each.removeprefix("tel:").strip() for each in values("tel")]
    emails = values("email")
    name = first("fn") or first("n") or first("org")
    return Card(
        name[:120],
        tuple(dict.fromkeys(each for each in numbers if well_formed_number(each))),
        tuple(dict.fromkeys(each for each in emails if is_address(each))),
        first("org")[:120],
        (first("title") or first("role"))[:120],
        first("adr")[:200],
    )


def _text(value: Any) -> str:
    """A value as one line: names, organisations and addresses have parts."""
    if isinstance(value, list | tuple):
        return " ".join(filter(None, map(_text, value)))
    return " ".join(str(value or "").split()).strip(" ,;")
