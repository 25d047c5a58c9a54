"""Lines in the form of Google's Mobile Actions: tools, and messages of a developer, a user and an assistant who calls.

The developer's message says what now is. The lines of one file that have the same tools become one module, so that they
are measured as other functions are that no model was trained on. Of a file that marks lines as "train" and "eval" only
the latter are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.errors import CallSyntaxError, DatasetError, DefinitionError, UsageError
from camphor.tools.calls import calls_from_json
from camphor.tools.readers import from_schema
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import CallSample
from camphor_lab.datasets.files import read_lines
from camphor_lab.datasets.modules import Module

_NOW = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?")
_SCORED = "eval"


def read_mobile_actions(path: Path) -> list[Module]:
    """The lines of a file, by their tools.

    Raises:
        DatasetError: a line breaks the form. UsageError: the file has no line to score.
    """
    lines = [(number, line) for number, line in read_lines(path) if isinstance(line, Mapping)]
    marked = any(line.get("metadata") == _SCORED for _, line in lines)
    found: dict[str, tuple[tuple[Tool, ...], list[CallSample]]] = {}
    for number, line in lines:
        if marked and line.get("metadata") != _SCORED:
            continue
        try:
            key = json.dumps(line["tools"], sort_keys=True)
            if key not in found:
                found[key] = (tuple(from_schema(each) for each in line["tools"]), [])
            found[key][1].append(_sample(f"{path.stem}-{number}", line["messages"]))
        except (KeyError, TypeError, ValueError, CallSyntaxError, DefinitionError) as error:
            told = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise DatasetError(
                str(path), number, f"expected tools and messages as Mobile Actions has: {told}"
            ) from None
    if not found:
        raise UsageError(f"{path}: holds no line with tools and messages to score")
    return [Module(path, tools, tuple(samples)) for tools, samples in found.values()]


def _sample(name: str, messages: list[Mapping[str, Any]]) -> CallSample:
    """Raises: KeyError, TypeError, ValueError or CallSyntaxError, the messages are not of the form."""
    by_role = {str(message["role"]): message for message in messages}
    told = by_role.get("developer", by_role.get("system", {})).get("content") or ""
    now = _NOW.search(str(told))
    calls = calls_from_json(by_role["assistant"].get("tool_calls") or [])
    kind = "none" if not calls else "simple" if len(calls) == 1 else "several"
    clock = datetime.fromisoformat(now[0]) if now else None
    return CallSample(name, str(by_role["user"]["content"]), calls, clock, {}, (kind,))
