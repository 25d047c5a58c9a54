"""What grammars are put together from: rules, terminals that are shared, alternatives, arguments in their order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from camphor.tools.calls import escape

# Characters that calls write as escapes (calls.escape); a quote and a backslash too.
HIDDEN = r'"\\\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}'

# A word as people mean it: addresses, numbers and hyphenated words stay whole, so that no part of one can be passed for
# it; "Alice's" holds the word Alice. Scripts that are written without spaces fall into characters.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_LETTER = rf"(?:[^\W{_UNSPACED}][\u0300-\u036f]*)"
CHUNK = re.compile(rf"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\+?{_LETTER}+(?:-{_LETTER}+|[.:,/]\d+)*|\s+|.", re.DOTALL)

Member = tuple[bool, str, str]
"""Whether it must be there, what is written before its value, and the value as an expression."""


class Rules:
    """Collects the rules of one grammar; equal terminals share a rule."""

    def __init__(self) -> None:
        self.rules: list[str] = []
        self._terminals: dict[str, str] = {}
        self._counted = 0

    def _terminal(self, body: str) -> str:
        """Name of the terminal with this body."""
        if body not in self._terminals:
            self._terminals[body] = f"V{len(self._terminals)}"
            self.rules.append(f"{self._terminals[body]}: {body}")
        return self._terminals[body]

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

    def _said_runs(self, said: str, *, capitals: bool = True) -> list[str]:
        """A terminal for each line of the person's words: any run of them, without white space at its ends.

        With `capitals` words may take one: names and titles have it where people who type do not.
        """
        patterns = []
        typed = (" ".join(line.split()) for line in said.splitlines())
        lines = dict.fromkeys(form for line in typed for form in (line, *([CHUNK.sub(_capital, line)] * capitals)))
        for line in filter(None, lines):
            chunks = [escape(chunk) for chunk in CHUNK.findall(line)]
            run = self._terminal("%regex " + json.dumps({"substring_chunks": chunks}, ensure_ascii=False))
            patterns.append(self._terminal(f"{run} & /[^ ]((?s:.*)[^ ])?/"))
        return patterns

    def _named(self, values: Iterable[str], runs: Sequence[str]) -> str:
        """A text in quotes: one of these values, whole, or one of these runs of words; "" where there is neither.

        It is one terminal with its quotes: a name that begins another is then no choice between two readings.
        """
        options = [*(quote(escape(value)) for value in dict.fromkeys(values) if value), *runs]
        return self._terminal(f'"\\"" ({" | ".join(options)}) "\\""') if options else ""

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


def _capital(chunk: re.Match[str]) -> str:
    return chunk[0][:1].upper() + chunk[0][1:]
