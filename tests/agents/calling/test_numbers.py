"""Numbers of a call: those that a request says, in its own words and in other units, and none that nobody said."""

from __future__ import annotations

import pytest

from camphor.agents.calling.caller import answer_grammar
from camphor.agents.calling.numbers import NumbersSaid
from camphor.models.constraint import accepts
from camphor.tools.readers import from_schema
from camphor.tools.tool import Parameter

ANY = Parameter("n", "number")
LAMP = from_schema(
    {
        "name": "dim",
        "parameters": {
            "type": "object",
            "properties": {
                "room": {"type": "string"},
                "percent": {"type": "integer", "minimum": 0, "maximum": 100},
                "seconds": {"type": "number"},
                "steps": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["room", "percent"],
        },
    }
)


@pytest.mark.parametrize(
    ("request_", "number"),
    [
        ("water bed 3 for ten minutes", 10),
        ("a kilo and a half of plums", 1500),
        ("twenty-two and a half degrees", 22.5),
        ("half an hour in bed 4", 30),
        ("an hour and a quarter please", 75),
        ("two dozen eggs", 24),
        ("six pounds fifty", 6.5),
        ("one euro twenty goes back", 120),
        ("10% less, that is ten per cent", 0.1),
        ("set it to 77 Fahrenheit", 25),
        ("two inches longer", 5.08),
        ("36 km/h between the points", 10),
        ("wake me at quarter past seven", 15),
        ("take three off", -3),
        ("channels 11 through 14 at 70", 13),
        ("finished in 2:58:47", 10727),
        ("1,250 sheets", 1250),
        ("the fifth of June", 6),
    ],
)
def test_what_a_request_says_may_be_written(request_: str, number: float) -> None:
    assert number in NumbersSaid(request_).allowed(ANY, whole=False)


@pytest.mark.parametrize(
    ("request_", "number"),
    [
        ("give bed 5 some water, it's bone dry", 30),
        ("we came in with raspberries, put them in the diary, 240 grams", 1),
        ("vents wide and keep it at 16 degrees", 0),
        ("no numbers at all", 7),
        ("", 0),
    ],
)
def test_what_nobody_said_may_not(request_: str, number: float) -> None:
    assert number not in NumbersSaid(request_).allowed(ANY, whole=False)


def test_words_that_mean_nothing_or_all_reach_the_bounds() -> None:
    level = Parameter("level", "integer", minimum=1, maximum=5)
    assert NumbersSaid("headlamp on full blast").allowed(level, whole=True) == (5,)
    assert NumbersSaid("lights out").allowed(level, whole=True) == (1,)
    assert NumbersSaid("lights out").allowed(ANY, whole=True) == (0,)


def test_bounds_and_whole_numbers_are_kept() -> None:
    said = NumbersSaid("between 2 and 7.5, not 300")
    assert said.allowed(Parameter("n", "integer", minimum=1, maximum=9), whole=True)[0] >= 1
    assert all(isinstance(each, int) for each in said.allowed(ANY, whole=True))
    assert 7.5 in said.allowed(ANY, whole=False)


def test_the_grammar_holds_no_other_number() -> None:
    def written(request: str, call: str) -> bool:
        return accepts(answer_grammar([LAMP], request), call)

    assert written("dim the hall to 40", 'result0 = dim(room="hall", percent=40)')
    assert not written("dim the hall to 40", 'result0 = dim(room="hall", percent=50)')
    assert not written("dim the hall to 40", 'result0 = dim(room="hall", percent=40, seconds=7)')
    assert written("hall to 40 over 2 seconds", 'result0 = dim(room="hall", percent=40, seconds=2)')
    assert written("hall to 40, steps 1 and 3", 'result0 = dim(room="hall", percent=40, steps=[1, 3])')
    assert not written("dim the hall", 'result0 = dim(room="hall", percent=50)')
    assert written("dim the hall", "# none")


def test_a_long_request_takes_no_time() -> None:
    assert len(NumbersSaid("12 and a half " * 5000).allowed(ANY, whole=False)) < 2000
