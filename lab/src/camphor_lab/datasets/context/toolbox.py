"""The toolbox of context tuning: 59 tools over seven apps, as many of each as the paper has (appendix A.3, Table 5).

Each file of the folder `toolbox` is an app's manifest in the form of the device file (the contract, section 1). Many
tools have a neighbour that is easily taken for them (play_song and queue_song, call_contact and return_missed_call), so
that a query which does not name what it means leaves a planner in doubt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from camphor.errors import DatasetError, DefinitionError
from camphor.tools.readers import from_manifest
from camphor.tools.tool import Toolbox
from camphor_lab.datasets.context.lives import LISTS

STORES: Mapping[str, str] = LISTS
"""The seven apps and the record list of each: the context stores."""

_FOLDER = Path(__file__).parent / "toolbox"


def manifest(app: str) -> dict[str, Any]:
    """An app's description and tools, to which a device adds `records`; the caller's own copy.

    Raises:
        KeyError: an app that the toolbox does not know.
    """
    if app not in STORES:
        raise KeyError(app)
    loaded: dict[str, Any] = json.loads((_FOLDER / f"{app}.json").read_text(encoding="utf-8"))
    return loaded


def manifests() -> dict[str, dict[str, Any]]:
    """All seven by name: what `toolbox.json` of a dataset holds."""
    return {app: manifest(app) for app in STORES}


def toolbox_of(found: Mapping[str, Mapping[str, Any]]) -> Toolbox:
    """The tools of manifests by app, in order. Raises: DefinitionError, as `from_manifest`."""
    return Toolbox(tool for app, one in found.items() for tool in from_manifest(app, one))


@cache
def context_toolbox() -> Toolbox:
    """The 59 tools."""
    return toolbox_of(manifests())


def read_toolbox(path: Path) -> Toolbox:
    """The toolbox of a dataset's folder.

    Raises:
        DatasetError: it cannot be read, or holds no manifests by app.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DatasetError(str(path), None, f"not JSON: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise DatasetError(str(path), None, "expected an object of apps, each with its tools")
    try:
        return toolbox_of(found)
    except DefinitionError as error:
        raise DatasetError(str(path), None, str(error)) from None
