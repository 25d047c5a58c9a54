"""Samplers of values by slot name: people, numbers, addresses, files, settings, and all that the value lists hold.

Names are those of the project's personas (`datasets/bank/content/personas.toml`), divided between training and test.
Numbers lie in ranges kept for fiction where a country has one; addresses of mail end in domains kept for examples.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import Any

from camphor_lab.datasets.bank import choose_split, load
from camphor_lab.datasets.calling import dates, times
from camphor_lab.datasets.calling.times import Drawn
from camphor_lab.datasets.files import tables_beside

Values = Mapping[str, Sequence[Any]]
SLOT_NAME = re.compile(r"([a-z_]+?)(\d?)")

_WORDS = tables_beside(__file__, "slots.toml")


@lru_cache(maxsize=4)
def people(split: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """First and last names of each culture; those of one split stand in no other."""
    cultures = load()["personas"].values()
    return tuple(
        (choose_split([*culture["f"], *culture["m"]], split), choose_split(culture["last"], split))
        for culture in cultures
    )


@lru_cache(maxsize=16)
def _of_split(texts: tuple[str, ...], split: str) -> tuple[str, ...]:
    return choose_split(texts, split)


@lru_cache(maxsize=1)
def _cities() -> tuple[tuple[str, str], ...]:
    """Cities and how their numbers are written."""
    rows = [row.split("|") for culture in load()["personas"].values() for row in culture["cities"]]
    return tuple((row[0], row[5]) for row in rows)


def ascii_of(text: str) -> str:
    """A name as an address of mail spells it."""
    text = text.translate(str.maketrans("ıłøđß", "ilods"))
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain.lower())


class SlotSampler:
    """Draws values; the same seed gives the same ones.

    Args:
        rng: where chance comes from.
        split: `train` or `test`: decides names, files and firms.
        now: the clock of who speaks; moments count from it.
        values: lists of texts or tables by slot name; they come before the samplers here.
    """

    def __init__(self, rng: Random, split: str, now: datetime, values: Values) -> None:
        self.rng, self.split, self.now, self.values = rng, split, now, values

    def knows(self, kind: str) -> bool:
        return kind in self.values or kind in _SAMPLERS or kind in _TIMES

    def draw(self, kind: str) -> Drawn:
        """A value of a slot's kind.

        Raises:
            LookupError: there is no such kind.
            NoWords: no words were found that mean a value for sure.
        """
        if kind in self.values:
            entry = self.rng.choice(self.values[kind])
            if isinstance(entry, Mapping):
                return Drawn("", None, dict(entry), {name: str(text) for name, text in entry.items()})
            return Drawn(str(entry), str(entry))
        if kind in _TIMES:
            return _TIMES[kind](self.rng, self.now)
        if kind not in _SAMPLERS:
            raise LookupError(f"there is no slot {{{kind}}}: add a list {kind} to the values")
        return _SAMPLERS[kind](self)

    def own(self, texts: Sequence[str]) -> str:
        """One of the texts of this split."""
        return self.rng.choice(_of_split(tuple(texts), self.split))

    def person(self) -> tuple[str, str]:
        firsts, lasts = self.rng.choice(people(self.split))
        return self.rng.choice(firsts), self.rng.choice(lasts)


def _plain(words: str) -> Drawn:
    return Drawn(words, words)


def _name(sampler: SlotSampler) -> Drawn:
    rng, (first, last) = sampler.rng, sampler.person()
    kind = rng.random()
    if kind < 0.42:
        return _plain(first)
    if kind < 0.78:
        return _plain(f"{first} {last}")
    if kind < 0.86:
        return _plain(f"{rng.choice(_WORDS['titles'])} {last}")
    if kind < 0.91:
        return _plain(f"{rng.choice(_WORDS['kin'])} {first}")
    if kind < 0.95:
        return _plain(f"{first} {last[0]}")
    return _plain(rng.choice(_WORDS["relations"]))


def _full_name(sampler: SlotSampler) -> Drawn:
    first, last = sampler.person()
    if sampler.rng.random() < 0.08:
        return _plain(f"{first} {sampler.person()[0]} {last}")
    return _plain(f"{first} {last}")


def _phone(sampler: SlotSampler) -> Drawn:
    rng = sampler.rng
    form = rng.choice(_WORDS["phones"]) if rng.random() < 0.7 else rng.choice(_cities())[1]
    return _plain(re.sub("#", lambda _: str(rng.randrange(10)), form))


def _email(sampler: SlotSampler) -> Drawn:
    rng, (first, last) = sampler.rng, sampler.person()
    one, two = ascii_of(first) or "sam", ascii_of(last) or "lee"
    kind = rng.random()
    if kind < 0.15:
        local = rng.choice(_WORDS["roles"])
    else:
        number = rng.randrange(1, 100)
        forms = ("{a}", "{a}.{b}", "{a}{b}", "{i}.{b}", "{a}_{b}", "{b}{n}", "{a}{n}", "{a}-{b}", "{i}{b}")
        local = rng.choice(forms).format(a=one, b=two, i=one[0], n=number)
    return _plain(f"{local}@{rng.choice(_WORDS['domains'])}")


def _company(sampler: SlotSampler) -> Drawn:
    rng = sampler.rng
    if rng.random() < 0.25:
        return _plain(f"{sampler.person()[1]} {rng.choice(_WORDS['trades'])}")
    return _plain(f"{sampler.own(_WORDS['firms'])} {rng.choice(_WORDS['trades'])}")


def _address(sampler: SlotSampler) -> Drawn:
    rng = sampler.rng
    street, number, (city, _) = rng.choice(_WORDS["streets"]), rng.randint(1, 240), rng.choice(_cities())
    line = f"{street} {number}" if re.search(r"straße|Via|Rua|Calle", street) else f"{number} {street}"
    if rng.random() < 0.15:
        line = f"Flat {rng.randint(1, 30)}, {line}"
    return _plain(f"{line}, {city}" if rng.random() < 0.7 else line)


def _uri(sampler: SlotSampler) -> Drawn:
    rng, number = sampler.rng, sampler.rng.randint(1, 9999)
    key = "".join(rng.choice("0123456789ABCDEFrin-") for _ in range(rng.randint(6, 10))).strip("-") or "0r7"
    return _plain(
        rng.choice(
            (
                f"content://com.android.contacts/contacts/{number}",
                f"content://com.android.contacts/contacts/{number}",
                f"content://contacts/people/{number}",
                f"content://com.android.contacts/contacts/lookup/{key}/{number}",
                f"content://com.android.contacts/data/{number}",
            )
        )
    )


def _file_uri(sampler: SlotSampler) -> Drawn:
    rng, number = sampler.rng, sampler.rng.randint(1, 9999)
    name = sampler.own(_WORDS["stems"]).replace(" ", "_")
    return _plain(
        rng.choice(
            (
                f"content://media/external/images/media/{number}",
                f"content://media/external/video/media/{number}",
                f"content://com.android.providers.downloads.documents/document/{number}",
                f"content://com.android.externalstorage.documents/document/primary/{name}.docx",
                f"file:///sdcard/Download/{name}.{rng.choice(('pdf', 'txt', 'csv', 'zip'))}",
                f"file:///storage/emulated/0/DCIM/IMG_{number:04d}.jpg",
            )
        )
    )


def _ringtone_uri(sampler: SlotSampler) -> Drawn:
    number, kind = sampler.rng.randint(1, 400), sampler.rng.choice(("internal", "external"))
    return _plain(f"content://media/{kind}/audio/media/{number}")


def _setting(sampler: SlotSampler) -> Drawn:
    kind = sampler.rng.choice(sorted(_WORDS["settings"]))
    words = sampler.rng.choice(_WORDS["settings"][kind])
    return Drawn(words, kind, {"type": kind}, {}, {"type": (words,), "": (words,)})


def _mime(sampler: SlotSampler) -> Drawn:
    kinds = sorted(_WORDS["mimes"])
    kind = sampler.rng.choice((*kinds, "image/*", "video/*", "audio/*", "application/pdf", "application/pdf"))
    one, many = sampler.rng.choice(_WORDS["mimes"][kind])
    article = "an" if re.match(r"[aeiou]|MP|mp|HTML|html", one) else "a"
    said = (many, one) if many.startswith(one) else (one, many)
    return Drawn(one, one, {"type": kind}, {"plural": many, "a": f"{article} {one}"}, {"type": said})


def _filename(sampler: SlotSampler) -> Drawn:
    rng = sampler.rng
    ending = rng.choice(sorted(_WORDS["extensions"]))
    stem = sampler.own(_WORDS["stems"])
    stem = rng.choice((stem.replace(" ", "_"), stem.replace(" ", "-"), stem.title().replace(" ", "")))
    if rng.random() < 0.4:
        stem += rng.choice(
            (
                str(rng.randint(2, 12)),
                f"_{rng.randint(2023, 2027)}",
                "_final",
                "_v2",
                "-draft",
                f"_{sampler.person()[0]}",
            )
        )
    name = f"{stem}.{ending}"
    return Drawn(name, name, {"name": name, "type": _WORDS["extensions"][ending]}, {"name": name}, {"type": (name,)})


def _engine(sampler: SlotSampler) -> Drawn:
    words = sampler.rng.choice(("Google", "Google", "google", "Baidu", "baidu"))
    return Drawn(words, words.lower(), {}, {}, {"": (words,)})


_TIMES: dict[str, Callable[[Random, datetime], Drawn]] = {
    "clock": times.drawn_clock,
    "weekdays": times.drawn_weekdays,
    "duration": times.drawn_duration,
    "moment": dates.drawn_moment,
    "day": dates.drawn_day,
    "span": dates.drawn_span,
}
_SAMPLERS: dict[str, Callable[[SlotSampler], Drawn]] = {
    "name": _name,
    "first_name": lambda sampler: _plain(sampler.person()[0]),
    "full_name": _full_name,
    "phone": _phone,
    "email": _email,
    "company": _company,
    "address": _address,
    "uri": _uri,
    "file_uri": _file_uri,
    "ringtone_uri": _ringtone_uri,
    "setting": _setting,
    "mime": _mime,
    "filename": _filename,
    "engine": _engine,
}
