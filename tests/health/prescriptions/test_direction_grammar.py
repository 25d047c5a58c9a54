"""The grammar of directions: examples of each kind, and properties that hold of any text."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from camphor.health.prescriptions.cautions import without_cautions
from camphor.health.prescriptions.directions import ALL, Directions
from camphor.health.prescriptions.drugs import plain
from camphor.health.prescriptions.lexing import tokens, words
from camphor.health.prescriptions.parse import parse_text, read_checked
from camphor.health.prescriptions.phrases import KINDS, phrases_at
from camphor.health.prescriptions.plans import dose_text, length_text, most_text, when_text
from camphor.health.prescriptions.reading import read_directions
from camphor.health.prescriptions.residue import without_remarks
from camphor.health.prescriptions.scanning import harmless, scan, significant, small

DATA = Path(__file__).parents[3] / "data" / "directions-development"
MANY = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
"""The same examples each time: what a search finds is mended when somebody searches, not when others run the tests."""


@cache
def certain() -> list[str]:
    """Texts of the development data of which every third is taken, and that are read without a doubt."""
    lines = [line for path in sorted(DATA.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    texts = [json.loads(line)["text"] for line in lines[::3]]
    return [text for text in texts if not read_directions(text).doubts]


@cache
def plain_certain() -> list[str]:
    """Those of `certain` without what a figure in it changes nothing of: advice, a caution, a stop, a pack, water."""
    return [text for text in certain() if not (_advises(text) or _cautions(text))]


def told(text: str) -> dict[str, Any]:
    said = read_directions(text)
    assert not said.doubts, said.doubts
    return {name: value for name, value in said.to_json().items() if value not in (None, False, [])}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "Take 2 every 4-6 hours when needed. No more than 8 tablets in 24 hours",
            {
                "amount": 2, "unit": "tablet", "times": {"every": [4, 6], "of": "hour"}, "as_needed": True,
                "max": {"amount": 8, "unit": "tablet", "hours": 24},
            },
        ),
        (
            "2 tabs QDS PRN, max 8 in 24 hours",
            {
                "amount": 2, "unit": "tablet", "times": {"per": "day", "n": 4}, "as_needed": True,
                "max": {"amount": 8, "unit": "tablet", "hours": 24},
            },
        ),
        (
            "1½ tablets daily at 6pm",
            {"amount": 1.5, "unit": "tablet", "times": {"per": "day", "n": 1}, "at": ["18:00"]},
        ),
        ("Take one and a half tablets twice a day", {"amount": 1.5, "unit": "tablet", "times": {"per": "day", "n": 2}}),
        ("Bisoprolol 1.25mg 1 tab OD", {"amount": 1, "unit": "tablet", "times": {"per": "day", "n": 1}}),
        ("STOP ramipril", {"stop": True}),
        (
            "Tab. Lasix 40 mg 1-½-0",
            {
                "unit": "tablet", "times": {"per": "day", "n": 2}, "at": ["morning", "noon"],
                "by_time": [["morning", 1], ["noon", 0.5]],
            },
        ),
        (
            "4 tablets daily for 3 days, then 2 tablets daily for 3 days, then stop",
            {
                "steps": [
                    {"amount": 4, "unit": "tablet", "times": {"per": "day", "n": 1}, "for_days": 3},
                    {"amount": 2, "unit": "tablet", "times": {"per": "day", "n": 1}, "for_days": 3},
                ]
            },
        ),
        (
            "Inject 24 units before breakfast and 16 units before evening meal",
            {
                "unit": "unit", "times": {"per": "day", "n": 2}, "at": ["morning", "evening", "before food"],
                "by_time": [["morning", 24], ["evening", 16]], "site": "injection",
            },
        ),
        (
            "Apply ONE patch every 72 hours. Remove the old patch first.",
            {"amount": 1, "unit": "patch", "times": {"every": 72, "of": "hour"}, "site": "skin"},
        ),
    ],
)  # fmt: skip
def test_directions_mean_what_they_say(text: str, fields: dict[str, Any]) -> None:
    assert told(text) == fields


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("Prednisolone 5.0mg daily", "amount"),
        ("Digoxin .125 mg daily", "amount"),
        ("Atenolol l00mg tab od", "amount"),
        ("Inj. Mixtard 2O units bd", "amount"),
        ("Actrapid 8U sc tds", "amount"),
        ("Warfarin 2,5 mg daily", "amount"),
        ("Timoptol 0.5% - 1 drop O.D.", "times"),
        ("Simvastatin 20 mg Q.O.D.", "times"),
        ("Take 1 tablet twice daily every 8 hours", "times"),
        ("Take one tablet twice daily at night", "times"),
        ("Take two tablets daily from Monday", "days"),
        ("Take tow tablets daily", "amount"),
        ("Take 1 tablet daily then", "steps"),
        ("Omeprazole 20mg od for 4 weeks then prn", "as_needed"),
        ("One tablet in the morning and one at night if needed", "as_needed"),
        ("Take ONE or TWO when required", "max"),
        ("Take 1 tablet when required, max 4 tablets", "max"),
        ("Take 2 tablets (500mg) qds", "amount"),
        ("Ramipril 2.5mg capsules. Take ONE tablet daily", "unit"),
        ("Ramipril 10 mg OD - stopped / continue", "stop"),
        ("Take 1 tablet for 3 days each month", "times"),
        ("Amlodipine 5 mg one daily, ramipril 10 mg one daily", "amount"),
        ("Use as directed", "amount"),
        ("10 tablets 5 to 1 times a day", "times"),
        ("1 tablet with meals 2 tablets with meals", "by_time"),
        ("", "amount"),
    ],
)
def test_what_is_not_certain_is_a_doubt_of_its_field(text: str, field: str) -> None:
    assert read_directions(text).doubtful(field)


@MANY
@given(st.data())
def test_a_figure_that_is_not_in_what_was_read_is_a_doubt(data: st.DataObject) -> None:
    """A number put anywhere into directions that are certain changes what is read, or is a doubt."""
    text = data.draw(st.sampled_from(plain_certain()))
    figure = data.draw(st.sampled_from(["3", "9", "0.5", "17", "11 tablets", "for 13 days", "1½", "6.25 mg", "99%"]))
    _changes_or_doubts(text, figure, data)


@MANY
@given(st.data())
def test_a_word_that_changes_a_dose_is_never_passed_over(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(plain_certain()))
    word = data.draw(
        st.sampled_from(["not", "except", "double", "half", "extra", "less", "unless", "alternate", "tow"])
    )
    _changes_or_doubts(text, word, data)


def _advises(text: str) -> bool:
    return read_directions(text).stop or any(
        each.kind in ("advice", "past", "mix", "supply", "remark")
        for each in without_remarks(scan(tokens(text)), tokens(text))
    )


def _cautions(text: str) -> bool:
    items = scan(tokens(text))
    return len(without_cautions(items, tokens(text))) < len(items)


_SPELT = {"3": "three", "9": "nine", "17": "seventeen"}


def _changes_or_doubts(text: str, added: str, data: st.DataObject) -> None:
    parts = text.split(" ")
    place = data.draw(st.integers(0, len(parts)))
    beside = [each.strip("(),.").casefold() for each in parts[max(0, place - 1) : place + 1]]
    assume(_SPELT.get(added) not in beside)  # "3 three times" says one figure twice
    before, after = read_directions(text), read_directions(" ".join([*parts[:place], added, *parts[place:]]))
    named = (after.strength, after.form, plain(after.head)) != (before.strength, before.form, plain(before.head))
    assert after.doubts or after.to_json() != before.to_json() or named


@MANY
@given(st.text(alphabet=st.sampled_from("01259½¼.,/-–x:()?% \nabdemgnopqrstuwy"), max_size=60))
def test_no_text_is_a_crash(text: str) -> None:
    said = read_directions(text)
    assert said.doubts or said.says_something
    assert {name for each in said.doubts for name in each.fields} <= {*ALL, "strength"}
    parse_text(text)


@MANY
@given(st.data())
def test_what_is_shown_is_read_back_the_same(data: st.DataObject) -> None:
    said = read_directions(data.draw(st.sampled_from(certain())))
    if said.stop or said.steps or not said.says_when:
        return
    when = "" if said.by_time else when_text(said)
    parts = [dose_text(said), when, most_text(said), f"for {said.days} days" if said.days else ""]
    again = read_directions(". ".join(each for each in parts if each))
    for name in ("often", "weekdays", "as_needed", "days", "by_time"):
        if said.amount or said.by_time:
            assert getattr(again, name) == getattr(said, name), (parts, name)


def test_every_token_is_part_of_one_item() -> None:
    for text in certain():
        found = tokens(text)
        items = scan(found)
        assert [place for each in items for place in range(each.start, each.end)] == list(range(len(found)))


def test_the_word_lists_are_words_of_the_grammar() -> None:
    """Each entry is found again where it stands alone, and no word is harmless and significant at once."""
    for name in ("NEEDED", "STOP", "GOON", "THEN", "END", "DIRECTED", "STAT"):
        kind = {"STAT": "often"}.get(name, name.lower())
        assert kind in KINDS
        for entries in words()[name].values():
            for entry in entries:
                found = tokens(entry)
                assert any(each.end == len(found) for each in phrases_at(found, 0)), entry
    told = {each for each in words()["small"]["words"].split() if harmless(each) or small(each)}
    assert not {each for each in words()["complaints"]["words"].split() if significant(each) and each not in told} - {
        "or", "still", "flare", "ups", "again", "most", "begins", "starts",
    }  # fmt: skip


def test_lines_that_are_no_medicine() -> None:
    page = (
        "Harbour Medical Centre\n12 Station Road\nTel 01 234 5678\n12/03/2026\nDr A. Mensah\nPatient: Ines Marques\n"
        "Amoxicillin 500 mg capsules. Take ONE three times a day for 7 days\nShake well before use\nPage 1 of 2\n"
        "Flat 3, 45 Harbour Street"
    )
    read = parse_text(page)
    assert [each.name for each in read.medicines] == ["Amoxicillin"]
    assert not read.medicines[0].doubts
    assert len(read.medicines[0].lines) == 1


def test_directions_below_a_name_that_is_not_known_are_not_another_medicines() -> None:
    read = parse_text("Metformin 500 mg 1 tab bd\nZyqqar forte\nTake 2 tablets at night")
    assert read.medicines[0].fields["dose"].value == "1 tablet"
    assert all("2 tablets" not in line.text for line in read.medicines[0].lines)


@pytest.mark.parametrize(
    ("text", "field", "why"),
    [
        ("Levothyroxine 100 mg od", "amount", "more than the largest"),
        ("Digoxin 250 mg od", "amount", "mg of digoxin"),
        ("Methotrexate 10 mg daily", "times", "once a week at most"),
        ("Paracetamol 500mg tablets. Take 3 tablets every 4 hours", "amount", "more than the largest"),
        ("Warfarin 112 tablets daily. Warfarin 3 mg", "amount", ""),
        ("Alendronic acid 70 mg tablets. Take ONE daily", "times", "once in 7 days"),
    ],
)
def test_beyond_the_bounds_of_a_medicine_it_is_asked(text: str, field: str, why: str) -> None:
    said = read_checked(text)
    assert said.doubtful(field)
    assert any(why in each.why and field in each.fields for each in said.doubts)


@pytest.mark.parametrize(
    "text",
    [
        "Levothyroxine 100 micrograms od",
        "Methotrexate 2.5mg tablets. Take FOUR tablets ONCE A WEEK on MONDAY",
        "Alendronic acid 70 mg tablets. Take ONE once a week",
        "Paracetamol 500mg tablets. Take 2 tablets four times a day",
        "Warfarin 3 mg tablets. Take 1 tablet daily",
    ],
)
def test_within_the_bounds_nothing_is_asked(text: str) -> None:
    assert not read_checked(text).doubts


def test_a_medicine_without_bounds_is_said_to_have_none() -> None:
    (known,) = parse_text("Ramipril 5 mg od").medicines
    (unknown,) = parse_text("Levosulpiride 25 mg bd").medicines
    assert "no bounds are known" not in known.note
    assert "no bounds are known here for levosulpiride" in unknown.note


def test_a_medicine_that_is_to_stop_is_not_one_that_is_taken() -> None:
    (medicine,) = parse_text("STOP ramipril").medicines
    assert "it says to stop" in medicine.doubts["when"].why
    assert medicine.plan is None


def test_the_texts_of_directions_are_shown_in_plain_words() -> None:
    said = read_directions(
        "1-2 tabs PO q4-6h PRN pain, max 8 tabs/day for 5 days. Leave at least 4 hours between doses"
    )
    assert (dose_text(said), when_text(said), length_text(said)) == (
        "1 to 2 tablets",
        "every 4 to 6 hours, when needed",
        "5 days",
    )
    assert most_text(said) == "max 8 tablets in 24 hours, at least 4 hours between doses"
    assert dose_text(replace(Directions(""), by_time=(("morning", 2), ("08:00", 1)), read={"unit": "tablet"})) == (
        "2 tablets in the morning, 1 tablet at 08:00"
    )
