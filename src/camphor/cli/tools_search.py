"""`camphor tools search`: the tools that fit a request best."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.ask import DeviceOption, JsonOption
from camphor.cli.home import cache_folder, open_device
from camphor.cli.text import print_json, print_table
from camphor.errors import UsageError

_FOLDER = "tool-index"


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("search")(search)


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
    from camphor.retrieval.static import StaticEncoder
    from camphor.retrieval.tool_index import ToolIndex
    from camphor.tools.listing import read_tools

    if tools is not None and device is not None:
        raise UsageError("--tools and --device both say where the tools are: give one")
    if tools is not None:
        found, place = read_tools(tools), str(tools.resolve())
    else:
        with closing(open_device(device)) as phone:
            found, place = tuple(phone.toolbox), f"device {phone.id}"
    index = ToolIndex(StaticEncoder(), cache_folder() / _FOLDER / _file(place))
    index.replace(found)
    hits = index.search(query, k)
    if json_:
        print_json([{"tool": hit.tool.name, "score": round(hit.score, 4), **_about(hit.tool.app)} for hit in hits])
    else:
        rows = [[hit.tool.app or "-", hit.tool.definition(descriptions=False), f"{hit.score:.4f}"] for hit in hits]
        print_table(["app", "tool", "score"], rows)


def _about(app: str) -> dict[str, str]:
    return {"app": app} if app else {}


def _file(place: str) -> str:
    import hashlib

    return f"{hashlib.sha256(place.encode(errors='surrogatepass')).hexdigest()[:32]}.index"
