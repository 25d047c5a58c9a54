"""Examples from other function-calling data, for the first samples of functions that have none yet.

DroidCall takes its first examples from a public set with other functions (section 3.2.3, seed generation stage). Sets
are written in several forms; a line of any that is known becomes an example: its functions, a query and the answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.errors import CallSyntaxError, DatasetError
from camphor.tools.plans import plan_from_json, plan_to_json
from camphor.trajectories.call_samples import CallSample
from camphor_lab.datasets.instruct.sampler import JsonLines

_LOOKED_AT = 50  # lines of a file, to tell whether it is function-calling data


@dataclass(frozen=True)
class Example:
    """A query and its answers in DroidCall's form, with the functions that were offered, as JSON."""

    query: str
    answers: Sequence[Mapping[str, Any]]
    tools: Sequence[Any] = ()

    def text(self, with_tools: bool = True) -> str:
        """As it stands in a prompt."""
        sample = json.dumps({"query": self.query, "answers": list(self.answers)}, ensure_ascii=False)
        if not (with_tools and self.tools):
            return sample
        return "\n".join(
            [f"tool: {json.dumps(tool, ensure_ascii=False)}" for tool in self.tools] + [f"sample: {sample}"]
        )


def example_of(sample: CallSample) -> Example:
    """A sample of ours as an example; its functions are told elsewhere."""
    return Example(sample.query, plan_to_json(sample.answers))


def read_example(line: Any) -> Example | None:
    """The example of a line, or None where there is none: no calls, a longer talk, another form.

    Read are {"query", "answers" or "calls", "tools"}, texts of JSON in place of lists among them, and {"messages",
    "calls", "tools"} with one turn of the user.
    """
    if not isinstance(line, Mapping):
        return None
    query, calls = line.get("query"), _listed(line.get("answers", line.get("calls")))
    if query is None and isinstance(line.get("messages"), list):
        said = [turn for turn in line["messages"] if isinstance(turn, Mapping) and turn.get("role") != "system"]
        query = said[0].get("content") if len(said) == 1 and said[0].get("role") == "user" else None
    if not isinstance(query, str) or not query.strip() or not calls:
        return None
    try:
        answers = plan_to_json(plan_from_json(calls))
    except CallSyntaxError:
        return None
    used = {call["name"] for call in answers}
    tools = [tool for tool in _listed(line.get("tools")) if _name(tool) in used]
    return Example(" ".join(query.split()), answers, tools)


class Examples(Sequence[Example | None]):
    """The examples of JSON lines files, read when they are asked for; None for a line that has none.

    Raises:
        DatasetError: a file cannot be read, or holds no function-calling data as far as one looks.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = [JsonLines(path) for path in paths]
        for file in self._files:
            if not any(read_example(file[place]) for place in range(min(len(file), _LOOKED_AT))):
                raise DatasetError(
                    str(file.path), None, 'no function-calling data: expected lines with "query", "answers" and "tools"'
                )

    def __len__(self) -> int:
        return sum(map(len, self._files))

    def __getitem__(self, place: Any) -> Any:
        for file in self._files:
            if place < len(file):
                return read_example(file[place])
            place -= len(file)
        raise IndexError(place)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    return value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []


def _name(tool: Any) -> Any:
    if isinstance(tool, Mapping) and isinstance(tool.get("function"), Mapping):
        tool = tool["function"]
    return tool.get("name") if isinstance(tool, Mapping) else None
