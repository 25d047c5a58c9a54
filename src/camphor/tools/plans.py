"""Plans: calls in the order in which they were written, of which a later one may use an earlier one's result.

The id of a call is its place in the plan, from 0. In DroidCall's JSON a reference is the text "#0", in code it is the
variable that the earlier call was assigned to (DroidCall, sections 3.2.3 and 4.1); here it is a `Reference`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from camphor.errors import ArgumentError, CallSyntaxError, ToolError
from camphor.tools import invoke
from camphor.tools.tool import Parameter, Tool, Toolbox
from camphor.types import Call

Plan = tuple[Call, ...]

_REFERENCE = re.compile(r"#(\d{1,6})")


@dataclass(frozen=True)
class Reference:
    """The result of the call with this id."""

    to: int

    def __str__(self) -> str:
        return f"#{self.to}"


def references(value: Any) -> Iterator[Reference]:
    """The references in a value, at any depth; of a call, those of its arguments."""
    if isinstance(value, Reference):
        yield value
    elif isinstance(value, Call):
        yield from references(value.arguments)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from references(each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from references(each)


def plan_to_json(plan: Plan) -> list[dict[str, Any]]:
    """`[{"id": 0, "name": ..., "arguments": {...}}]`, as DroidCall's listings 2 to 4 have it."""
    return [{"id": place, "name": call.name, "arguments": _to_json(call.arguments)} for place, call in enumerate(plan)]


def plan_from_json(data: Any) -> Plan:
    """A plan from values in that form; calls may stand in any order and have any whole numbers as ids.

    An id that is absent is the call's place. Ids are renumbered by the order in which the calls stand. A text that is
    "#" and the id of a call of the plan is a reference; "#" and another number is a text like any other.

    Raises:
        CallSyntaxError: not of that form, or one id twice; says which call.
    """
    items = [data] if isinstance(data, Mapping) else data
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise CallSyntaxError("expected a JSON list of calls, each with id, name and arguments")
    places: dict[int, int] = {}
    for place, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
            raise CallSyntaxError(f"call {place}: expected an object with a name and arguments")
        if not isinstance(item.get("arguments") or {}, Mapping):
            raise CallSyntaxError(f"call {place}: expected the arguments of {item['name'][:80]} as an object")
        known = item.get("id", place)
        if not isinstance(known, int) or isinstance(known, bool):
            raise CallSyntaxError(f"call {place}: expected a whole number as id")
        if places.setdefault(known, place) != place:
            raise CallSyntaxError(f"call {place}: id {known} is taken by an earlier call")
    return tuple(Call(item["name"], _from_json(item.get("arguments") or {}, places)) for item in items)


def _to_json(value: Any) -> Any:
    if isinstance(value, Reference):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _to_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(each) for each in value]
    return value


def _from_json(value: Any, places: Mapping[int, int]) -> Any:
    if isinstance(value, str):
        found = _REFERENCE.fullmatch(value)
        return Reference(places[int(found[1])]) if found and int(found[1]) in places else value
    if isinstance(value, Mapping):
        return {str(key): _from_json(each, places) for key, each in value.items()}
    if isinstance(value, list):
        return [_from_json(each, places) for each in value]
    return value


def check(plan: Plan, toolbox: Toolbox) -> Plan:
    """The plan with its arguments in the types that the tools declare, as `values.check` makes them of one call.

    A reference stands for its call's result: where the tool says what type that has, it must fit the parameter, and a
    single value for a list becomes a list of one.

    Raises:
        UnknownTool: a call of what there is not. ArgumentError: a parameter that is unknown, missing or of another
        type, or a reference to the call itself, a later one, one that there is not, or one that gives back another
        type. Both name the call.
    """
    for place, call in enumerate(plan):
        for name, value in call.arguments.items():
            for reference in references(value):
                _check_order(plan, place, name, reference)
    return tuple(_checked(call, plan, toolbox) for call in plan)


def without_repeats(plan: Plan) -> Plan:
    """The plan without calls that are the same as an earlier one, whose result stands for theirs.

    Nobody asks for the same twice in one breath, and a small model that has written a call is apt to write it again.
    """
    kept: list[Call] = []
    stands: dict[int, int] = {}
    for place, call in enumerate(plan):
        call = Call(call.name, {name: _moved(value, stands) for name, value in call.arguments.items()})
        stands[place] = kept.index(call) if call in kept else len(kept)
        if stands[place] == len(kept):
            kept.append(call)
    return tuple(kept)


def _moved(value: Any, places: Mapping[int, int]) -> Any:
    if isinstance(value, Reference):
        return Reference(places.get(value.to, value.to))
    if isinstance(value, Mapping):
        return {name: _moved(each, places) for name, each in value.items()}
    return [_moved(each, places) for each in value] if isinstance(value, list) else value


def waves(plan: Plan) -> tuple[tuple[int, ...], ...]:
    """Ids of calls in groups: those of a group use results of earlier groups only, so they can be made together.

    Raises:
        ArgumentError: a reference to the call itself, a later one, or one that there is not.
    """
    depth: list[int] = []
    for place, call in enumerate(plan):
        for name, value in call.arguments.items():
            for reference in references(value):
                _check_order(plan, place, name, reference)
        depth.append(max((depth[reference.to] + 1 for reference in references(call)), default=0))
    return tuple(
        tuple(place for place, own in enumerate(depth) if own == wave) for wave in range(max(depth, default=-1) + 1)
    )


@dataclass(frozen=True)
class CallOutcome:
    """What became of one call of a plan.

    `call` has results in place of its references, where it was made. `value` is what it gave back; `error` is a
    sentence, for a call that failed (`made`) or was not made because one that it needed had failed.
    """

    call: Call
    value: Any = None
    error: str | None = None
    made: bool = True


def execute(plan: Plan, run: Callable[[Call], Any], *, together: int = 8) -> tuple[CallOutcome, ...]:
    """Make the calls of a plan: those that need no result of each other together, in threads.

    In place of a reference `run` finds the result. A result that is a list, and stands in a list, gives that list its
    items. A call that stands alone is made in the caller's thread.

    Args:
        run: makes one call and gives back its result; `ToolError` says that it failed. Any other exception ends the
            execution, once the calls that were begun have ended.
        together: the most calls at a time; 1 makes them one by one, all in the caller's thread.

    Returns:
        The outcomes, in the order of the calls.

    Raises:
        ArgumentError: as `waves`.
    """
    outcomes: dict[int, CallOutcome] = {}
    for wave in waves(plan):
        ready = []
        for place in wave:
            call = plan[place]
            failed = next((each.to for each in references(call) if outcomes[each.to].error is not None), None)
            if failed is None:
                results = {each.to: outcomes[each.to].value for each in references(call)}
                ready.append((place, Call(call.name, filled(call.arguments, results))))
            else:
                told = f"{call.name} was not called: it needs the result of {plan[failed].name} (call {failed}), "
                why = "which failed" if outcomes[failed].made else "which was not called either"
                outcomes[place] = CallOutcome(call, error=told + why, made=False)
        if len(ready) < 2 or together < 2:
            made = [_outcome(call, run) for _, call in ready]
        else:
            with ThreadPoolExecutor(min(together, len(ready))) as threads:
                made = list(threads.map(lambda item: _outcome(item[1], run), ready))
        outcomes.update((place, outcome) for (place, _), outcome in zip(ready, made, strict=True))
    return tuple(outcomes[place] for place in range(len(plan)))


def _outcome(call: Call, run: Callable[[Call], Any]) -> CallOutcome:
    try:
        return CallOutcome(call, run(call))
    except ToolError as error:
        return CallOutcome(call, error=str(error))


def filled(value: Any, results: Mapping[int, Any]) -> Any:
    """The value with results in place of its references. Raises KeyError: one is not there."""
    if isinstance(value, Reference):
        return results[value.to]
    if isinstance(value, Mapping):
        return {key: filled(each, results) for key, each in value.items()}
    if isinstance(value, list | tuple):
        items: list[Any] = []
        for each in value:
            item = filled(each, results)
            items += item if isinstance(each, Reference) and isinstance(item, list) else [item]
        return items
    return value


def _check_order(plan: Plan, place: int, parameter: str, reference: Reference) -> None:
    expected = ""
    if reference.to == place:
        expected = "a value: a call cannot use its own result"
    elif not 0 <= reference.to < len(plan):
        expected = f"a result that there is: the plan has {len(plan)} calls, numbered from 0"
    elif reference.to > place:
        circle = any(each.to == place for each in references(plan[reference.to]))
        why = f"calls {place} and {reference.to} need each other's results" if circle else "that one is made later"
        expected = f"the result of an earlier call: {why}"
    if expected:
        raise ArgumentError(f"call {place}: {plan[place].name}", parameter, str(reference), expected)


def _checked(call: Call, plan: Plan, toolbox: Toolbox) -> Call:
    tool = toolbox.get(call.name)
    referring = {name for name, value in call.arguments.items() if any(references(value)) and tool.parameter(name)}
    rest = replace(tool, parameters=tuple(each for each in tool.parameters if each.name not in referring))
    plain = Call(call.name, {name: value for name, value in call.arguments.items() if name not in referring})
    arguments = dict(invoke.check(rest, plain).arguments)
    for name in referring:
        parameter = tool.parameter(name)
        if parameter is not None:
            arguments[name] = _referring(tool, parameter, call.arguments[name], plan, toolbox)
    return Call(call.name, {each.name: arguments[each.name] for each in tool.parameters if each.name in arguments})


def _referring(tool: Tool, parameter: Parameter, value: Any, plan: Plan, toolbox: Toolbox) -> Any:
    """A value that has references, those of known types checked; what stands beside them in a list is coerced."""
    array = "array" in parameter.types
    if isinstance(value, Reference):
        kinds = result_types(toolbox.get(plan[value.to].name))
        nothing = kinds == ("null",)  # which is no value, even where any is taken
        if not kinds or ((parameter.types or not nothing) and fits(kinds, parameter.types)):
            return value
        if array and fits(kinds, parameter.items.split("|") if parameter.items else ()):
            return [value]
        _refuse(tool, parameter, value, plan, kinds)
    if isinstance(value, list | tuple) and array:
        wanted = tuple(filter(None, parameter.items.split("|")))
        one = replace(tool, parameters=(replace(parameter, required=False),))
        items: list[Any] = []
        for each in value:
            if any(references(each)):
                kinds = result_types(toolbox.get(plan[each.to].name)) if isinstance(each, Reference) else ()
                if kinds and wanted and not fits(kinds, (*wanted, "array")):
                    _refuse(tool, parameter, each, plan, kinds)
                items.append(each)
            else:
                items += invoke.check(one, Call(tool.name, {parameter.name: [each]})).arguments.get(parameter.name, [])
        return items
    kind = "object" if isinstance(value, Mapping) else "array"
    if parameter.types and kind not in parameter.types:
        raise ArgumentError(tool.name, parameter.name, value, " or ".join(parameter.types))
    return value


def result_types(tool: Tool) -> tuple[str, ...]:
    """The JSON types of what the tool gives back, "null" for nothing; none where nothing says so."""
    if tool.result is not None:
        return tool.result.types
    annotations = getattr(tool.function, "__annotations__", {})
    return ("null",) if annotations.get("return", "") in (None, "None") else ()


def fits(kinds: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a value of one of these JSON types may be of one that is wanted, where no wanted type stands for any.

    Numbers and texts are turned into each other.
    """
    scalar = {"string", "integer", "number"}
    return not wanted or any(kind in wanted or (kind in scalar and scalar & set(wanted)) for kind in kinds)


def _refuse(tool: Tool, parameter: Parameter, reference: Any, plan: Plan, kinds: Sequence[str]) -> NoReturn:
    source = plan[reference.to].name
    wanted = " or ".join(parameter.types) or "a value"
    raise ArgumentError(
        tool.name, parameter.name, str(reference), f"{wanted}, and {source} gives back {' or '.join(kinds)}"
    )
