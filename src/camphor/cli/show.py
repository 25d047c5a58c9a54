"""Shows an assistant at work: what each agent does as it happens, the question before each action, the answer.

Progress and questions go to standard error and the answer to standard output, so that `camphor ask ... > file` keeps
the answer alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from camphor.agents.display import show_record
from camphor.agents.events import (
    AgentChosen,
    Answered,
    CallsProposed,
    ConsentNeeded,
    Decision,
    Event,
    Observed,
    Recalled,
)
from camphor.cli.text import clean, fold
from camphor.tools.calls import render_calls
from camphor.types import Agent, Step

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

        elif isinstance(event, Recalled):
            self.line("    ~ " + fold(event.told, self.console.width - 6), "magenta")

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
