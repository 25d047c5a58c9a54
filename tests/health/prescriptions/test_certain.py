"""What of a medicine in a picture is certain: two readings that agree, known strengths, names that stand alone."""

from __future__ import annotations

import pytest

from camphor.health.prescriptions.lines import Line
from camphor.health.prescriptions.parse import Prescribed, parse
from camphor.health.prescriptions.pieces import Piece
from camphor.health.prescriptions.spaces import parted
from camphor.health.prescriptions.strengths import known, strength_of
from camphor.health.prescriptions.tables import table_of


def pictured(*lines: str | tuple[str, str]) -> list[Line]:
    """Lines of a picture, each as both readings have it, or as the one and the other."""
    told = [(each, each) if isinstance(each, str) else each for each in lines]
    return [Line(one, 0.99, other) for one, other in told]


def medicine(*lines: str | tuple[str, str]) -> Prescribed:
    (found,) = parse(pictured(*lines)).medicines
    return found


def test_what_both_readings_have_is_certain() -> None:
    assert not medicine("Ramipril 2.5mg capsules", "Take ONE capsule each morning").doubts


def test_only_the_field_in_which_two_readings_differ_is_in_doubt_with_both() -> None:
    found = medicine("Ramipril 2.5mg capsules", ("Take 1 capsule daily for 7 days", "Take 1 capsule daily for 1 days"))
    assert found.doubts.keys() == {"duration"}
    assert found.fields["duration"].candidates == ("7 days", "1 days")
    assert found.fields["dose"].value == "1 capsule"


def test_readings_that_differ_in_letters_and_not_in_what_they_say_are_certain() -> None:
    assert not medicine("Ramipril 2.5mg capsules", ("Take ONE in the morning", "Take ONE in the moming")).doubts
    both = ("Take ONE in the morning", "Take ONE at night")
    assert medicine("Ramipril 2.5mg capsules", both).doubts.keys() == {"when"}


@pytest.mark.parametrize(
    "line", ["Ramipril 25mg capsules", "Zopiclone 75mg tablets", "Levothyroxine 25mg tablets", "Ramipril capsules"]
)
def test_a_strength_that_is_not_sold_or_not_there_is_in_doubt(line: str) -> None:
    assert "strength" in medicine(line, "Take ONE each morning").doubts


def test_a_strength_in_another_line_than_the_name_is_in_doubt() -> None:
    assert "strength" in medicine("Ramipril capsules", "Take ONE capsule each morning 2.5mg").doubts


@pytest.mark.parametrize(
    "line",
    ["Betahistine Plus 16mg tablets", "Salmeterol/zzufone 25mcg inhaler", "24 Main Gate Ramipril 2.5mg capsules"],
)
def test_a_name_with_strange_words_beside_it_is_in_doubt(line: str) -> None:
    found = parse(pictured(line, "Use ONE each morning")).medicines
    assert all("name" in each.doubts for each in found)


def test_a_name_that_the_other_reading_has_otherwise_is_in_doubt() -> None:
    found = medicine(("Prednisolone 5mg tablets", "Prednisone 5mg tablets"), "Take ONE each morning")
    assert set(found.fields["name"].candidates) == {"prednisolone", "prednisone"}


def test_every_name_that_no_medicine_was_made_of_is_told() -> None:
    said = "Keep Ramipril and lisinoprll apart"
    read = parse(pictured("Ramipril 2.5mg capsules", "Take ONE daily", said))
    assert said in [line.text for line in read.not_understood]


def test_directions_that_belong_to_no_medicine_are_a_doubt_of_those_beside_them() -> None:
    read = parse(pictured("Aspirin 75mg tablets", "Take ONE tablet daily", "Qwertzu Zuiopu", "MAX 4 TABLETS PER DAY"))
    assert {"dose", "most"} <= read.medicines[0].doubts.keys()


def test_a_bare_figure_below_a_medicine_is_no_dose_and_what_has_no_directions_says_nothing_for_certain() -> None:
    assert {"dose", "duration"} <= medicine("Clonazepam 0.5mg tablets", "0-0-1 Bedtime", "10 10", "days").doubts.keys()
    assert {"dose", "when", "most", "duration"} <= medicine("Naproxen 500mg tablets").doubts.keys()


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("TakeONEtabletat8am", "Take ONE tablet at 8am"),
        ("Zopiclone3.75mg tablets", "Zopiclone 3.75mg tablets"),
        ("Take11/2tablets", "Take11/2 tablets"),  # eleven halves, or one and a half
        ("away", "away"),
        ("Coveram", "Coveram"),
        ("q8h 2.5mg 1-0-1", "q8h 2.5mg 1-0-1"),
    ],
)
def test_joined_words_are_parted_where_there_is_one_way(text: str, spaced: str) -> None:
    assert parted(text) == spaced


def test_strengths_are_compared_by_what_they_have() -> None:
    assert strength_of("125 mg/5 ml") == strength_of("25mg/ml")
    assert strength_of("0.5 mg") == strength_of("500 micrograms")
    assert strength_of("5mg/10mg") == strength_of("10 mg/5 mg")
    assert strength_of("50 mcg/24 hours") != strength_of("50 mcg/hour")
    assert strength_of("twice daily") is None
    assert strength_of("25 mg") not in (known(["ramipril"]) or ())
    assert strength_of("24mg/26mg") in (known(["valsartan", "sacubitril"]) or ())


def test_a_column_of_batches_is_set_aside_and_one_of_directions_never() -> None:
    def piece(left: float, y: float, text: str) -> Piece:
        return Piece(left + 5 * len(text), y, 10 * len(text), 20, text, 0.99, (), text)

    table = table_of([piece(0, 0, "No Medicine"), piece(400, 0, "Dose Duration"), piece(600, 0, "Batch")])
    assert table is not None
    row = [piece(0, 40, "1 Ramipril 2.5mg capsules"), piece(400, 40, "1 om  7 days"), piece(600, 40, "BP3751 nightly")]
    assert table.takes(row)
    assert table.takes([piece(0, 80, "2 Senna 7.5mg tablets"), piece(400, 80, "2 nocte"), piece(600, 80, "CC 12")])
    told = list(table.lines())
    assert [line.text for line in told if not line.aside] == [
        "Ramipril 2.5mg capsules",
        "1 om 7 days BP3751 nightly",
        "Senna 7.5mg tablets",
        "2 nocte",
    ]
    assert [line.text for line in told if line.aside] == ["Batch: CC 12"]
