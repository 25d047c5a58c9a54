"""What chats of all programs have in common: bounded lines, people's names, and the record of a message."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import BinaryIO, NamedTuple

from camphor.device.importers.base import Situation, without_empty
from camphor.device.text import Record, words

LONGEST = 100_000
"""Characters of one message."""
LONGEST_NAME = 300
"""Characters of the name of a person, a chat or a file."""
LONGEST_LINE = 1 << 20
"""Bytes of a line; what stands behind them is left out."""
MOST_TEXT = 1 << 29
"""Bytes of text that one file may have, or a file inside an archive that claims to be small."""
MOST_NAMES = 5_000
"""People of one chat that are told apart: far more than any of these programs lets into a group."""
MOST_ATTACHMENTS = 100
_MOST_COUNTED = 50_000  # messages whose equals are looked for: equal ones have the same time, so they stand near
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_SPACES = re.compile(r"\s+")


class TooLarge(Exception):
    """A file has more text than is read."""


class Line(NamedTuple):
    """A line of a file, from 1, without its end. `whole`: it is UTF-8, and not cut."""

    number: int
    text: str
    whole: bool


def lines(file: BinaryIO, most: int = MOST_TEXT) -> Iterator[Line]:
    """The lines of a file, each bounded. Raises: TooLarge, after the last line that is read."""
    number = size = 0
    while raw := file.readline(LONGEST_LINE):
        number += 1
        size += len(raw)
        cut = False
        rest = raw
        while not rest.endswith(b"\n") and len(rest) == LONGEST_LINE and size <= most:
            rest = file.readline(LONGEST_LINE)
            size += len(rest)
            cut = cut or bool(rest)
        text = raw.decode("utf-8", "ignore" if cut else "surrogateescape")
        if number == 1:
            text = text.removeprefix("\ufeff")
        yield Line(number, text.rstrip("\r\n"), not cut and is_unicode(text))
        if size > most:
            raise TooLarge


def is_unicode(text: str) -> bool:
    """Whether no half character is in it, which is also what a byte that is no UTF-8 was read as."""
    return text.isascii() or not _SURROGATES.search(text)


def clean(text: str) -> str:
    """A message as a record has it: no control characters, no half characters, not too long."""
    text = _CONTROLS.sub("", text.strip()[:LONGEST].replace("\r\n", "\n"))
    return text if is_unicode(text) else _SURROGATES.sub("\ufffd", text)


def named(text: object) -> str:
    """A name on one line; "" for what is no text."""
    return _SPACES.sub(" ", clean(text[: 4 * LONGEST_NAME])).strip()[:LONGEST_NAME] if isinstance(text, str) else ""


def stamp(situation: Situation, moment: datetime) -> str:
    """A moment in the device's time. Raises: ValueError, no calendar has it."""
    try:
        return situation.local(moment)
    except (OverflowError, OSError):
        raise ValueError("no such time") from None


def message(
    contact: str,
    text: str,
    date: str,
    *,
    from_me: bool | None,
    group: str = "",
    sender: str = "",
    attachments: Sequence[str] = (),
    **more: object,
) -> Record:
    """The record of a message; fields that say nothing are left out, and so is `from_me` where nobody knows."""
    fields = {"contact": contact, "from_me": from_me, "date": date, "text": text, "group": group, "sender": sender}
    return without_empty({**fields, "attachments": list(attachments[:MOST_ATTACHMENTS]), **more})


class Keys:
    """Keys of the messages of one export whose program gives them none: chat, time, sender, text, and how many equal
    ones stand before, so that exports that overlap give the same keys."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def of(self, chat: str, date: str, sender: str, text: str) -> str:
        told = "\0".join((chat, sender, text)).encode("utf-8", "surrogatepass")
        key = f"{date} {blake2b(told, digest_size=16).hexdigest()}"
        before = self._counts.pop(key, 0)
        self._counts[key] = before + 1
        if len(self._counts) > _MOST_COUNTED:
            del self._counts[next(iter(self._counts))]
        return f"{key} {before}"


def owners(names: Iterable[str], owner: str, other: str = "") -> frozenset[str]:
    """Under which names of a chat its owner wrote; none where no name fits, or several that are not the same.

    Args:
        owner: the person's name. other: whom the chat is with, who is not the owner even where they share a name.
    """
    wanted, not_meant = words(owner), words(other)
    found: dict[int, set[str]] = {}
    for name in names:
        said = words(name)
        rank = _rank(said, wanted)
        if rank is not None and said != not_meant:
            found.setdefault(rank, set()).add(name)
    best = found[min(found)] if found else set()
    return frozenset(best) if len({words(name) for name in best}) == 1 else frozenset()


def _rank(said: Sequence[str], wanted: Sequence[str]) -> int | None:
    """How well a name fits the owner's, 0 best; None for not at all."""
    if not said:
        return None
    if said == ("you",):
        return 0
    if not wanted:
        return None
    full = len(said) > 1 and len(wanted) > 1 and (said[0], said[-1]) == (wanted[0], wanted[-1])
    fits = (said == wanted, full, said == wanted[:1], len(wanted) == 1 and said[0] == wanted[0])
    return next((rank for rank, fit in enumerate(fits, 1) if fit), None)


def related(name: str, others: Collection[str]) -> bool:
    """Whether one of some names is a name, or has its words, or some of them and no others: "Anna" and "Anna Berg"."""
    said = set(words(name))
    return name in others or any(said and (said <= them or them <= said) for each in others if (them := {*words(each)}))
