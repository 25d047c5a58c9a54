"""From a prescription that the person has checked to medicines whose doses are reminded of, and what contradicts.

The same medicine twice, two that do the same, two that do harm together, one that the person is allergic to: said in
plain words for the person to take to a doctor or pharmacist; nothing is decided here. A pair of medicines or a medicine
that is not in interactions.toml and allergies.toml is not known to be safe, and `unknown` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from camphor.device.health.doses import Doses, Medicine
from camphor.errors import Refused, UsageError
from camphor.health.prescriptions.bounds import canonical, entry, route_of
from camphor.health.prescriptions.drugs import find, group_of, plain, table
from camphor.health.prescriptions.parse import Prescribed

if TYPE_CHECKING:
    from camphor.device.device import Device

_KEPT = ("strength", "dose", "form", "route", "food", "when", "most", "duration")


@dataclass(frozen=True)
class KnownMedicines:
    """What is known of the person's medicines: those taken now, and what they are allergic to."""

    medicines: tuple[TakenMedicine, ...] = ()
    allergies: tuple[str, ...] = ()

    @classmethod
    def of(cls, device: Device, doses: Doses) -> KnownMedicines:
        """From the doses kept here, the health app's medications and the clinic's profile."""
        kept = [
            TakenMedicine(
                f"{each.name} (your medicine {each.id})",
                tuple(each.facts.get("ingredients") or ()),
                *(str(each.facts.get(name) or "") for name in ("strength", "dose", "when")),
            )
            for each in doses.medicines()
        ]
        today = device.now.date().isoformat()
        noted = [
            _noted(each)
            for each in device.records("health", "medications")
            if str(each.get("end") or "9999")[:10] >= today and each.get("name")
        ]
        profile = device.fact("clinic", "profile")
        return cls((*kept, *noted), tuple(map(str, profile.get("allergies") or ())))


def check(medicines: Sequence[Prescribed], known: KnownMedicines) -> list[MedicineConflict]:
    """What contradicts among the medicines of a prescription, and with what is known."""
    new = [_taken(number, each) for number, each in enumerate(medicines, 1)]
    return conflicts(new, known.medicines, known.allergies)


def not_checked(medicines: Sequence[Prescribed], known: KnownMedicines) -> list[str]:
    """What could not be looked for among conflicts, in sentences for the person."""
    return unknown([(each.name, each.ingredients) for each in medicines], known.allergies)


def keep(
    doses: Doses,
    medicines: Sequence[Prescribed],
    source: str,
    text: str,
    start: datetime,
    known: KnownMedicines,
    *,
    despite: bool,
) -> tuple[Medicine, ...]:
    """Keeps what the person has checked; from then on its doses are reminded of.

    Args:
        source, text: where the prescription comes from and what was read; start: naive wall time of the first moment at
        which a dose may fall due. despite: also where it contradicts what is known.

    Raises:
        UsageError: nothing is left to keep, or something is still in doubt. Refused: there are conflicts.
    """
    if not medicines:
        raise UsageError(
            "No medicine was found there: type it, as  camphor health prescription --text 'NAME 5 mg daily'"
        )
    for number, each in enumerate(medicines, 1):
        for name, doubt in each.doubts.items():
            perhaps = f" (perhaps {' or '.join(doubt.candidates)})" if doubt.candidates else ""
            raise UsageError(
                f"Medicine {number}, {name}: {doubt.why or 'it is in doubt'}{perhaps}: say what it is with  --set "
                f"{number}.{name}='...'  or leave it out with  --leave {number}"
            )
        if each.plan is None:
            raise UsageError(f"Medicine {number}: it is not known when it is taken: --set {number}.when='twice daily'")
    found = check(medicines, known)
    if found and not despite:
        raise Refused(f"{found[0].text} Nothing was kept; add --despite to keep it all the same")
    return doses.add(source, text, [_medicine(each, start) for each in medicines], start)


def _medicine(each: Prescribed, start: datetime) -> Medicine:
    assert each.plan is not None
    facts: dict[str, Any] = {name: each.fields[name].value for name in _KEPT if each.fields[name].value}
    if each.note:
        facts["note"] = each.note
    facts["ingredients"] = list(each.ingredients)
    return Medicine(each.name, each.plan.to_json(), start.isoformat(timespec="seconds"), facts)


def _taken(number: int, each: Prescribed) -> TakenMedicine:
    strength, dose, when = (each.fields[name].value or "" for name in ("strength", "dose", "when"))
    return TakenMedicine(f"{each.name} (number {number})", each.ingredients, strength, dose, when, route_of(each.said))


def _noted(record: Mapping[str, Any]) -> TakenMedicine:
    """A medication of the health app; its form stands in its name ("Salbutamol inhaler")."""
    name = str(record["name"])
    words = name.split()
    drugs = (find(" ".join(words[:length])).drug for length in range(len(words), 0, -1))
    drug = next((each for each in drugs if each), None)
    told = (str(record.get("dose") or ""), str(record.get("frequency") or ""))
    return TakenMedicine(f"{name} (in your health records)", drug.ingredients if drug else (), "", *told)


@dataclass(frozen=True)
class TakenMedicine:
    """A medicine as conflicts see it. `label`: how to name it to the person ("Panadol, of your medicines"); `route`: as
    in medicines.toml, "" where it is not known."""

    label: str
    ingredients: tuple[str, ...]
    strength: str = ""
    dose: str = ""
    when: str = ""
    route: str = ""


@dataclass(frozen=True)
class MedicineConflict:
    """`kind` is "same", "different dose", "same group", "interaction" or "allergy"; `text` is one or two sentences."""

    kind: str
    first: str
    second: str
    text: str


_WORST = "never together"
_ASK = "Ask your doctor or pharmacist which of them holds."
_ASK_BOTH = "Ask your doctor or pharmacist before you take both."


def conflicts(
    new: Sequence[TakenMedicine], current: Sequence[TakenMedicine] = (), allergies: Sequence[str] = ()
) -> list[MedicineConflict]:
    """What contradicts: the new medicines with each other, with those that are taken, and with the allergies."""
    found = []
    for number, one in enumerate(new):
        for other in (*new[number + 1 :], *current):
            if conflict := _between(one, other):
                found.append(conflict)
        found.extend(_allergic(one, allergies))
    return found


def _between(one: TakenMedicine, other: TakenMedicine) -> MedicineConflict | None:
    both = [each for each in one.ingredients if each in other.ingredients]
    if both:
        what = " and ".join(both)
        if (one.dose, one.strength, one.when) == (other.dose, other.strength, other.when):
            text = f"{one.label} and {other.label} are the same: {what}. Taking both would be twice as much. {_ASK}"
            return MedicineConflict("same", one.label, other.label, text)
        named = f"{one.label} ({_how(one)}) and {other.label} ({_how(other)})"
        text = f"{named} both have {what} and say different things. {_ASK}"
        return MedicineConflict("different dose", one.label, other.label, text)
    known = interaction(one.ingredients, other.ingredients, (one.route, other.route))
    if known and known.never:
        text = f"{one.label} and {other.label} are never taken together: {known.what} ({known.source}) {_ASK_BOTH}"
        return MedicineConflict("interaction", one.label, other.label, text)
    mine = {group.atc: group for each in one.ingredients if (group := group_of(each)) and group.twice}
    for each in other.ingredients:
        group = group_of(each)
        if group and group.atc in mine:
            text = (
                f"{one.label} and {other.label} are of one group ({group.word}) and are seldom taken together. {_ASK}"
            )
            return MedicineConflict("same group", one.label, other.label, text)
    if known:
        text = f"{one.label} and {other.label} only with a doctor's check: {known.what} ({known.source}) {_ASK_BOTH}"
        return MedicineConflict("interaction", one.label, other.label, text)
    return None


def _how(taken: TakenMedicine) -> str:
    return ", ".join(each for each in (taken.strength, taken.dose, taken.when) if each) or "no dose given"


def _allergic(one: TakenMedicine, allergies: Sequence[str]) -> list[MedicineConflict]:
    found = []
    for allergy in allergies:
        words = plain(allergy)
        drug = find(allergy).drug
        known = reach(allergy, one.ingredients)
        if (
            (known and known.avoid)
            or (drug and set(drug.ingredients) & set(one.ingredients))
            or words in one.ingredients
        ):
            text = (
                f"You are noted as allergic to {allergy}, and {one.label} has or is that. Do not take it before you "
                "have asked your doctor or pharmacist."
            )
            text = f"{text} {known.what} ({known.source})" if known else text
            found.append(MedicineConflict("allergy", one.label, allergy, text))
        elif known:
            text = (
                f"You are noted as allergic to {allergy}, and some people with that react to {one.label}, too: "
                f"{known.what} ({known.source}) Ask your doctor or pharmacist before you take it."
            )
            found.append(MedicineConflict("allergy", one.label, allergy, text))
    return found


@dataclass(frozen=True)
class Interaction:
    """What two medicines do together: `never` or only with a doctor's check, what may happen, and the source."""

    never: bool
    what: str
    source: str


@dataclass(frozen=True)
class Reach:
    """What an allergy has to do with a medicine: `avoid` it, or ask about it; why, and the source."""

    avoid: bool
    what: str
    source: str


def names_of(ingredients: Iterable[str]) -> set[str]:
    """The names in medicines.toml of ingredients and of the parts of products."""
    found = {name for each in ingredients if (name := canonical(each))}
    return found | {part for each in found for part in (entry(each) or {}).get("parts", ())}


def interaction(one: Sequence[str], other: Sequence[str], routes: tuple[str, str] = ("", "")) -> Interaction | None:
    """The worst that is known of two medicines.

    Args:
        one, other: their ingredients. routes: how each is taken, as in medicines.toml; "" where that is not known.
    """
    first, second = names_of(one), names_of(other)
    found = [
        pair
        for pair in table("interactions.toml")["pair"]
        if _fits(pair, first, second, routes) or _fits(pair, second, first, (routes[1], routes[0]))
    ]
    if not found:
        return None
    worst = min(found, key=lambda pair: pair["severity"] != _WORST)
    return Interaction(worst["severity"] == _WORST, worst["what"], worst["source"])


def _fits(pair: Mapping[str, Any], first: set[str], second: set[str], routes: tuple[str, str]) -> bool:
    mine = first & _members(pair["first"]) - set(pair.get("first_except", ()))
    theirs = second & _members(pair["second"]) - set(pair.get("second_except", ()))
    if routes[0] in pair.get("first_not_by", ()) or routes[1] in pair.get("second_not_by", ()):
        return False
    return bool(mine and theirs) and (len(mine | theirs) > 1)


@cache
def _members(name: str) -> frozenset[str]:
    return frozenset(table("interactions.toml")["classes"].get(name, [name]))


def reach(allergy: str, ingredients: Sequence[str]) -> Reach | None:
    """What an allergy, as people say it, has to do with a medicine; None where nothing is known."""
    told = table("allergies.toml")
    mine = names_of(ingredients) | {plain(each) for each in ingredients}
    classes = _classes_of(allergy)
    for key in classes:
        each = told["allergy"][key]
        if mine & _all_members(each):
            return Reach(True, each["what"], each["source"])
    found = []
    for cross in told.get("cross", ()):
        if cross["allergy"] in classes:
            members = set(cross["only"]) if cross.get("only") else _all_members(told["allergy"][cross["to"]])
            if mine & members:
                found.append(Reach(cross["weight"] == "avoid", cross["what"], cross["source"]))
    return min(found, key=lambda each: not each.avoid) if found else None


def _classes_of(allergy: str) -> list[str]:
    said = plain(allergy)
    name = canonical(said) or said
    return [
        key
        for key, each in table("allergies.toml")["allergy"].items()
        if said == plain(key) or said in {plain(text) for text in each["said"]} or name in _all_members(each)
    ]


def _all_members(each: Mapping[str, Any]) -> set[str]:
    others = {plain(name) for name in each.get("other_members", ())}
    return {*each["members"], *(plain(name) for name in each["members"]), *others}


def unknown(medicines: Sequence[tuple[str, Sequence[str]]], allergies: Sequence[str]) -> list[str]:
    """What could not be looked up, in sentences: medicines (what each is called, its ingredients) and allergies."""
    lacking = [label for label, ingredients in medicines if not names_of(ingredients)]
    found = [f"Nothing is known here of what {label} does with other medicines: ask a pharmacist." for label in lacking]
    for allergy in allergies:
        if not _classes_of(allergy) and not canonical(plain(allergy)):
            found.append(f"Nothing is known here of which medicines an allergy to {allergy} reaches.")
    return found
