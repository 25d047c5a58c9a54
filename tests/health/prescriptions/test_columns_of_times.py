"""Charts: what a figure in a column of times says, and where a row, a column or a cell is not certain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from camphor.health.prescriptions.layout import lines_of, straight
from camphor.health.prescriptions.lines import Piece
from camphor.health.prescriptions.parse import parse
from camphor.health.prescriptions.times import spoken

_PLACES = (0, 400, 550, 700, 850, 1000)
_TIMES = ("Morning", "Noon", "Evening", "Bedtime")


def row(y: float, *cells: str, places: tuple[int, ...] = _PLACES) -> list[Piece]:
    return [
        Piece(left + 5 * len(text), y, 10 * len(text), 20, text, 1.0, other=text)
        for left, text in zip(places, cells, strict=False)
        if text
    ]


def read(*rows: list[Piece], marks: tuple[Piece, ...] = ()) -> dict[str, tuple[str | None, str | None]]:
    """What is certain of dose and times of each medicine; None for what is in doubt."""
    lines = lines_of([piece for each in rows for piece in each], marks)
    return {each.name: (each.fields["dose"].value, each.fields["when"].value) for each in parse(lines).medicines}


@pytest.mark.parametrize("heads", [("Medicine", *_TIMES), ("", *_TIMES), ("Item", "MORN", "NOON", "EVE", "BED")])
def test_a_figure_below_a_time_is_what_is_taken_then(heads: tuple[str, ...]) -> None:
    told = read(
        row(0, *heads),
        row(40, "Baclofen 10mg tablets", "1", "1/2", "1", "-"),
        row(80, "Ramipril 5mg capsules", "0", "0", "", "2"),
        row(150, "Checked by: A. McCool"),
    )
    assert told == {
        "Baclofen": (
            "1 tablet in the morning, 0.5 tablets at noon, 1 tablet in the evening",
            "in the morning, at noon, in the evening",
        ),
        "Ramipril": ("2 capsules", "at bedtime"),
    }


def test_the_name_that_is_wrapped_and_what_stands_below_the_chart_change_nothing() -> None:
    told = read(
        row(0, "Medicine", *_TIMES),
        row(40, "Amantadine 100mg", "1", "1", "0", "0"),
        row(65, "capsules"),
        row(105, "Keppra 500mg tabs", "1", "0", "0", "2", "with food"),
        row(150, "Refill box every Sunday"),
    )
    assert told["Amantadine"] == ("1 capsule", "in the morning, at noon")
    assert told["Keppra (levetiracetam)"] == (
        "1 tablet in the morning, 2 tablets at bedtime",
        "in the morning, at bedtime",
    )


def test_a_medicine_of_no_list_is_one_of_its_own_where_a_chart_has_it() -> None:
    told = read(
        row(0, "Drug", *_TIMES),
        row(40, "Baclofen 10mg tablets", "1", "", "", ""),
        row(80, "Zyqqorvan", "", "", "", "2"),
        row(120, "Ramipril 5mg capsules", "", "", "", "1"),
    )
    assert told["Baclofen"] == ("1 tablet", "in the morning")
    assert told["Ramipril"] == ("1 capsule", "at bedtime")


@pytest.mark.parametrize("cell", ["x", "JS", "1 1", "?"])
def test_a_cell_that_is_no_amount_leaves_the_row_in_doubt(cell: str) -> None:
    told = read(row(0, "Medicine", *_TIMES), row(40, "Baclofen 10mg tablets", cell, "", "1", ""))
    assert told == {"Baclofen": (None, None)}


def test_a_figure_below_no_head_or_beside_no_name_is_in_doubt() -> None:
    between = (0, 400, 515, 700, 850)
    told = read(row(0, "Medicine", *_TIMES), row(40, "Baclofen 10mg tablets", "1", "1", places=between))
    assert told == {"Baclofen": (None, None)}
    told = read(
        row(0, "Medicine", *_TIMES),
        row(40, "Baclofen 10mg tablets", "1", "", "", ""),
        row(80, "", "", "", "", "2"),  # of a name that was not found
    )
    assert told == {"Baclofen": (None, None)}


def test_figures_that_were_read_as_one_piece_are_in_doubt() -> None:
    told = read(row(0, "Medicine", *_TIMES), row(40, "Baclofen 10mg tablets", "1              1"))
    assert told == {"Baclofen": (None, None)}


def test_a_mark_in_a_cell_in_which_nothing_was_read_is_a_doubt() -> None:
    rows = row(0, "Medicine", *_TIMES), row(40, "Baclofen 10mg tablets", "1", "", "", "")
    mark = Piece(855, 40, 10, 18, "", 0.0)
    assert read(*rows) == {"Baclofen": ("1 tablet", "in the morning")}
    assert read(*rows, marks=(mark,)) == {"Baclofen": (None, None)}
    assert read(*rows, marks=(replace(mark, y=400),)) == {"Baclofen": ("1 tablet", "in the morning")}


def test_the_dose_in_a_column_of_its_own_and_figures_below_the_times_say_it_twice_or_are_in_doubt() -> None:
    heads = ("Medicine", "Dose", "M", "A", "N")
    assert read(row(0, *heads), row(40, "Brilinta 90 mg", "1 tab", "1", "0", "1")) == {
        "Brilinta (ticagrelor)": ("1 tablet", "in the morning, at bedtime")
    }
    assert read(row(0, *heads), row(40, "Brilinta 90 mg", "1 tab", "√", "", "√")) == {
        "Brilinta (ticagrelor)": ("1 tablet", "in the morning, at bedtime")
    }
    assert read(row(0, *heads), row(40, "Brilinta 90 mg", "1 tab", "2", "0", "1")) == {
        "Brilinta (ticagrelor)": (None, None)
    }


@pytest.mark.parametrize(
    ("directions", "cells", "certain"),
    [
        ("Take ONE at 8am and ONE at 2pm", ("1", "1", "", ""), True),
        ("Take ONE twice a day", ("1", "", "1", ""), True),
        ("Take TWO at night", ("", "", "", "2"), True),
        ("Take ONE at night", ("1", "", "", ""), False),
        ("Take ONE twice a day", ("1", "1", "1", ""), False),
        ("Take ONE at night", ("", "", "", "2"), False),
    ],
)
def test_directions_beside_the_times_agree_with_them_or_are_in_doubt(
    directions: str, cells: tuple[str, ...], certain: bool
) -> None:
    places = (0, 300, 700, 850, 1000, 1150)
    told = read(
        row(0, "Medicine", "Directions", *_TIMES, places=places),
        row(40, "Baclofen 10mg tablets", directions, *cells, places=places),
    )
    assert (told["Baclofen"][0] is not None) == certain


def test_heads_of_times() -> None:
    assert spoken(["Drug / strength", "8am", "12", "18:00", "10.30 pm"]) == [
        "", "at 8am", "at noon", "at 18:00", "at 10:30pm",
    ]  # fmt: skip
    assert spoken(["Time", "10", "11", "12", "13"]) == [""] * 5  # days of a month
    assert spoken(["Medicine", "Morning"]) == ["", ""]
    assert spoken(["Medicine", "Morning 8am", "Night 2200"]) == ["", "in the morning at 8am", "at night at 22:00"]
    assert spoken(["Drug", "M", "N", "E", "B"])[1:] == ["in the morning", "at noon", "in the evening", "at bedtime"]


def test_a_line_of_times_below_which_no_medicine_stands_is_said_of_something() -> None:
    lines = lines_of([*row(0, "Ramipril 5mg capsules"), *row(30, "", "Morning", "Evening"), *row(60, "Thank you")])
    assert not any(line.aside for line in lines)


def test_a_page_is_turned_back_by_its_writing_and_not_by_the_figures_in_its_cells() -> None:
    name = Piece(200, 100, 400, 20, "Carbamazepine MR 200mg tablets", 1.0)
    figures = [Piece(700 + 150 * place, 75, 10, 20, "1", 1.0) for place in range(3)]
    turned = straight([(-0.05, name), *((0.0, each) for each in figures)])
    assert abs(turned[1].y - turned[0].y) < 10
