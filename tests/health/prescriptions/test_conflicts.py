"""Prescriptions that contradict each other, or what is known of the person."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.doses import Doses
from camphor.errors import Refused, UsageError
from camphor.health.prescriptions.drugs import find, group_of
from camphor.health.prescriptions.keeping import KnownMedicines, check, keep, not_checked
from camphor.health.prescriptions.parse import parse_text

NOW = datetime(2026, 3, 12, 8, 45)
PHONE = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Ines Marques",
    "now": NOW.isoformat(),
    "timezone": "Europe/Dublin",
    "apps": {
        "health": {
            "records": [],
            "medications": [
                {"name": "Salbutamol inhaler", "dose": "100 micrograms", "frequency": "as needed"},
                {"name": "Warfarin", "dose": "3 mg", "frequency": "daily", "end": "2026-01-01"},
            ],
        },
        "clinic": {"profile": {"user_id": "U1", "allergies": ["penicillin", "peanuts"]}},
    },
}


def kinds(text: str, known: KnownMedicines | None = None) -> list[str]:
    return [each.kind for each in check(parse_text(text).medicines, known or KnownMedicines())]


def test_conflicts_within_a_prescription() -> None:
    assert kinds("Panadol 500 mg bd\nParacetamol 1 g tds") == ["different dose"]
    assert kinds("Paracetamol 500 mg bd\nParacetamol 500 mg bd") == ["same"]
    assert kinds("Ibuprofen 400 mg tds\nNaproxen 500 mg bd") == ["same group"]
    assert kinds("Paracetamol 500 mg bd\nIbuprofen 400 mg tds\nMetformin 850 mg bd") == []


def test_what_medicines_do_to_each_other_and_what_an_allergy_reaches_is_told_with_its_source() -> None:
    assert kinds("Sildenafil 50 mg od\nIsosorbide mononitrate 20 mg bd") == ["interaction"]
    assert kinds("Warfarin 3 mg od\nIbuprofen 400 mg tds") == ["interaction"]
    (never,) = check(parse_text("Sildenafil 50 mg od\nIsosorbide mononitrate 20 mg bd").medicines, KnownMedicines())
    assert "never taken together" in never.text
    assert "FDA" in never.text
    assert kinds("Amoxicillin 500 mg tds", KnownMedicines(allergies=("penicillin",))) == ["allergy"]
    assert kinds("Cefalexin 500 mg bd", KnownMedicines(allergies=("amoxicillin",))) == ["allergy"]
    assert kinds("Metformin 500 mg bd", KnownMedicines(allergies=("penicillin",))) == []


def test_what_is_not_known_of_a_medicine_or_an_allergy_is_said() -> None:
    medicines = parse_text("Ramipril 5 mg od\nLevosulpiride 25 mg bd").medicines
    told = not_checked(medicines, KnownMedicines(allergies=("qwertyol", "penicillin")))
    assert len(told) == 2
    assert "Levosulpiride" in told[0]
    assert "qwertyol" in told[1]


def test_two_prescriptions_that_conflict_and_an_allergy() -> None:
    doses = Doses(HealthDatabase(None))
    with Device.create(None, PHONE) as phone:
        first = parse_text("Metformin 850 mg 1 tab bd")
        keep(doses, first.medicines, "typed", first.text, NOW, KnownMedicines.of(phone, doses), despite=False)
        known = KnownMedicines.of(phone, doses)
        assert known.allergies == ("penicillin", "peanuts")
        assert [each.label for each in known.medicines] == [
            "Metformin (your medicine 1)",
            "Salbutamol inhaler (in your health records)",
        ]
        second = parse_text("Metformin 500 mg 1 tab tds\nAugmentin 625 mg 1 tab tds 7/7\nVentolin inhaler 2 puffs prn")
        found = check(second.medicines, known)
        assert [each.kind for each in found] == ["different dose", "allergy", "different dose"]
        assert "850 mg, 1 tablet, twice a day" in found[0].text
        assert "Ask your doctor or pharmacist" in found[0].text
        with pytest.raises(Refused, match="Nothing was kept"):
            keep(doses, second.medicines, "typed", "", NOW, known, despite=False)
        assert len(doses.medicines()) == 1
        keep(doses, second.medicines, "typed", "", NOW, known, despite=True)
        assert [each.name for each in doses.medicines()][1:] == [
            "Metformin",
            "Augmentin (amoxicillin + clavulanic acid)",
            "Ventolin (salbutamol)",
        ]


def test_nothing_in_doubt_is_kept() -> None:
    doses = Doses(HealthDatabase(None))
    for text, told in (
        ("Amoxicillin 5OO mg tds", "1.strength='...'"),
        ("Metformn 500 mg bd", r"perhaps metformin"),
        ("Metformin 500 mg", "1.dose"),
        ("hello there", "No medicine was found"),
    ):
        with pytest.raises(UsageError, match=told):
            keep(doses, parse_text(text).medicines, "typed", text, NOW, KnownMedicines(), despite=True)
    assert doses.medicines(stopped=True) == []


def test_names_of_medicines() -> None:
    assert find("Metformin hydrochloride SR").drug == find("metformin").drug
    assert find("amoxicillin/clavulanic acid").drug is not None
    assert find("Aspirin").drug is not None
    assert find("qwertyuiop").candidates == ()
    group = group_of("ibuprofen")
    assert group is not None
    assert (group.atc, group.twice) == ("M01A", True)
