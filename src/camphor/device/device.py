"""A device: one person's phone, its apps and records, its clock, and the one method that carries out calls."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from dateutil import tz

from camphor.device import journal
from camphor.device.android.intent import RealPhone
from camphor.device.apps import KNOWN_APPS
from camphor.device.apps.base import App
from camphor.device.consents import Consents, Word
from camphor.device.database import BUSY_SECONDS
from camphor.device.format import SYSTEM_CLOCK, Checker, add_lists, empty, fill, make, read
from camphor.device.general import General
from camphor.device.journal import EntryState, Journal, JournalEntry, told_before
from camphor.device.manifests import FOLDER, FunctionApp, ManifestApp, folder_of, install_all, manifest_of
from camphor.device.memories import Memories
from camphor.device.normalise import Normaliser
from camphor.device.people import receivers
from camphor.device.records import RecordPage, Records
from camphor.device.sharing import part_of
from camphor.device.sources import Sources
from camphor.device.store import ListInfo, Row, Store
from camphor.device.text import Record, keyword
from camphor.device.usage_events import ItemRef, UsageEvent
from camphor.errors import DefinitionError, StoreError, ToolError, UsageError
from camphor.tools.tool import Kind, Tool, Toolbox
from camphor.types import Call, Observation

if TYPE_CHECKING:
    from camphor.device.usage import Usage

_App = TypeVar("_App", bound=App)
_LAST_FEW = 5  # actions: a move is two of one turn


class Device:
    """One person's phone. Made by `create`, `from_file` or `open`; a context manager that closes it."""

    def __init__(self, store: Store) -> None:
        self._store, self.path = store, store.path  # None for a device in memory
        self._document = store.document()
        self._zone = tz.gettz(self._document.get("timezone") or None)
        self._records = Records(store, self._zone)
        self._journal = Journal(store)
        self._normaliser = Normaliser(self, self._records)
        self._general = General(self)
        self._functions: dict[str, FunctionApp] = {}
        self._real: Callable[[], RealPhone] | None = None
        self.before_close: list[Callable[[], None]] = []
        self._install_all()
        self.interrupted: tuple[JournalEntry, ...] = tuple(self._journal.cut_off())

    # making one

    @classmethod
    def open(cls, path: Path | str, busy_seconds: float = BUSY_SECONDS) -> Self:
        """The device stored at `path`.

        `interrupted` then holds the actions that were begun and cut off, by a crash, say; none is repeated.

        Raises:
            DeviceFileError: there is no such file, or it is no device. StoreError: it cannot be read.
        """
        return cls(Store(Path(path), busy_seconds=busy_seconds))

    @classmethod
    def as_it_was(cls, path: Path) -> Device:
        """A copy in memory of the device stored at `path`, for where that itself cannot be opened: a full disk, say.

        Raises:
            StoreError: it cannot be read at all.
        """
        return cls(Store.as_it_was(path))

    @classmethod
    def create(cls, path: Path | str | None, data: Mapping[str, Any], source: str = "") -> Self:
        """A new device from a device file's values, stored at `path`, or in memory for None.

        Args:
            source: where the values come from, for errors.

        Raises:
            DeviceFileError: the values break the format. UsageError: there is a file at `path`.
            StoreError: it cannot be written.
        """
        data = dict(data)
        Checker(source or str(path or "the device")).device(data)
        if path is None:
            return cls(fill(Store(None, create=True), data))
        path = Path(path)
        make(path, data)
        return cls.open(path)

    @classmethod
    def from_file(cls, source: Path | str, path: Path | str | None = None) -> Device:
        """A new device from a device file, stored at `path`, or in memory. Raises: as `create`."""
        return cls.create(path, read(Path(source)), str(source))

    def export(self) -> dict[str, Any]:
        """The device file of the present state: what was imported and not changed is as it was, in its order."""
        return empty(self._store)

    def copy(self) -> Device:
        """The same phone in memory, with its journal: what is done or undone there touches nothing of this one."""
        made = Device(self._store.copy())
        made._functions = dict(self._functions)
        made._install_all()
        return made

    def without(self, hidden: frozenset[str]) -> Device:
        """This phone as somebody sees it who may not see some of its apps: there they are not installed.

        It acts on this one and is closed with it.

        Args:
            hidden: names of apps, and `sharing.SCREEN` and `sharing.PLACE`.
        """
        seen = Device(part_of(self._store, hidden))
        seen._functions, seen._real = dict(self._functions), self._real
        seen.usage, seen.memories, seen.consents = (
            self.usage,
            self.memories,
            self.consents,
        )  # one count of what is used, whoever looks
        seen._install_all()
        return seen

    def close(self) -> None:
        while self.before_close:
            self.before_close.pop()()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # what is known of it

    @property
    def id(self) -> str:
        return str(self._document["id"])

    @property
    def owner(self) -> str:
        return self._document.get("owner") or ""

    @property
    def now(self) -> datetime:
        """The device's clock: naive local time; the machine's, in the device's zone, where the file sets none."""
        written = self._document.get("now")
        if written and written != SYSTEM_CLOCK:
            moment = datetime.fromisoformat(written)
            return moment.astimezone(self._zone).replace(tzinfo=None) if moment.tzinfo else moment
        return datetime.now(self._zone).replace(tzinfo=None, microsecond=0)

    @property
    def clock_goes(self) -> bool:
        """False where the device file sets the time, which then stands still."""
        return self._document.get("now") in (None, "", SYSTEM_CLOCK)

    @property
    def timezone(self) -> str:
        return self._document.get("timezone") or ""

    @property
    def zone(self) -> tzinfo | None:
        """The time zone of `now`: the file's or, where it names none, the machine's."""
        return self._zone

    @property
    def location(self) -> dict[str, Any]:
        return self._document.get("location") or {}

    @property
    def place(self) -> str:
        """Where the phone is, in the person's words ("work") where the device file has them, or else the city."""
        return str(self._document.get("place") or self.location.get("city") or "")

    @property
    def screen(self) -> str:
        return self._document.get("screen") or ""

    @property
    def activity(self) -> list[str]:
        return self._document.get("activity") or []

    @property
    def web(self) -> list[dict[str, Any]]:
        return self._document.get("web") or []

    @property
    def apps(self) -> tuple[str, ...]:
        """Names of the installed apps, in the order of the device file."""
        return tuple(self._document["apps"])

    @property
    def toolbox(self) -> Toolbox:
        return self._toolbox

    def records(self, app: str, list_name: str) -> list[dict[str, Any]]:
        """All records of an app's list, in order; empty where there is no such list."""
        return self._records.all(app, list_name)

    def fact(self, app: str, name: str) -> Mapping[str, Any]:
        """An app's single object of that name (an account, a profile); empty where it has none."""
        value = self._document["apps"].get(app, {}).get(name)
        return value if isinstance(value, Mapping) else {}

    def item_lists(self) -> list[tuple[str, str, list[tuple[int, dict[str, Any]]]]]:
        """Every record list: its app, its name, and its records with their ordinals, in order."""
        with self._store.snapshot():
            return [(info.app, info.name, self._store.records(info.id)) for info in self._store.lists()]

    @property
    def state(self) -> str:
        """Another text once a record was added, changed or removed: what was made of the records is stale then."""
        with self._store.snapshot():
            lists = [[info.id, info.next, info.size] for info in self._store.lists()]
            (last, ended), *_ = self._store.rows("SELECT max(id), count(ended) FROM journal")
            undone = self._store.value("SELECT count(undone) FROM journal_changes")
        return json.dumps([lists, last, ended, undone])

    def rows(self, query: str = "") -> Iterator[tuple[ListInfo, list[Row]]]:
        """Every record list with its records and their ordinals; of a query, those records that have its words."""
        for info in self._store.lists():
            yield info, self._records.rows(info.app, info.name, keyword(query))

    def record(self, ref: ItemRef) -> dict[str, Any] | None:
        """The record of an item; None where there is none."""
        info = self._store.list_info(ref.app, ref.list)
        found = self._store.records_at(info.id, [ref.ordinal]) if info else []
        return found[0][1] if found else None

    def page(self, app: str, list_name: str, query: str = "", start: int = 0, most: int = 50) -> RecordPage:
        """Some records of a list with their ordinals: of a query those that fit best, or else the last added first."""
        return self._records.page(app, list_name, keyword(query), start, most)

    def lists(self) -> list[ListInfo]:
        """Every record list, with its size."""
        return self._store.lists()

    def part(self, app: str) -> Mapping[str, Any]:
        """An app's part of the device file, without its records. Raises UsageError: it is not installed."""
        if app not in self._document["apps"]:
            raise UsageError(f"{self.id} has no app {app[:80]!r}: it has {', '.join(self.apps)}")
        found: Mapping[str, Any] = self._document["apps"][app]
        return found

    def people(self) -> list[dict[str, Any]]:
        """The contacts; empty where no app with an address book is installed."""
        return [*self._records.all("contacts", "people"), *self._records.all("android_contacts", "contacts")]

    def taken_away(self, tool: str) -> list[Record]:
        """What that tool took away among the last few actions, the newest first; nothing that was put back."""
        return [
            dict(record)
            for entry in self._journal.latest(_LAST_FEW)
            if entry.call.name == tool and entry.state is EntryState.DONE and not entry.undone and entry.observation
            for record in entry.observation.records
        ]

    @cached_property
    def usage(self) -> Usage:
        """What is noted about the use of the records."""
        from camphor.device.usage import Usage

        return Usage(self._store, lambda: self.now)

    @cached_property
    def memories(self) -> Memories:
        """What the assistant remembers of the person, on this device alone; no part of `export`."""
        return Memories(self._store)

    @cached_property
    def consents(self) -> Consents:
        """What the person has agreed to or refused for good; no part of `export`."""
        return Consents(self._store)

    @cached_property
    def sources(self) -> Sources:
        """Where records were brought in from."""
        return Sources(self._store, self._records, self._installed)

    def _installed(self, app_name: str) -> None:
        """Makes sure that a built-in app is installed."""
        if app_name not in self._document["apps"]:
            self._add(app_name, {})

    @contextmanager
    def changing(self, kind: type[_App]) -> Iterator[_App]:
        """A built-in app, for what is no call: all that is changed in its records inside is kept, or nothing.

        Raises:
            UsageError: it is not installed. StoreError: the device cannot be written.
        """
        app = self._apps.get(kind.name)
        if not isinstance(app, kind):
            raise UsageError(f"{self.id} has no app {kind.name}: it has {', '.join(self.apps)}")
        with self._store.transaction():
            yield app

    def install(self, app_name: str, manifest: Mapping[str, Any]) -> None:
        """Adds an app: a manifest, or a built-in app's record lists.

        Raises:
            UsageError: an app of that name is installed. DeviceFileError: the manifest breaks the format.
        """
        self._add(app_name, manifest)

    def install_functions(self, app_name: str, folder: str, tools: Sequence[Tool]) -> None:
        """Adds an app of Python functions, or brings one up to date, and binds them.

        Raises:
            UsageError: another app of that name is installed. DeviceFileError: a tool's name is taken.
        """
        if app_name in self._document["apps"] and app_name not in self.function_folders:
            raise UsageError(f"{app_name} is installed on this device already: give the folder another name")
        if app_name in KNOWN_APPS:
            raise UsageError(f"{app_name} is the name of a built-in app: give the folder another one")
        self._add(app_name, manifest_of(folder, tools), anew=True)
        self.bind(app_name, tools)

    def add_functions(self, app_name: str, *tools: Tool) -> None:
        """Adds an app of functions that the running program defines with `camphor.tool`, or brings one up to date.

        A stored device keeps what they are called and take, and no code: a program that opens it anew adds them anew.

        Raises:
            DefinitionError: a tool without a function. Else as `install_functions`.
        """
        bare = [tool.name for tool in tools if tool.function is None]
        if bare or not tools:
            told = f"{bare[0]} has no function" if bare else "has no tools"
            raise DefinitionError(f"app {app_name}: {told}: give it functions that are defined under  @tool")
        self.install_functions(app_name, folder_of(tools[0]), tools)

    def remove_functions(self, app_name: str) -> None:
        """Takes an app of functions away; what was done with it stays in the journal.

        Raises:
            UsageError: there is no such app of functions.
        """
        if app_name not in self.function_folders:
            known = ", ".join(self.function_folders) or "none"
            raise UsageError(f"{self.id} has no app of functions {app_name[:80]!r}: it has {known}")
        with self._store.transaction():
            document = self._store.document()
            document["apps"].pop(app_name, None)
            self._store.set_document(document)
        self._document = document
        self._functions.pop(app_name, None)
        self._install_all()

    def bind(self, app_name: str, tools: Sequence[Tool], problem: str = "") -> None:
        """Gives an installed app its functions, which are never stored; or says why they cannot be loaded."""
        self._functions[app_name].bound = {tool.name: tool for tool in tools}
        self._functions[app_name].problem = problem

    def connect(self, phone: Callable[[], RealPhone]) -> None:
        """From now on what the Android apps are asked for is done by a phone that is there, found when it is needed."""
        self._real = phone

    def real(self) -> RealPhone | None:
        """That phone, if there is one. Raises ToolError: it cannot be reached."""
        return self._real() if self._real else None

    @property
    def function_folders(self) -> dict[str, str]:
        """Of each app of functions its folder, or `mcp:NAME`. Whether that is trusted is not the device's to say."""
        apps: dict[str, Any] = self._document["apps"]
        return {name: spec[FOLDER] for name, spec in apps.items() if name not in KNOWN_APPS and spec.get(FOLDER)}

    def _add(self, app_name: str, manifest: Mapping[str, Any], anew: bool = False) -> None:
        with self._store.transaction():
            # as it is now: others may have installed something meanwhile
            document = self._store.document()
            if app_name in document["apps"] and not anew:
                raise UsageError(f"{app_name} is installed on this device already")
            document["apps"][app_name] = copy.deepcopy(dict(manifest))
            Checker(f"the manifest of {app_name}").added(app_name, document["apps"])
            add_lists(self._records, document, app_name)
            self._store.set_document(document)
        self._document = document
        self._install_all()

    def _install_all(self) -> None:
        folders = self.function_folders
        for name, folder in folders.items():
            self._functions.setdefault(name, FunctionApp(name, folder)).folder = folder
        own = {name: self._functions[name] for name in folders}
        apps: Callable[[str], Any] = lambda name: self._document["apps"][name]  # noqa: E731
        self._apps, self._toolbox = install_all(self._document["apps"], self, self._records, own, apps)

    # calls

    def normalise(self, call: Call) -> Call:
        """The call as the device takes it: times as ISO 8601, receivers as numbers and addresses, titles that exist.

        Raises:
            UnknownTool, ArgumentError, AmbiguousValue, UnknownValue: what is wrong and what would be right.
        """
        return self._normal(self._toolbox.get(call.name), call)

    def _normal(self, tool: Tool, call: Call) -> Call:
        normal = self._normaliser(tool, call)
        app = self._apps.get(tool.app)
        if isinstance(app, App):
            app.check(tool.name, normal.arguments)
        return normal

    def about(self, call: Call) -> Record | None:
        """The record that a normalised action would take away; None where it takes none."""
        tool = self._toolbox.get(call.name)
        app = self._apps.get(tool.app)
        return app.about(tool.name, call.arguments) if isinstance(app, App) else None

    def execute(self, call: Call, key: str | None = None) -> Observation:
        """Carries out a call.

        A call that cannot be carried out gives an observation with an `error`. An action is journalled before and
        after; one whose `key` is already done is not done again: its recorded observation is returned. The records that
        it wrote or was about count as used.

        Raises:
            StoreError: the device cannot be read or written; nothing was changed.
            ValueError: the key belongs to another tool's call.
        """
        try:
            tool = self._toolbox.get(call.name)
            if tool.kind is Kind.CONTEXT:
                normal = self._normal(tool, call)
                return Observation(normal, tuple(self._look_up(tool, normal.arguments)))
            before = self._journal.of_key(key) if key is not None else None
            if before is not None and before.state is not EntryState.FAILED:
                return told_before(before, call)
            normal = self._normal(tool, call)
            persons = frozenset(each.name or each.value for each in receivers(self, tool, normal, ()))
            if self.consents.word_on(tool.name, persons) is Word.NEVER:  # whoever agrees, by whatever way it comes
                raise ToolError(f"{tool.name} is never done on this device: its person said so (camphor consent list)")
            return self._act(tool, normal, key)
        except ToolError as error:
            return Observation(call, error=str(error))

    def _look_up(self, tool: Tool, arguments: Mapping[str, Any]) -> Sequence[Record]:
        app = self._apps.get(tool.app)
        if isinstance(app, ManifestApp | FunctionApp):
            return app.find(tool, arguments)
        run = app.run if app else self._general.run
        found: Sequence[Record] = run(tool.name, arguments)
        return found

    def _act(self, tool: Tool, call: Call, key: str | None) -> Observation:
        entry = self._journal.begin(call, key)
        try:
            with self._records.watched() as written:
                record = self._do(tool, call.arguments) if self._apps[tool.app].elsewhere else None
                with self._store.transaction():
                    if record is None:
                        record = self._do(tool, call.arguments)
                    observation = Observation(call, (record,), removed=any(each.after is None for each in written))
                    self._journal.end(entry, EntryState.DONE, observation)
                    if self._can_be_undone(tool):
                        journal.keep(self._store, entry, written)
                    for ref, kind in journal.uses_of(self._records, tool, call.arguments, written):
                        self.usage.record(UsageEvent(ref, kind, self.now, self.place, self.screen))
        except BaseException as error:
            self.usage.refresh()
            self._note_failure(entry, call, error)
            raise
        return observation

    def viewed(self, refs: Iterable[ItemRef]) -> None:
        """Note that the person was shown these items: that is use of them. A disk that is full keeps no such note."""
        with suppress(StoreError):
            for ref in refs:
                self.usage.record(UsageEvent(ref, "opened", self.now, self.place, self.screen))

    def _can_be_undone(self, tool: Tool) -> bool:
        app = self._apps[tool.app]
        return isinstance(app, App) and not app.elsewhere and app.can_be_undone(tool.name)

    def _do(self, tool: Tool, arguments: Mapping[str, Any]) -> Record:
        app = self._apps[tool.app]
        if isinstance(app, ManifestApp | FunctionApp):
            return app.act(tool, arguments, self.now.isoformat(timespec="seconds"))
        done: Record = app.run(tool.name, arguments)
        return done

    def _note_failure(self, entry: int, call: Call, error: BaseException) -> None:
        with suppress(StoreError):  # the disk that failed the action may fail its note too: it then counts as cut off
            self._journal.end(entry, EntryState.FAILED, Observation(call, error=str(error) or type(error).__name__))

    def journal(self) -> list[JournalEntry]:
        """All actions begun on this device, oldest first."""
        return self._journal.entries()

    def done(self, beginning: str) -> list[JournalEntry]:
        """The actions that were done under keys that begin so, oldest first."""
        return self._journal.done(beginning)

    @property
    def actions(self) -> int:
        """How many entries the journal has."""
        return self._journal.size

    def latest_actions(self, most: int, before: int | None = None) -> list[JournalEntry]:
        """The actions begun last, of those before the entry of that number, the newest first."""
        return self._journal.latest(most, before)

    def undo(self, entry_id: int) -> JournalEntry:
        """Takes an action back, once, whole or not at all; gives its entry, which says when.

        Raises:
            UsageError: there is no such entry. CannotUndo: why it cannot be. StoreError: it cannot be written.
        """
        journal.undo(self._store, self._records, entry_id)
        return self._journal.entry(entry_id)

    def settle(self, entry_id: int, done: bool) -> None:
        """Says of an interrupted action whether it was done; one that was not may be done again under its key."""
        state = EntryState.DONE if done else EntryState.FAILED
        entry = next((entry for entry in self.interrupted if entry.id == entry_id), None)
        if entry is None:
            raise UsageError(f"no interrupted action has the number {entry_id}")
        with self._store.transaction():
            self._journal.end(entry_id, state, Observation(entry.call))
        self.interrupted = tuple(other for other in self.interrupted if other.id != entry_id)
