"""What was listened to on Spotify and watched on YouTube, as both give it to whom it belongs."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, tzinfo
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, without_empty
from camphor.device.importers.json_objects import NoList, objects
from camphor.device.importers.packed_files import PackedFile, is_zip, packed_files
from camphor.device.importers.tidy import tidy
from camphor.device.importers.watch_pages import watched
from camphor.errors import UsageError

_SHORTEST_PLAY = 30_000  # milliseconds: what was played shorter was skipped
_LONGEST = 1000  # characters of a title or a name
_LONGEST_URL = 2000
_LARGEST_LIBRARY = 64 << 20  # bytes of YourLibrary.json, which is read at once: some 200,000 songs
_YEARS = range(1990, 2200)  # of a time that is no mistake
_MOST_LOOKED_AT = 20_000  # files of a folder, to tell what it is
_MOST_BEGINNINGS = 50

# Of the last year: StreamingHistory_music_0.json and, before 2023, StreamingHistory0.json. Of the whole time:
# Streaming_History_Audio_2019-2021_0.json and, before 2022, endsong_0.json.
_SPOTIFY_PLAYS = re.compile(r"(?:StreamingHistory|Streaming_History_|endsong).*\.json", re.IGNORECASE)
_SPOTIFY_LIBRARY = re.compile(r"YourLibrary.*\.json", re.IGNORECASE)
_SPOTIFY_BEGINS = re.compile(rb'\s*(?:\xef\xbb\xbf)?\[.*?"(?:ms_played|msPlayed)"', re.DOTALL)

_YOUTUBE_NAMES = re.compile(
    r"(?:watch-history|wiedergabeverlauf|kijkgeschiedenis|historial-de-reproducciones).*\.(?:json|html)", re.IGNORECASE
)
_YOUTUBE_BEGINS = re.compile(rb'"header"\s*:\s*"YouTube|<div class="outer-cell')
_SEARCHES = re.compile(r"search|such|zoek|b.{1,2}squeda|recherche", re.IGNORECASE)
_YOUTUBE_PAGE = re.compile(r"https?://(?:(?:www|m|music)\.)?(?:youtube\.com/(?!results)\S+|youtu\.be/\S+)")
_SAID_BEFORE = re.compile(r"(?:Watched|Viewed|Has visto|Vous avez regardé)\s+")
_SAID_BEHIND = re.compile(r"\s+angesehen\Z")
_AD = re.compile(r"\bGoogle[ -]?(?:Ads|Anzeigen|Advertenties|Annonces|Anuncios|Anúncios|Annunci)\b", re.IGNORECASE)


class _Occasion(NamedTuple):
    """That something was played, watched or, without a time, saved.

    Args:
        thing: tells it from others, as JSON. at: when, UTC, to the second. told: more about it, as JSON, or nothing.
    """

    thing: str
    at: str
    told: str = ""


class _Thing(NamedTuple):
    """What was played or watched: what tells it from others, when last (empty: never), how often, and more about it."""

    parts: list[str]
    last: str
    times: int
    told: dict[str, Any]


def _things(occasions: Iterable[_Occasion]) -> Iterator[_Thing]:
    """Occasions gathered by what they are of, in a fixed order.

    They are sorted on the disk, in a file without a name that SQLite deletes, so that they may be more than memory
    holds. Two of a thing in one minute are one: exports overlap, and some tell the second and some do not.
    """
    with closing(sqlite3.connect("", check_same_thread=False)) as kept:
        kept.execute("PRAGMA journal_mode=OFF")
        kept.execute(
            "CREATE TABLE occasions (thing TEXT, minute TEXT, at TEXT, told TEXT, PRIMARY KEY (thing, minute))"
            " WITHOUT ROWID"
        )
        kept.executemany(
            "INSERT INTO occasions VALUES (?1, substr(?2, 1, 16), ?2, ?3)"
            " ON CONFLICT DO UPDATE SET at=max(at, excluded.at), told=max(told, excluded.told)",
            occasions,
        )
        rows = kept.execute("SELECT thing, at, told FROM occasions ORDER BY thing, minute")
        for thing, group in groupby(rows, key=itemgetter(0)):
            last, times = "", 0
            told: dict[str, Any] = {}
            for _, at, more in group:
                last, times = at, times + bool(at)
                told |= json.loads(more) if more else {}
            yield _Thing(json.loads(thing), last, times, told)


def _gathered(path: Path, occasions: Iterable[_Occasion]) -> Iterator[_Thing]:
    try:
        yield from _things(occasions)
    except sqlite3.Error:
        raise UsageError(f"{path}: the folder for temporary files is full or cannot be written: make room") from None


def _text(value: object, longest: int = _LONGEST) -> str:
    return tidy(value, longest) if isinstance(value, str) else ""


def _utc(value: object) -> str:
    """A time to the second, UTC; empty for what is none."""
    try:
        return _to_utc(datetime.fromisoformat(value), UTC) if isinstance(value, str) else ""
    except ValueError:
        return ""


def _to_utc(moment: datetime, zone: tzinfo | None) -> str:
    """The same of a time that, where it names no zone, is of this one; None for the machine's."""
    if moment.year not in _YEARS:
        return ""
    known = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return known.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")


def _local(at: str, situation: Situation) -> str:
    return situation.local(datetime.fromisoformat(at).replace(tzinfo=UTC)) if at else ""


def _json(**told: object) -> str:
    known = without_empty(told)
    return json.dumps(known, ensure_ascii=False) if known else ""


def _of(*parts: str) -> str:
    return json.dumps(parts, ensure_ascii=False)


# Spotify


def _is_spotify(path: Path) -> bool:
    if path.is_file() and path.suffix.lower() == ".json":
        file = PackedFile(path.name, lambda: path.open("rb"))
        return bool(_SPOTIFY_LIBRARY.fullmatch(path.name) or _SPOTIFY_BEGINS.match(file.beginning()))
    names = (file.name for file in islice(_of_download(path), _MOST_LOOKED_AT))
    return any(_SPOTIFY_PLAYS.fullmatch(name) or _SPOTIFY_LIBRARY.fullmatch(name) for name in names)


def _of_download(path: Path) -> Iterator[PackedFile]:
    """The files of a folder or .zip; none of one that is damaged."""
    if path.is_dir() or path.suffix.lower() == ".zip":
        try:
            yield from packed_files(path)
        except UsageError:
            return


def _read_spotify(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    for (name, title, by), last, times, told in _gathered(path, _of_spotify(path, unread)):
        played = {"played": _local(last, situation), "plays": times or None, **told}
        if name == "songs":
            song = {"title": title, "artist": by, "album": told.get("album"), **played}
            yield Brought("music", "songs", _of(title, by), without_empty(song))
        else:
            yield Brought("podcasts", "episodes", _of(title, by), without_empty({"title": title, "show": by, **played}))


def _of_spotify(path: Path, unread: Unread) -> Iterator[_Occasion]:
    def reader(file: PackedFile) -> _Reader | None:
        if _SPOTIFY_LIBRARY.fullmatch(file.name):
            return _library
        return _plays if _is_alone(path) or _SPOTIFY_PLAYS.fullmatch(file.name) else None

    what = "plays of Spotify: give the folder or .zip that Spotify sent, or its files"
    return _read_all(path, reader, unread, what)


_Reader = Callable[[PackedFile, Unread], Iterator[_Occasion]]


def _is_alone(path: Path) -> bool:
    return path.is_file() and not is_zip(path)


def _read_all(
    path: Path, reader: Callable[[PackedFile], _Reader | None], unread: Unread, what: str
) -> Iterator[_Occasion]:
    """What all files of a download tell that have a reader. Raises: UsageError, none of them tells anything."""
    found = False
    for file in packed_files(path):
        read = reader(file)
        if read is None:
            continue
        try:
            for occasion in read(file, unread):
                found = True
                yield occasion
            found = True  # of somebody who played nothing
        except NoList:
            unread.add(file.name, "it holds no list of what was played, saved or watched")
        except OSError as error:
            if _is_alone(path):
                raise
            unread.add(file.name, error.strerror or "cannot be read")
    if not found:
        raise UsageError(f"{path}: it holds no {what}")


def _plays(file: PackedFile, unread: Unread) -> Iterator[_Occasion]:
    with file.text() as text:
        for number, item in objects(text):
            where = f"{file.name}, record {number}"
            length = _length(item)
            if item is None or length is None:
                unread.add(where, "it is broken" if item is None else "it has no time that it was played for")
            elif length >= _SHORTEST_PLAY and (played := _played(item)):
                if played.at:
                    yield played
                else:
                    unread.add(where, "it has no time")


def _length(item: Mapping[str, Any] | None) -> float | None:
    """For how long, in milliseconds."""
    length = item and item.get("ms_played", item.get("msPlayed"))
    return length if isinstance(length, int | float) and not isinstance(length, bool) else None


def _played(item: Mapping[str, Any]) -> _Occasion | None:
    """A play of a song or an episode; None for one of what Spotify does not name any more, or of an audio book."""
    at = _utc(item.get("ts") or item.get("endTime"))
    if title := _text(item.get("master_metadata_track_name") or item.get("trackName")):
        artist = _text(item.get("master_metadata_album_artist_name") or item.get("artistName"))
        return _Occasion(
            _of("songs", title, artist), at, _json(album=_text(item.get("master_metadata_album_album_name")))
        )
    if title := _text(item.get("episode_name") or item.get("episodeName")):
        show = _text(item.get("episode_show_name") or item.get("podcastName"))
        return _Occasion(_of("episodes", title, show), at)
    return None


def _library(file: PackedFile, unread: Unread) -> Iterator[_Occasion]:
    """The songs and episodes that were saved; not those that were banned."""
    with file.text() as text:
        held = text.read(_LARGEST_LIBRARY + 1)
    try:
        library = json.loads(held, strict=False) if len(held) <= _LARGEST_LIBRARY else None
    except (ValueError, RecursionError):
        library = None
    if not isinstance(library, dict):
        raise NoList
    for name, title_in, by_in in (("tracks", "track", "artist"), ("episodes", "name", "show")):
        saved = library.get(name)
        for number, item in enumerate(saved if isinstance(saved, list) else (), 1):
            known = item if isinstance(item, dict) else {}
            title, by = _text(known.get(title_in)), _text(known.get(by_in))
            if not title:
                unread.add(f"{file.name}, record {number} of {name}", "it has no title")
                continue
            thing = _of("songs" if name == "tracks" else name, title, by)
            yield _Occasion(thing, "", _json(album=_text(known.get("album")), saved=True))


# YouTube


def _is_youtube(path: Path) -> bool:
    if path.is_file() and path.suffix.lower() in (".json", ".html"):
        file = PackedFile(path.name, lambda: path.open("rb"))
        return not _SEARCHES.search(path.name) and bool(_YOUTUBE_BEGINS.search(file.beginning()))
    files = islice(_of_download(path), _MOST_LOOKED_AT)
    return any(_is_history(file) for file in islice(filter(_may_be_history, files), _MOST_BEGINNINGS))


def _may_be_history(file: PackedFile) -> bool:
    """Whether a file may be of the history, by where it lies: other languages call it what they like."""
    if not file.path.lower().endswith((".json", ".html")):
        return False
    return bool(_YOUTUBE_NAMES.fullmatch(file.name)) or (
        "youtube" in file.path.lower() and not _SEARCHES.search(file.name)
    )


def _is_history(file: PackedFile) -> bool:
    return bool(_YOUTUBE_NAMES.fullmatch(file.name) or _YOUTUBE_BEGINS.search(file.beginning()))


def _read_youtube(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    for (url,), last, _, told in _gathered(path, _of_youtube(path, situation, unread)):
        page = {"title": told.get("title"), "url": url, "visited": _local(last, situation)}
        yield Brought("safari", "pages", url, without_empty({**page, "channel": told.get("channel")}))


def _of_youtube(path: Path, situation: Situation, unread: Unread) -> Iterator[_Occasion]:
    def reader(file: PackedFile) -> _Reader | None:
        if not _is_alone(path) and not (_may_be_history(file) and _is_history(file)):
            return None
        return partial(_pages, situation) if file.path.lower().endswith(".html") else _videos

    return _read_all(
        path, reader, unread, "watch history of YouTube: give watch-history.json or .html, or Takeout's .zip"
    )


def _videos(file: PackedFile, unread: Unread) -> Iterator[_Occasion]:
    with file.text() as text:
        for number, item in objects(text):
            where = f"{file.name}, record {number}"
            if item is None or not isinstance(item.get("title"), str):
                unread.add(where, "it is broken")
            elif not _AD.search(" ".join(_names(item.get("details")))):
                channel = next(iter(_names(item.get("subtitles"))), "")
                title, url = _title(_text(item["title"])), item.get("titleUrl")
                yield from _seen(_utc(item.get("time")), title, url, channel, where, unread)


def _pages(situation: Situation, file: PackedFile, unread: Unread) -> Iterator[_Occasion]:
    with file.text() as text:
        for number, cell in watched(text):
            where = f"{file.name}, record {number}"
            if cell is None:
                unread.add(where, "it is broken")
            elif not _AD.search(cell.details):
                at = _to_utc(cell.time, situation.zone) if cell.time else ""
                yield from _seen(at, _text(cell.title), cell.url, _text(cell.channel), where, unread)


def _seen(at: str, title: str, address: object, channel: str, where: str, unread: Unread) -> Iterator[_Occasion]:
    """That a page of YouTube was seen; nothing of a video that is gone, which has no address, and of other pages."""
    url = _text(address, _LONGEST_URL + 1)
    if not _YOUTUBE_PAGE.match(url) or len(url) > _LONGEST_URL:
        return
    if not at:
        unread.add(where, "its time is missing or in a form that is not known")
    yield _Occasion(_of(url), at, _json(title="" if title == url else title, channel=channel))


def _names(value: object) -> list[str]:
    some = value if isinstance(value, list) else []
    return [_text(each.get("name")) for each in some if isinstance(each, dict)]


def _title(text: str) -> str:
    """A title without what the export says around it."""
    before = _SAID_BEFORE.match(text)
    return text[before.end() :] if before else _SAID_BEHIND.sub("", text)


SPOTIFY = SimpleImporter(
    "spotify", "the data that Spotify sends (its folder, .zip or files)", _is_spotify, _read_spotify, mirrors=False
)
YOUTUBE = SimpleImporter(
    "youtube",
    "YouTube's watch history from Google Takeout (.json, .html or the .zip)",
    _is_youtube,
    _read_youtube,
    mirrors=False,
)
