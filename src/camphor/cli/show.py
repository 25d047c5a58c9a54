"""Shows an assistant at work: what each agent does as it happens, the question before each action, the answer.

Progress and questions go to standard error and the answer to standard output, so that `camphor ask ... > file` keeps
the answer alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console
from rich.text import Text

from camphor.agents.answers import will_do
from camphor.agents.display import show_record
from camphor.agents.events import (
    AgentChosen,
    Answer,
    Answered,
    CallsProposed,
    ConsentNeeded,
    Decision,
    Event,
    Noted,
    Observed,
    Recalled,
    Writing,
)
from camphor.cli.text import clean, fold, say
from camphor.errors import ToolError
from camphor.tools.call_formats import read_code
from camphor.tools.calls import render_calls
from camphor.tools.tool import Parameter, Toolbox
from camphor.types import Agent, Call, Step

if TYPE_CHECKING:
    from camphor.app import Assistant


RECORDS = 4  # lines of one observation; the rest is counted
DOES = {
    Agent.DEVICE: "asks the device",
    Agent.PERCEPTION: "sees what you were doing",
    Agent.CONTEXT: "looks in your apps",
    Agent.KNOWLEDGE: "searches",
    Agent.TASK: "acts",
}
Decide = Callable[[ConsentNeeded], Decision]
Watch = Callable[[Event], None]


def drive(assistant: Assistant, query: str, watch: Watch, decide: Decide) -> Answered:
    """Run one query to its end.

    Args:
        watch: is told every event; decide: gives the person's word on each action.

    Raises: as `Assistant.run`, and whatever the two raise; the run is then over, and what was done is in the journal.
    """
    loop: Generator[Event, Decision | None, Answered] = assistant.run(query)
    decision: Decision | None = None
    try:
        while True:
            event = loop.send(decision)
            watch(event)
            decision = decide(event) if isinstance(event, ConsentNeeded) else None
    except StopIteration as stop:
        answered: Answered = stop.value
        return answered
    finally:
        loop.close()


class Show:
    """Prints events as lines. `quiet` shows nothing but keeps the console for questions.

    Args:
        year: of the device's clock; dates in other years are shown with theirs.
    """

    def __init__(self, console: Console, year: int, quiet: bool = False) -> None:
        self.console, self.year, self.quiet = console, year, quiet
        self._status: Any = nullcontext()

    def __enter__(self) -> Show:
        if not self.quiet and self.console.is_terminal:
            self._status = self.console.status("thinking")
        self._status.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._status.__exit__(*problem)

    def pause(self) -> None:
        """Stop the spinner, so that a question can be asked."""
        if hasattr(self._status, "stop"):
            self._status.stop()

    def resume(self) -> None:
        if hasattr(self._status, "start"):
            self._status.start()

    def __call__(self, event: Event) -> None:
        if self.quiet:
            return
        if isinstance(event, AgentChosen):
            self.line("● ", "cyan", event.agent.value, "bold", f"  {DOES.get(event.agent, '')}", "dim")
        elif isinstance(event, CallsProposed):
            for call in event.calls:
                self.line("    " + fold(render_calls((call,))[1:-1], self.console.width - 6), "")
        elif isinstance(event, Observed) and event.step.agent is not Agent.TASK:
            self._observed(event.step)

        elif isinstance(event, Recalled | Noted):
            self.line("    ~ " + fold(event.told, self.console.width - 6), "magenta")
        if hasattr(self._status, "update"):  # of an answer only what is written so far: it follows when it is whole
            self._status.update(Text(clean(event.text), style="dim") if isinstance(event, Writing) else "thinking")

    def line(self, *parts: str) -> None:
        """One line of texts and their styles in turn, never wrapped and never read as markup."""
        text = Text()
        for piece, style in zip(parts[::2], parts[1::2], strict=True):
            text.append(clean(piece), style=style)
        self.console.print(text, soft_wrap=True, highlight=False)

    def _observed(self, step: Step) -> None:
        width = self.console.width - 8
        for observation in step.observations:
            if observation.error is not None:
                self.line("      ! " + fold(observation.error, width), "yellow")
                continue
            for record in observation.records[:RECORDS]:
                self.line("      = " + fold(show_record(record, self.year), width), "dim")
            rest = len(observation.records) - RECORDS
            if rest > 0:
                self.line(f"      = and {rest} more", "dim")
            elif not observation.records:
                self.line("      = nothing found", "dim")


# Asks the person before an action: yes, no, or with other values.

YES, NO = Decision(Answer.YES), Decision(Answer.NO)
YES_UNSEEN = Decision(Answer.YES, unseen=True)
Ask = Callable[[str], str]
Words = Callable[[Call, Call, int], str]
"""Says in plain words what a call will do: the call, the call as it was written, the clock's year."""


class Acts(Protocol):
    """What acts, such as a `Device`, so far as asking a person needs to know it."""

    @property
    def toolbox(self) -> Toolbox: ...

    @property
    def now(self) -> datetime: ...

    def normalise(self, call: Call) -> Call:
        """The call as it will be made; ToolError says what is wrong with it."""


def agree(wanted: ConsentNeeded) -> Decision:
    """`--yes`: yes to everything that is not in doubt."""
    return NO if wanted.doubt else YES_UNSEEN


class Nobody:
    """No to everything, because there is nobody to ask; remembers what was proposed."""

    def __init__(self) -> None:
        self.proposed: list[ConsentNeeded] = []

    def __call__(self, wanted: ConsentNeeded) -> Decision:
        self.proposed.append(wanted)
        return NO

    def tell(self, show: Show) -> None:
        """What was proposed, and that it needs somebody to ask."""
        if not self.proposed:
            return
        for wanted in () if show.quiet else self.proposed:
            say(f"→ {wanted.description}")
        these = f"{len(self.proposed)} actions" if len(self.proposed) > 1 else "an action"
        show.line(f"camphor: Nothing was done: {these} must be confirmed: run this in a terminal, or add --yes", "")


class ConsentPrompt:
    """Shows each action in plain words and waits for the person's word.

    Args:
        ask: prints a prompt and returns the line typed; raises EOFError at the end of the input, which means no.
        words: describe an action that was edited.
    """

    def __init__(self, device: Acts, show: Show, ask: Ask, words: Words = will_do) -> None:
        self.device, self.show, self.ask, self.words = device, show, ask, words

    def __call__(self, wanted: ConsentNeeded) -> Decision:
        self.show.pause()
        try:
            return self._decide(wanted)
        except (EOFError, KeyboardInterrupt) as ending:
            self.show.line("", "")  # the question stands on an open line
            if isinstance(ending, KeyboardInterrupt):
                raise
            return NO
        finally:
            self.show.resume()

    def _decide(self, wanted: ConsentNeeded) -> Decision:
        edited = False
        while True:
            self.show.line("  → ", "green", wanted.description, "bold")
            for each in wanted.evidence:
                self.show.line(f"      {each.parameter.replace('_', ' ')}: {each.source}", "dim")
            if wanted.doubt:
                self.show.line(f"    ? {wanted.doubt}", "yellow")
            word = self.ask("    Do it? yes, no or edit: ").strip().casefold()
            if word in ("y", "yes"):
                return Decision(Answer.YES, wanted.call if edited else None)
            if word in ("n", "no"):
                return NO
            if word in ("e", "edit") and wanted.call.name in self.device.toolbox:
                changed = self._edit(wanted.call)
                edited = edited or changed.call != wanted.call
                wanted = changed

    def _edit(self, call: Call) -> ConsentNeeded:
        """Ask for each value; an empty line keeps the present one. Repeats until the device accepts the call."""
        written = call
        while True:
            values: dict[str, Any] = dict(written.arguments)
            for parameter in self.device.toolbox.get(call.name).parameters:
                present = values.get(parameter.name)
                typed = self.ask(f"      {parameter.name} [{'' if present is None else present}]: ").strip()
                if typed:
                    values[parameter.name] = _typed(parameter, typed)
            written = replace(call, arguments=values)
            try:
                fit = self.device.normalise(written)
            except ToolError as error:
                self.show.line(f"      ! {error}", "yellow")
                continue
            return ConsentNeeded(fit, self.words(fit, written, self.device.now.year))


def _typed(parameter: Parameter, text: str) -> Any:
    """What a person typed: a list or an object as it is written in code; all else is text until the device reads it."""
    if text[:1] in ("[", "{") and {"array", "object"} & set(parameter.types):
        try:
            return read_code(f"f(x={text})")[0].arguments["x"]
        except ToolError:
            return text
    return text
