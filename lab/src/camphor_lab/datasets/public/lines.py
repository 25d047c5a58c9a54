"""Lines of the public sets become requests: a query, the calls that it means, and the tools that were at hand.

What is kept is what the query says: a value that is not a run of its words (or a number, or a choice, that it names)
is not something a model could copy. Such a parameter is taken out of the tool, which makes the call right again; where
that leaves nothing of the call, the line is left out, and counted by its reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from camphor.errors import UsageError
from camphor_lab.datasets.bank import split_of
from camphor_lab.datasets.files import read_lines, tables_beside

TABLES = {"slurp": "home", "hwu64": "home", "ms_lu": "assistant", "snips2017": "snips", "droidcall_early": "droid"}
"""Sets whose intents are described in `tools.toml`, and the table there."""
SCHEMED = ("seal_tools", "toolalpaca", "glaive_demo", "nestful", "firefox_voice")
"""Sets that bring descriptions of their own."""
SETS = (*TABLES, *SCHEMED, "clinc_oos")
MOST_CALLS = 5
LONGEST_CHOICE = 16  # characters of a value that may stand among the choices of a parameter
LONGEST_QUERY = 430  # characters, about 100 tokens

_READS = re.compile(
    r"(get|fetch|retrieve|find|search|list|show|query|look|check|read|view|calculate|compute|determine|estimate|convert"
    r"|analy[sz]e|identify|detect|compare|count|measure|assess|evaluate|predict|recommend|verify|translate)(?![a-z])"
)
_NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_CONTRARY = {
    "audio_volume_up": re.compile(r"lower|\bdown\b|decrease|quiet|reduce|soft"),
    "audio_volume_down": re.compile(r"\bup\b|raise|increase|loud(er)?\b(?! *,? *(lower|turn))"),
    "iot_hue_lightoff": re.compile(r"\bon\b(?!.*\boff\b)"),
    "iot_hue_lighton": re.compile(r"\boff\b"),
}
"""Words that say the opposite of what a line is annotated with."""
_STOP = frozenset(
    (
        "a", "an", "the", "of", "for", "to", "in", "on", "by", "with", "and", "or", "from", "at", "as", "is", "it",
        "its", "this", "that", "be", "given", "get", "set", "user", "users", "specific", "based", "provided",
        "information", "info", "about", "details", "data", "using", "into", "their", "retrieve", "find", "search",
    )
)  # fmt: skip


@dataclass(frozen=True)
class PublicTool:
    """A tool of a public set. `domain` is "" where the set describes its tools itself."""

    name: str
    reads: bool
    domain: str
    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    parameters: Mapping[str, Mapping[str, Any]]
    required: frozenset[str]
    source: str

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(f"{self.name} {' '.join(self.descriptions)}")

    @cached_property
    def domains(self) -> frozenset[str]:
        """What it may be about: its own domain, or those that the words of its name hint at."""
        if self.domain:
            return frozenset((self.domain,))
        said = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", f"{self.name} {self.names[0]}").lower())
        hints = tables()["hints"]
        return frozenset(domain for word in said for domain in hints.get(word.removesuffix("s"), ()))


@dataclass(frozen=True)
class ToolUse:
    """A call of a known tool, with values as the query has them."""

    tool: PublicTool
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class PublicRequest:
    """A query and what it means; no uses where no tool is meant. `beside` are tools that the line itself lists."""

    id: str
    source: str
    query: str
    uses: tuple[ToolUse, ...]
    beside: tuple[PublicTool, ...] = ()


@dataclass(frozen=True)
class FoundLater:
    """Stands for a value that is known once the look-up before was made: a field of the record, or its first news."""

    field: str


def tables() -> Mapping[str, Any]:
    """The hand-written file about the sets' intents."""
    return tables_beside(__file__, "tools.toml")


def check_sets(folder: Path) -> None:
    """Raises: UsageError, there is no such folder, or it holds none of the sets."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder")
    if not any(next(folder.glob(f"{name}/train*.jsonl"), None) for name in SETS):
        raise UsageError(f"{folder}: none of the public sets is there: expected folders such as {SETS[0]}/train.jsonl")


def stems(text: str) -> frozenset[str]:
    """The first five letters of the words that tell what a text is about."""
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    return frozenset(word[:5] for word in words if word not in _STOP and len(word) > 2)


def read_requests(folder: Path, rng: Random, counts: Counter[str]) -> dict[str, list[PublicRequest]]:
    """The usable requests of every set in `folder`, shuffled; `counts` learns what was left out and why."""
    found: dict[str, list[PublicRequest]] = {}
    for name in SETS:
        requests: list[PublicRequest] = []
        catalogue = _catalogue(folder, name)
        for line in _lines(folder, name):
            try:
                requests.append(_request(line, name, catalogue, counts))
            except _LeftOut as reason:
                counts[f"{name}: left out: {reason}"] += 1
        rng.shuffle(requests)
        counts[f"{name}: usable"] = len(requests)
        found[name] = requests
    return found


class _LeftOut(Exception):
    """Why a line cannot be used."""


def _lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob(f"{name}/train*.jsonl")):
        yield from (line for _, line in read_lines(path))


def _catalogue(folder: Path, name: str) -> dict[str, PublicTool]:
    """The described tools of a set with annotated intents, by name."""
    if name not in TABLES:
        return {}
    schemas: dict[str, Any] = {}
    for path in folder.glob(f"{name}/tools.json"):
        schemas.update({tool["name"]: tool for tool in json.loads(path.read_text(encoding="utf-8"))})
    seen: dict[tuple[str, str], dict[str, None]] = {}
    for line in _lines(folder, name):
        if name == "droidcall_early":
            schemas.update({tool["name"]: tool for tool in line["tools"]})
        for call in line["calls"]:
            for parameter, value in call["arguments"].items():
                if isinstance(value, str) and len(value) <= LONGEST_CHOICE:
                    seen.setdefault((call["name"], parameter), {})[value.lower()] = None
    known = {}
    for key, (kind, names, descriptions) in tables()[TABLES[name]].items():
        if key in schemas:
            reads, domain = kind.split()
            parameters = {
                parameter: {**_plain(schema), "seen": tuple(seen.get((key, parameter), ()))[:60]}
                for parameter, schema in schemas[key]["parameters"]["properties"].items()
            }
            known[key] = PublicTool(
                key, reads == "read", domain, _parts(names), _parts(descriptions), parameters, frozenset(), name
            )
    return known


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";"))


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter's schema without what is not needed; a text that may be a list of texts is a text."""
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        kind = "string" if "string" in kind else kind[0]
    kept: dict[str, Any] = {"type": {"float": "number", "int": "integer", "str": "string"}.get(kind, kind)}
    if schema.get("enum"):
        kept["enum"] = list(schema["enum"])
    if kind == "array" and isinstance(schema.get("items"), Mapping):
        kept["items"] = {"type": schema["items"].get("type", "string")}
    return kept


def _schemed(schema: Mapping[str, Any], source: str) -> PublicTool:
    name = str(schema["name"])
    body = schema.get("parameters") or {}
    properties = body.get("properties") or {}
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rsplit(".", 1)[-1]).lower()
    parameters = {}
    for key, value in properties.items():
        parameters[key] = _plain(value)
        text = re.sub(r"^(Required\.\s*)?(\w+\.\s+)?", "", str(value.get("description", "")), flags=re.IGNORECASE)
        if text and text.lower() != key.lower():
            parameters[key]["description"] = text
    return PublicTool(
        name,
        _READS.match(words) is not None or words.endswith("_get"),
        "",
        (words.replace("_", " "),),
        (str(schema.get("description") or ""),),
        parameters,
        frozenset(body.get("required") or ()) & set(parameters),
        source,
    )


def _request(
    line: Mapping[str, Any], name: str, catalogue: Mapping[str, PublicTool], counts: Counter[str]
) -> PublicRequest:
    query, calls = _query(line), line.get("calls", [])
    _check_line(line, name, query, calls)
    beside = () if catalogue else tuple(_schemed(tool, name) for tool in line.get("tools", ()))
    if name == "clinc_oos":
        return PublicRequest(line["id"], name, query, ())
    if not calls:
        if name == "glaive_demo" and not re.search(r"sorry|can't|unable|don't have", str(line.get("reply", ""))):
            raise _LeftOut("a question back or chat")
        return PublicRequest(line["id"], name, query, (), beside)
    uses = []
    for call in calls:
        if call["name"] in _CONTRARY and _CONTRARY[call["name"]].search(query.lower()):
            raise _LeftOut("annotated with the opposite")
        tool = catalogue.get(call["name"]) or next((tool for tool in beside if tool.name == call["name"]), None)
        if tool is None:
            raise _LeftOut("an intent that is not described")
        uses.append(_ground(tool, call.get("arguments", {}), query, counts))
    uses = _one_form(uses)
    if name == "firefox_voice" and any(tool.parameters for tool in (use.tool for use in uses)):
        # its slots are annotated on few lines: without parameters the function alone is right
        uses = [
            ToolUse(replace(use.tool, parameters={}, required=frozenset()), {}) for use in uses if not use.arguments
        ]
        if not uses or re.search(r"\b(to|for|about|named?)\b", query):
            raise _LeftOut("slots are not annotated")
    return PublicRequest(line["id"], name, query, tuple(uses), beside)


def _one_form(uses: Sequence[ToolUse]) -> list[ToolUse]:
    """A tool that is called twice has the parameters that both calls may give."""
    tools: dict[str, PublicTool] = {}
    for use in uses:
        before = tools.get(use.tool.name, use.tool)
        both = {name: schema for name, schema in use.tool.parameters.items() if name in before.parameters}
        tools[use.tool.name] = replace(use.tool, parameters=both, required=use.tool.required & set(both))
    made = []
    for use in uses:
        tool = tools[use.tool.name]
        arguments = {name: value for name, value in use.arguments.items() if name in tool.parameters}
        if tool.required - set(arguments) or ToolUse(tool, arguments) in made:
            raise _LeftOut("two calls of one tool that differ in form")
        made.append(ToolUse(tool, arguments))
    return made


def _query(line: Mapping[str, Any]) -> str:
    if "query" in line:
        return " ".join(str(line["query"]).split())
    messages = [message for message in line.get("messages", ()) if message["role"] != "system"]
    if len(messages) != 1:
        raise _LeftOut("several turns")
    return " ".join(messages[0]["content"].split())


def _check_line(line: Mapping[str, Any], name: str, query: str, calls: Sequence[Mapping[str, Any]]) -> None:
    if line.get("nested") and re.search(r"\$\w+|API_call", json.dumps(calls)):
        raise _LeftOut("nested calls")
    if len(calls) > MOST_CALLS:
        raise _LeftOut("more than five calls")
    if name in TABLES and split_of(query) == "test":
        raise _LeftOut("its sentence belongs to the test split")
    if len(query.split()) < 2 or len(query) > LONGEST_QUERY or "{" in query:
        raise _LeftOut("too short or too long")
    if name == "droidcall_early" and not line.get("grounded"):
        raise _LeftOut("not grounded")


def _ground(tool: PublicTool, arguments: Mapping[str, Any], query: str, counts: Counter[str]) -> ToolUse:
    """The call with the values that the query has; parameters of other values are taken out of the tool.

    Raises:
        _LeftOut: nothing, or less than half, of what the call says is in the query.
    """
    kept: dict[str, Any] = {}
    gone = []
    for name, value in arguments.items():
        schema = tool.parameters.get(name)
        said = None if schema is None else grounded(value, schema, name, query)
        if said is None:
            gone.append(name)
        else:
            kept[name] = said
    if gone and len(gone) > len(kept):
        raise _LeftOut("values that the query does not have")
    missing = tool.required - set(kept)
    if missing - set(gone):
        raise _LeftOut("a required value is missing")
    if gone:
        counts[f"{tool.source}: parameters taken out"] += len(gone)
        left = {name: schema for name, schema in tool.parameters.items() if name not in gone}
        tool = replace(tool, parameters=left, required=tool.required - set(gone))
    return ToolUse(tool, kept)


def grounded(value: Any, schema: Mapping[str, Any], name: str, query: str) -> Any:
    """The value as the query says it, in the schema's type; None where the query does not say it."""
    kind = schema.get("type", "string")
    if isinstance(value, list) and len(value) == 1 and kind == "string":
        value = value[0]
    if isinstance(value, list):
        said = [grounded(item, {"type": schema.get("items", {}).get("type", "string")}, name, query) for item in value]
        return said if kind == "array" and said and None not in said else None
    if kind == "boolean" or isinstance(value, bool):
        return _truth(value, name, query)
    if kind in ("integer", "number"):
        return _number(value, kind, query)
    if isinstance(value, dict) or value is None or kind not in ("string", ""):
        return None
    text = str(value).strip()
    if schema.get("enum"):
        choice = next((option for option in schema["enum"] if str(option).lower() == text.lower()), None)
        named = choice is not None and bool(stems(str(choice)) & stems(query))
        return choice if named or (choice is not None and span(str(choice), query)) else None
    return span(text, query)


def span(text: str, query: str) -> str | None:
    """The words of the query that are this text, in the query's own writing."""
    pattern = r"\s+".join(re.escape(word) for word in text.split())
    found = re.search(rf"(?<!\w){pattern}(?!\w)", query, re.IGNORECASE) if pattern else None
    return found[0] if found else None


def _truth(value: Any, name: str, query: str) -> bool | None:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        value = value.lower() == "true"
    named = stems(re.sub(r"[_.]", " ", name)) & stems(query)
    return value if isinstance(value, bool) and value and named else None


def as_number(text: Any) -> int | None:
    """The whole number that a text is, in digits or as a word up to twelve."""
    word = str(text).strip().lower()
    return int(word) if word.isascii() and word.isdigit() and len(word) < 9 else _NUMBER_WORDS.get(word)


def _number(value: Any, kind: str, query: str) -> int | float | None:
    try:
        number = float(str(value).replace(",", "").strip("$€£% "))
    except ValueError:
        return None
    said = [float(text.replace(",", "")) for text in re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", query)]
    said += [float(_NUMBER_WORDS[word]) for word in re.findall(r"[a-z]+", query.lower()) if word in _NUMBER_WORDS]
    if number not in said:
        return None
    return int(number) if kind == "integer" or number.is_integer() else number
