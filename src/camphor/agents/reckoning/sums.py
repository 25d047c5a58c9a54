"""Sums in words: "15% of 84", "split 96 between 4", "20 euros an hour for 6 hours"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from camphor.agents.reckoning.words import Reckoning, Said, table
from camphor.device.arithmetic import evaluate, rounded, show_number
from camphor.errors import ToolError
from camphor.types import Call

NUMBER = r"[-−]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?: \d+/\d+|/\d+)?|\.\d+)(?![\d/])"
_WHAT = re.compile(r"what (?=[\d(−-])")
_ARITHMETIC = re.compile(r"(?:[\d.,\s()+×÷^−/%-]|\bof\b)+")
_OPERATOR = re.compile(r"[+×÷^%]| of | − |(?<=\d)−(?=\d)")
_PLAIN_FRACTION = re.compile(r"(\d+)/(\d+)")
_PLAIN_MINUS = re.compile(r"\d+(?:\.\d+)?-\d+(?:\.\d+)?")
_UNSPACED_MINUS = re.compile(r"(?<=\d)-(?=\d)")
_SIGN_OF_NUMBER = re.compile(r"(?:^|(?<=[(×÷+−^])|(?<=[×÷+−] ))− (?=[\d.])")
_LOOSE_PERCENT = re.compile(r"[+−].*\d%(?! of)|\d%(?! of).*[+−]")  # "100 + 20%": of what?
_FRACTION_POWER = re.compile(r"\^(\d+/\d+)")


@dataclass(frozen=True)
class _Money:
    """A currency as it was written: "€" before the amount, " euros" behind it."""

    name: str
    before: str = ""
    behind: str = ""

    def show(self, amount: Fraction) -> str:
        number = show_number(amount) if amount.denominator == 1 else f"{float(amount):,.2f}"
        behind = self.behind.removesuffix("s") if number in ("1", "-1") else self.behind
        return f"-{self.before}{number[1:]}{behind}" if number[0] == "-" else f"{self.before}{number}{behind}"


def currencies() -> dict[str, str]:
    """For each word or sign of a currency its name."""
    return {word: each["name"] for each in table()["currency"] for word in each["words"]}


@cache
def _money() -> tuple[str, re.Pattern[str]]:
    words = sorted(currencies(), key=len, reverse=True)
    signs = "".join(re.escape(word) for word in words if len(word) == 1 and not word.isalpha())
    names = "|".join(re.escape(word) for word in words if word.isalpha() or " " in word)
    amount = rf"(?:[{signs}] ?{NUMBER}|{NUMBER}(?: ?[{signs}]| (?:{names})\b)?)"
    return amount, re.compile(rf"(?P<sign>[{signs}])? ?(?P<number>{NUMBER}) ?(?P<after>[{signs}]|\b(?:{names})\b)?")


@cache
def forms() -> tuple[tuple[re.Pattern[str], dict[str, Any]], ...]:
    """Each form of the table with its pattern."""
    amount = _money()[0]
    listed = rf"(?P<list>{amount}(?:(?: ?, ?(?:and )?| and | \+ | plus | by | times ){amount})+)"
    made = []
    for each in table()["form"]:
        places = iter(range(10))
        text = re.sub(r"\{n\}", lambda _: f"(?P<n{next(places)}>{amount})", each["pattern"])  # noqa: B023
        text = text.replace("{list}", listed, 1).replace("{list}", listed.replace("<list>", "<list2>"))
        made.append((re.compile(text), each))
    return tuple(made)


def sum_of(asked: Said) -> Reckoning | None:
    """The sum that is asked for, or None."""
    text = _WHAT.sub("", asked.digits)
    for pattern, form in forms():
        if (found := pattern.fullmatch(text)) and (asked.asks or not form.get("asks")):
            return _filled(found, form)
    return _plain(text, asked.asks)


def _filled(found: re.Match[str], form: dict[str, Any]) -> Reckoning | None:
    groups = found.groupdict()
    listed = groups.get("list") or groups.get("list2")
    said = [groups[f"n{place}"] for place in range(10) if groups.get(f"n{place}")]
    if listed:
        said = re.findall(_money()[0], listed)
    read = [_amount(text) for text in said]
    numbers, money = [number for number, _ in read], {coin for _, coin in read if coin}
    if len({coin.name for coin in money}) > 1:
        return None
    template = form["sum"]
    if template == "difference":
        template = "{1} − {0}" if evaluate(numbers[0]) < evaluate(numbers[1]) else "{0} − {1}"
    places = {"list+": " + ".join(numbers), "list×": " × ".join(numbers), "count": len(numbers)}
    expression = template.format(*numbers, **places, power=groups.get("power"))
    coin = min(money, key=str) if money and "result" not in form and _stays_money(read, expression) else None
    if form.get("result") == "percent":
        share = template.startswith("{1}")
        return _told(expression, None, f"{numbers[share]} is {{result}}% of {numbers[not share]}.")
    return _told(expression, coin)


def _stays_money(read: list[tuple[str, _Money | None]], expression: str) -> bool:
    """Whether the result is money too: two amounts of it multiplied or divided are none."""
    return sum(coin is not None for _, coin in read) == 1 or not re.search(r"[×÷](?! \d+$)", expression)


def _amount(text: str) -> tuple[str, _Money | None]:
    """The number of an amount, and its currency where it has one."""
    found = _money()[1].fullmatch(text.strip())
    if found is None:
        return text, None
    number, sign = found["number"].replace(",", "").replace("−", "-"), found["sign"] or found["after"]
    if not sign:
        return number, None
    before = sign if not sign.isalpha() and " " not in sign else ""
    return number, _Money(currencies()[sign], before, "" if before else f" {currencies()[sign]}")


@cache
def _operators() -> tuple[tuple[re.Pattern[str], str], ...]:
    words = [(word, sign) for sign, each in table()["operators"].items() for word in each]
    made = []
    for word, sign in sorted(words, key=lambda each: -len(each[0])):
        edges = (r"(?<![a-z])", r"(?![a-z])") if word[0].isalpha() else ("", "")
        made.append((re.compile(edges[0] + re.escape(word) + edges[1]), f" {sign} "))
    return tuple(made)


def _plain(text: str, asks: bool) -> Reckoning | None:
    """Numbers and operators alone, as signs or as words, with one currency at most."""
    coins: list[_Money] = []

    def bare(found: re.Match[str]) -> str:
        number, coin = _amount(found[0])
        coins.extend([coin] if coin else [])
        return number if coin else found[0]

    bare_text = re.sub(_money()[0], bare, text)
    for pattern, sign in _operators():
        bare_text = pattern.sub(sign, bare_text)
    if _PLAIN_MINUS.fullmatch(text) and asks:
        bare_text = _UNSPACED_MINUS.sub(" − ", bare_text)
    expression = _tidy(bare_text)
    if not _ARITHMETIC.fullmatch(expression) or not any(char.isdigit() for char in expression):
        return None
    if not _OPERATOR.search(expression) and not _is_division(expression, asks):
        return None
    if _UNSPACED_MINUS.search(expression) or _LOOSE_PERCENT.search(expression):
        return None
    if len({coin.name for coin in coins}) > 1:
        return None
    return _told(expression, coins[0] if coins and (len(coins) == 1 or not re.search("[×÷^]", expression)) else None)


def _tidy(text: str) -> str:
    """Signs with the spaces that belong there; a power that is a fraction in brackets."""
    spaced = " ".join(text.split()).replace("( ", "(").replace(" )", ")").replace(" %", "%").replace(" ^ ", "^")
    return _FRACTION_POWER.sub(r"^(\1)", _SIGN_OF_NUMBER.sub("-", spaced))


def _is_division(expression: str, asks: bool) -> bool:
    """Whether "144/12" is a sum: where it was asked for, and is no day of a month."""
    found = _PLAIN_FRACTION.fullmatch(expression)
    if found is None or not asks:
        return False
    one, other = int(found[1]), int(found[2])
    return one > other > 0 and not (one <= 31 and other <= 12)


def _told(expression: str, money: _Money | None, words: str = "") -> Reckoning | None:
    call = Call("calculate", {"expression": expression})
    try:
        value = evaluate(expression)
    except ToolError as error:
        why = str(error)
        known = next((reason for reason in ("divides by zero", "too large") if reason in why), "")
        shown = show_expression(expression)
        if known == "too large":
            return Reckoning(call, f"The result of {shown} is too large to be written.")
        return Reckoning(call, f"{shown} has no result: nothing can be divided by zero.") if known else None
    result = round(value, 2) if money else rounded(value)
    number = money.show(result) if money else show_number(result)
    if words:
        return Reckoning(call, words.format(result=number))
    return Reckoning(call, f"{show_expression(expression)} {'=' if result == value else '≈'} {number}")


def show_expression(expression: str) -> str:
    """An expression as it is told: thousands apart, roots with their sign."""
    shown = re.sub(r"\bsqrt\(([^()]+)\)", r"√\1", expression)
    return re.sub(r"(?<![\d.])\d{4,}(?![\d.])", lambda m: f"{int(m[0]):,}", shown)
