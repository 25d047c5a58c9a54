"""Where the records of a device come from, and bringing them in: incremental, without doubles, in parts that last.

Of every record that a source brought is kept which it is (a hash of its key), where it stands on the device and what it
was (a hash), so that a source that is read again adds what is new, changes what changed and leaves the rest. A stopped
run goes on where it was: each part of it is one transaction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any

from camphor.device.apps import KNOWN_APPS
from camphor.device.importers.base import Brought
from camphor.device.records import Records
from camphor.device.store import Store
from camphor.device.text import Record
from camphor.errors import UsageError

PART = 4096
"""Records of one transaction."""
SHOWN = 3
"""Records of each list that a preview shows."""
_FEW = 20  # records up to which a source may lose most of what it had without a question
Progress = Callable[[int], None]


@dataclass
class Change:
    """What bringing in a source does, or would do, to one list."""

    new: int = 0
    changed: int = 0
    same: int = 0
    gone: int = 0


@dataclass
class Bringing:
    """What came of reading a source.

    Args:
        lists: by app and list. examples: the first new records of each list. kept: records that the source does not
            have any more and that stay, as it lost most of what it had.
    """

    lists: dict[tuple[str, str], Change] = field(default_factory=dict)
    examples: dict[tuple[str, str], list[Record]] = field(default_factory=dict)
    kept: int = 0

    def of(self, app: str, name: str) -> Change:
        return self.lists.setdefault((app, name), Change())

    @property
    def total(self) -> Change:
        counts: Counter[str] = Counter()
        for each in self.lists.values():
            counts.update(vars(each))
        return Change(**counts)


@dataclass(frozen=True)
class Source:
    """A source that was brought in: the importer's name, where it lies, when it was last read, how many it has here."""

    importer: str
    place: str
    read_at: str
    records: int


@dataclass(frozen=True)
class _Known:
    list: int
    ordinal: int
    digest: str


class Sources:
    """The sources of one device.

    Args:
        install: makes sure that a built-in app is installed on the device.
    """

    def __init__(self, store: Store, records: Records, install: Callable[[str], None]) -> None:
        self._store, self._records, self._install = store, records, install

    def all(self) -> list[Source]:
        """The sources, in the order in which they were first brought in."""
        rows = self._store.rows(
            "SELECT importer, place, read_at, (SELECT count(*) FROM brought WHERE source=sources.id) FROM sources"
            " ORDER BY id"
        )
        return [Source(*row) for row in rows]

    def bring(
        self,
        importer: str,
        place: str,
        found: Iterable[Brought],
        at: str,
        *,
        mirrors: bool,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Bringing:
        """Takes in what a source has.

        Args:
            importer, place: name the source. found: its records. at: the time, ISO 8601.
            mirrors: whether what it has no more goes from the device; but where a source that had many has lost most of
                them, all stay: it is more likely damaged than emptied.
            preview: nothing is written.
            progress: told after each part how many records were read.

        Raises:
            UsageError: a record belongs to an app that is not built in. StoreError: the device cannot be written.
        """
        done = Bringing()
        source, round_ = self._begin(importer, place, at, preview)
        read = 0
        records = iter(found)
        while part := list(islice(records, PART)):
            with self._store.transaction() if not preview else self._store.snapshot():
                self._take(part, source, round_, done, preview)
            read += len(part)
            if progress:
                progress(read)
        if mirrors and source is not None:
            self._let_go(source, round_, read, done, preview)
        return done

    def forget(self, importer: str, place: str, records_too: bool) -> int:
        """Forgets a source and, where told so, takes away what it brought. Returns how many records it had here.

        Raises:
            UsageError: there is no such source.
        """
        source = self._id(importer, place)
        if source is None:
            known = ", ".join(each.place for each in self.all()) or "none"
            raise UsageError(f"{place}: nothing was brought in from there: the sources are {known}")
        with self._store.erasing() if records_too else self._store.transaction():
            count = int(self._store.value("SELECT count(*) FROM brought WHERE source=?", (source,)))
            if records_too:
                for info, ordinal in self._places(source):
                    self._records.change(*info, ordinal, None)
            self._store.run("DELETE FROM brought WHERE source=?", (source,))
            self._store.run("DELETE FROM sources WHERE id=?", (source,))
        return count

    def _id(self, importer: str, place: str) -> int | None:
        found = self._store.rows("SELECT id FROM sources WHERE importer=? AND place=?", (importer, place))
        return int(found[0][0]) if found else None

    def _begin(self, importer: str, place: str, at: str, preview: bool) -> tuple[int | None, int]:
        """The source's number, None for one that is not kept yet, and which reading of it this is."""
        source = self._id(importer, place)
        if preview:
            return source, -1
        with self._store.transaction():
            if source is None:
                source = self._store.insert(
                    "INSERT INTO sources (importer, place, read_at, round) VALUES (?, ?, ?, 0)", (importer, place, at)
                )
            self._store.run("UPDATE sources SET round = round + 1, read_at=? WHERE id=?", (at, source))
            return source, int(self._store.value("SELECT round FROM sources WHERE id=?", (source,)))

    def _take(self, part: Sequence[Brought], source: int | None, round_: int, done: Bringing, preview: bool) -> None:
        keys = [_hash(f"{each.app}\0{each.list}\0{each.key}") for each in part]
        known = self._known(source, keys)
        new: dict[tuple[str, str], dict[str, Brought]] = {}
        seen: list[str] = []
        for key, each in zip(keys, part, strict=True):
            change = done.of(each.app, each.list)
            before = known.get(key)
            if before is None:
                added = new.setdefault((each.app, each.list), {})
                change.new += key not in added
                added[key] = each
                continue
            seen.append(key)
            if before.digest == _digest(each.record):
                change.same += 1
                continue
            change.changed += 1
            if not preview:
                self._records.change(each.app, each.list, before.ordinal, each.record)
                self._store.run(
                    "UPDATE brought SET digest=? WHERE source=? AND key=?", (_digest(each.record), source, key)
                )
        for place, added in new.items():
            shown = done.examples.setdefault(place, [])
            shown += [each.record for each in islice(added.values(), max(0, SHOWN - len(shown)))]
            if not preview:
                self._add(place, added, source, round_)
        if not preview:
            self._store.run_many(
                "UPDATE brought SET round=? WHERE source=? AND key=?", ((round_, source, key) for key in seen)
            )

    def _add(self, place: tuple[str, str], added: dict[str, Brought], source: int | None, round_: int) -> None:
        app, name = place
        known = KNOWN_APPS.get(app)
        if known is None:
            raise UsageError(f"{app}: no app that is built in: records are brought into those that are")
        self._install(app)
        records = [each.record for each in added.values()]
        list_id, first = self._records.extend(app, name, records, ("apps", app, name), known.shape(name))
        self._store.run_many(
            "INSERT INTO brought (source, key, list, ordinal, digest, round) VALUES (?, ?, ?, ?, ?, ?)",
            (
                (source, key, list_id, first + place, _digest(each.record), round_)
                for place, (key, each) in enumerate(added.items())
            ),
        )

    def _known(self, source: int | None, keys: Sequence[str]) -> dict[str, _Known]:
        if source is None:
            return {}
        rows = self._store.rows(
            "SELECT key, list, ordinal, digest FROM brought WHERE source=? AND key IN (SELECT value FROM json_each(?))",
            (source, json.dumps(keys)),
        )
        return {key: _Known(*rest) for key, *rest in rows}

    def _let_go(self, source: int, round_: int, read: int, done: Bringing, preview: bool) -> None:
        if preview:
            return
        gone = list(self._places(source, round_))
        if len(gone) > max(read, _FEW):
            done.kept = len(gone)
            return
        for (app, name), ordinal in gone:
            done.of(app, name).gone += 1
            with self._store.transaction():
                self._records.change(app, name, ordinal, None)
        with self._store.transaction():
            self._store.run("DELETE FROM brought WHERE source=? AND round<>?", (source, round_))

    def _places(self, source: int, other_than: int = -1) -> Iterator[tuple[tuple[str, str], int]]:
        """Where records of a source stand: app, list and ordinal; of those that another reading brought last."""
        lists = {info.id: (info.app, info.name) for info in self._store.lists()}
        rows = self._store.rows("SELECT list, ordinal FROM brought WHERE source=? AND round<>?", (source, other_than))
        for list_id, ordinal in rows:
            yield lists[list_id], ordinal


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _digest(record: Record) -> str:
    return _hash(json.dumps(record, sort_keys=True, ensure_ascii=False, default=_unknown))


def _unknown(value: Any) -> str:
    raise TypeError(f"a record holds {type(value).__name__}, which is no JSON")
