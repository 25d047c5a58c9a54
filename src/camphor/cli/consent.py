"""Asks the person before an action: yes, no, or with other values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from camphor.agents.answers import will_do
from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.cli.show import Show
from camphor.errors import ToolError
from camphor.types import Call

if TYPE_CHECKING:
    from camphor.device.device import Device

YES, NO = Decision(Answer.YES), Decision(Answer.NO)
Ask = Callable[[str], str]


def agree(_: ConsentNeeded) -> Decision:
    """Yes to everything: `--yes`."""
    return YES


class Nobody:
    """No to everything, because there is nobody to ask; remembers what was proposed."""

    def __init__(self) -> None:
        self.proposed: list[ConsentNeeded] = []

    def __call__(self, wanted: ConsentNeeded) -> Decision:
        self.proposed.append(wanted)
        return NO


class Person:
    """Shows each action in plain words and waits for the person's word.

    Args:
        ask: prints a prompt and returns the line typed; raises EOFError at the end of the input, which means no.
    """

    def __init__(self, device: Device, show: Show, ask: Ask) -> None:
        self.device, self.show, self.ask = device, show, ask

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
            word = self.ask("    Do it? yes, no or edit: ").strip().casefold()
            if word in ("y", "yes"):
                return Decision(Answer.YES, wanted.call if edited else None)
            if word in ("n", "no"):
                return NO
            if word in ("e", "edit"):
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
                    values[parameter.name] = typed
            written = replace(call, arguments=values)
            try:
                fit = self.device.normalise(written)
            except ToolError as error:
                self.show.line(f"      ! {error}", "yellow")
                continue
            return ConsentNeeded(fit, will_do(fit, written, self.device.now.year))
