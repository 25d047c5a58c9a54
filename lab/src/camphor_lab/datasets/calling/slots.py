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

Values = Mapping[str, Sequence[Any]]
SLOT_NAME = re.compile(r"([a-z_]+?)(\d?)")

_DOMAINS = ("example.com", "example.org", "example.net", "mail.example", "post.example", "work.example", "quarry.test",
            "lindenbakery.example", "northbound.test", "uni.example", "studio-nine.example", "clinic.test",
            "harbour.example", "brightfields.example", "my-mail.example", "office.test", "corp.example",
            "school.example", "kitchen.test", "webpost.example", "oakhill.example", "city-hall.test")  # fmt: skip
_ROLES = ("info", "office", "team", "hello", "sales", "support", "bookings", "reception", "hr", "accounts", "contact",
          "orders", "service", "press", "events", "admissions", "billing", "jobs", "editor", "help")  # fmt: skip
_RELATIONS = ("Mum", "Mom", "Dad", "Grandma", "Grandpa", "Granny", "Nana", "Papa", "Auntie", "Mama", "Abuela", "Opa")
_TITLES = ("Dr.", "Dr", "Mrs", "Mr", "Mr.", "Ms", "Professor", "Coach", "Pastor")
_KIN = ("Uncle", "Aunt", "Auntie", "Cousin", "Grandma", "Nurse")
_PHONES = (
    "(212) 555-01##", "212-555-01##", "212 555 01##", "+1 415 555 01##", "+1-650-555-01##", "555-01##", "555 01##",
    "1 (303) 555-01##", "07700 900###", "+44 7700 900###", "+44 20 7946 0###", "020 7946 0###", "0491 570 1##",
    "+61 491 570 1##", "2125550###", "5550#####", "+353 20 910 ####", "01 555 ####", "(555) 01#-####", "555.01#.####",
    "+49 30 23125 ###", "0171 39200##", "+33 1 99 00 ## ##", "06 39 98 ## ##", "867-5###", "+91 98765 0####",
    "+81 3-5550-01##", "0700 555 0##", "44770090####", "+12025550###",
)  # fmt: skip
_STREETS = (
    "Mill Lane", "Station Road", "Elm Street", "Harbour Street", "Market Square", "Church Hill", "Canal Walk",
    "Orchard Road", "Bridge Street", "Garden Row", "Maple Avenue", "Sunset Boulevard", "Kingsway", "Pine Court",
    "Rue des Lilas", "Avenue du Lac", "Calle Mayor", "Via Roma", "Lindenstraße", "Bahnhofstraße", "Nile Street",
    "Jalan Merdeka", "Rua das Flores", "Ngong Road", "MG Road", "Temple Lane", "Birch Close", "Lake View Drive",
    "Fifth Avenue", "Quarry Hill", "Ferry Terrace", "Old Town Road", "Windmill Way", "Rosewood Crescent",
)  # fmt: skip
_FIRMS = ("Blue Door", "Riverside", "Old Mill", "Linden", "Harbour", "Sunrise", "Nightingale", "Copper", "Maple",
          "Two Bridges", "Juniper", "Lighthouse", "Iron Gate", "Swan", "Quarry", "Meadow", "Northbound", "Redwood",
          "Silverline", "Bright Fields", "Oakhill", "Acme", "Globex", "Evergreen", "Starling", "Kestrel", "Bluebird",
          "Summit", "Vantage", "Pinewood", "Aurora", "Cobalt", "Marigold", "Atlas", "Tidewater")  # fmt: skip
_TRADES = ("Bakery", "Labs", "Consulting", "Logistics", "Dental", "Motors", "Studios", "Foods", "Bank", "Travel", "Law",
           "Software", "Clinic", "Architects", "Insurance", "Plumbing", "Media", "Textiles", "Energy", "Books",
           "Robotics", "Catering", "& Sons", "Ltd", "Inc", "Group", "Pharmacy", "Real Estate")  # fmt: skip
_SETTINGS = {
    "general": ("general", "general", "phone", "main", "system"),
    "wireless": ("wireless", "wireless and network", "wireless & network", "network"),
    "airplane_mode": ("airplane mode", "flight mode", "aeroplane mode", "airplane"),
    "wifi": ("Wi-Fi", "wifi", "WiFi", "wi-fi", "WLAN"),
    "apn": ("APN", "access point name", "apn", "access point names"),
    "bluetooth": ("Bluetooth", "bluetooth", "Bluetooth", "BT"),
    "date": ("date and time", "date & time", "time and date", "clock and date", "date"),
    "locale": ("language", "language and region", "locale", "system language", "language and input"),
    "input_method": ("keyboard", "input method", "on-screen keyboard", "input methods"),
    "display": ("display", "screen", "brightness", "display"),
    "security": ("security", "lock screen and security", "phone security"),
    "location": ("location", "GPS", "location services", "gps"),
    "internal_storage": ("storage", "internal storage", "phone storage", "device storage"),
    "memory_card": ("memory card", "SD card", "sd card", "external storage"),
}  # fmt: skip
_MIMES = {  # by type: one and many
    "image/*": (("photo", "photos"), ("picture", "pictures"), ("image", "images"), ("pic", "pics")),
    "video/*": (("video", "videos"), ("video clip", "video clips"), ("video file", "video files")),
    "audio/*": (("audio file", "audio files"), ("sound file", "sound files"), ("audio recording", "audio recordings")),
    "application/pdf": (("PDF", "PDFs"), ("PDF file", "PDF files"), ("pdf document", "pdf documents")),
    "text/plain": (("text file", "text files"), ("plain text file", "plain text files"), ("txt file", "txt files")),
    "image/png": (("PNG", "PNGs"), ("PNG image", "PNG images")),
    "image/jpeg": (("JPEG", "JPEGs"), ("jpg", "jpgs"), ("JPG file", "JPG files")),
    "image/gif": (("GIF", "GIFs"),),
    "audio/mpeg": (("mp3", "mp3s"), ("MP3 file", "MP3 files")),
    "video/mp4": (("mp4", "mp4s"), ("MP4 video", "MP4 videos")),
    "text/csv": (("CSV file", "CSV files"), ("csv", "csvs")),
    "text/html": (("HTML file", "HTML files"), ("html page", "html pages")),
    "application/msword": (("doc file", "doc files"),),
    "application/zip": (("zip file", "zip files"), ("ZIP archive", "ZIP archives")),
    "*/*": (("file of any kind", "files of any kind"), ("file of any type", "files of any type")),
}
_EXTENSIONS = {
    "pdf": "application/pdf", "txt": "text/plain", "png": "image/png", "jpg": "image/jpeg", "csv": "text/csv",
    "html": "text/html", "mp3": "audio/mpeg", "mp4": "video/mp4", "zip": "application/zip", "json": "application/json",
    "doc": "application/msword", "gif": "image/gif", "md": "text/markdown", "xml": "text/xml",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}  # fmt: skip
_STEMS = ("budget", "notes", "invoice", "report", "shopping list", "meeting notes", "draft", "resume", "itinerary",
          "recipes", "thesis", "contract", "minutes", "todo", "journal", "inventory", "schedule", "essay", "guest list",
          "proposal", "summary", "ideas", "letter", "checklist", "timesheet", "lyrics", "expenses", "poem",
          "lesson plan", "packing list", "backup", "script", "roster", "agenda", "menu", "quote", "workout",
          "reading list", "floor plan", "diary", "homework", "sketch", "manual", "survey", "ledger")  # fmt: skip


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


class Sampler:
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


def _name(sampler: Sampler) -> Drawn:
    rng, (first, last) = sampler.rng, sampler.person()
    kind = rng.random()
    if kind < 0.42:
        return _plain(first)
    if kind < 0.78:
        return _plain(f"{first} {last}")
    if kind < 0.86:
        return _plain(f"{rng.choice(_TITLES)} {last}")
    if kind < 0.91:
        return _plain(f"{rng.choice(_KIN)} {first}")
    if kind < 0.95:
        return _plain(f"{first} {last[0]}")
    return _plain(rng.choice(_RELATIONS))


def _full_name(sampler: Sampler) -> Drawn:
    first, last = sampler.person()
    if sampler.rng.random() < 0.08:
        return _plain(f"{first} {sampler.person()[0]} {last}")
    return _plain(f"{first} {last}")


def _phone(sampler: Sampler) -> Drawn:
    rng = sampler.rng
    form = rng.choice(_PHONES) if rng.random() < 0.7 else rng.choice(_cities())[1]
    return _plain(re.sub("#", lambda _: str(rng.randrange(10)), form))


def _email(sampler: Sampler) -> Drawn:
    rng, (first, last) = sampler.rng, sampler.person()
    one, two = ascii_of(first) or "sam", ascii_of(last) or "lee"
    kind = rng.random()
    if kind < 0.15:
        local = rng.choice(_ROLES)
    else:
        number = rng.randrange(1, 100)
        forms = ("{a}", "{a}.{b}", "{a}{b}", "{i}.{b}", "{a}_{b}", "{b}{n}", "{a}{n}", "{a}-{b}", "{i}{b}")
        local = rng.choice(forms).format(a=one, b=two, i=one[0], n=number)
    return _plain(f"{local}@{rng.choice(_DOMAINS)}")


def _company(sampler: Sampler) -> Drawn:
    rng = sampler.rng
    if rng.random() < 0.25:
        return _plain(f"{sampler.person()[1]} {rng.choice(_TRADES)}")
    return _plain(f"{sampler.own(_FIRMS)} {rng.choice(_TRADES)}")


def _address(sampler: Sampler) -> Drawn:
    rng = sampler.rng
    street, number, (city, _) = rng.choice(_STREETS), rng.randint(1, 240), rng.choice(_cities())
    line = f"{street} {number}" if re.search(r"straße|Via|Rua|Calle", street) else f"{number} {street}"
    if rng.random() < 0.15:
        line = f"Flat {rng.randint(1, 30)}, {line}"
    return _plain(f"{line}, {city}" if rng.random() < 0.7 else line)


def _uri(sampler: Sampler) -> Drawn:
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


def _file_uri(sampler: Sampler) -> Drawn:
    rng, number = sampler.rng, sampler.rng.randint(1, 9999)
    name = sampler.own(_STEMS).replace(" ", "_")
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


def _ringtone_uri(sampler: Sampler) -> Drawn:
    number, kind = sampler.rng.randint(1, 400), sampler.rng.choice(("internal", "external"))
    return _plain(f"content://media/{kind}/audio/media/{number}")


def _setting(sampler: Sampler) -> Drawn:
    kind = sampler.rng.choice(sorted(_SETTINGS))
    words = sampler.rng.choice(_SETTINGS[kind])
    return Drawn(words, kind, {"type": kind}, {}, {"type": (words,), "": (words,)})


def _mime(sampler: Sampler) -> Drawn:
    kinds = sorted(_MIMES)
    kind = sampler.rng.choice((*kinds, "image/*", "video/*", "audio/*", "application/pdf", "application/pdf"))
    one, many = sampler.rng.choice(_MIMES[kind])
    article = "an" if re.match(r"[aeiou]|MP|mp|HTML|html", one) else "a"
    said = (many, one) if many.startswith(one) else (one, many)
    return Drawn(one, one, {"type": kind}, {"plural": many, "a": f"{article} {one}"}, {"type": said})


def _filename(sampler: Sampler) -> Drawn:
    rng = sampler.rng
    ending = rng.choice(sorted(_EXTENSIONS))
    stem = sampler.own(_STEMS)
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
    return Drawn(name, name, {"name": name, "type": _EXTENSIONS[ending]}, {"name": name}, {"type": (name,)})


def _engine(sampler: Sampler) -> Drawn:
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
_SAMPLERS: dict[str, Callable[[Sampler], Drawn]] = {
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
