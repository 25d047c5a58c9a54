"""Lines of public function-calling sets as one dataset: what a model tuned on the 24 functions is compared with
(DroidCall, section 4.2).

A line has a query, the tools at hand and one right answer. A dataset has one list of functions, so a line whose tool is
defined otherwise than in an earlier line is left out, as is one with an answer that its tools do not allow.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from camphor.errors import CamphorError, DatasetError, UsageError
from camphor.tools.calls import calls_from_json
from camphor.tools.plans import check
from camphor.tools.readers import from_schema
from camphor.tools.tool import Tool, Toolbox
from camphor.trajectories.call_samples import CallSample, write_call_samples
from camphor_lab.datasets.files import read_lines, write_json

_NOT_PLAIN = ("$var", "API_call_")
"""How two of the sets write the result of an earlier call; no line that has one is taken."""


def collect(files: Iterable[Path], out: Path, count: int | None = None, seed: int = 7) -> tuple[int, Counter[str]]:
    """Write `train.jsonl` and `tools.json` to a folder. Returns how many samples there are, and why others are not.

    Args:
        count: at most so many, chosen by the seed; every one when None.

    Raises:
        DatasetError: a line that is no JSON object, with file and line. UsageError: no line is left.
    """
    schemas: dict[str, Mapping[str, Any]] = {}
    samples: list[CallSample] = []
    refused: Counter[str] = Counter()
    for path in files:
        for number, line in read_lines(path):
            try:
                samples.append(_sample(line, schemas))
            except CamphorError as error:
                refused[type(error).__name__] += 1
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise DatasetError(str(path), number, f"expected id, query, tools and calls: {error!r}") from None
    if not samples:
        raise UsageError(f"none of the {sum(refused.values())} lines can be used: give files of public sets")
    if count is not None and count < len(samples):
        samples = random.Random(seed).sample(samples, count)
    out.mkdir(parents=True, exist_ok=True)
    used = {call.name for sample in samples for call in sample.answers}
    kept = [schema for name, schema in schemas.items() if name in used]
    write_json(out / "tools.json", kept, indent=1)
    return write_call_samples(out / "train.jsonl", samples), refused


def _sample(line: Mapping[str, Any], schemas: dict[str, Mapping[str, Any]]) -> CallSample:
    """Raises CamphorError: the line cannot be used."""
    query, calls = line.get("query"), line["calls"]
    if not query or not calls or any(mark in json.dumps(calls) for mark in _NOT_PLAIN):
        raise UsageError("not one request with plain calls")
    new = {schema["name"]: schema for schema in line["tools"]}
    if any(schemas.get(name, schema) != schema for name, schema in new.items()):
        raise UsageError("a tool that is defined otherwise elsewhere")
    tools: list[Tool] = [from_schema(schema) for schema in new.values()]
    plan = check(calls_from_json(calls), Toolbox(tools))
    schemas.update(new)
    return CallSample(str(line["id"]), str(query), plan, tags=("simple" if len(plan) == 1 else "complex",))
