"""Sums, exactly: an expression becomes a fraction, so that 0.1 + 0.2 is 0.3.

Written as people write them: `12 × 7`, `15% of 84`, `1/2 of 3 1/2`, `2^10`, `sqrt(144)`. Python's own parser reads the
expression, and only numbers, the operators and `sqrt` are carried out.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt

from camphor.errors import ToolError

_LONGEST = 200  # characters
_MOST_BITS = 2000  # of a numerator or a denominator: about 600 digits
_ROOT_DIGITS = 40
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "∕": "/"})
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])")
_MIXED = re.compile(r"(?<![\d.])(\d+) (\d+)/(\d+)(?![\d.])")
_DIVISOR = re.compile(r"÷\s*(\d+/\d+)(?![\d./])")  # "12 ÷ 3/4" divides by three quarters
_PERCENT = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*%(?=\s*(?:$|[-+*/^)]|of\b))")
_OF = re.compile(r"\bof\b")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)")


def evaluate(expression: str) -> Fraction:
    """The value of an expression, exact but for roots that are no fraction (40 digits).

    Raises:
        ToolError: what is wrong with it: not a sum, a division by zero, a number that is too large.
    """
    if not expression.strip() or len(expression) > _LONGEST:
        raise _wrong(expression, f"is not a sum of at most {_LONGEST} characters")
    plain = _MIXED.sub(r"(\1+\2/\3)", _THOUSANDS.sub(lambda m: m[0].replace(",", ""), expression))
    plain = _DIVISOR.sub(r"/(\1)", plain).translate(_SIGNS).replace("^", "**")
    source = _OF.sub("*", _PERCENT.sub(r"(\1/100)", plain)).strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # "2(3)" and the like: said below
            tree = ast.parse(source, mode="eval")
        return _value(tree.body, source)
    except ZeroDivisionError:
        raise _wrong(expression, "divides by zero, which has no result") from None
    except OverflowError:
        raise _wrong(expression, "has a result that is too large to be written") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _wrong(expression, "is not a sum that can be reckoned") from None


def _wrong(expression: str, why: str) -> ToolError:
    shown = expression if len(expression) <= 60 else expression[:57] + "..."
    return ToolError(f'"{shown}" {why}: write for example  12 * 7  or  15% of 84')


def _value(node: ast.expr, source: str) -> Fraction:
    if isinstance(node, ast.Constant):
        written = ast.get_source_segment(source, node) or ""
        if not _NUMBER.fullmatch(written):  # no text, no exponent, no imaginary number
            raise ValueError(written)
        return Fraction(written)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand, source)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, source), _value(node.right, source)
        if type(node.op) not in _OPERATORS:
            raise ValueError(ast.dump(node.op))
        return _bounded(_OPERATORS[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sqrt" and not node.keywords:
        (argument,) = node.args
        return _root(_value(argument, source))
    raise ValueError(ast.dump(node))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent == Fraction(1, 2):
        return _root(base)
    if exponent.denominator != 1:
        raise ValueError("only whole powers are fractions")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if bits * abs(exponent) > _MOST_BITS:
        raise OverflowError
    if abs(base) == 1:
        return base if exponent % 2 else Fraction(1)
    return base ** int(exponent)


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise ValueError("the root of a negative number")
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    with localcontext() as context:
        context.prec = _ROOT_DIGITS
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise OverflowError
    return value


_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: _power,
}  # fmt: skip


def rounded(value: Fraction, decimals: int = 6) -> Fraction:
    """The value itself where that many decimals write it in full; else to two decimals, or three significant digits."""
    scale = 10**decimals
    if (value * scale).denominator == 1:
        return value
    places = 2
    while places < 12 and 0 < abs(value) * 10**places < 100:
        places += 1
    return round(value, places)


def show_number(value: Fraction) -> str:
    """In digits, thousands apart: "1,024", "-0.5". Give it what `rounded` gave."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    with localcontext() as context:
        context.prec = 700
        text = f"{Decimal(value.numerator) / Decimal(value.denominator):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_json(value: Fraction) -> int | float:
    """The number as a record holds it: whole, or the nearest float."""
    return value.numerator if value.denominator == 1 else float(value)
