"""What grammars are put together from: rules, terminals that are shared, alternatives, arguments in their order."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence

from camphor.tools.calls import escape
from camphor.tools.tool import Parameter

# Characters that calls write as escapes (calls.escape); a quote and a backslash too.
HIDDEN = r'"\\\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}'

# A word as people mean it: addresses, numbers and hyphenated words stay whole, so that no part of one can be passed for
# it; "Alice's" holds the word Alice. Scripts that are written without spaces fall into characters.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_LETTER = rf"(?:[^\W{_UNSPACED}][\u0300-\u036f]*)"
CHUNK = re.compile(rf"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\+?{_LETTER}+(?:-{_LETTER}+|[.:,/]\d+)*|\s+|.", re.DOTALL)

Numbers = Callable[[Parameter, bool], Sequence[float]]
"""Which numbers a parameter may be, in order, and whether only whole ones fit."""
Member = tuple[bool, str, str]
"""Whether it must be there, what is written before its value, and the value as an expression."""


class GrammarRules:
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


_LARGEST = 10**15 - 1  # beyond it a float no longer writes every whole number in plain digits
_LONG = 10**9  # from here on without decimals: a float keeps 15 digits in all
_DECIMALS = "\\.(0|[0-9]{0,5}[1-9])"


def whole_numbers(low: float | None = None, high: float | None = None) -> str:
    """Matches the whole numbers from `low` to `high`, both included, without leading zeros; of 15 digits at most.

    An empty string where there is none.
    """
    least = -_LARGEST if low is None else max(math.ceil(low), -_LARGEST)
    most = _LARGEST if high is None else min(math.floor(high), _LARGEST)
    parts = _between(max(least, 0), most) if most >= 0 else []
    if least < 0:
        parts += [f"-({part})" for part in _between(max(-most, 1), -least)]
    return "|".join(parts)


def decimals(low: float | None = None, high: float | None = None) -> str:
    """Matches numbers from `low` to `high` as `calls.render_value` writes them, with up to six decimals, or none.

    Exact for whole bounds. A bound with a fraction lets through what shares its whole part; `values.check` refuses
    that. An empty string where there is nothing between.
    """
    least = -float(_LARGEST) if low is None else max(low, -_LARGEST)
    most = float(_LARGEST) if high is None else min(high, _LARGEST)
    if least > most:
        return ""
    parts = _magnitudes(max(least, 0.0), most) if most >= 0 else []
    if least < 0:
        parts += [f"-({part})" for part in _magnitudes(max(-most, 0.0), -least, negative=True)]
    return "|".join(parts)


def _magnitudes(low: float, high: float, *, negative: bool = False) -> list[str]:
    first, last = math.floor(low), math.floor(high)
    broken = first == 0 and last == high == 0
    # numbers that any decimals may follow: all but the last where that is the bound itself
    parts = [f"({part})({_DECIMALS})?" for part in _between(max(first, 1), min(last - (last == high), _LONG - 1))]
    if first == 0 and not broken:
        parts.append(f"0{_DECIMALS}" if negative else f"0({_DECIMALS})?")
    if last == high and last < _LONG and not (negative and last == 0):
        parts.append(f"{last}(\\.0)?")
    return parts + [f"({part})(\\.0)?" for part in _between(max(first, _LONG), last)]


def _between(low: int, high: int) -> list[str]:
    """Patterns of the whole numbers from `low` to `high`, neither negative, a pattern for each run of equal digits."""
    if low > high:
        return []
    digits = len(str(high))
    if high == 10**digits - 1 and low in (0, 1):
        return ["0"] * (1 - low) + [f"[1-9][0-9]{{0,{digits - 1}}}"]
    if high == 10**digits - 1 and low == 10 ** (len(str(low)) - 1):
        return [f"[1-9][0-9]{{{len(str(low)) - 1},{digits - 1}}}"]
    parts = []
    while low <= high:
        # the longest run low..top in which only the last digits vary, each from its own to 9
        size = 1
        while low % (size * 10) == 0 and low + size * 10 - 1 <= high and low > 0:
            size *= 10
        top = min(low // size % 10 + (high - low + 1) // size - 1, 9)
        head = str(low // size)[:-1]
        first = low // size % 10
        digit = str(first) if first == top else f"[{first}-{top}]"
        parts.append(head + digit + "[0-9]" * (len(str(size)) - 1))
        low += (top - first + 1) * size
    return parts
