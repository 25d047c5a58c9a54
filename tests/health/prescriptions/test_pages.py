"""Lines of a picture as medicines: where one begins, how many are handed out, what stands below and between."""

from __future__ import annotations

import pytest

from camphor.health.prescriptions.certain import is_listed, strengths_of
from camphor.health.prescriptions.lines import TextLine, is_advice, looked_alike, without_pack
from camphor.health.prescriptions.parse import Prescribed, parse


def read(*lines: str) -> tuple[Prescribed, ...]:
    return parse([TextLine(each, other=each) for each in lines]).medicines


@pytest.mark.parametrize(
    "below",
    [
        ("2) Tab. Pon 40", "1-0-0 before breakfast"),  # the next number of the list
        ("Flavexon MR 35 mg", "1 tab twice daily"),  # a product, and all is said of the one above
        ("1 x 120 dose Trimbax inhaler", "Inhale TWO puffs twice a day"),
    ],
)
def test_a_medicine_in_no_list_does_not_vanish_into_the_one_above(below: tuple[str, str]) -> None:
    first, second = read("1) Tab. Ramipril 5 mg", "1 tablet once daily", *below)
    assert [each.text for each in second.lines][1:] == [below[1]]
    assert second.fields["name"].doubtful
    assert first.fields["when"].value == "once a day"


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("28 Bisoprolol 1.25mg tablets", "Bisoprolol 1.25mg tablets"),
        ("120 capsules Carbocisteine 375mg", "capsules Carbocisteine 375mg"),
        ("100ml Amoxicillin 250mg/5ml oral suspension", "Amoxicillin 250mg/5ml oral suspension"),
        ("1 x 120 dose Salbutamol 100mcg inhaler", "Salbutamol 100mcg inhaler"),
        ("Chloramphenicol 0.5% eye drops 10ml", "Chloramphenicol 0.5% eye drops"),
        ("Nexium 40mg gastro-resistant tabs x28", "Nexium 40mg gastro-resistant tabs"),
        ("2 Paracetamol 500mg tablets", "2 Paracetamol 500mg tablets"),  # it may be what is taken
        ("20 mg Simvastatin tablets", "20 mg Simvastatin tablets"),
        ("30 Gliclazide 80mg tablets twice a day", "30 Gliclazide 80mg tablets twice a day"),
    ],
)
def test_how_many_are_handed_out_is_no_part_of_a_medicine(line: str, bare: str) -> None:
    assert without_pack(TextLine(line), "").text == bare


def test_a_few_before_a_name_are_a_pack_where_the_line_below_says_how_many_are_taken() -> None:
    (medicine,) = read("8 Doxycycline 100mg capsules", "Take ONE capsule twice a day")
    assert (medicine.fields["dose"].value, medicine.fields["strength"].value) == ("1 capsule", "100 mg")


def test_a_large_number_that_was_the_dose_is_a_doubt_and_no_other_dose() -> None:
    (medicine,) = read("10 Prednisolone 5mg tablets", "each morning")
    assert medicine.fields["dose"].doubtful


@pytest.mark.parametrize("name", ["Ramipril-Q", "Ramipril Q", "Bisoprolol-X", "Bisoprolol X"])
def test_a_letter_behind_a_name_may_be_another_medicine(name: str) -> None:
    (medicine,) = read(f"Tab. {name} 5 mg", "1 tablet once daily")
    assert medicine.fields["name"].doubtful


@pytest.mark.parametrize("version", ["MR", "ODT", "HFA"])
def test_the_make_is_part_of_the_name(version: str) -> None:
    (medicine,) = read(f"Ondansetron {version} 4 mg", "1 tablet every 8 hours")
    assert medicine.fields["name"].value == f"Ondansetron {version}"


def test_another_name_of_the_same_medicine_is_no_medicine() -> None:
    label = ("Take 1 tablet by mouth every day", "Lisinopril 20 mg tablet", "Use by 03/2028 Generic for ZESTRIL")
    (medicine,) = read(*label)
    assert medicine.name == "Lisinopril"


def test_labels_with_the_directions_above_the_name_are_certain_where_gaps_part_them() -> None:
    one = ("CORNER PHARMACY", "Take 1 tablet by mouth every day", "Lisinopril 20 mg tablet", "Qty: 90")
    two = ("CORNER PHARMACY", "Take 2 tablets by mouth at bedtime", "Atorvastatin 40 mg tablet", "Qty: 45")
    apart = read(*one, "", *two)
    assert [each.fields["dose"].value for each in apart] == ["1 tablet", "2 tablets"]
    assert all(each.fields["dose"].doubtful for each in read(*one, *two))


def test_the_name_of_a_person_between_name_and_directions_leaves_them_together_and_in_doubt() -> None:
    (medicine,) = read("Amlodipine 5 mg tablet", "Marguerite Sorensen", "Take 1 tablet once daily")
    assert medicine.fields["dose"].doubtful
    assert medicine.fields["dose"].candidates == ("1 tablet",)
    assert "Marguerite Sorensen" in medicine.fields["dose"].why


def test_directions_that_break_off_are_in_doubt() -> None:
    (medicine,) = read("Methocarbamol 750 mg tab", "Take 1 tablet by mouth every 6 hours as")
    assert "breaks off" in medicine.fields["when"].why


def test_what_a_doctor_advises_is_no_direction_of_the_last_medicine() -> None:
    (medicine,) = read(
        "Tab. Metformin 500 mg", "1 tab twice daily", "Adv: HbA 1c, lipid profile", "Review after 2 weeks"
    )
    assert not medicine.doubts
    assert not is_advice("Adv: 1 tab at night")
    assert not is_advice("Review metformin")


@pytest.mark.parametrize(
    ("text", "listed"), [("40", True), ("30", False), ("40 mg", True), ("0.04", False), ("x", False)]
)
def test_a_bare_figure_is_a_strength_where_it_can_only_be_one(text: str, listed: bool) -> None:
    assert is_listed(text, strengths_of(["pantoprazole"]) or ()) is listed


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Tamsulosin 400microgram MR capsules", "Tamsulosin MR"),
        ("Prednisolone 5mg gastro-resistant tablets", "Prednisolone gastro-resistant"),
        ("Metformin 500mg modified-release tablets", "Metformin modified-release"),
    ],
)
def test_the_make_behind_the_strength_is_part_of_the_name(line: str, name: str) -> None:
    (medicine,) = read(line, "Take ONE daily")
    assert medicine.fields["name"].value == name


@pytest.mark.parametrize(
    ("seen", "right"),
    [
        ("imi four times daily", "1ml four times daily"),
        ("Give 5 mI at night", "Give 5 ml at night"),
        ("100microgramsldose", "100micrograms/dose"),
        ("midday", "midday"),
    ],
)
def test_letters_that_look_alike_are_put_right_where_nothing_else_can_be_meant(seen: str, right: str) -> None:
    assert looked_alike(seen) == right


def test_other_names_in_brackets_are_the_same_medicine() -> None:
    told = ("COVERSYL PLUS 5mg/1.25mg TABLETS", "30 TABLETS", "(PERINDOPRIL ARGININE/INDAPAMIDE)")
    (medicine,) = read(*told, "Take ONE tablet in the morning")
    assert medicine.fields["when"].value == "in the morning"


def test_what_is_said_below_of_the_counter_is_no_place_of_the_last_medicine() -> None:
    (medicine,) = read("Digoxin 125 microgram tablets", "Take ONE each morning", "Post or hand in at reception.")
    assert medicine.fields["route"].value == ""


def test_hours_of_four_figures_below_are_no_telephone_number() -> None:
    (medicine,) = read("Carvedilol 6.25 mg tab", "1 tab po bid with meals", "0800 1700")
    assert medicine.fields["when"].doubtful


def test_a_part_of_the_day_and_an_hour_of_it_may_be_one_time() -> None:
    (medicine,) = read("Mirtazapine 15mg tablets", "ONE at night, let it melt on the tongue 21:00")
    assert medicine.fields["when"].doubtful


def test_the_number_of_a_list_that_lost_its_mark_is_no_dose() -> None:
    _, second = read("1) Tab. Metformin 500 mg", "1-0-1 x 30 days", "2 Tab. Telmisartan 40 mg", "1-0-0 x 30 days")
    assert second.fields["dose"].value == "1 tablet"


def test_a_warning_that_names_a_part_of_the_body_is_no_place() -> None:
    (medicine,) = read("Carbocisteine 250mg/5ml oral solution", "Take 15ml THREE times a day", "May upset the stomach.")
    assert medicine.fields["route"].value == ""


def test_days_of_something_else_are_no_days_of_the_medicine() -> None:
    (medicine,) = read("Paracetamol 650 mg tab", "1 tab SOS for fever", "sugar check Mon & Thu")
    assert medicine.fields["when"].value == "when needed"


def test_days_on_a_line_of_their_own_are_of_the_medicine() -> None:
    (medicine,) = read("Methotrexate 2.5 mg tablets", "Take FOUR tablets once a week", "on Mondays")
    assert medicine.fields["when"].value == "on Monday"


def test_a_word_of_the_name_that_begins_with_a_figure_is_a_doubt_of_it() -> None:
    (medicine,) = read("Panadol 0steo 665 mg tablets", "2 tablets three times a day")
    assert medicine.fields["name"].doubtful
