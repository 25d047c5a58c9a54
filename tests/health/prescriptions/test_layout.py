"""Pieces of text on a page as lines: what is far to the right, tables with wrapped cells, directions above a name."""

from __future__ import annotations

import pytest

from camphor.health.prescriptions.layout import lines_of
from camphor.health.prescriptions.lines import Piece, TextLine, is_caution, is_letterhead, is_supply
from camphor.health.prescriptions.parse import parse


def row(y: float, *cells: tuple[float, str], seen: float = 1.0) -> list[Piece]:
    return [Piece(left + 5 * len(text), y, 10 * len(text), 20, text, seen) for left, text in cells]


def texts(*rows: list[Piece]) -> list[str]:
    return [line.text for line in lines_of([piece for each in rows for piece in each]) if line.text]


def test_the_number_at_the_right_edge_is_a_line_of_its_own() -> None:
    told = texts(row(20, (0, "Lansoprazole 30mg capsules"), (700, "28 capsules")), row(50, (0, "Take ONE daily")))
    assert told == ["Lansoprazole 30mg capsules", "28 capsules", "Take ONE daily"]


def test_cells_of_a_table_that_are_wrapped_are_put_together() -> None:
    told = texts(
        row(0, (0, "Medicine"), (300, "Dose"), (600, "Frequency"), (900, "Qty")),
        row(40, (0, "Clopidogrel 75mg"), (300, "75 mg"), (600, "Once daily in"), (900, "14")),
        row(65, (0, "tablets"), (600, "the morning")),
        row(110, (0, "Ticagrelor 90mg"), (300, "-"), (600, "STOPPED"), (900, "0")),
        row(135, (0, "tablets")),
        row(250, (0, "Pharmacist check: R Bhatt")),
    )
    assert told == [
        "Medicine Dose Frequency Qty",
        "Clopidogrel 75mg tablets",
        "75 mg Once daily in the morning",
        "Qty: 14",
        "Ticagrelor 90mg tablets",
        "- STOPPED",
        "Qty: 0",
        "Pharmacist check: R Bhatt",
    ]


def test_a_row_of_a_name_of_no_list_is_not_of_the_medicine_above() -> None:
    rows = (
        row(0, (0, "Drug name"), (300, "Strength"), (500, "How much"), (700, "How often"), (1000, "Why")),
        row(40, (0, "Sucralfate"), (300, "1 gram"), (500, "1 tab"), (700, "4x a day before meals"), (1000, "ulcer")),
        row(65, (700, "and at bedtime")),
        row(100, (0, "Restaxovan"), (300, "0.05%"), (500, "1 drop"), (700, "every 12 hours"), (1000, "dry eye")),
    )
    assert texts(*rows)[1:] == [
        "Sucralfate 1 gram",
        "1 tab 4x a day before meals and at bedtime",
        "Why: ulcer",
        "Restaxovan 0.05%",
        "1 drop every 12 hours",
        "Why: dry eye",
    ]
    found = parse(lines_of([piece for each in rows for piece in each])).medicines
    assert [each.name for each in found] == ["Sucralfate", "Restaxovan"]


def test_the_strength_may_stand_before_the_name_and_the_number_of_the_item_too() -> None:
    assert texts(
        row(0, (0, "Strength"), (100, "Medicine"), (300, "Take"), (450, "Time"), (600, "Started")),
        row(40, (0, "100mg"), (100, "Vimpat"), (300, "1 tablet"), (450, "bedtime"), (600, "2021")),
    )[1:] == ["Vimpat 100mg", "1 tablet at bedtime", "Started: 2021"]
    assert texts(
        row(0, (0, "Item"), (100, "Medicine"), (400, "Directions")),
        row(40, (0, "1"), (100, "Salofalk 1g foam enema"), (400, "One at night")),
        row(80, (0, "2"), (100, "Senna 7.5mg tablets"), (400, "Two at night")),
    )[1:] == ["Salofalk 1g foam enema", "One at night", "Senna 7.5mg tablets", "Two at night"]


@pytest.mark.parametrize(
    ("note", "aside"),
    [("water tablet", True), ("heart failure", True), ("Unchanged", True), ("for 5 days only", False),
     ("see sheet", False), ("inject under the skin", False), ("max 3 a day", False), ("until month 6", False)],
)  # fmt: skip
def test_a_note_is_left_out_only_where_no_word_may_change_what_is_taken(note: str, aside: bool) -> None:
    pieces = [
        *row(0, (0, "Drug"), (300, "Directions"), (700, "Notes")),
        *row(40, (0, "Torasemide 10 mg"), (300, "2 tablets at 8 am"), (700, note)),
    ]
    assert any(line.aside and note in line.text for line in lines_of(pieces)) == aside


def test_the_dose_of_a_medicine_to_be_stopped_is_its_strength() -> None:
    told = texts(
        row(0, (0, "Medicine"), (300, "Dose"), (500, "How to take"), (800, "Duration / status")),
        row(40, (0, "Ibuprofen"), (300, "400 mg"), (500, "STOP - do not take"), (800, "kidneys")),
    )
    assert told[1:] == ["Ibuprofen 400 mg", "STOP - do not take kidneys"]


def test_directions_above_the_name_of_a_bottle_are_those_of_the_name_below() -> None:
    read = parse([
        TextLine("CORNER DRUG CO."),
        TextLine("TAKE ONE TABLET BY MOUTH EVERY"),
        TextLine("EVENING"),
        TextLine("MONTELUKAST 10 MG TABLET"),
        TextLine("QTY 30"),
    ])  # fmt: skip
    (medicine,) = read.medicines
    assert (medicine.name, medicine.fields["dose"].value) == ("MONTELUKAST", "1 tablet")
    assert medicine.fields["when"].value == "in the evening"


def test_where_two_names_have_directions_above_them_all_is_in_doubt() -> None:
    told = ("Take 1 tablet daily", "Ramipril 5 mg tablets", "Qty 28", "Take 2 tablets at night", "Senna 7.5 mg tablets")
    read = parse([TextLine(each) for each in told])
    assert [each.name for each in read.medicines] == ["Ramipril", "Senna"]
    assert all({"dose", "when"} <= each.doubts.keys() for each in read.medicines)


def test_what_is_not_clear_may_be_any_field() -> None:
    (medicine,) = parse([TextLine("Ropinirole 1 mg tablets", 0.7), TextLine("1 tablet daily")]).medicines
    assert {"strength", "dose", "when", "most", "duration"} <= medicine.doubts.keys()


def test_a_line_that_could_not_be_read_beside_the_directions_is_a_doubt_of_them() -> None:
    read = parse(
        [TextLine("Ramipril 5 mg tablets"), TextLine("1 tablet daily"), TextLine("(not read)", 0.0), TextLine("")]
    )
    assert {"dose", "most"} <= read.medicines[0].doubts.keys()
    assert [line.text for line in read.not_understood] == ["(not read)"]


def test_the_strength_of_a_medicine_to_be_stopped_is_read() -> None:
    (medicine,) = parse([TextLine("Ticagrelor 90mg tablets"), TextLine("STOPPED 05/02/2025 - bleeding")]).medicines
    assert medicine.said.stop
    assert medicine.fields["strength"].value == "90mg"


@pytest.mark.parametrize(
    "text",
    [
        "28 tablet(s)",
        "(3 tabs)",
        "2 x 100ml",
        "1 x 180 dose",
        "Qty: 45",
        "Disp: #60 Refills : 3",
        "Printed 06/03/2025 10:42",
    ],
)
def test_how_much_is_handed_out_is_no_dose(text: str) -> None:
    assert is_supply(text)
    assert not is_supply(f"{text} take twice daily")


@pytest.mark.parametrize(
    "text",
    [
        "Harbourne Pharmacy 14 High Street, Birmingham B17 9NJ Tel 0121 496 0145",
        "22/10/2024",
        "2025-01-09 08:15",
        "FP10SS0406",
    ],
)
def test_a_letterhead_is_no_medicine(text: str) -> None:
    assert is_letterhead(text)


def test_a_warning_is_not_to_stop() -> None:
    assert is_caution("DO NOT USE IF PREGNANT")
    assert not is_caution("Do not exceed 4 a day")
    assert not is_letterhead("STOPPED 05/02/2025")
