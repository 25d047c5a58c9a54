"""`camphor config`: what is set for all commands."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from camphor.cli.options import PrintJsonOption
from camphor.cli.settings import KEYS, config_file, read_settings, set_key, unset_key
from camphor.cli.text import print_json, print_table, say
from camphor.cli.usual import group_with_usual

app = typer.Typer(
    cls=group_with_usual("show"),
    help="Show and set what holds for all commands. `camphor config` alone shows it.",
)
KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help=f"One of {', '.join(KEYS)}.")]


@app.command("show")
def show(json_: PrintJsonOption = False) -> None:
    """Every setting, its value, and whether you set it."""
    found = read_settings()
    rows = [(name, found.get(name, key.usual), name in found, key.about) for name, key in KEYS.items()]
    if json_:
        told = {name: {"value": value, "set": is_set} for name, value, is_set, _ in rows}
        print_json({"file": str(config_file()), "settings": told})
        return
    cells = [[name, str(value), "you" if is_set else "", about] for name, value, is_set, about in rows]
    print_table(["key", "value", "set by", "is"], cells, str(config_file()))


@app.command("set")
def set_(key: KeyArgument, value: Annotated[str, typer.Argument(metavar="VALUE", help="Its value.")]) -> None:
    """Set a key.

    \b
    camphor config set model ollama:qwen3:8b
    camphor config set model.key_env OPENROUTER_API_KEY
    """
    kept = set_key(key, value)
    say(f"{key} is {kept}")
    if key == "model.key_env" and not os.environ.get(str(kept)):
        say(f"It is not set in this terminal: put the key there, as in  export {kept}=...")


@app.command("unset")
def unset(key: KeyArgument) -> None:
    """Go back to what a key usually is."""
    unset_key(key)
    say(f"{key} is {KEYS[key].usual} again")
