"""One implicit query a line, with the items it is about, the tools that fit and the plan (Context Tuning, appendix A).

{"id", "persona", "device", "now", "place", "screen", "query", "context": [{"app", "list", "item"}], "tools": [...],
"plan": [{"name", "arguments"}], "intent", "thread"}

`device` is the persona's device file, relative to the folder of the samples; it holds the whole life. What the device
held at the sample's `now` is `device_of(sample, folder)`: the same records up to that moment, with the same places in
their lists. `context` are the gold items, the most relevant first; `tools` the tools that fit, the plan's first;
`intent` the group of phrases and `thread` the kind of thread that the query came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.device import format as device_format
from camphor.device.usage import ItemRef
from camphor.errors import CallSyntaxError, DatasetError
from camphor.tools.plans import Plan, plan_from_json
from camphor.types import Call
from camphor_lab.datasets.context.present import document_at
from camphor_lab.datasets.files import read_lines, write_lines

_TEXTS = ("id", "persona", "device", "now", "place", "screen", "query", "intent", "thread")


@dataclass(frozen=True)
class ContextSample:
    """A query of a persona at a moment and place, and what is right for it.

    Args:
        recent: uses just before the query, of which no other query of that phone knows. answer: what is right to be
            told (`{"must", "must_not"}`), where the query asks and wishes for no action. again: the same in other
            words, to learn from.
    """

    id: str
    persona: str
    device: str
    now: datetime
    place: str
    screen: str
    query: str
    context: tuple[ItemRef, ...]
    tools: tuple[str, ...]
    plan: Plan
    intent: str
    thread: str
    recent: tuple[Mapping[str, Any], ...] = ()
    answer: Mapping[str, Any] | None = None
    again: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        own = {name: value for name, value in vars(self).items() if name not in ("recent", "answer", "again") or value}
        return {
            **own,
            "now": self.now.isoformat(),
            "context": [{"app": ref.app, "list": ref.list, "item": ref.ordinal} for ref in self.context],
            "tools": list(self.tools),
            "plan": [call.to_json() for call in self.plan],
        }


def sample_from_json(data: Any) -> ContextSample:
    """A sample from a line's values.

    Raises:
        ValueError: not of the form; the message says what was expected.
    """
    if not isinstance(data, Mapping):
        raise ValueError("expected an object")
    wrong = next((key for key in _TEXTS if not isinstance(data.get(key), str)), None)
    if wrong:
        raise ValueError(f"expected {wrong} as text")
    tools = data.get("tools")
    if not isinstance(tools, list) or not all(isinstance(tool, str) for tool in tools):
        raise ValueError("expected tools as a list of names")
    try:
        plan: tuple[Call, ...] = plan_from_json(data.get("plan"))
    except CallSyntaxError as error:
        raise ValueError(str(error)) from None
    texts = {key: data[key] for key in _TEXTS if key != "now"}
    now = datetime.fromisoformat(data["now"])
    recent, context = tuple(data.get("recent") or ()), _refs(data.get("context"))
    answer, again = data.get("answer"), tuple(map(str, data.get("again") or ()))
    return ContextSample(
        now=now, context=context, tools=tuple(tools), plan=plan, recent=recent, answer=answer, again=again, **texts
    )


def _refs(data: Any) -> tuple[ItemRef, ...]:
    expected = "expected context as a list of {app, list, item}"
    if not isinstance(data, list) or not all(isinstance(each, Mapping) for each in data):
        raise ValueError(expected)
    found = [(each.get("app"), each.get("list"), each.get("item")) for each in data]
    for app, name, item in found:
        if not isinstance(app, str) or not isinstance(name, str) or not isinstance(item, int) or item < 0:
            raise ValueError(expected)
    return tuple(ItemRef(*each) for each in found)


def read_context_samples(path: Path) -> Iterator[ContextSample]:
    """The samples of a file, in order.

    Raises:
        DatasetError: the file cannot be read, or a line breaks the format; names the line.
    """
    for number, value in read_lines(path):
        try:
            yield sample_from_json(value)
        except (ValueError, TypeError, RecursionError) as error:
            raise DatasetError(str(path), number, str(error)) from None


def write_context_samples(path: Path, samples: Iterable[ContextSample]) -> int:
    """Write a file in one go: it is there as a whole or, after a crash, as it was before. Returns how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_lines(path, (sample.to_json() for sample in samples))


def device_of(sample: ContextSample, folder: Path) -> dict[str, Any]:
    """The device document as it was when the sample's query was asked.

    Raises:
        DatasetError: the device file leaves the folder.
        DeviceFileError: it cannot be read.
    """
    path = folder / sample.device
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DatasetError(str(path), None, "a device outside the dataset's folder")
    return seen_at(device_format.read(path), sample)


def seen_at(document: Mapping[str, Any], sample: ContextSample) -> dict[str, Any]:
    """A device file as it was when the sample's query was asked, with what was used just before it."""
    if sample.recent:
        document = {**document, "usage": [*(document.get("usage") or ()), *sample.recent]}
    return document_at(document, sample.now, sample.place, sample.screen)
