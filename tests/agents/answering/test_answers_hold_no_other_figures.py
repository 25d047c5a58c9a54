"""No answer holds a figure that no record has, that the person did not say, and that is not reckoned from such."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.agents.answering.answer import RecordAnswer, answer
from camphor.agents.answering.programs import Program
from camphor.agents.answering.question import Operation
from camphor.agents.answering.render import lasting
from camphor.device import dates
from camphor.device.text import text_of
from tests.doubles.answering import NOW, phone

NOUNS = ["Trowel", "Lantern", "Tarpaulin", "Kayak course", "Dentist", "Choir", "Ferns"]
QUERIES = [
    "what's on today", "when is the dentist", "how long until the kayak course", "how long is the dentist",
    "how many events do I have this week", "what's the total of my orders", "what's the average total of my orders",
    "which order was the most expensive", "how much did the lantern cost", "what was the last order",
    "when is my next event", "which reminders are still open", "how long ago was the choir", "is the lantern delivered",
    "what did Oisin write about the dentist", "am I free on Saturday at 11", "which orders are over 20",
]  # fmt: skip
FIGURE = re.compile(r"\d+(?:\.\d+)?")
moments = st.integers(-30 * 24 * 60, 30 * 24 * 60).map(
    lambda minutes: (datetime.fromisoformat(NOW) + timedelta(minutes=minutes)).isoformat()
)
nouns = st.sampled_from(NOUNS)


def _event(title: str, start: str, minutes: int) -> dict[str, Any]:
    return {
        "title": title,
        "start": start,
        "end": (datetime.fromisoformat(start) + timedelta(minutes=minutes)).isoformat(),
    }


def _message(noun: str, hour: int, date: str) -> dict[str, Any]:
    return {"contact": "Oisin Brannock", "from_me": False, "date": date, "text": f"{noun} moved to {hour}:00."}


lists = st.fixed_dictionaries(
    {
        "calendar__events": st.lists(st.builds(_event, nouns, moments, st.integers(5, 600)), max_size=5),
        "reminders__reminders": st.lists(
            st.fixed_dictionaries({"content": nouns, "time": moments, "done": st.booleans()}), max_size=4
        ),
        "amazon__orders": st.lists(
            st.fixed_dictionaries(
                {
                    "item": nouns,
                    "total": st.integers(1, 99999).map(lambda cents: f"{cents / 100:.2f} EUR"),
                    "date": moments.map(lambda each: each[:10]),
                    "status": st.sampled_from(["delivered", "shipped"]),
                }
            ),
            max_size=5,
        ),
        "imessage__messages": st.lists(
            st.builds(_message, nouns, st.integers(10, 22), moments),
            max_size=3,
        ),
    }
)


def _reckoned(told: RecordAnswer) -> set[float]:
    """What the programs' records give: counts, sums, means, gaps to now and lengths."""
    now, found = datetime.fromisoformat(NOW), {0.0}
    for program in told.programs:
        found |= {float(len(program.picks)), float(len(program.picks) - 12)}
        amounts = [value for each in program.picks if (value := dates.number(each.value("total"))) is not None]
        if amounts:
            found |= {round(sum(amounts), 2), round(sum(amounts) / len(amounts), 2)}
        for pick in (*program.picks, *program.newer):
            for name in pick.row.record:
                if (moment := dates.moment(pick.value(name))) is not None:
                    found |= _of_gap(moment - now) | {float(each) for each in moment.timetuple()[:5]}
                    found.add(float(abs((moment.date() - now.date()).days)))
            if (seconds := dates.number(pick.value("seconds"))) is not None:
                found |= {float(each) for each in divmod(round(seconds), 60)}
            first, last = pick.when, pick.table.ends(pick.row.record)
            if first and last:
                found |= _of_gap(last - first)
    return found


def _of_gap(gap: timedelta) -> set[float]:
    minutes = round(abs(gap).total_seconds() / 60)
    return {float(minutes // 1440), float(minutes % 1440 // 60), float(minutes % 60)}


@settings(max_examples=60)
@given(lists, st.sampled_from(QUERIES))
def test_every_figure_is_of_a_record_of_the_query_or_reckoned(held: dict[str, Any], query: str) -> None:
    device = phone(**held)
    told = answer(query, device)
    used = [pick.row.record for program in told.programs for pick in (*program.picks, *program.newer)]
    said = " ".join([query, *(text_of(dict(each)) for each in used)])
    stretches = [each.stretch for each in told.programs if each.stretch]
    allowed = {float(each) for each in FIGURE.findall(said)} | _reckoned(told)
    for each in stretches:
        allowed |= {float(part) for moment in (each.first, each.last) for part in moment.timetuple()[:5]}
    strange = [each for each in FIGURE.findall(told.text) if float(each) not in allowed]
    assert not strange, (strange, told.text)


def _amounts(program: Program) -> list[float]:
    return [value for each in program.picks if (value := dates.number(each.value("total"))) is not None]


REDUCED: dict[str, Callable[[Program], float]] = {
    "how many orders do I have": lambda program: len(program.picks),
    "what's the total of my orders": lambda program: sum(_amounts(program)),
    "what's the average total of my orders": lambda program: fmean(_amounts(program)),
}


@settings(max_examples=60)
@given(lists, st.sampled_from(sorted(REDUCED)))
def test_a_count_a_sum_and_a_mean_are_those_of_the_records_named(held: dict[str, Any], query: str) -> None:
    told = answer(query, phone(**held))
    (program,) = told.programs
    if program.operation in (Operation.COUNT, Operation.SUM, Operation.MEAN):
        assert [each.pointer for each in program.picks] == [
            f"amazon.orders/{place}" for place in _by_time(held["amazon__orders"])
        ]
        first = FIGURE.search(told.text)
        assert first is not None
        # said to the cent: which of two cents a half goes to is the binary's affair
        assert float(first[0]) == pytest.approx(REDUCED[query](program), abs=0.005 + 1e-9)


def _by_time(orders: list[dict[str, Any]]) -> list[int]:
    return sorted(range(len(orders)), key=lambda place: (orders[place]["date"], place))


@given(st.integers(0, 10**5))
def test_a_length_of_time_is_said_whole(minutes: int) -> None:
    unit = {"day": 1440, "hour": 60, "minute": 1}
    said = re.findall(r"(\d+) (day|hour|minute)s?", lasting(timedelta(minutes=minutes)))
    assert sum(int(count) * unit[name] for count, name in said) == minutes
