"""The calculator, other units and days: exact, and refused in one line where there is no answer."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.arithmetic import evaluate, rounded, show_number
from camphor.device.device import Device
from camphor.errors import ToolError
from camphor.types import Call

PHONE = {"format": "camphor.device/1", "id": "bare", "now": "2026-03-12T08:45:00", "apps": {}}
DECIMALS = st.decimals(-10000, 10000, allow_nan=False, places=3)


@given(DECIMALS, DECIMALS, st.sampled_from("+-×÷"))
def test_a_sum_is_exact(one: object, other: object, sign: str) -> None:
    first, second = Fraction(str(one)), Fraction(str(other))
    expression = f"({one:f}) {sign} ({other:f})"
    if sign == "÷" and second == 0:
        with pytest.raises(ToolError, match="divides by zero"):
            evaluate(expression)
        return
    exact = {"+": first + second, "-": first - second, "×": first * second}
    assert evaluate(expression) == (exact[sign] if sign != "÷" else first / second)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("0.1 + 0.2", "0.3"), ("15% of 84", "12.6"), ("1/2 of 3 1/2", "1.75"), ("2^10", "1,024"), ("2**-3", "0.125"),
        ("sqrt(144)", "12"), ("sqrt(2)^2", "2"), ("12 ÷ 3/4", "16"), ("1,250 * 4", "5,000"), ("100/7", "14.29"),
        ("1/3", "0.333"), ("0.0001/3", "0.0000333"), ("-3 − -8", "5"), ("65 − 20% of 65", "52"),
    ],
)  # fmt: skip
def test_what_people_write_is_reckoned(expression: str, shown: str) -> None:
    assert show_number(rounded(evaluate(expression))) == shown


@pytest.mark.parametrize(
    "expression",
    [
        "", " ", "x", "'a' * 3", "__import__('os')", "2(3)", "1e999999", "3j", "True + 1", "10 % 3", "5!", "(1", "1 +",
        "sqrt(-1)", "sqrt()", "sqrt(1, 2)", "sqrt(x=4)", "2 ** 0.3", "[1]", "1 if 1 else 2", "lambda: 1", "(" * 150,
        "1" * 300, "a.b", "1; 2", "0x10",
    ],
)  # fmt: skip
def test_nonsense_is_refused_in_one_line(expression: str) -> None:
    with pytest.raises(ToolError) as refused:
        evaluate(expression)
    assert "\n" not in str(refused.value)
    assert "write for example" in str(refused.value)


@pytest.mark.parametrize("expression", ["9^9^9^9", "10 ** 100000", "(10^500) * (10^500)", "2^-99999"])
def test_huge_powers_are_refused_at_once(expression: str) -> None:
    with pytest.raises(ToolError, match="too large"):
        evaluate(expression)


def test_every_phone_reckons() -> None:
    with Device.create(None, PHONE) as phone:

        def ask(name: str, **arguments: object) -> object:
            found = phone.execute(Call(name, arguments))
            return found.error or dict(found.records[0])

        assert ask("calculate", expression="0.1 + 0.2") == {"expression": "0.1 + 0.2", "result": 0.3}
        assert ask("convert_units", amount=5, unit="miles", to="km") == {
            "amount": 5, "unit": "miles", "result": 8.04672, "to": "km"
        }  # fmt: skip
        assert ask("convert_units", amount=2, unit="furlong", to="metre")["result"] == 402.34  # type: ignore[index]
        assert ask("days_between", first="today", second="3 May")["days"] == 52  # type: ignore[index]
        assert ask("shift_date", day="tomorrow", amount=-3, unit="weeks") == {"date": "2026-02-20", "weekday": "Friday"}
        assert "volume" in str(ask("convert_units", amount=1, unit="cup", to="grams"))
        assert "no unit that is known" in str(ask("convert_units", amount=1, unit="blarg", to="km"))
        assert "no unit that is known" in str(ask("convert_units", amount=1, unit="m**99999", to="km"))
        assert "cannot be told" in str(ask("convert_units", amount=1, unit="furlong", to="celsius"))
        assert "out of the calendar" in str(ask("shift_date", day="today", amount=99999, unit="years"))


def test_an_apps_tool_of_the_same_name_stays_the_apps() -> None:
    takes = {"type": "object", "properties": {"job": {"type": "string"}}, "required": ["job"]}
    tool = {"name": "calculate", "kind": "action", "description": "Work out a quote.", "parameters": takes}
    quotes = {"description": "", "tools": [tool], "records": {}}
    with Device.create(None, {**PHONE, "apps": {"quotes": quotes}}) as phone:
        assert phone.toolbox.get("calculate").app == "quotes"
        assert "convert_units" in phone.toolbox


def test_the_library_of_units_is_loaded_when_it_is_needed() -> None:
    code = (
        "import sys; from camphor.device.device import Device; import camphor.app, camphor.agents.reckoning as r; "
        "from datetime import datetime; r.reckon('12 times 7', datetime.now()); "
        "assert 'pint' not in sys.modules; r.reckon('5 miles in km', datetime.now()); assert 'pint' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
