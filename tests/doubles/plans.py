"""Tools with every kind of parameter, and plans of them."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from camphor.tools.plans import Plan, Reference
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent, Call


def make(name: str, *parameters: Parameter, result: str | None = None, description: str = "") -> Tool:
    returned = None if result is None else Parameter("result", result)
    return Tool(name, description, parameters, Kind.ACTION, Agent.TASK, result=returned)


FIELDS = (Parameter("street"), Parameter("zip", "integer", required=False))
FIND = make("find", Parameter("name"), Parameter("key", enum=("email", "phone")), result="string")
SEND = make(
    "send",
    Parameter("to", "array", items="string"),
    Parameter("body"),
    Parameter("copies", "integer", required=False),
    Parameter("urgent", "boolean", required=False),
)
PLACE = make(
    "place-it",
    Parameter("at", "object", fields=FIELDS),
    Parameter("extra", "object", required=False),
    Parameter("weight", "number", required=False),
    Parameter("anything", "", required=False),
    Parameter("from", required=False, role=Role.TIME),
    result="object",
)
RING = make("ring")
TOOLS = (FIND, SEND, PLACE, RING)
UNHURRIED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: text.strip() and not text.startswith("#")
)
numbers = st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: number == 0 or 1e-15 < abs(number) < 1e15
)
scalars = texts | numbers | st.booleans() | st.none()


def values(references: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        scalars | references,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=5,
    )


def arguments(tool: Tool, references: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {each.name: value_of(each, references) for each in tool.parameters if each.required},
        optional={each.name: value_of(each, references) for each in tool.parameters if not each.required},
    )


def value_of(parameter: Parameter, references: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    if parameter.enum:
        return st.sampled_from(parameter.enum)
    if parameter.fields:
        return st.fixed_dictionaries({"street": texts | references}, optional={"zip": st.integers(0, 99999)})
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "string": texts | references,
        "integer": st.integers(-1000, 10**15),
        "boolean": st.booleans(),
        "number": numbers,
        "array": st.lists(texts | references, max_size=4),
        "object": st.dictionaries(texts, values(references), max_size=3),
        "": values(references).filter(lambda value: value is not None),
    }
    return kinds[parameter.type]


@st.composite
def plans(draw: st.DrawFn, most: int = 4) -> Plan:
    """Plans that the tools accept, with references to earlier calls."""
    calls: list[Call] = []
    for place in range(draw(st.integers(0, most))):
        tool = draw(st.sampled_from(TOOLS))
        earlier = [Reference(each) for each in range(place)]
        references = st.sampled_from(earlier) if earlier else st.nothing()
        calls.append(Call(tool.name, draw(arguments(tool, references))))
    return tuple(calls)
