"""Tools from three sources: a typed Python function, a JSON Schema, an app's manifest.

What a parameter's value means is inferred where the source does not say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.functions import place_of, read_function
from camphor.tools.tool import NAME, Kind, Parameter, Role, Tool
from camphor.types import Agent

_FORMATS = {"date-time": Role.TIME, "date": Role.DATE, "email": Role.EMAIL, "phone": Role.PHONE}
_NAMES = {
    "keyword": Role.KEYWORD,
    "query": Role.QUERY,
    "phone_number": Role.PHONE,
    "phone": Role.PHONE,
    "email": Role.EMAIL,
    "email_address": Role.EMAIL,
    "person": Role.PERSON,
    "time_range": Role.TIME_RANGE,
    "date_range": Role.TIME_RANGE,
}
_LENGTH_OF_TIME = re.compile(
    r"m:ss|\bduration\b|\bhow long\b|\bnumber of (minutes|hours|seconds|days)\b", re.IGNORECASE
)
_SAYS_TIME = re.compile(r"iso[ -]?8601|date[ -]?time|date and time|local time(?![ -]?zone)|hh:mm", re.IGNORECASE)
_SAYS_DATE = re.compile(
    r"yyyy-mm-dd(?!.*(hh|time))|^(?!.*time).*iso[ -]?8601 date|^(?!.*time).*date,? iso", re.IGNORECASE
)
_TIMES = re.compile(r"(^|_)(time|datetime|start|begin|end|until|by)$|_at$")
_DATES = re.compile(r"(^|_)(date|day)$")
# Names that hold a word of time and mean no moment: what a time is written in, how long something takes, how often.
_NO_MOMENT = re.compile(
    r"(^|_)(time_?zones?|tz|offset|formats?|units?|names?|labels?|times|count|limit|length|duration|runtime|interval|"
    r"(years|months|weeks|days|hours|minutes|mins|seconds|secs)|(a|per|each|every)_day)$"
    r"|(^|_)(lead|prep|preparation|cook|cooking|baking|travel|journey|commute|driving|walking|running|run|playing|wait|"
    r"waiting|response|screen|elapsed|total|lap|split|best)_time$"
)
# Nor do these, unless the description speaks of a time: a key, an amount or a doer after "by", a place after "at".
_SELDOM_MOMENT = re.compile(
    r"(^|_)(sort|order|group|filter|rank|search|split|divide|multiply|increase|decrease|raise|lower|reduce|extend|"
    r"change|shift|delay|ordered|sorted|grouped|created|added|edited|posted|signed|approved|assigned|requested|"
    r"recommended|owned|played|directed|produced|recorded|made|sent|written|sung|drawn|paid|given|taken|told)_by$"
    r"|(^|_)(look|looking|work|works|working|stay|stays|staying|live|lives|based|located|held)_at$"
)
_SAYS_NO_TIME = re.compile(
    r"^(?!.*\b(time|when|hour|clock|day|date|iso)\b).*\b(address|place|station|stop|city|town|street|location|page|"
    r"chapter|verse|line|row|point|level|mile|km|author|artist|writer|person|who|name of)\b",
    re.IGNORECASE,
)
_IDS = re.compile(r"(^|_)(id|no|number|code|ref)$")
# What people compose freely, although records have a field of that name too.
_COMPOSED = re.compile(
    r"(^|_)(text|message|content|contents|body|notes?|reason|remarks?|comments?|description|memo|question|answer|reply|"
    r"caption|front|back|details|summary|instructions|feedback|quantity|amount|size)$"
)
_CREATES = re.compile(r"^(add|create|new|make|post|write|log|record|register|draft)(_|$)")
_TITLES = re.compile(r"(^|_)(title|name|item|subject|task|product|label)$")


def infer(
    name: str,
    *,
    tool: str = "",
    kind: Kind = Kind.ACTION,
    form: str = "",
    description: str = "",
    fields: Collection[str] = (),
) -> Role:
    """The role of a text parameter.

    Args:
        name: of the parameter. tool, kind: of the tool that has it. form: the schema's `format`.
        fields: names of the record fields of the tool's app: an acting tool's parameter called like one refers to a
            record, unless it is something people compose (a text, a reason), or the title of what the tool creates.
            A reading tool may look for anything: what it does not find does no harm.
    """
    if form in _FORMATS:
        return _FORMATS[form]
    if name in _NAMES:
        return _NAMES[name]
    if moment := _moment(name, description):
        return moment
    if name.endswith(("_phone", "_phone_number")):
        return Role.PHONE
    if name.endswith(("_email", "_email_address")):
        return Role.EMAIL
    if _IDS.search(name):
        return Role.REFERENCE
    if kind is Kind.CONTEXT or name not in fields or _COMPOSED.search(name):
        return Role.TEXT
    return Role.TEXT if _CREATES.search(tool) and _TITLES.search(name) else Role.REFERENCE


def _moment(name: str, description: str) -> Role | None:
    """Whether a parameter takes a day or a time."""
    if _NO_MOMENT.search(name) or _LENGTH_OF_TIME.search(description):
        return None
    if _DATES.search(name) or _SAYS_DATE.search(description):
        return Role.DATE
    if _SAYS_TIME.search(description):
        return Role.TIME
    if _SELDOM_MOMENT.search(name) or (_SAYS_NO_TIME.search(description) and "time" not in name):
        return None
    return Role.TIME if _TIMES.search(name) else None


# Type names that published tool sets write in place of JSON Schema's.
_OTHER_NAMES = {
    "str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number",
    "bool": "boolean", "list": "array", "tuple": "array", "dict": "object", "any": "",
}  # fmt: skip
_DEEPEST = 8
_DEEPEST_FIELDS = 4
_JSON: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def from_function(function: Callable[..., Any], *, kind: Kind, agent: Agent, app: str = "") -> Tool:
    """A tool from a typed function with a Google-style docstring (DroidCall, section 3.2.2).

    The docstring's text before `Args:` describes the tool, its entries the parameters, `Returns:` and `Examples:` what
    they say. Types read are str, int, float, bool, list, tuple, dict, datetime, date, Literal, Enum, dataclasses and
    TypedDicts, Any, Optional and unions of them; `Annotated[str, Role.TIME]` says what a value means, else it is
    inferred as for a schema. A parameter with a default, or that takes None, is optional. Calls hold an Enum's value,
    a date's text and an object of a dataclass's fields, not the Python objects.

    Raises:
        DefinitionError: what cannot be read, and how to write it; names the file and line.
    """
    name = getattr(function, "__name__", "")
    read = read_function(function, lambda parameter: _inferred(parameter, name, kind))
    try:
        return Tool(name, read.description, read.parameters, kind, agent, app, "", function, read.result, read.examples)
    except DefinitionError as error:
        raise DefinitionError(f"{place_of(function)}: {error}") from None


def _inferred(parameter: Parameter, tool: str, kind: Kind) -> Role:
    if parameter.enum or "string" not in parameter.types:
        return Role.TEXT
    return infer(parameter.name, tool=tool, kind=kind, description=parameter.description)


def from_schema(
    schema: Mapping[str, Any],
    *,
    kind: Kind = Kind.ACTION,
    agent: Agent | None = None,
    app: str = "",
    returns: str = "",
    fields: Iterable[str] = (),
) -> Tool:
    """A tool from `{"name", "description", "parameters": {"type": "object", "properties", "required"}}`.

    Also reads `{"type": "function", "function": {...}}`, as servers take them. `returns`, as an object, is a schema of
    what it gives back; `examples` are texts. Members of objects become fields down to a depth of four.

    Args:
        agent: who it belongs to; None for personal_context or task_completion, by kind.
        fields: names of the app's record fields: a parameter called like one refers to a record.

    Raises:
        DefinitionError: not of that form; names app, tool and parameter.
    """
    if isinstance(schema, Mapping) and isinstance(schema.get("function"), Mapping):
        schema = schema["function"]
    where = f"app {app}" if app else "the tool"
    if not isinstance(schema, Mapping) or not isinstance(schema.get("name"), str):
        raise DefinitionError(f"{where}: expected an object with the tool's name")
    name = schema["name"]
    where = f"app {app}, tool {name}" if app else f"tool {name}"
    body = schema.get("parameters") or {}
    properties = body.get("properties") or {} if isinstance(body, Mapping) else None
    if not isinstance(properties, Mapping):
        raise DefinitionError(f"{where}: expected parameters as a JSON Schema object with properties")
    required = body.get("required") or []
    if not isinstance(required, Sequence) or isinstance(required, str):
        raise DefinitionError(f"{where}: expected required as a list of parameter names")
    missing = [each for each in required if each not in properties]
    if missing:
        raise DefinitionError(f"{where}: required parameter {missing[0]} is not among its properties")
    reader = _Properties(where, name, kind, frozenset(fields), body)
    chosen = agent or (Agent.TASK if kind is Kind.ACTION else Agent.CONTEXT)
    parameters = tuple(reader.read(str(key), value, key in required) for key, value in properties.items())
    told = schema.get("returns")
    result = reader.result(told) if isinstance(told, Mapping) else None
    try:
        return Tool(
            name, str(schema.get("description") or ""), parameters, kind, chosen, app, returns, None, result,
            examples_of(schema),
        )  # fmt: skip
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None


def examples_of(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The examples of a tool in JSON, under either name; other values than texts as JSON."""
    found = data.get("examples") or data.get("example") or []
    some = found if isinstance(found, list) else [found]
    return tuple(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in some)


def from_manifest(app_name: str, manifest: Mapping[str, Any]) -> tuple[Tool, ...]:
    """The tools of an app that brings its own manifest (contract, section 1).

    Raises:
        DefinitionError: a tool without a name, of an unknown kind, twice, or with parameters that cannot be read.
    """
    schemas = manifest.get("tools", ())
    if not isinstance(schemas, Sequence) or isinstance(schemas, str):
        raise DefinitionError(f"app {app_name}: expected tools as a list")
    fields = _fields(manifest.get("records"))
    tools: list[Tool] = []
    for place, schema in enumerate(schemas):
        if not isinstance(schema, Mapping):
            raise DefinitionError(f"app {app_name}, tool {place}: expected an object")
        try:
            kind = Kind(schema.get("kind", ""))
        except ValueError:
            expected = "expected kind context or action"
            raise DefinitionError(f"app {app_name}, tool {schema.get('name', place)}: {expected}") from None
        returns = schema.get("returns")
        name = returns if isinstance(returns, str) else ""
        tool = from_schema(schema, kind=kind, app=app_name, returns=name, fields=fields)
        if any(other.name == tool.name for other in tools):
            raise DefinitionError(f"app {app_name}: tool {tool.name} is defined twice")
        tools.append(tool)
    return tuple(tools)


def _fields(records: Any) -> set[str]:
    lists = records.values() if isinstance(records, Mapping) else ()
    rows = [row for rows in lists if isinstance(rows, list) for row in rows if isinstance(row, Mapping)]
    return {str(field) for row in rows for field in row}


class _Properties:
    """Reads the properties of one tool's parameters schema."""

    def __init__(self, where: str, tool: str, kind: Kind, fields: frozenset[str], root: Mapping[str, Any]) -> None:
        self._where, self._tool, self._kind, self._fields, self._root = where, tool, kind, fields, root

    def read(self, name: str, schema: Any, required: bool) -> Parameter:
        """One parameter. One that may be null may also be left out.

        Raises:
            DefinitionError: a schema that cannot be read; names tool and parameter.
        """
        try:
            return self._parameter(name, schema, required)
        except DefinitionError as error:
            raise DefinitionError(f"{self._where}, parameter {name}: {error}") from None

    def result(self, schema: Mapping[str, Any]) -> Parameter:
        """What the tool gives back, which may be null. Raises: DefinitionError, as `read`."""
        read = self.read("result", schema, True)
        kind = f"{read.type}|null" if read.type and not read.required else read.type
        return replace(read, type=kind or ("null" if schema.get("type") == "null" else ""), required=True)

    def _parameter(self, name: str, schema: Any, required: bool, depth: int = 0) -> Parameter:
        schema = self._resolved(schema)
        kinds, enum, nullable = self._types(schema)
        array = self._part(schema, "array")
        elements = self._resolved(array["items"]) if isinstance(array.get("items"), Mapping) else {}
        items, choices, _ = self._types(elements) if elements else ([], [], False)
        holder = schema if "object" in kinds else elements if "array" in kinds and "object" in items else {}
        return Parameter(
            name,
            "|".join(kinds),
            str(schema.get("description") or ""),
            required and not nullable,
            self._role(name, schema, kinds, enum),
            tuple(enum),
            schema.get("default"),
            _bound(schema, "minimum", "exclusiveMinimum", 1, kinds),
            _bound(schema, "maximum", "exclusiveMaximum", -1, kinds),
            "|".join(items) if "array" in kinds else "",
            tuple(choices) if "array" in kinds else (),
            self._members(holder, depth),
        )

    def _members(self, schema: Mapping[str, Any], depth: int) -> tuple[Parameter, ...]:
        """The fields of an object; none, so that any are taken, where it is too deep or a key is no name."""
        schema = self._part(schema, "object")
        properties, required = schema.get("properties"), schema.get("required") or []
        if not isinstance(properties, Mapping) or depth >= _DEEPEST_FIELDS or schema.get("additionalProperties"):
            return ()
        if not isinstance(required, list) or not all(NAME.fullmatch(str(key)) for key in properties):
            return ()
        return tuple(self._parameter(str(key), value, key in required, depth + 1) for key, value in properties.items())

    def _part(self, schema: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
        """Of alternatives, the one that is of this type, where it is one: None is the usual other one."""
        options = schema.get("anyOf") or schema.get("oneOf")
        if not isinstance(options, list):
            return schema
        parts = [each for each in map(self._resolved, options) if kind in self._types(each)[0]]
        return parts[0] if len(parts) == 1 else {}

    def _resolved(self, schema: Any, depth: int = 0) -> Mapping[str, Any]:
        if not isinstance(schema, Mapping):
            raise DefinitionError("expected a JSON Schema object")
        if "$ref" not in schema:
            return schema
        keys = str(schema["$ref"]).split("/")
        found: Any = self._root
        for key in keys[1:]:
            found = found.get(key) if isinstance(found, Mapping) else None
        if keys[0] != "#" or found is None or depth > _DEEPEST:
            raise DefinitionError(f"$ref {schema['$ref']!r} leads nowhere within the tool's parameters")
        return {**self._resolved(found, depth + 1), **{key: value for key, value in schema.items() if key != "$ref"}}

    def _types(self, schema: Mapping[str, Any], depth: int = 0) -> tuple[list[str], list[Any], bool]:
        """Its types without null, the values allowed, and whether null is."""
        options = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(options, list):
            if depth > _DEEPEST:
                raise DefinitionError(f"alternatives are nested deeper than {_DEEPEST}, or in a circle")
            return _merge([self._types(self._resolved(option), depth + 1) for option in options])
        declared = schema.get("type", "")
        names = declared if isinstance(declared, list) else [declared]
        if not all(isinstance(each, str) for each in names):
            raise DefinitionError(f"expected type as a name or a list of names, found {declared!r}")
        kinds = [_OTHER_NAMES.get(str(each), str(each)) for each in names]
        enum = [schema["const"]] if "const" in schema else schema.get("enum") or []
        if not isinstance(enum, list) or not all(value is None or type(value) in _JSON for value in enum):
            raise DefinitionError("expected enum as a list of texts, numbers or booleans")
        nullable = "null" in kinds or None in enum
        enum = [value for value in enum if value is not None]
        if kinds := [each for each in kinds if each not in ("", "null")]:
            return kinds, enum, nullable
        kinds = list(dict.fromkeys(_JSON[type(value)] for value in enum))
        return kinds, enum, nullable

    def _role(self, name: str, schema: Mapping[str, Any], kinds: Sequence[str], enum: Sequence[Any]) -> Role:
        if "x-role" in schema:
            try:
                return Role(schema["x-role"])
            except ValueError:
                known = ", ".join(Role)
                raise DefinitionError(f"x-role {schema['x-role']!r} is unknown: use one of {known}") from None
        if enum or (kinds and "string" not in kinds):
            return Role.TEXT
        description, form = str(schema.get("description") or ""), str(schema.get("format") or "")
        return infer(name, tool=self._tool, kind=self._kind, form=form, description=description, fields=self._fields)


def _merge(parts: Sequence[tuple[list[str], list[Any], bool]]) -> tuple[list[str], list[Any], bool]:
    kinds = list(dict.fromkeys(kind for part in parts for kind in part[0]))
    # values count only where every alternative is a list of them; else the types say what else is allowed
    closed = all(part[1] for part in parts if part[0] or part[1])
    return kinds, [value for part in parts for value in part[1]] if closed else [], any(part[2] for part in parts)


def _bound(schema: Mapping[str, Any], key: str, exclusive: str, step: int, kinds: Sequence[str]) -> float | None:
    value, beyond = schema.get(key), schema.get(exclusive)
    if isinstance(beyond, int | float) and not isinstance(beyond, bool):
        value = beyond + step if list(kinds) == ["integer"] else beyond
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise DefinitionError(f"expected {key} as a number, found {value!r}")
