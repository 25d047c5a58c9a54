"""Tables that need no mapping, as their columns tell what they are: contacts of Google and Outlook, books of Goodreads,
places of Google Maps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.device.importers.base import Brought, Situation, Unread, without_empty
from camphor.device.importers.json_objects import FEATURES, NoList, objects
from camphor.device.importers.table_rows import encoding_of
from camphor.device.importers.table_values import birthday, moment, number
from camphor.device.importers.tidy import tidy
from camphor.device.text import fold
from camphor.errors import UsageError

Row = Mapping[str, str]
"""The cells of a row by their columns."""

_SEVERAL = " ::: "  # how Google Contacts writes several values in a cell
_MOST_OF_A_KIND = 20  # numbers, addresses of a contact
_NO_DAY = re.compile(r"0+[/.\-]0+[/.\-]0+")  # of Outlook
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")  # scripts without spaces
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Known:
    """A program's table.

    Args:
        needs: columns by which it is known. dates: columns of dates that may be written day first. made: a row's key
        and record; the key is empty where it is none.
    """

    app: str
    list: str
    needs: frozenset[str]
    dates: tuple[str, ...]
    made: Callable[[Row, Situation, bool], tuple[str, dict[str, object]]]


def known_table(columns: Sequence[str]) -> Known | None:
    """Which of the known tables one of these columns is."""
    return next((each for each in _KNOWN if each.needs <= set(columns)), None)


def _google(row: Row, situation: Situation, _: bool) -> tuple[str, dict[str, object]]:
    """Google Contacts, as it exported before and since 2024."""
    parts = ("Name Prefix", "First Name", "Middle Name", "Last Name", "Name Suffix")
    return _contact(
        situation,
        name=_first(row, "Name") or _full_name(row, parts) or _first(row, "File As"),
        nickname=_first(row, "Nickname"),
        phones=_numbered(row, "Phone"),
        emails=_numbered(row, "E-mail"),
        birthday=birthday(row.get("Birthday", ""), situation, False),
        organisation=_first(row, "Organization Name", "Organization 1 - Name"),
        job=_first(row, "Organization Title", "Organization 1 - Title"),
        addresses=[_line(each) for each in _numbered(row, "Address", "Formatted")],
        notes=row.get("Notes", ""),
    )


def _full_name(row: Row, columns: Sequence[str]) -> str:
    """The parts of a name together; in Chinese, Japanese and Korean the family's first."""
    given, family = _first(row, "First Name"), _first(row, "Last Name")
    if _UNSPACED.fullmatch(given) and _UNSPACED.fullmatch(family):
        return family + given
    return " ".join(_values(row, *columns))


def _numbered(row: Row, kind: str, what: str = "Value") -> list[str]:
    """Values of `Phone 1 - Value`, `Phone 2 - Value` and so on, of which each may be several."""
    cells = (row.get(f"{kind} {number} - {what}", "") for number in range(1, _MOST_OF_A_KIND))
    return [tidy(value) for cell in cells for value in cell.split(_SEVERAL)]


def _outlook(row: Row, situation: Situation, dayfirst: bool) -> tuple[str, dict[str, object]]:
    """Outlook, the program's and the website's, in English."""
    mails = ("E-mail Address", "E-mail 2 Address", "E-mail 3 Address")
    phones = [
        f"{kind} Phone{more}" for kind in ("Mobile", "Home", "Business", "Primary", "Other") for more in ("", " 2")
    ]
    written = row.get("Birthday", "")
    return _contact(
        situation,
        name=_full_name(row, ("Title", "First Name", "Middle Name", "Last Name", "Suffix")),
        nickname=_first(row, "Nickname"),
        phones=_values(row, *phones),
        emails=_values(row, *mails),
        birthday="" if _NO_DAY.fullmatch(written.strip()) else birthday(written, situation, dayfirst),
        organisation=_first(row, "Company"),
        job=_first(row, "Job Title"),
        addresses=[_outlook_address(row, kind) for kind in ("Home", "Business", "Other")],
        notes=row.get("Notes", ""),
    )


def _outlook_address(row: Row, kind: str) -> str:
    town = " ".join(_values(row, f"{kind} Postal Code", f"{kind} City"))
    parts = (
        _first(row, f"{kind} Street"),
        town,
        *_values(row, f"{kind} State", f"{kind} Country/Region", f"{kind} Country"),
    )
    return _line("\n".join(parts))


def _contact(
    situation: Situation,
    *,
    name: str,
    phones: list[str],
    emails: list[str],
    addresses: list[str],
    notes: str,
    **more: Any,
) -> tuple[str, dict[str, object]]:
    phones, emails, addresses = (list(dict.fromkeys(filter(None, each))) for each in (phones, emails, addresses))
    name = name or more["nickname"] or more["organisation"]
    if not (name or phones or emails):
        return "", {}
    record = {
        "name": name,
        **_first_and_all("phone_number", "phones", phones),
        **_first_and_all("email", "emails", emails),
        **_first_and_all("address", "addresses", addresses),
        **more,
        "notes": tidy(notes),
        "is_self": _is_owner(name, situation) or None,
    }
    reached = sorted(re.sub(r"\D", "", each) for each in phones) + sorted(map(str.casefold, emails))
    return json.dumps([name, reached], ensure_ascii=False), record


def _first_and_all(first: str, every: str, values: list[str]) -> dict[str, object]:
    return {first: values[0] if values else "", every: values if len(values) > 1 else []}


def _is_owner(name: str, situation: Situation) -> bool:
    """Whether that is the owner's full name: a first name alone may be another's."""
    owner = situation.owner.strip()
    return " " in owner and fold(" ".join(name.split())) == fold(" ".join(owner.split()))


def _goodreads(row: Row, situation: Situation, dayfirst: bool) -> tuple[str, dict[str, object]]:
    """Goodreads' library. How far a book is read it does not say, but for those that are read or not begun."""
    shelf = _first(row, "Exclusive Shelf")
    record: dict[str, object] = {
        "title": _first(row, "Title"),
        "author": _SPACE.sub(" ", _first(row, "Author")),
        "progress": {"read": 1.0, "to-read": 0.0}.get(shelf),
        "shelf": shelf,
        "rating": number(row.get("My Rating", "")) or None,
        "finished": moment(row.get("Date Read", ""), situation, dayfirst),
        "added": moment(row.get("Date Added", ""), situation, dayfirst),
        "review": tidy(row.get("My Review", "").replace("<br/>", "\n")),
    }
    return (row.get("Book Id", "").strip() or str(record["title"])) if record["title"] else "", record


def _values(row: Row, *columns: str) -> list[str]:
    return [text for column in columns if (text := tidy(row.get(column, "")))]


def _first(row: Row, *columns: str) -> str:
    return next(iter(_values(row, *columns)), "")


def _line(text: str) -> str:
    """An address in one line."""
    return ", ".join(part for each in text.splitlines() if (part := tidy(each).strip(",")))


_KNOWN = (
    Known("contacts", "people", frozenset(("Given Name", "Family Name", "Phone 1 - Value")), (), _google),
    Known("contacts", "people", frozenset(("First Name", "Last Name", "E-mail 1 - Value")), (), _google),
    Known("contacts", "people", frozenset(("First Name", "Last Name", "Phone 1 - Value")), (), _google),
    Known("contacts", "people", frozenset(("Given Name", "Family Name", "E-mail 1 - Value")), (), _google),
    Known("contacts", "people", frozenset(("First Name", "Last Name", "E-mail Address")), ("Birthday",), _outlook),
    Known("books", "books", frozenset(("Book Id", "Title", "Author", "Exclusive Shelf")), ("Date Read", "Date Added"),
          _goodreads),
)  # fmt: skip


# GeoJSON: "Saved Places.json" and "Labeled places.json" of Google Takeout

_PLACES = re.compile(rb'"features"\s*:\s*\[')
_PLACE = re.compile(rb'"(?:geometry|properties)"\s*:\s*\{')


def are_places(begins: bytes) -> bool:
    """Whether a file that begins so holds places."""
    return _PLACES.search(begins) is not None and _PLACE.search(begins) is not None


def places(path: Path, situation: Situation, unread: Unread) -> Iterator[tuple[int, Brought]]:
    """The places in a GeoJSON file, each with its number. Raises: UsageError, there are none."""
    with path.open(encoding=encoding_of(path), errors="replace") as file:
        try:
            for count, feature in objects(file, FEATURES):
                record = _place(feature, situation) if feature else {}
                if not (record.get("name") or record.get("address")):
                    unread.add(
                        f"record {count}", "it is broken" if feature is None else "it has no name and no address"
                    )
                    continue
                told = [record.get(name) for name in ("url", "name", "address", "latitude", "longitude")]
                key = str(record.get("url") or json.dumps(told, ensure_ascii=False))
                yield count, Brought("maps", "places", key, without_empty(record))
        except NoList:
            raise UsageError(f"{path}: it holds no places: export your saved places with Google Takeout") from None


def _place(feature: Mapping[str, Any], situation: Situation) -> dict[str, object]:
    about = _dict(feature.get("properties"))
    location = _dict(about.get("location")) or _dict(about.get("Location"))
    latitude, longitude = _where(feature, location)
    return {
        "name": _told(location, "name", "Business Name") or _told(about, "name", "Title", "title"),
        "address": _line(_told(location, "address", "Address") or _told(about, "address")),
        "latitude": latitude,
        "longitude": longitude,
        "url": _told(about, "google_maps_url", "Google Maps URL")[:2000],
        "notes": _told(about, "Comment", "comment"),
        "saved": moment(_told(about, "date", "Published"), situation, False),
    }


def _where(feature: Mapping[str, Any], location: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Latitude and longitude; of a place that Google does not know where it is both are 0."""
    old = _dict(location.get("Geo Coordinates"))
    geometry = _dict(feature.get("geometry"))
    point = geometry.get("coordinates") if geometry.get("type") == "Point" else None
    pair = point[:2] if isinstance(point, list) and len(point) >= 2 else (old.get("Longitude"), old.get("Latitude"))
    longitude, latitude = (number(str(each), name) for each, name in zip(pair, ("longitude", "latitude"), strict=True))
    if latitude is None or longitude is None or (latitude == 0 and longitude == 0):
        return None, None
    return latitude, longitude


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _told(values: Mapping[str, Any], *names: str) -> str:
    return next((tidy(text) for name in names if isinstance(text := values.get(name), str) and text.strip()), "")
