"""`camphor tools`: what can be called on a device."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.ask import DeviceOption, JsonOption

if TYPE_CHECKING:
    from camphor.tools.tool import Parameter, Tool


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tools")(tools)


def tools(
    name: Annotated[str | None, typer.Argument(help="Show this one in full.")] = None,
    device: DeviceOption = None,
    agent: Annotated[str | None, typer.Option(help="Only the tools of this agent.")] = None,
    json_: JsonOption = False,
) -> None:
    """List the tools of a device, or show one."""
    from camphor.cli.home import open_device
    from camphor.cli.text import print_json
    from camphor.errors import UnknownTool, UsageError
    from camphor.types import EXPERTS

    if agent is not None and agent not in EXPERTS:
        raise UsageError(f"There is no agent {agent!r}: choose from {', '.join(EXPERTS)}")
    with closing(open_device(device)) as phone:
        toolbox = phone.toolbox
    try:
        chosen = [toolbox.get(name)] if name else [tool for tool in toolbox if agent in (None, tool.agent)]
    except UnknownTool as error:
        raise UsageError(str(error)) from error
    if json_:
        print_json(_described(chosen[0]) if name else [_described(tool) for tool in chosen])
    elif name:
        _one(chosen[0])
    else:
        _table(chosen)


def _described(tool: Tool) -> dict[str, object]:
    return {**tool.to_schema(), "kind": tool.kind.value, "agent": tool.agent.value, "app": tool.app}


def _table(chosen: list[Tool]) -> None:
    from camphor.cli.text import print_table

    rows = [[tool.app or "(device)", tool.definition(descriptions=False), tool.kind.value] for tool in chosen]
    print_table(["app", "tool", "kind"], rows)


def _one(tool: Tool) -> None:
    from camphor.cli.text import clean

    does = "acts: you are asked first" if tool.kind == "action" else "reads"
    lines = [
        tool.definition(descriptions=False),
        f"  {tool.description}",
        f"  {does} · app {tool.app or '(the device itself)'} · agent {tool.agent.value}",
        *(f"  {_parameter(parameter)}" for parameter in tool.parameters),
    ]
    typer.echo(clean("\n".join(lines)))


def _parameter(parameter: Parameter) -> str:
    facts = [parameter.type or "any", parameter.role.value, "required" if parameter.required else "optional"]
    if parameter.enum:
        facts.append("one of " + ", ".join(str(value) for value in parameter.enum))
    if parameter.minimum is not None or parameter.maximum is not None:
        ends = (parameter.minimum, parameter.maximum)
        facts.append(" to ".join("" if end is None else f"{end:g}" for end in ends).strip())
    text = f": {parameter.description}" if parameter.description else ""
    return f"{parameter.name} ({'; '.join(facts)}){text}"
