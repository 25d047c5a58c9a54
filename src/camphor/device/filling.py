"""How a device file becomes a store: the record lists and the use of the records beside a document of all the rest."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dateutil import tz

from camphor.device import manifests
from camphor.device.apps import KNOWN_APPS
from camphor.device.conditions import Shape
from camphor.device.format import record_lists
from camphor.device.records import Records
from camphor.device.store import Store
from camphor.errors import StoreError, UsageError


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
