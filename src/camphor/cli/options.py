"""Options and arguments that several commands have."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.model import FORMS, HELP_CHOSEN
from camphor.cli.model import HELP as MODEL_HELP

DeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device",
        "-d",
        help="A device of yours by name, a store file, or a .device.json file (never changed). "
        "The demo phone unless given.",
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do every action without asking.")]
SureYesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Do every action without asking that is in no doubt; ask about the others.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
ModelOption = Annotated[str | None, typer.Option("--model", help=MODEL_HELP)]
ChosenModelOption = Annotated[str | None, typer.Option("--model", help=HELP_CHOSEN)]
AdapterOption = Annotated[
    Path | None, typer.Option(help="A LoRA adapter (GGUF) for the model, in place of the one that ships.")
]
ContextOption = Annotated[
    bool,
    typer.Option(
        "--context/--no-context",
        help="Where a query leaves unsaid what it is about, look up what matters now by time, place and habit.",
    ),
]


def _threads(count: int | None) -> int | None:
    """Raises: BadParameter, the machine has not so many processors."""
    most = os.cpu_count() or 1
    if count is not None and not 1 <= count <= most:
        raise typer.BadParameter(f"{count}: expected 1 to {most}, as many as this machine has processors")
    return count


ThreadsOption = Annotated[
    int | None, typer.Option(callback=_threads, help="Processor threads for the model; at most the machine's.")
]
ToolsOption = Annotated[
    Path | None,
    typer.Option(
        "--tools", help="Functions to call: a Python file or a folder of them, which is RUN, or definitions in JSON."
    ),
]
FunctionsDeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device",
        "-d",
        help="A device with Android apps, or with functions of yours. The Android demo phone unless given.",
    ),
]
FormOption = Annotated[
    str | None, typer.Option(help=f"How prompts are written: {', '.join(FORMS)}. compact with an adapter, else json.")
]
TopOption = Annotated[
    int | None,
    typer.Option(
        min=0, help="Show the model so many functions, found by a retriever; 0: all. Usually all, or 20 of over 40."
    ),
]
CallAdapterOption = Annotated[
    Path | None, typer.Option(help="A LoRA adapter for the model, as  camphor lab train  makes it from calls.")
]
NumberArgument = Annotated[int, typer.Argument(metavar="NUMBER", help="Its number, as  list  tells it.")]
WordsArgument = Annotated[list[str], typer.Argument(help="In your words.")]
SpecialistOption = Annotated[str, typer.Option("--kind", help="What they are, such as dentist.")]
QueryArgument = Annotated[
    list[str] | None, typer.Argument(help="What you want, in your words; - reads it from standard input.")
]
PhoneNumberArgument = Annotated[str, typer.Argument(metavar="[PHONE]", help="The phone number.")]
OwnerOption = Annotated[str, typer.Option(help="Whose phone it is.")]
PrintJsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
KeptDeviceArgument = Annotated[str, typer.Argument(help="A device of yours by name, or a store file.")]
OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; standard output unless given.")]
AnyDeviceArgument = Annotated[str, typer.Argument(help="A name, a store file or a .device.json file.")]
EntryArgument = Annotated[int, typer.Argument(help="The number of the action, as  device show --journal  gives it.")]
