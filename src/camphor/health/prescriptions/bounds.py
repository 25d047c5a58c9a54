"""What a dose of a medicine can be at most, and the units and strengths in which it comes: beyond them it is asked.

The figures and their sources are in medicines.toml. They never say that a dose is right; a medicine or a value that is
not there is unknown, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from camphor.health.prescriptions.directions import DAYS, DOSE, IN_MG, Amount, Directions, Doubt, Often, amount_text
from camphor.health.prescriptions.drugs import plain, table
from camphor.health.prescriptions.lexing import tokens, words

_COUNTS = {
    "tablet", "capsule", "puff", "spray", "drop", "patch", "sachet", "suppository", "pessary", "lozenge", "nebule",
    "injection", "film",
}  # fmt: skip
_WEIGHED = (*IN_MG, "unit", "mmol")
_PER = {"capsule": "tablet", "film": "tablet"}
_SITES = {
    "inhaled": "inhaled",
    "under the tongue": "sublingual",
    "rectal": "rectal",
    "vaginal": "vaginal",
    "cheek": "sublingual",
}
_INJECTED = ("subcutaneous", "intramuscular", "intravenous")


@dataclass(frozen=True)
class _Bound:
    """A bound and where it comes from."""

    amount: float
    unit: str
    of: str
    source: str
    soft: bool


def entry(name: str) -> Mapping[str, Any] | None:
    """What medicines.toml has of a medicine, by any of its names."""
    key = _names().get(plain(name))
    return table("medicines.toml").get(key) if key else None


def canonical(name: str) -> str:
    """The name of a medicine in medicines.toml; "" where it is not there."""
    return _names().get(plain(name), "")


def bounded(said: Directions, ingredients: Sequence[str], name: str) -> tuple[Directions, str]:
    """Directions with a doubt for each bound that they go beyond; and what a person is to be told beside them."""
    if said.stop or not ingredients:
        return said, ""
    known = entry(name) or (entry(ingredients[0]) if len(ingredients) == 1 else entry(" ".join(ingredients)))
    shown = name or " + ".join(ingredients)
    if known is None or known.get("kind", "") in ("herb", "food"):
        return said, f"no bounds are known here for {shown}: check the dose with the leaflet or a pharmacist"
    values = _by_route(known, said, name)
    doubts = list(_Check(said, known, values, shown).doubts()) if values is not None else []
    if (
        values is None
        and str(known.get("route", "oral")) == "oral"
        and said.site in ("rectal", "under the tongue", "vaginal", "inhaled")
    ):
        doubts.append(Doubt(f"{shown} is not known by this way ({known.get('source', '')})", ("site", *DOSE)))
    note = str((values or known).get("note", ""))
    if values is None or not any(each.startswith(("largest", "ask_above", "weekly", "no_licensed")) for each in values):
        note = f"no bounds are known here for {shown} by this route: check the dose with the leaflet or a pharmacist"
    elif known.get("high_risk") and not note:
        note = f"read the dose of {shown} back with the paper: a wrong one can do great harm"
    return replace(said, doubts=(*said.doubts, *doubts)), note


def _by_route(known: Mapping[str, Any], said: Directions, name: str) -> Mapping[str, Any] | None:
    """The values for the route that is said, or else for that of the brand; None where none are known for it."""
    own, others = str(known.get("route", "oral")), known.get("by_route", {})
    brand = str(known.get("brand_route", {}).get(name.casefold(), ""))
    route = route_of(said) or brand
    if route == "injection":
        told = _injected(said) or brand
        route = told if told in others else next((each for each in _INJECTED if each in others), own)
        if route not in _INJECTED:
            return None
    if not route or route == own:
        return known
    if route not in others:
        return None
    kept = {each: known[each] for each in ("units", "strengths", "unit_below") if each in known}
    return {**kept, "route": route, **others[route]}


def _injected(said: Directions) -> str:
    """Where an injection goes, by its words; "" where they do not say."""
    told = {each.key for each in tokens(said.text)}
    return next((route for route, names in words()["injected"].items() if told & set(names)), "")


def route_of(said: Directions) -> str:
    """The route of directions as in medicines.toml, or "injection"; "" where it is not said."""
    site, unit = said.site, said.amount.unit if said.amount else ""
    if site == "injection":
        return "injection"
    if site in _SITES:
        return "nebulised" if unit == "nebule" else _SITES[site]
    for word, route in (("eye", "eye"), ("ear", "ear"), ("nostril", "nasal"), ("nose", "nasal")):
        if word in site.split() or f"{word}s" in site.split():
            return route
    if unit == "patch" or said.form == "patch":
        return "transdermal"
    return "topical" if site and not said.by_mouth else "oral" if said.by_mouth else ""


class _Check:
    """The checks of one medicine's directions against its values."""

    def __init__(self, said: Directions, known: Mapping[str, Any], values: Mapping[str, Any], name: str) -> None:
        self._said, self._known, self._values, self._name = said, known, values, name
        self._source = str(values.get("source", known.get("source", "")))
        self._strength = _strength(said.strength)
        total = sum(number for _, number in said.by_time)
        self._total = Amount(total, total, said.read.get("unit", "")) if said.by_time else None

    def doubts(self) -> Iterator[Doubt]:
        wrong = list(self._units()) or list(self._strengths())
        yield from wrong
        yield from self._often()
        if not wrong:  # of a wrong strength no amount follows
            yield from self._too_much()

    def _too_much(self) -> Iterator[Doubt]:
        for amount, often in self._parts():
            found = next(self._amounts(amount, often), None)
            if found:
                yield found
                return

    def _parts(self) -> Iterator[tuple[Amount, Often | None]]:
        said = self._said
        if said.amount:
            yield said.amount, said.often
        for step in said.steps:
            if step.amount:
                yield step.amount, step.often
        unit = said.read.get("unit", "")
        for _, number in said.by_time:
            yield Amount(number, number, unit), None

    def _units(self) -> Iterator[Doubt]:
        units = [each for each in self._values.get("units", ()) if each in _WEIGHED]
        told: list[tuple[tuple[float, str, str], tuple[str, ...]]] = []
        if self._strength:
            told.append((self._strength, ("strength", *DOSE)))
        told += [((amount.high, amount.unit, ""), DOSE) for amount, _ in self._parts() if amount.unit in _WEIGHED]
        for (number, unit, _), fields in told:
            if units and unit not in units and unit in _WEIGHED:
                candidates = tuple(f"{number:.9g} {each}" for each in units)
                why = f"{self._name} does not come in {unit}, but in {' or '.join(units)} ({self._source})"
                yield Doubt(why, fields, candidates)
        below = self._known.get("unit_below", {})
        for (number, unit, _), fields in told:
            if unit in below and number >= below[unit]:
                why = f"{number:.9g} {unit} of {self._name} is too much for that unit ({self._source})"
                yield Doubt(
                    why, fields, tuple(f"{number:.9g} {each}" for each in IN_MG if each != unit and each in units)
                )

    def _strengths(self) -> Iterator[Doubt]:
        if not self._strength or self._strength[1] not in _WEIGHED:
            return
        number, unit, per = self._strength
        form = per or _PER.get(self._said.form, self._said.form)
        ranges = [each for each in self._known.get("strengths", ()) if not form or each["per"] == form]
        if not per and not form:
            ranges = [each for each in ranges if each["per"] not in ("ml", "percent")]
        own = self._values.get("route", "oral")
        ranges += [each for each in self._known.get("strengths", ()) if each.get("route") == own]
        fits = [each for each in ranges if _convert(number, unit, each["unit"]) is not None]
        whole = _strength(self._said.strength.partition("/")[0]) if per == "ml" else None
        each_one = ("nebule", "injection", "ampoule")
        single = [each for each in self._known.get("strengths", ()) if each["per"] in each_one]
        if whole and any(_convert(*whole[:2], each["unit"]) and _within(*whole[:2], each) for each in single):
            return
        if fits and not any(_within(number, unit, each) for each in fits):
            told = " or ".join(f"{each['lowest']:g} to {each['highest']:g} {each['unit']}" for each in fits)
            why = f"a strength of {number:.9g} {unit} is not known of {self._name}, but {told} ({self._source})"
            yield Doubt(why, ("strength", *DOSE), (self._said.strength,), confirms=True)

    def _often(self) -> Iterator[Doubt]:
        said, values = self._said, self._values
        gaps = [gap for each in (said.often, *(step.often for step in said.steps)) if (gap := _gap_days(each, said))]
        least = 7 if values.get("weekly_only") else int(values.get("every_days", 1))
        for gap in gaps:
            if least > 1 and gap < least - 0.01:
                how = "once a week at most, never daily" if values.get("weekly_only") else f"once in {least} days"
                yield Doubt(f"{self._name} is taken {how} ({self._source})", ("times", "at", "days", *DOSE))
        if values.get("once_only") and gaps:
            yield Doubt(f"{self._name} is taken once and not repeated ({self._source})", ("times", "for_days"))
        for spaced in values.get("spaced", ()):
            mass = [self._mass(amount) for amount, _ in self._parts()]
            large = any(each and _over(each, spaced["from"], spaced["unit"], equal=True) for each in mass)
            if large and any(gap < spaced["every_days"] - 0.01 for gap in gaps):
                why = (
                    f"{spaced['from']:g} {spaced['unit']} of {self._name} is taken once in {spaced['every_days']} days"
                )
                yield Doubt(f"{why} ({self._source})", ("times", "at", "days", *DOSE))

    def _goes_on(self) -> bool:
        """Whether a dose is taken for long: not once, as a part of a course, as needed or for two weeks at most."""
        said = self._said
        once = said.often is not None and said.often.once
        return not (said.steps or said.as_needed or once or (said.days and said.days <= 14))

    def _amounts(self, amount: Amount, often: Often | None) -> Iterator[Doubt]:
        shown = (amount_text(amount),)
        if self._spaced(amount, often):
            return
        for bound in self._bounds("single"):
            if _exceeds(amount, self._mass(amount), bound):
                yield self._beyond(f"{shown[0]} at once", bound, DOSE, shown)
                break
        daily, per_day = self._daily(amount, often)
        for bound in self._bounds("daily"):
            if daily and _exceeds(daily, self._mass(daily), bound):
                yield self._beyond(
                    f"{amount_text(daily)} in a day",
                    bound,
                    (*DOSE, "times") if per_day else (*DOSE, "times", "max"),
                    shown,
                )
                break
        gap = _gap_days(often, self._said)
        weekly = replace(amount, low=amount.low * 7 / gap, high=amount.high * 7 / gap) if gap else None
        for bound in self._bounds("weekly"):
            if weekly and _exceeds(weekly, self._mass(weekly), bound):
                yield self._beyond(f"{amount_text(weekly)} in a week", bound, (*DOSE, "times"), shown)
                break

    def _spaced(self, amount: Amount, often: Often | None) -> bool:
        """Whether it is a larger dose that is taken as seldom as it may be."""
        mass, gap = self._mass(amount), _gap_days(often, self._said)
        return any(
            mass and _over(mass, each["from"], each["unit"], equal=True) and gap >= each["every_days"] - 0.01
            for each in self._values.get("spaced", ())
        ) and not any(not each.soft and _exceeds(amount, mass, each) for each in self._bounds("single"))

    def _daily(self, amount: Amount, often: Often | None) -> tuple[Amount | None, bool]:
        """The most that is taken in a day, and whether it follows from how often."""
        most = self._said.most
        if self._total is not None:
            return self._total, True
        count = 0.0
        if often and not often.once and often.period in ("day", "hour"):
            count = 24 / often.low if often.every and often.period == "hour" else 1 if often.every else often.high
        if most and most.hours == 24:
            if most.unit == "dose":
                count = min(count, most.amount) if count else most.amount
            elif most.unit:
                return Amount(most.amount, most.amount, most.unit), False
        return (replace(amount, low=amount.low * count, high=amount.high * count), True) if count else (None, True)

    def _bounds(self, window: str) -> Iterator[_Bound]:
        for prefix, soft in (("largest", False), ("ask_above", True)):
            told = self._values.get(f"{prefix}_{window}")
            licensed = soft and f"largest_{window}" in self._values and not self._goes_on()
            if told and not licensed:
                yield _Bound(told["amount"], told["unit"], told.get("of", ""), self._source, soft)

    def _beyond(self, what: str, bound: _Bound, fields: tuple[str, ...], shown: tuple[str, ...]) -> Doubt:
        limit = f"{bound.amount:g} {bound.unit}"
        told = f"more than {limit}, above which it is asked" if bound.soft else f"more than the largest, {limit}"
        return Doubt(f"{what} of {self._name} is {told} ({bound.source})", fields, shown, confirms=True)

    def _mass(self, amount: Amount) -> tuple[float, str] | None:
        """An amount in mass or units: said so, or by the strength of each."""
        if amount.unit in _WEIGHED:
            return amount.high, amount.unit
        number, unit, per = _strength(amount.strength) or self._strength or (0.0, "", "")
        volume = {"ml": 1.0, "spoonful": 5.0, "teaspoon": 5.0}.get(amount.unit)
        counted = amount.unit in _COUNTS or not amount.unit
        if not unit or (volume is None) != (per != "ml") or (volume is None and not counted):
            return None
        return amount.high * number * (volume or 1.0), unit


def _exceeds(amount: Amount, mass: tuple[float, str] | None, bound: _Bound) -> bool:
    if bound.unit in (*_COUNTS, "ml"):
        unit = _PER.get(amount.unit, amount.unit)
        return not bound.of and unit == bound.unit and amount.high > bound.amount * 1.001
    return mass is not None and _over(mass, bound.amount, bound.unit)


def _over(mass: tuple[float, str], amount: float, unit: str, *, equal: bool = False) -> bool:
    number = _convert(*mass, unit)
    return number is not None and (number >= amount * 0.999 if equal else number > amount * 1.001)


def _convert(number: float, unit: str, other: str) -> float | None:
    if unit == other:
        return number
    return number * IN_MG[unit] / IN_MG[other] if unit in IN_MG and other in IN_MG else None


def _within(number: float, unit: str, each: Mapping[str, Any]) -> bool:
    told = _convert(number, unit, each["unit"])
    return told is not None and each["lowest"] * 0.999 <= told <= each["highest"] * 1.001


def _strength(text: str) -> tuple[float, str, str] | None:
    """A strength as number, unit and what it is in ("ml", or "" for each one): "250 mg/5 ml" is 50 mg in a ml."""
    top, _, bottom = text.partition("/")
    parts = top.split()
    try:
        number, unit = float(parts[0]), parts[1] if len(parts) == 2 else ""
        unit = {"microgram": "mcg", "micrograms": "mcg", "units": "unit", "iu": "unit", "grams": "g"}.get(
            unit.casefold(), unit
        )
        below = bottom.split()
        if not bottom:
            return (number, unit, "") if unit else None
        if below[-1] != "ml":
            return (number, unit, below[-1]) if below[-1] in _COUNTS else None
        return number / (float(below[0]) if len(below) == 2 else 1.0), unit, "ml"
    except (ValueError, IndexError, ZeroDivisionError):
        return None


def _gap_days(often: Often | None, said: Directions) -> float:
    """Days between doses at least; 0 where it is not said or taken once."""
    if often is None or often.once:
        return 0.0
    if often.every:
        return often.low / 24 if often.period == "hour" else often.low * DAYS[often.period]
    if said.weekdays and often.period == "day":
        return 7 / max(1.0, len(said.weekdays) * often.high)
    return DAYS[often.period] / often.high if often.high else 0.0


@cache
def _names() -> dict[str, str]:
    found: dict[str, str] = {}
    for key, each in table("medicines.toml").items():
        for name in (key, *each.get("also", ())):
            found.setdefault(plain(name), key)
    return found
