"""`camphor ask` and `camphor chat`."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.home import DEMO, is_phone_file, open_device
from camphor.cli.leaving import part_to_share, tell_destination
from camphor.cli.model import EMBEDDED, chosen_model, open_model
from camphor.cli.options import (
    AdapterOption,
    ChosenModelOption,
    ContextOption,
    DeviceOption,
    JsonOption,
    QueryArgument,
    SureYesOption,
    ThreadsOption,
)
from camphor.cli.text import ask_with_editing, is_attended, print_json, say
from camphor.errors import ContextFull, StoreError, UsageError
from camphor.types import Agent, Observation

if TYPE_CHECKING:
    from camphor.agents.events import Answered, ConsentNeeded, Decision
    from camphor.app import Assistant
    from camphor.cli.show import Decide, Show


def ask(
    query: QueryArgument = None,
    device: DeviceOption = None,
    yes: SureYesOption = False,
    json_: JsonOption = False,
    model: ChosenModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    context: ContextOption = True,
) -> None:
    """Answer one query on a device. Before each action you are asked, unless --yes is given."""
    from camphor.app import clean_query

    text = clean_query(sys.stdin.read() if query == ["-"] else " ".join(query or ()), 'camphor ask "what\'s on today?"')
    with ExitStack() as opened:
        session = _AskSession(opened, device, yes, json_, model, adapter, threads, context)
        status = session.answer(text)
    if status:
        raise typer.Exit(status)


def chat(
    device: DeviceOption = None,
    yes: SureYesOption = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object a turn, each on one line.")] = False,
    model: ChosenModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    context: ContextOption = True,
) -> None:
    """Talk over several turns; each knows of those before. An empty line or Ctrl-D ends it, Ctrl-C stops one answer."""
    with ExitStack() as opened:
        session = _AskSession(opened, device, yes, json_, model, adapter, threads, context, one_line=True)
        status = 0
        session.greet()
        while (text := session.next_query()) is not None:
            try:
                status = max(status, session.answer(text))
            except (UsageError, StoreError) as error:
                session.show.line(f"  ! {error}", "yellow")
                status = 1
            except ContextFull:
                session.assistant.history = ()
                session.show.line("  ! The conversation had grown too long: a new one begins here, ask again", "yellow")
            except KeyboardInterrupt as stop:
                session.show.line(f"  {stop or 'Stopped.'}", "yellow")
    if status and not session.interactive:
        raise typer.Exit(status)


class _AskSession:
    """An open device and model, and where their events are shown."""

    def __init__(
        self, opened: ExitStack, device: str | None, yes: bool, json_: bool, model: str | None,
        adapter: Path | None, threads: int | None, context: bool = True, one_line: bool = False,
    ) -> None:  # fmt: skip
        from rich.console import Console

        from camphor.agents.bounds import USUAL
        from camphor.agents.prompts import TOLD
        from camphor.agents.relevant import POLICIES
        from camphor.agents.strategies.registry import choose, usual_strategy
        from camphor.app import Assistant
        from camphor.cli.show import Show

        started = time.perf_counter()
        self.device = opened.enter_context(closing(open_device(device)))
        name = chosen_model(model, adapter)
        shared = part_to_share(self.device, device or DEMO, tell_destination(name))
        mind, form = open_model(name, adapter, threads)
        opened.enter_context(closing(mind))
        strategy, form = choose(usual_strategy(mind, form), None, tuned=form not in TOLD, usual=form)
        self.assistant: Assistant = Assistant(
            shared.device,
            mind,
            limits=USUAL if context else USUAL.without(*POLICIES),
            form=form,
            strategy=strategy,
            whole=shared.whole,
            second=cache(lambda: opened.enter_context(closing(open_model(EMBEDDED, threads=threads)[0]))),
        )
        self.assistant.memory = shared.memory(self.assistant.conversation)
        self.load_seconds = time.perf_counter() - started
        self.yes, self.json, self.one_line = yes, json_, one_line
        self.copy = is_phone_file(device)
        self.interactive = is_attended()
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

    def answer(self, query: str) -> int:
        """Run one query, show it, and return its exit status."""
        from camphor.agents.answers import stopped
        from camphor.cli.show import Nobody, drive

        decide = self._decider()
        started = time.perf_counter()
        before = self.device.actions
        try:
            with self.show:
                answered = drive(self.assistant, query, self.show, decide)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(stopped(self.assistant.done, "see  camphor device show --journal")) from None
        nobody = decide if isinstance(decide, Nobody) else Nobody()
        if self.json:
            print_json(report(answered, time.perf_counter() - started, self.load_seconds), one_line=self.one_line)
        elif not nobody.proposed:
            say(answered.response)
        nobody.tell(self.show)
        if self.copy and not self.json and self.device.actions > before:
            self.show.line(
                "  Done on a copy: the file is as it was. To keep changes:  camphor device import FILE", "dim"
            )
        return 0 if met(answered) else 1

    def _decider(self) -> Decide:
        from camphor.cli.show import Nobody

        if self.yes:
            return self._agree
        return self._prompt() if self.interactive else Nobody()

    def _prompt(self) -> Decide:
        from camphor.cli.show import ConsentPrompt
        from camphor.cli.text import ask

        return ConsentPrompt(self.assistant.device, self.show, ask)

    def _agree(self, wanted: ConsentNeeded) -> Decision:
        """The word of `--yes`; of what is in doubt the person is asked, where there is one."""
        from camphor.cli.show import agree

        if wanted.doubt and self.interactive and not self.json:
            return self._prompt()(wanted)
        if wanted.doubt:
            self.show.line(f"  ? {wanted.doubt} --yes is no answer to that: ask again without it", "yellow")
        return agree(wanted)


def report(answered: Answered, seconds: float, load_seconds: float = 0.0) -> dict[str, Any]:
    """`response`, `calls` (the actions, normalised), `actions` (what became of each), `steps` and `timing`.

    Args:
        seconds: of the whole query; load_seconds: of opening device and model before it.
    """
    turn = answered.trajectory.turn
    return {
        "response": answered.response,
        "calls": [observation.call.to_json() for observation in acted(answered)],
        "actions": [_outcome(observation, answered) for observation in acted(answered)],
        "steps": [
            {
                "agent": step.agent.value,
                "calls": [call.to_json() for call in step.calls],
                "observation": [_observation(observation) for observation in step.observations],
            }
            for step in turn.steps
        ],
        "timing": {
            "seconds": round(seconds, 4),
            "load_seconds": round(load_seconds, 4),
            "prompt_tokens": answered.cost.prompt_tokens,
            "generated_tokens": answered.cost.generated_tokens,
            "steps": [
                {
                    "agent": each.agent.value,
                    "seconds": round(each.seconds, 4),
                    "prompt_tokens": each.prompt_tokens,
                    "cached_tokens": each.cached_tokens,
                    "generated_tokens": each.generated_tokens,
                    "forced_tokens": each.forced_tokens,
                }
                for each in answered.timings
            ],
        },
    }


def acted(answered: Answered) -> list[Observation]:
    """What became of each action, in order; refused ones are among them."""
    steps = answered.trajectory.turn.steps
    return [observation for step in steps if step.agent is Agent.TASK for observation in step.observations]


def met(answered: Answered) -> bool:
    """False if an action was refused or failed."""
    return not answered.refused and all(observation.error is None for observation in acted(answered))


def _outcome(observation: Observation, answered: Answered) -> dict[str, Any]:
    if observation.error is not None:
        return {"call": observation.call.to_json(), "outcome": "failed", "error": observation.error}
    refused = observation.call in answered.refused
    return {"call": observation.call.to_json(), "outcome": "refused" if refused else "done"}


def _observation(observation: Observation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "call": observation.call.to_json(),
        "records": [dict(each) for each in observation.records],
    }
    if observation.error is not None:
        found["error"] = observation.error
    return found
