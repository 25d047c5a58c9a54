"""What of a medicine in a picture is certain: two readings that agree, known strengths, names that stand alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from camphor.health.prescriptions.certain import strength_of, strengths_of
from camphor.health.prescriptions.lines import Piece, TextLine
from camphor.health.prescriptions.parse import Prescribed, parse
from camphor.health.prescriptions.spaces import parted, unmixed
from camphor.health.prescriptions.tables import table_of


def pictured(*lines: str | tuple[str, str]) -> list[TextLine]:
    """Lines of a picture, each as both readings have it, or as the one and the other."""
    told = [(each, each) if isinstance(each, str) else each for each in lines]
    return [TextLine(one, 0.99, other) for one, other in told]


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
    assert strength_of("25 mg") not in (strengths_of(["ramipril"]) or ())
    assert strength_of("24mg/26mg") in (strengths_of(["valsartan", "sacubitril"]) or ())


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
    assert [line.text for line in told if line.aside] == ["No Medicine Dose Duration Batch", "Batch: CC 12"]


@pytest.mark.parametrize(
    ("read", "mended"),
    [
        ("Metformin lg modified-release", "Metformin 1g modified-release"),
        ("Insulin lispro lo0units/ml", "Insulin lispro 100units/ml"),
        ("Luliconazole l% cream", "Luliconazole 1% cream"),
        ("0-0-l if itching", "0-0-1 if itching"),
        ("NITROFURANTOIN 1 OO MG", "NITROFURANTOIN 100 MG"),
        ("Take SlX tablets", "Take SIX tablets"),
        ("4. Cap. 0meprazole", "4. Cap. omeprazole"),
        ("take to mg", "take to mg"),
        ("Vitamin B12 q1h", "Vitamin B12 q1h"),
    ],
)
def test_letters_and_figures_that_look_alike_are_what_alone_they_can_be(read: str, mended: str) -> None:
    assert unmixed(read) == mended


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("1% c ream", "1% cream"),
        ("then adj ust to need", "then adjust to need"),
        ("a way", "a way"),
        ("1-0-1x5 days（after meals)", "1-0-1 x 5 days(after meals)"),
        ("DAILYX3 DAYS", "DAILY x 3 DAYS"),
        ("BYMOUTHEVERYDAY", "BY MOUTH EVERYDAY"),
        ("CyclizineSomgtablets", "Cyclizine Somg tablets"),
        ("AMLODIPINEBESYLATE1OMGTABLET", "AMLODIPINE BESYLATE 10MG TABLET"),
    ],
)
def test_words_are_parted_and_put_together_where_known_ones_come_of_it(text: str, spaced: str) -> None:
    assert parted(text) == spaced


@pytest.mark.parametrize("line", ["Luliconazole ? cream", "Luliconazole C.% cream", "Luliconazole mcuthush"])
def test_where_something_beside_a_name_is_not_known_no_strength_is_certainly_absent(line: str) -> None:
    assert "strength" in medicine(line, "Apply at night").doubts


def test_a_strength_under_which_something_stands_that_was_not_read_is_in_doubt() -> None:
    found = medicine("Ipratropium 250micrograms/zz nebuliser liquid", "1 nebule four times a day")
    assert "strength" in found.doubts


def test_what_stands_below_the_directions_and_counts_a_pack_is_no_dose() -> None:
    assert medicine("Hydrocortisone 1% cream", "Apply once a day to the face for 7 days", "15 gram").said.amount is None
    assert medicine("Senna 7.5mg tablets", "at night", "60 chewables").doubts.keys() >= {"dose", "when"}


def test_the_mass_beside_the_name_of_a_tablet_is_its_strength() -> None:
    found = medicine("Tab. Folic acid 5 mg", "OD x 3 months")
    assert (found.fields["strength"].value, found.fields["dose"].value) == ("5 mg", "1 tablet")


def test_a_medicine_within_the_lines_of_another_is_told() -> None:
    told = pictured("Fluoxetine 20mg capsules", "2 caps each morning", "v ITamN D 20,000 UNITS caps", "1 once a month")
    assert "v ITamN D 20,000 UNITS caps" in [line.text for line in parse(told).not_understood]


def test_a_doubtful_name_is_shown_without_its_strength_and_form() -> None:
    assert medicine("Cyclizine Somg tablets", "Take ONE at night").name == "Cyclizine"


def test_directions_above_a_name_go_on_where_a_line_breaks_off() -> None:
    told = pictured(
        "GIVE 6 ML BY MOUTH EVERY 12 HOURS FOR 10", "DAYS. SHAKE WELL.", "AMOXICILLIN 400 MG/5 ML SUSPENSION"
    )
    (found,) = parse(told).medicines
    assert not found.doubts
    assert found.fields["duration"].value == "10 days"


def test_figures_that_are_not_clear_are_those_of_a_known_strength() -> None:
    head = TextLine("Gabapentin 300mg capsules", 0.6, "Gabapentin 300mg capsules", letters=0.99)
    directions = TextLine("Take ONE at night", 0.99, "Take ONE at night")
    assert not parse([head, directions]).medicines[0].doubts
    assert "strength" in parse([replace(head, text="Gabapentin 350mg capsules"), directions]).medicines[0].doubts
    assert "dose" in parse([head, replace(directions, seen=0.6)]).medicines[0].doubts


def test_a_table_is_told_by_the_words_of_its_heads_and_a_name_goes_on_in_its_cell() -> None:
    def piece(left: float, y: float, text: str) -> Piece:
        return Piece(left + 5 * len(text), y, 10 * len(text), 20, text, 0.99, (), text)

    table = table_of([piece(0, 0, "Drug name and strength"), piece(400, 0, "Dose"), piece(600, 0, "Last")])
    assert table is not None
    assert table.takes([piece(600, 25, "issue")])
    assert table.takes([piece(0, 60, "Calcium"), piece(400, 60, "One at noon"), piece(600, 60, "03/02/25")])
    assert table.takes([piece(0, 85, "carbonate/colecalciferol")])
    assert table.takes([piece(0, 110, "500mg/400unit tablets")])
    assert not table.takes([piece(0, 160, "SpO2 target 88-92%")])
    assert [line.text for line in table.lines() if not line.aside] == [
        "Calcium carbonate/colecalciferol 500mg/400unit tablets",
        "One at noon",
    ]
