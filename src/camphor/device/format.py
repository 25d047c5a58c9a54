"""The device file `camphor.device/1` (the contract, section 1): read, checked, and every fault pointed at.

Checked is what code relies on. Unknown keys, unknown fields and unknown lists are kept as they are.
"""

from __future__ import annotations

import copy
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from dateutil import tz

from camphor.device import manifests
from camphor.device.apps import KNOWN_APPS, tools_of
from camphor.device.general import general_tools
from camphor.device.records import Records
from camphor.device.store import Store
from camphor.device.text import Shape
from camphor.errors import DefinitionError, DeviceFileError, StoreError, UsageError
from camphor.tools.readers import from_manifest

FORMAT = "camphor.device/1"
SYSTEM_CLOCK = "system"
MOST_BYTES = 512 * 2**20
DEEPEST = 64
KEPT_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
"""What a kept device may be called: it becomes the name of a file."""
_ZONE = re.compile(r"[\w+-]+(?:/[\w+-]+)*")  # and not a path to any file, which the zone reader would open


def read(path: Path) -> dict[str, Any]:
    """The device file as JSON values, not yet checked.

    Raises:
        DeviceFileError: no such file, larger than 512 MiB, or not JSON with each key once.
    """
    where = str(path)
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DeviceFileError(where, "", f"at most {MOST_BYTES >> 20} MiB, found {size >> 20}")
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DeviceFileError(where, "", "a device file, and there is no such file") from None
    except UnicodeDecodeError as error:
        raise DeviceFileError(where, "", f"UTF-8 text (byte {error.start} is none)") from None
    except OSError as error:
        raise DeviceFileError(where, "", f"a readable file ({error.strerror})") from None
    return parse(text, where)


def parse(text: str, where: str) -> dict[str, Any]:
    """The JSON object in a text. Raises: DeviceFileError, as `read`."""
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DeviceFileError(where, "", f"JSON ({error.msg} at line {error.lineno}, column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise DeviceFileError(where, "", f"JSON ({error})") from None
    if not isinstance(data, dict):
        raise DeviceFileError(where, "", f"an object, found {kind(data)}")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def pointer(*keys: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


class Checker:
    """Checks one device file's values.

    Args:
        where: the file's path, for the errors.
    """

    def __init__(self, where: str) -> None:
        self.where = where

    def fail(self, expected: str, *keys: str | int) -> NoReturn:
        raise DeviceFileError(self.where, pointer(*keys), expected)

    def device(self, data: Mapping[str, Any]) -> None:
        """Checks a whole file. Raises: DeviceFileError at the first fault."""
        self.values(data)
        if data.get("format") != FORMAT:
            self.fail(f"{FORMAT!r}", "format")
        if not isinstance(data.get("id"), str) or not data["id"]:
            self.fail("text that names the device", "id")
        for key in ("owner", "screen", "timezone", "now"):
            if not isinstance(data.get(key), str | None):
                self.fail(f"text or null, found {kind(data[key])}", key)
        self._clock(data)
        if not isinstance(data.get("location"), dict | None):
            self.fail(f"an object or null, found {kind(data['location'])}", "location")
        self._texts(data.get("activity"), "activity")
        self._web(data.get("web"))
        if not isinstance(data.get("usage"), list | None):
            self.fail(f"a list of events, found {kind(data['usage'])}", "usage")
        apps = data.get("apps")
        if not isinstance(apps, dict):
            self.fail(f"an object of installed apps, found {kind(apps)}", "apps")
        for name, app in apps.items():
            self._app(name, app)
        self._names_once(apps)

    def added(self, name: str, apps: Mapping[str, Any]) -> None:
        """Checks an app that joins others, whose parts are checked already. Raises: DeviceFileError, as `device`."""
        self.values({"apps": {name: apps[name]}})
        self._app(name, apps[name])
        self._names_once(apps)

    def _app(self, name: str, app: Any) -> None:
        if not name.strip():
            self.fail("a name for the app", "apps", name)
        if not isinstance(app, dict):
            self.fail(f"an object, found {kind(app)}", "apps", name)
        if name in KNOWN_APPS:
            known = KNOWN_APPS[name]
            for key in known.lists:
                self._records(app.get(key, []), "apps", name, key)
            for key in known.facts:
                if not isinstance(app.get(key), dict | None):
                    self.fail(f"an object, found {kind(app[key])}", "apps", name, key)
        else:
            self._manifest(name, app)

    def _clock(self, data: Mapping[str, Any]) -> None:
        now, zone = data.get("now"), data.get("timezone")
        if zone and (not _ZONE.fullmatch(zone) or tz.gettz(zone) is None):
            self.fail("the name of a time zone, such as 'Europe/Dublin', or null", "timezone")
        if now is None or now == SYSTEM_CLOCK:
            return
        try:
            datetime.fromisoformat(now)
        except ValueError:
            self.fail("an ISO 8601 time such as '2026-03-12T08:45:00', 'system' or null", "now")

    def _texts(self, value: Any, key: str) -> None:
        if not isinstance(value, list | None):
            self.fail(f"a list of lines of text, found {kind(value)}", key)
        for place, item in enumerate(value or ()):
            if not isinstance(item, str):
                self.fail(f"a line of text, found {kind(item)}", key, place)

    def _web(self, value: Any) -> None:
        if not isinstance(value, list | None):
            self.fail(f"a list of queries with results, found {kind(value)}", "web")
        for place, entry in enumerate(value or ()):
            if not isinstance(entry, dict):
                self.fail(f"an object with query and result, found {kind(entry)}", "web", place)
            if not isinstance(entry.get("query"), str):
                self.fail("the text of a search", "web", place, "query")
            if "result" not in entry:
                self.fail("what the search answers", "web", place, "result")

    def _records(self, value: Any, *keys: str) -> None:
        if not isinstance(value, list):
            self.fail(f"a list of records, found {kind(value)}", *keys)
        for place, record in enumerate(value):
            if not isinstance(record, dict):
                self.fail(f"a record (an object), found {kind(record)}", *keys, place)

    def _manifest(self, name: str, app: Mapping[str, Any]) -> None:
        at = ("apps", name)
        if not isinstance(app.get("tools"), list):
            known = ", ".join(KNOWN_APPS)
            self.fail(f"the tools of this app, which is not built in (those are {known})", *at, "tools")
        if not isinstance(app.get("description"), str | None):
            self.fail(f"text, found {kind(app['description'])}", *at, "description")
        if not isinstance(app.get("functions"), str | None):
            self.fail(f"the folder of its functions, found {kind(app['functions'])}", *at, "functions")
        lists = app.get("records", {})
        if not isinstance(lists, dict):
            self.fail(f"an object of record lists, found {kind(lists)}", *at, "records")
        for key, records in lists.items():
            self._records(records, *at, "records", key)
        for place, tool in enumerate(app["tools"]):
            self._tool(tool, name, place, runs=bool(app.get("functions")))

    def _tool(self, tool: Any, name: str, place: int, runs: bool) -> None:
        at = ("apps", name, "tools", place)
        if not isinstance(tool, dict):
            self.fail(f"a tool (an object), found {kind(tool)}", *at)
        if not isinstance(tool.get("name"), str) or not tool["name"]:
            self.fail("the tool's name", *at, "name")
        if tool.get("kind") not in ("context", "action"):
            self.fail("'context' or 'action'", *at, "kind")
        if tool["kind"] == "context" and not runs and not isinstance(tool.get("returns"), str):
            self.fail("the name of the record list that the tool reads", *at, "returns")
        if not isinstance(tool.get("parameters"), dict | None):
            self.fail("a JSON Schema object", *at, "parameters")
        try:
            from_manifest(name, {"tools": [tool]})
        except DefinitionError as error:
            self.fail(f"a tool that can be read ({error})", *at)

    def _names_once(self, apps: Mapping[str, Any]) -> None:
        owners = {tool.name: "the device itself" for tool in general_tools()}
        for name in filter(KNOWN_APPS.__contains__, apps):
            owners.update((tool.name, name) for tool in tools_of(name))
        for name, place, tool in _manifest_tools(apps):
            owner = owners.setdefault(tool["name"], f"{name}, tool {place}")
            if owner != f"{name}, tool {place}":
                expected = f"a name that no other tool has (that of {owner} is the same)"
                self.fail(expected, "apps", name, "tools", place, "name")

    def values(self, value: Any, *keys: str | int) -> None:
        """Checks that everything below is what JSON can hold, nested at most `DEEPEST`. Raises: DeviceFileError."""
        if len(keys) > DEEPEST:
            self.fail(f"values nested at most {DEEPEST} deep", *keys)
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if not isinstance(key, str | int) or not _is_unicode(key):
                self.fail(f"keys that are Unicode text, found {key!r}", *keys)
            if isinstance(item, dict | list):
                self.values(item, *keys, key)
            elif isinstance(item, float):
                if not math.isfinite(item):
                    self.fail("a finite number", *keys, key)
            elif not isinstance(item, str | int | None):
                self.fail(f"a JSON value, found {type(item).__name__}", *keys, key)


def _is_unicode(key: str | int) -> bool:
    # a lone surrogate cannot be written as UTF-8, and keys become part of the index
    return isinstance(key, int) or key.isascii() or not any("\ud800" <= char <= "\udfff" for char in key)


def _manifest_tools(apps: Mapping[str, Any]) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    for name, app in apps.items():
        if name not in KNOWN_APPS:
            yield from ((name, place, tool) for place, tool in enumerate(app["tools"]))


def record_lists(data: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The record lists of a checked file: app, list, and the keys under which the list stands."""
    for name, app in data["apps"].items():
        built_in = name in KNOWN_APPS
        inside, at = (app, ("apps", name)) if built_in else (app.get("records", {}), ("apps", name, "records"))
        for key, value in inside.items():
            known = not built_in or key in KNOWN_APPS[name].lists
            if isinstance(value, list) and (known or (value and all(isinstance(item, dict) for item in value))):
                yield name, key, (*at, key)


# How a device file becomes a store: the record lists and the use of the records beside a document of all the rest.


def fill(store: Store, data: Mapping[str, Any]) -> Store:
    """Puts a checked device file's values into an empty store."""
    document = copy.deepcopy(dict(data))
    zone = tz.gettz(document.get("timezone") or None)
    with store.transaction():
        add_lists(Records(store, zone), document)
        if document.get("usage"):
            # numpy takes 0.1 s to import
            from camphor.device.usage import Usage

            Usage(store).take_in(document["usage"], zone)
            document["usage"] = []  # keeps its place
        store.set_document(document)
    return store


def make(path: Path, data: Mapping[str, Any]) -> None:
    """A new store of a checked device file's values, whole or not at all.

    Raises:
        UsageError: there is a file at `path`. StoreError: it cannot be written.
    """
    if path.exists():
        raise UsageError(f"{path}: there is a file already: remove it or choose another name")
    # written beside and then renamed, so that a crash leaves no half device
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)  # it holds a person's life
        store = Store(part, create=True)
        try:
            fill(store, data)
        finally:
            store.close()
        part.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: it cannot be written ({error.strerror})") from error
    finally:
        part.unlink(missing_ok=True)


def empty(store: Store) -> dict[str, Any]:
    """The inverse of `fill`: what was put in and not changed is as it was, in its order."""
    with store.snapshot():
        data = store.document()
        for info in store.lists():
            *keys, last = info.pointer
            inside = data
            for key in keys:
                inside = inside.setdefault(key, {})
            inside[last] = [record for _, record in store.records(info.id)]
        if store.value("SELECT 1 FROM usage_events UNION ALL SELECT 1 FROM usage_skipped LIMIT 1"):
            from camphor.device.usage import Usage

            # a store of version 1 has what it was given under `usage` as it was
            data["usage"] = [*Usage(store).export(), *(data.get("usage") or [])]
    return data


def add_lists(records: Records, document: dict[str, Any], only: str | None = None) -> None:
    """Moves the record lists, or those of one app, out of the document; null keeps each one's place."""
    for app, name, pointer in list(record_lists(document)):
        if only is not None and app != only:
            continue
        inside = document
        for key in pointer[:-1]:
            inside = inside[key]
        known = KNOWN_APPS.get(app)
        shape: Shape = known.shape(name) if known else manifests.shape(name)
        records.create(app, name, pointer, shape, inside[name])
        inside[name] = None
