"""Asks the person before an action: yes, no, or with other values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from camphor.agents.answers import will_do
from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.cli.show import Show
from camphor.cli.text import say
from camphor.errors import ToolError
from camphor.tools.call_formats import read_code
from camphor.tools.tool import Parameter, Toolbox
from camphor.types import Call

YES, NO = Decision(Answer.YES), Decision(Answer.NO)
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
    return NO if wanted.doubt else YES


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


class Person:
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
