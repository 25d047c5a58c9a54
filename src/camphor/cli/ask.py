"""`camphor ask` and `camphor chat`."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.home import DEMO, is_phone_file, open_device
from camphor.cli.keyboard import ask_with_editing
from camphor.cli.model import HELP as MODEL_HELP
from camphor.cli.model import open_model
from camphor.cli.text import clean, print_json
from camphor.errors import ContextFull, ModelMissing, StoreError, UsageError

if TYPE_CHECKING:
    from camphor.agents.events import Answered, ConsentNeeded, Decision
    from camphor.app import Assistant
    from camphor.cli.show import Decide, Show

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
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
ModelOption = Annotated[str | None, typer.Option("--model", help=MODEL_HELP)]
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
ThreadsOption = Annotated[int | None, typer.Option(min=1, help="Processor threads for the model.")]


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("ask")(ask)
    app.command("chat")(chat)


def ask(
    query: Annotated[
        list[str] | None, typer.Argument(help="What you want, in your words; - reads it from standard input.")
    ] = None,
    device: DeviceOption = None,
    yes: YesOption = False,
    json_: JsonOption = False,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    context: ContextOption = True,
) -> None:
    """Answer one query on a device. Before each action you are asked, unless --yes is given."""
    from camphor.app import clean_query

    text = clean_query(sys.stdin.read() if query == ["-"] else " ".join(query or ()))
    with ExitStack() as opened:
        session = _Session(opened, device, yes, json_, model, adapter, threads, context)
        status = session.answer(text)
    if status:
        raise typer.Exit(status)


def chat(
    device: DeviceOption = None,
    yes: YesOption = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object a turn, each on one line.")] = False,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    context: ContextOption = True,
) -> None:
    """Talk over several turns; each knows of those before. An empty line or Ctrl-D ends it, Ctrl-C stops one answer."""
    with ExitStack() as opened:
        session = _Session(opened, device, yes, json_, model, adapter, threads, context, one_line=True)
        status = 0
        session.greet()
        while (text := session.next_query()) is not None:
            try:
                status = max(status, session.answer(text))
            except (UsageError, StoreError) as error:
                session.show.line(f"  ! {error}", "yellow")
                status = 1
            except ContextFull:
                session.forget()
                session.show.line("  ! The conversation had grown too long: a new one begins here, ask again", "yellow")
            except ModelMissing:
                raise
            except KeyboardInterrupt as stop:
                session.show.line(f"  {stop or 'Stopped.'}", "yellow")
    if status and not session.interactive:
        raise typer.Exit(status)


class _Session:
    """An open device and model, and where their events are shown."""

    def __init__(
        self, opened: ExitStack, device: str | None, yes: bool, json_: bool, model: str | None,
        adapter: Path | None, threads: int | None, context: bool = True, one_line: bool = False,
    ) -> None:  # fmt: skip
        from rich.console import Console

        from camphor.agents.bounds import USUAL
        from camphor.agents.memory import LongTermMemory
        from camphor.agents.prompts import TOLD
        from camphor.agents.strategies.registry import CAMPHOR, choose
        from camphor.app import Assistant
        from camphor.cli.show import Show

        started = time.perf_counter()
        self.device = opened.enter_context(closing(open_device(device)))
        mind, form = open_model(model, adapter, threads)
        opened.enter_context(closing(mind))
        strategy, form = choose(CAMPHOR, None, tuned=form not in TOLD, usual=form)
        self.assistant: Assistant = Assistant(
            self.device,
            mind,
            limits=USUAL if context else USUAL.without("context_recall"),
            form=form,
            strategy=strategy,
        )
        self.assistant.memory = LongTermMemory(self.device, self.assistant.conversation)
        self.load_seconds = time.perf_counter() - started
        self.yes, self.json, self.one_line = yes, json_, one_line
        self.copy = is_phone_file(device)
        self.interactive = sys.stdin.isatty() and sys.stderr.isatty()
        self.show: Show = Show(Console(stderr=True), self.device.now.year, quiet=json_)
        if self.device.interrupted:
            told = f"An earlier action was cut off: see  camphor device show {device or DEMO} --journal"
            self.show.line(told, "yellow")

    def greet(self) -> None:
        if self.interactive and not self.json:
            clock = f"{self.device.now:%A %d %B %Y, %H:%M}"
            self.show.line(f"{self.device.owner}'s phone, {clock}. Ctrl-D ends.", "dim")

    def next_query(self) -> str | None:
        """The next line that is not empty; None at the end."""
        try:
            if self.interactive:
                return ask_with_editing("> ").strip() or None
            for line in sys.stdin:
                if line.strip():
                    return line
        except (EOFError, KeyboardInterrupt):
            self.show.line("", "")
        return None

    def forget(self) -> None:
        self.assistant.history = ()

    def answer(self, query: str) -> int:
        """Run one query, show it, and return its exit status."""
        from camphor.agents.answers import stopped
        from camphor.cli.consent import Nobody
        from camphor.cli.report import met
        from camphor.cli.show import drive

        decide = self._decider()
        started = time.perf_counter()
        before = self.device.actions
        try:
            with self.show:
                answered = drive(self.assistant, query, self.show, decide)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(stopped(self.assistant.done, "see  camphor device show --journal")) from None
        unasked = decide.proposed if isinstance(decide, Nobody) else []
        self._print(answered, time.perf_counter() - started, unasked)
        if self.copy and not self.json and self.device.actions > before:
            self.show.line(
                "  Done on a copy: the file is as it was. To keep changes:  camphor device import FILE", "dim"
            )
        return 0 if met(answered) else 1

    def _decider(self) -> Decide:
        from camphor.cli.consent import Nobody, Person
        from camphor.cli.keyboard import ask

        if self.yes:
            return self._agree
        return Person(self.device, self.show, ask) if self.interactive else Nobody()

    def _agree(self, wanted: ConsentNeeded) -> Decision:
        from camphor.cli.consent import agree

        if wanted.doubt:
            self.show.line(f"  ? {wanted.doubt} --yes is no answer to that: ask again without it", "yellow")
        return agree(wanted)

    def _print(self, answered: Answered, seconds: float, unasked: list[ConsentNeeded]) -> None:
        from camphor.cli.report import report

        lines = [f"→ {wanted.description}" for wanted in unasked] or [answered.response]
        if self.json:
            print_json(report(answered, seconds, self.load_seconds), one_line=self.one_line)
        else:
            sys.stdout.write("".join(f"{clean(line)}\n" for line in lines))
            sys.stdout.flush()
        if unasked:
            these = f"{len(unasked)} actions" if len(unasked) > 1 else "an action"
            say = f"camphor: Nothing was done: {these} must be confirmed: run this in a terminal, or add --yes"
            self.show.line(say, "")
