"""What the apps of an Android phone have in common: their tools are functions, and calls reach them as intents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camphor.device.android.intent import ContactQuery, Intent
from camphor.device.android.intents import intent_of
from camphor.device.apps.base import App
from camphor.device.records import Record
from camphor.errors import ToolError
from camphor.types import Call


class AndroidApp(App):
    """Base of the Android apps. The tools are the functions of `android.toolbox` under the app's name."""

    def check(self, tool: str, arguments: Mapping[str, Any]) -> None:
        intent_of(Call(tool, arguments), self.phone.zone)

    @property
    def elsewhere(self) -> bool:  # type: ignore[override]
        """On a connected device the phone itself acts."""
        return self.phone.real() is not None

    def run(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        asked = intent_of(Call(tool, arguments), self.phone.zone)
        real = self.phone.real()
        if isinstance(asked, ContactQuery):
            return [real.answer(tool, asked) if real else self.answer(tool, asked)]
        return real.start(asked) if real else self.start(tool, asked)

    def start(self, tool: str, intent: Intent) -> Record:
        """Does what the intent asks for. Gives the record written or chosen; a `result` in it goes back to the caller.

        Raises:
            UnknownValue: it is about something that is not on the phone.
        """
        raise ToolError(f"{self.name} has no screen for {intent.action}")

    def answer(self, tool: str, query: ContactQuery) -> Record:
        """Answers a look-up. Raises: UnknownValue, AmbiguousValue."""
        raise ToolError(f"{self.name} has no address book")


def text_extra(intent: Intent, name: str) -> str:
    """An extra's text; "" where the intent has no such extra."""
    return str(intent.extras.get(name, ""))


def without_blanks(**fields: Any) -> dict[str, Any]:
    """A record of the fields that say something."""
    return {name: value for name, value in fields.items() if value not in ("", None, (), [])}


def next_number(taken: list[str]) -> int:
    """One more than the largest number that ends any of the texts, from 1."""
    tails = [text.rsplit("/", 1)[-1] for text in taken]
    return max((int(tail) for tail in tails if tail.isascii() and tail.isdigit()), default=0) + 1
