"""What grammars are put together from: rules, terminals that are shared, alternatives, arguments in their order."""

from __future__ import annotations

import json
from collections.abc import Sequence

# Characters that calls write as escapes (calls.escape); a quote and a backslash too.
HIDDEN = r'"\\\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}'
Member = tuple[bool, str, str]
"""Whether it must be there, what is written before its value, and the value as an expression."""


class Rules:
    """Collects the rules of one grammar; equal terminals share a rule."""

    def __init__(self) -> None:
        self.rules: list[str] = []
        self._named: dict[str, str] = {}
        self._counted = 0

    def _terminal(self, body: str) -> str:
        """Name of the terminal with this body."""
        if body not in self._named:
            self._named[body] = f"V{len(self._named)}"
            self.rules.append(f"{self._named[body]}: {body}")
        return self._named[body]

    def _members(self, rule: str, members: Sequence[Member], end: str) -> str:
        """What follows an opening bracket, of arguments or of an object: its members in their order, and its end.

        A rule for each place in the order, before the first one written and after it: as many rules as members, where
        spelling out each choice of optional ones would double with each.
        """
        places = {(len(members), comma): quote(end) for comma in (False, True)}
        for place in range(len(members) - 1, -1, -1):
            required, label, value = members[place]
            for comma in (False, True):
                if comma and place == 0:
                    continue
                given = f"{quote((', ' if comma else '') + label)} {value} {places[place + 1, True]}"
                if required:
                    places[place, comma] = given
                    continue
                name = f"{rule}_{place}{'c' if comma else ''}"
                self.rules.append(f"{name}: {given} | {places[place + 1, comma]}")
                places[place, comma] = name
        return places[0, False]

    def _rule(self, letter: str) -> str:
        """A name that no rule has yet."""
        self._counted += 1
        return f"{letter}{self._counted - 1}"


def either(options: Sequence[str]) -> str:
    """One of these expressions, the empty ones left out; "" where none is left."""
    kept = [option for option in dict.fromkeys(options) if option]
    return kept[0] if len(kept) == 1 else f"({' | '.join(kept)})" if kept else ""


def quote(text: str) -> str:
    """The text as a grammar has it."""
    return json.dumps(text, ensure_ascii=False)
