"""`camphor models`: which models are there, and which one the commands use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.home import data_folder
from camphor.cli.leaving import tell_destination
from camphor.cli.model import EMBEDDED, server_key
from camphor.cli.options import PrintJsonOption
from camphor.cli.settings import KEYS, set_key, setting, unset_key
from camphor.cli.text import print_json, print_table, say
from camphor.cli.usual import group_with_usual
from camphor.errors import CamphorError, UsageError
from camphor.models.destination import SERVERS, full_name, is_server, short_name

app = typer.Typer(
    cls=group_with_usual("list"),
    help="List the models that are there, and choose the one that commands use. `camphor models` alone lists them, "
    "`camphor models --find` also those of servers on this computer, `camphor models http://HOST/v1` those of one.",
)
ENOUGH_SECONDS = 5.0
"""For one server that a person named: it may be far away."""


@app.command("list")
def list_(
    address: Annotated[
        str | None, typer.Argument(metavar="[http://HOST/v1]", help="List what this server has, and nothing else.")
    ] = None,
    find: Annotated[
        bool,
        typer.Option("--find", help="Look for servers on this computer too: Ollama, LM Studio, llama-server, vLLM."),
    ] = False,
    json_: PrintJsonOption = False,
) -> None:
    """The models that are there. No server is contacted unless --find or an address is given.

    Files are looked for in this folder, in `models` of camphor's data folder, and in the folders of LM Studio and
    Ollama.

    \b
    camphor models
    camphor models --find
    camphor models http://192.168.1.5:11434/v1
    """
    if address is not None and find:
        raise UsageError("--find and an address both say which servers to ask: leave one of them out")
    rows, problems = (_of_server(address), []) if address is not None else _here(find)
    if json_:
        print_json({"default": setting("model"), "models": rows, "problems": problems})
        return
    cells = [
        [
            "*" if row["default"] else "",
            row["name"],
            _size(row["size"]),
            _tokens(row["context"]),
            _asked(row["template"]),
            row["where"],
        ]
        for row in rows
    ]
    print_table(["", "model", "size", "context", "asked by", "where"], cells)
    for problem in problems:
        say(problem)
    if not any(row["default"] for row in rows):
        say(f"The commands use {setting('model')}, which is not among these.")
    if address is None and not find:
        say("Servers are not contacted unasked:  camphor models --find  looks for them on this computer.")


@app.command("use")
def use(
    name: Annotated[str, typer.Argument(help="A model as --model takes it, such as ollama:qwen3:8b, or embedded.")],
    anyway: Annotated[bool, typer.Option("--anyway", help="Keep it although it is not there now.")] = False,
) -> None:
    """Keep a model as the one that ask, chat, serve, mcp, call and teach use. It is looked for first.

    The commands of health and of the laboratory keep their own, unless --model says otherwise.

    \b
    camphor models use ollama:qwen3:8b
    camphor models use http://192.168.1.5:8080/v1#qwen3
    camphor models use ~/models/qwen3-8b.gguf
    camphor models use embedded
    """
    try:
        kept = str(KEYS["model"].check(name))
    except UsageError as error:
        raise UsageError(f"There is no model {name[:200]!r}: expected {error}") from None
    problem = _missing(kept)
    if problem and not anyway:
        raise UsageError(f"{problem}: nothing was changed; add --anyway to keep it all the same")
    if kept == EMBEDDED:
        unset_key("model")
    else:
        kept = str(set_key("model", kept))
    say(f"From now on the commands use {kept}" + (f", although: {problem}" if problem else ""))
    if not problem:
        tell_destination(kept)


def _missing(name: str) -> str:
    """Why the model cannot be used now; "" where it is there, or nobody can tell without fetching it."""
    from camphor.models.servers import list_models

    if is_server(name):
        address, _, model = full_name(name).partition("#")
        try:
            served = [each.name for each in list_models(address, server_key(), ENOUGH_SECONDS)]
        except CamphorError as error:
            return str(error)
        if model in served or f"{model}:latest" in served:
            return ""
        return f"the server at {address} lists no model {model[:80]!r}: it has {', '.join(served[:8]) or 'none'}"
    if name == EMBEDDED or name.startswith("hf:") or Path(name).exists():
        return ""
    return f"there is no file {name[:200]}"


def _here(find: bool) -> tuple[list[dict[str, Any]], list[str]]:
    """What this computer has, and what is wrong with servers that answered."""
    from camphor.models.on_disk import models_on_disk

    rows = [_row(EMBEDDED, "comes with camphor", _embedded_size(), 4096)]
    rows += [
        _row(each.name, each.where, each.size, each.context, each.template) for each in models_on_disk(data_folder())
    ]
    problems: list[str] = []
    if find:
        from camphor.models.servers import find_servers

        found = find_servers()
        for server in found:
            for model in server.models:
                name = short_name(server.address, model.name)
                held = next((row for row in rows if row["name"] == name), None)  # its file was listed before
                row = held or _row(name, "", None)
                row |= {"where": f"{server.kind}, running", "size": model.size or row["size"], "context": model.context}
                rows += [] if held else [row]
            if server.problem:
                problems.append(f"{server.kind}: {server.problem}")
        silent = [f"{kind} ({port})" for kind, port in SERVERS.items() if kind not in {each.kind for each in found}]
        if silent:
            problems.append(f"Nothing answers at the port of {', '.join(silent)}.")
    return rows, problems


def _of_server(address: str) -> list[dict[str, Any]]:
    from camphor.models.servers import list_models

    plain = address.rstrip("/")
    if "#" in plain:
        raise UsageError(f"{address} names a model: give the address alone, such as {plain.partition('#')[0]}")
    served = list_models(plain, server_key(), ENOUGH_SECONDS)
    return [_row(short_name(plain, each.name), plain, each.size, each.context) for each in served]


def _row(
    name: str, where: str, size: int | None, context: int | None = None, template: bool | None = None
) -> dict[str, Any]:
    chosen = str(setting("model"))
    default = full_name(name) == full_name(chosen) or os.path.abspath(name) == chosen
    return {"name": name, "default": default, "where": where, "size": size, "context": context, "template": template}


def _embedded_size() -> int | None:
    from camphor.models.llama import embedded_model

    try:
        return embedded_model().stat().st_size
    except (CamphorError, OSError, ImportError):
        return None


def _size(bytes_: int | None) -> str:
    if bytes_ is None:
        return ""
    return f"{bytes_ / 1e9:.1f} GB" if bytes_ >= 1e9 else f"{bytes_ / 1e6:.0f} MB"


def _asked(template: bool | None) -> str:
    """How a model file is asked: in its own chat template, or in prompts of camphor's where it has none."""
    return "" if template is None else "its template" if template else "plain text"


def _tokens(count: int | None) -> str:
    return f"{count:,}" if count else ""
