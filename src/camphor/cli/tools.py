"""`camphor tools`: what can be called on a device, and tools made from Python functions."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from camphor.cli import tools_mcp
from camphor.cli.home import cache_folder, open_device, tools_of_file, write_whole
from camphor.cli.options import DeviceOption, JsonOption, OutOption
from camphor.cli.text import clean, print_json, print_table
from camphor.errors import UnknownTool, UsageError
from camphor.types import EXPERTS

if TYPE_CHECKING:
    from camphor.tools.tool import Parameter, Tool

_HELP = "What can be called on a device:  tools  lists,  tools NAME  shows one; tools of Python files and MCP servers."
_COMMANDS = ("show", "extract", "search", "add-mcp", "list-mcp", "remove-mcp", "--help")


class Format(StrEnum):
    """How definitions are written."""

    DROIDCALL = "droidcall"
    SCHEMA = "schema"


class _Tools(TyperGroup):
    """Words that name none of its commands are those of `show`: `camphor tools get_notes_content`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if args[:1] and args[0] in _COMMANDS else ["show", *args])


app = typer.Typer(cls=_Tools, no_args_is_help=False, help=_HELP)
app.command("add-mcp")(tools_mcp.add_mcp)
app.command("list-mcp")(tools_mcp.list_mcp)
app.command("remove-mcp")(tools_mcp.remove_mcp)


@app.command("show")
def show(
    name: Annotated[str | None, typer.Argument(help="Show this one in full.")] = None,
    device: DeviceOption = None,
    agent: Annotated[str | None, typer.Option(help="Only the tools of this agent.")] = None,
    json_: JsonOption = False,
) -> None:
    """List the tools of a device, or show one. The word `show` may be left out."""
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
        rows = [[tool.app or "(device)", tool.definition(descriptions=False), tool.kind.value] for tool in chosen]
        print_table(["app", "tool", "kind"], rows)


@app.command("extract")
def extract(
    path: Annotated[
        Path,
        typer.Argument(
            help="A Python file, a folder of them (an app), a file of tools in JSON or JSON lines, or an OpenAPI "
            "document."
        ),
    ],
    format_: Annotated[
        Format,
        typer.Option("--format", help="DroidCall's JSON lines (Listing 1 of the paper), or a list of JSON Schemas."),
    ] = Format.DROIDCALL,
    out: OutOption = None,
) -> None:
    """Write the functions of a Python file, or the operations of an OpenAPI document, as tool definitions.

    The better a function says what it is, the better it is called: types, and a docstring in Google's, NumPy's or
    Sphinx's style. Methods of objects that the file made are functions too (object.method). What cannot be read is left
    out and told.

    \b
        # trips.py
        READS = ("find_trip",)    # only reads; all others act, and you are asked first

        def find_trip(city: str, days: int = 7) -> str:
            \"\"\"Find a trip to a city.

            Args:
                city: where to go.
                days: how long, at most.

            Returns:
                str: the trip's name.
            \"\"\"

    \b
    camphor tools extract trips.py
    camphor tools extract trips.py --format schema --out trips.json

    Reading a module RUNS it, as importing it would: extract only what you trust.
    """
    from camphor.tools.listing import to_listing, to_schema, write_lines

    tools = tools_of_file(path)
    if format_ is Format.SCHEMA:
        schemas = [to_schema(tool) for tool in tools]
        if out is None:
            print_json(schemas)
            return
        write_whole(out, json.dumps(schemas, ensure_ascii=False, indent=1) + "\n")
    else:
        listed = [to_listing(tool) for tool in tools]
        if out is None:
            for each in listed:
                print_json(each, one_line=True)
            return
        write_whole(out, write_lines(listed))
    typer.echo(f"Wrote {len(tools)} tools: {out}")


@app.command("search")
def search(
    query: Annotated[str, typer.Argument(help="What somebody wants, in their words.")],
    device: DeviceOption = None,
    tools: Annotated[
        Path | None, typer.Option(help="A file or folder of tools, as  tools extract  reads or writes it.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many to show.")] = 5,
    json_: JsonOption = False,
) -> None:
    """Find the tools that a request needs, best first, by words and by meaning.

    Needs no extra. Descriptions are embedded once and kept; a tool that is added costs its own embedding.
    """
    from camphor.app import clean_query
    from camphor.retrieval.static import StaticEncoder
    from camphor.retrieval.tool_index import ToolIndex

    text = clean_query(query, 'camphor tools search "wake me at seven"')
    if tools is not None and device is not None:
        raise UsageError("--tools and --device both say where the tools are: give one")
    if tools is not None:
        found, place = tools_of_file(tools), str(tools.resolve())
    else:
        with closing(open_device(device)) as phone:
            found, place = tuple(phone.toolbox), f"device {phone.id}"
    name = hashlib.sha256(place.encode(errors="surrogatepass")).hexdigest()[:32]
    index = ToolIndex(StaticEncoder(), cache_folder() / "tool-index" / f"{name}.index")
    index.replace(found)
    hits = index.search(text, k)
    if json_:
        told = [{"tool": hit.tool.name, "score": round(hit.score, 4), "app": hit.tool.app} for hit in hits]
        print_json([{key: value for key, value in each.items() if value != ""} for each in told])
    else:
        rows = [[hit.tool.app or "-", hit.tool.definition(descriptions=False), f"{hit.score:.4f}"] for hit in hits]
        print_table(["app", "tool", "score"], rows)


def _described(tool: Tool) -> dict[str, object]:
    return {**tool.to_schema(), "kind": tool.kind.value, "agent": tool.agent.value, "app": tool.app}


def _one(tool: Tool) -> None:
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
