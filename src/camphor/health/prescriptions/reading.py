"""Phrases put together to directions; what does not fit together, or is not explained, becomes a doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from camphor.health.prescriptions.cautions import says_more, without_cautions
from camphor.health.prescriptions.courses import DoseCourse
from camphor.health.prescriptions.directions import (
    ALL,
    DOSE,
    LENGTH,
    LIMITS,
    MASSES,
    NO_DOSE,
    WHEN,
    Directions,
    Doubt,
    Most,
    amount_text,
)
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.fitting import misfits
from camphor.health.prescriptions.lexing import WORD, tokens
from camphor.health.prescriptions.phrases import in_lexicon
from camphor.health.prescriptions.product import (
    INSIDE,
    MASS_LIKE,
    ON_SKIN,
    SIDED,
    UNIT_OF,
    Product,
    is_place,
    place_of,
    sides,
    site_of,
)
from camphor.health.prescriptions.residue import Residue, without_remarks
from camphor.health.prescriptions.scanning import (
    DOSING,
    TextItem,
    harmless,
    is_drug,
    of_dosing,
    said_of,
    scan,
    significant,
    small,
)


def read_directions(text: str) -> Directions:
    """What a text of one medicine's directions says; it may begin with the medicine's name and strength."""
    return DirectionsReader(text).read()


class DirectionsReader:
    """Reads one text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.items = without_cautions(scan(self.tokens), self.tokens)
        self.doubts: list[Doubt] = []
        self.read_: dict[str, str] = {}
        self.product = Product(self.tokens, self.items)
        self.verbs: list[str] = []
        self.sites: list[str] = []

    def read(self) -> Directions:
        if not self.items:
            return Directions(self.text, doubts=(Doubt("nothing is written there", ALL),))
        start = self.product.take_head()
        body = self.product.without_names(without_remarks(self.items[start:], self.tokens))
        body = self.product.without_supply(body)
        self.doubts += [*self.product.doubts, *Residue(self.tokens, self.product.forms).of(body)]
        self.sites += self.product.sites
        return self._assembled(body)

    def _said(self, item: TextItem) -> str:
        return said_of(self.tokens, item)

    def _doubt(
        self, why: str, fields: tuple[str, ...], candidates: tuple[str, ...] = (), confirms: bool = False
    ) -> None:
        self.doubts.append(Doubt(why, fields, candidates, confirms))

    def _note(self, name: str, item: TextItem) -> None:
        said = self._said(item)
        self.read_[name] = f"{self.read_[name]} {said}" if name in self.read_ else said

    def _assembled(self, body: Sequence[TextItem]) -> Directions:
        course = DoseCourse(self._said, self.tokens)
        found: dict[str, Any] = {"needed": False, "goon": False, "stop": [], "directed": False, "repeats": False}
        most: list[Most] = []
        gaps: list[float] = []
        loose: list[TextItem] = []
        for place, item in enumerate(body):
            self._note(item.kind, item)
            if item.kind in ("needed", "goon", "directed"):
                found[item.kind] = found[item.kind] or not (item.kind == "goon" and self._until(body[place + 1 :]))
                if item.kind == "needed":
                    self._needed(course, body, place)
            elif item.kind == "stop":
                found["stop"].append(item)
                if self._said(item).casefold().replace(" ", "") in ("d/c", "dc", "d/cd"):
                    self._doubt("'D/C' may be to stop, or from hospital", ALL)
            elif item.kind == "most":
                value = item.value
                most.append(value[0] if isinstance(value, tuple) else value)
            elif item.kind == "gap":
                repeats = isinstance(item.value, tuple)
                gaps.append(float(item.value[0] if repeats else item.value))
                found["repeats"] = found["repeats"] or repeats
            elif item.kind == "verb":
                self.verbs.append(str(item.value))
            elif item.kind == "site":
                if is_place(self.tokens, body, place):
                    self.sites.append(str(item.value) or place_of(self.tokens, item))
            elif item.kind == "form":
                loose.append(item)
            elif item.kind in MASS_LIKE or self._names_product(item, body, place):
                self.product.take(item)
            elif item.kind in course.KINDS and not self._adds_nothing(item, body[place + 1 :]):
                course.add(item, body, place)
        masses_ = any(each.amount and each.amount.unit in MASSES for each in course.doses)
        if (
            loose
            and masses_
            and not self.product.strengths
            and any(str(each.value) in ("tablet", "capsule") for each in loose)
        ):
            self._doubt("it is not said how many are taken", DOSE)
        if loose and course.bare:
            self._doubt("it is not said what the number counts", ("unit",), tuple(str(each.value) for each in loose))
        if len(found["stop"]) == 1 and course.says_length and self._ends(body):
            found["stop"] = []  # "od for 1 week, stop"
        if found["stop"]:
            return self._stopped(course, found, most)
        self._two_medicines(body)
        return self._whole(course, found, most, gaps)

    def _needed(self, course: DoseCourse, body: Sequence[TextItem], place: int) -> None:
        if self._beside(body, place):
            self._doubt("it is not clear what of it is taken as needed", (*LIMITS, *WHEN, *DOSE))
        if self._other_instruction(body, place):
            self._doubt("it is not clear what is done then", ALL)
        course.needed(body[place - 1].kind == "mark" if place else True)

    def _other_instruction(self, body: Sequence[TextItem], place: int) -> bool:
        """Whether "if ..." opens another instruction after the dose: "1 daily. If vomiting, take at night"."""
        opens = (
            place > 0
            and body[place - 1].kind == "mark"
            and self._said(body[place]).casefold().startswith(("if", "when"))
        )
        dosed = any(each.kind in ("often", "at", "scheme") for each in body[:place])
        return (
            opens
            and dosed
            and any(each.kind in ("verb", "at", "often", "amount") for each in body[place + 1 : place + 4])
        )

    def _beside(self, body: Sequence[TextItem], place: int) -> bool:
        """Whether "as needed" is joined to what is taken anyway: "and as needed", "then as needed"."""
        before = [each for each in body[:place] if each.kind != "mark"][-1:]
        dosing = any(each.kind in ("often", "at", "scheme") for each in body[:place])
        joins = ("and", "&", "plus", "also", "+", "/")
        said = bool(before) and (before[0].kind == "then" or (before[0].kind == "word" and before[0].value in joins))
        return dosing and (
            said or (place > 0 and body[place - 1].kind == "mark" and body[place - 1].value in ("&", "+", "/"))
        )

    def _adds_nothing(self, item: TextItem, rest: Sequence[TextItem]) -> bool:
        """Whether "then" begins a remark, or ends the text ("thereafter"), and no dose follows."""
        told = [each for each in rest if each.kind != "mark"]
        remark = bool(told) and told[0].kind in ("advice", "remark", "verb")
        ends = item.kind == "then" and (remark or self._said(item).casefold() == "thereafter")
        return ends and not any(each.kind in ("amount", "often", "at") for each in told)

    def _until(self, rest: Sequence[TextItem]) -> bool:
        return bool(rest) and self._said(rest[0]).casefold().startswith(("until", "till", "for "))

    def _names_product(self, item: TextItem, body: Sequence[TextItem], place: int) -> bool:
        """Whether a mass is the strength beside a medicine's name: "half a tablet of bisoprolol 5 mg"."""
        counted = any(each.kind == "amount" and each.value.unit not in ("", *MASSES, "ml") for each in body)
        mass = item.kind == "amount" and item.value.unit in MASSES and counted
        return mass and place > 0 and body[place - 1].kind == "word" and is_drug(str(body[place - 1].value))

    def _ends(self, body: Sequence[TextItem]) -> bool:
        """Whether the last words say that a course ends: "for 5 days, stop"."""
        last = [each for each in body if each.kind != "mark"][-1]
        place = body.index(last)
        said = self._said(last).casefold() in ("stop", "cease", "stopped")
        return last.kind == "stop" and said and place > 0 and body[place - 1].kind == "mark"

    def _stopped(self, course: DoseCourse, found: dict[str, Any], most: Sequence[Most]) -> Directions:
        stops, needed = found["stop"], found["needed"]
        more = found["goon"] or bool(most)
        more = more or says_more(self.tokens, self.items, stops, course, verbs=bool(self.verbs), needed=needed)
        doubts = [Doubt("it says to stop, and more than that", ALL)] if more else []
        doubts += [each for each in self.doubts if "'D/C'" in each.why]
        read = {"stop": " ".join(self._said(each) for each in stops), **self.read_}
        return Directions(self.text, stop=True, head=self.product.name, read=read, doubts=tuple(doubts))

    def _whole(
        self, course: DoseCourse, found: dict[str, Any], most: Sequence[Most], gaps: Sequence[float]
    ) -> Directions:
        form = self.product.form
        if form in ON_SKIN:  # grams are the size of the tube
            self.product.masses = [each for each in self.product.masses if each[0].unit not in ("g", "ml")]
        masses = {each.amount.unit for each in course.doses if each.amount} & set(MASSES)
        apart = bool(self.product.masses) and self._is_apart(self.product.masses[0][1])
        if self.product.masses and masses and not (self.verbs and apart):
            self._doubt("it is not clear which is the strength and which is taken", ALL)
        apart = apart or not self._leads_to_dosing()
        alone = course.says_amount or self.product.masses or len(self.product.each) != 1 or apart
        if not alone and self.product.forms[:1] != ["patch"] and self.product.forms[:1] != ["drops"]:
            course.doses[0].amount = self.product.each[0]  # "500 mg tab bd"
            self.read_["amount"] = self.product.strengths[0]
        elif len(self.product.masses) == 1 and not course.says_amount and not apart:
            course.doses[0].amount = self.product.masses[0][0]
            self.read_["amount"] = self._said(self.product.masses[0][1])
        else:
            self.product.strengths = [amount_text(mass) for mass, _ in self.product.masses] + self.product.strengths
            if len(self.product.masses) > 1 and not course.says_amount:
                self._doubt("it is not clear which of these is taken", ALL, tuple(self.product.strengths))
        if form in ("inhaler", "injection") and course.bare:
            self._doubt("it is not said what the number counts", ("unit",), (UNIT_OF[form],))
        for mass, _ in self.product.masses if course.says_amount else ():
            for dose in course.doses:
                if dose.amount and dose.amount.unit == "ml" and any("/" in each for each in self.product.strengths):
                    course.totals.append((dose.amount, mass))
        beside = [each.amount.strength for each in course.doses if each.amount and each.amount.strength]
        self.product.strengths.extend(each for each in dict.fromkeys(beside) if each not in self.product.strengths)
        if not self.product.strengths and course.strength:
            self.product.strengths.append(course.strength)
        course.units(UNIT_OF.get(form, ""), self.product.strength)
        made = course.made(self.text)
        self.doubts.extend(course.doubts)
        if len(sides(self.sites)) > 1:
            self._doubt("two places are said", ("site",))
        site = site_of(self.sites, self.verbs, form, made.amount.unit if made.amount else "")
        if course.doses_daily and not most:
            most = [Most(course.doses_daily, "dose", 24.0)]
        limit = self._limit(most, made)
        stops = any(
            each.kind == "length" and self.tokens[each.end - 1].key in ("stop", "off", "nil") for each in self.items
        )
        if (course.ended or stops) and found["goon"]:
            self._doubt("it ends, and it goes on", ALL)
        if limit and made.amount and not made.amount.unit and limit.unit not in ("", "dose", *MASSES):
            made = replace(made, amount=replace(made.amount, unit=limit.unit))
        if len(set(gaps)) > 1:
            self._doubt("two least gaps are said", LIMITS)
        result = Directions(
            self.text,
            amount=made.amount,
            by_time=made.by_time,
            often=made.often,
            at=made.at,
            weekdays=made.weekdays,
            as_needed=found["needed"],
            most=limit,
            gap_hours=gaps[0] if gaps else None,
            days=made.days,
            ongoing=found["goon"],
            steps=made.steps,
            site=site,
            by_mouth="mouth" in self.sites,
            strength=self.product.strength,
            form=form,
            head=self.product.name,
            directed=found["directed"],
            read={**self.read_, **made.read},
        )
        if found["repeats"] and not (found["needed"] or limit):
            self._doubt("it is not clear whether, and how often, it is repeated", ALL)
        if course.amount_last and masses and self.product.alone and not self.verbs:
            self._doubt("it is not clear which is the strength and which is taken", ALL)
        if self.product.differ(self.text):
            self._doubt("two strengths are said", ("strength", *DOSE, *WHEN), tuple(self.product.strengths))
        self._missing(result)
        self._fitting(result)
        return replace(result, doubts=tuple(dict.fromkeys(_whole(each, result) for each in self.doubts)))

    def _leads_to_dosing(self) -> bool:
        """Whether nothing but form and way stand between the strength and how often: "500 mg tab bd", not "T bd"."""
        masses = [item for item in self.items if item.kind in ("amount", "strength")]
        if not masses:
            return True
        for each in self.items:
            if each.start < masses[0].end:
                continue
            if each.kind in DOSING:
                return True
            if self.product.each and each.kind not in ("site", "form"):
                return False
            if each.kind == "word" and not (small(str(each.value)) or is_drug(str(each.value))):
                return False
        return False

    def _is_apart(self, item: TextItem) -> bool:
        """Whether a sentence with a verb of its own follows the strength: "4 mg nasal. Spray once"."""
        rest = [each for each in self.items if each.start >= item.end]
        ended = next(
            (place for place, each in enumerate(rest) if each.kind == "mark" and str(each.value) in ".\n"), None
        )
        return ended is not None and any(each.kind in ("verb", "form") for each in rest[ended:])

    def _limit(self, most: Sequence[Most], made: Directions) -> Most | None:
        if not most:
            return None
        amount = made.amount or next((each.amount for each in made.steps if each.amount), None)
        said = self.read_.get("most", "").casefold()
        day = 24.0 if any(each in said for each in ("daily", "mdd", "day")) else 0.0
        told = [
            Most(
                each.amount,
                each.unit or (amount.unit if amount else UNIT_OF.get(self.product.form, "")),
                each.hours or day,
            )
            for each in most
        ]
        first = told[0]
        if any(each != first for each in told[1:]):
            self._doubt("two limits are said", LIMITS)
        if not first.hours:
            shown = f"{first.amount:.9g} {first.unit} in 24 hours".replace("  ", " ")
            self._doubt("it does not say in how long the most is", ("max",), (shown,))
            first = Most(first.amount, first.unit, 24.0)
        if amount and amount.unit == first.unit and first.amount < amount.high and first.unit != "dose":
            self._doubt("the most is less than one dose", (*DOSE, *LIMITS))
        return first

    def _two_medicines(self, body: Sequence[TextItem]) -> None:
        """Doubts all where the name of another medicine stands among the directions."""
        if not self.product.name:
            return
        known = {each for word in self.product.name.split() if (drug := find(word).drug) for each in drug.ingredients}
        for each in body:
            drug = find(str(each.value)).drug if each.kind == "word" and is_drug(str(each.value)) else None
            if drug and not set(drug.ingredients) & known and str(each.value) not in self.product.name.casefold():
                self._doubt(f"{self._said(each)!r} is another medicine", ALL, confirms=True)

    def _strange(self) -> None:
        """Doubts all of a text of which much is not English."""
        told = [each.key for each in self.tokens if each.kind == WORD and len(each.key) > 3]
        name = self.product.name.casefold().split()
        strange = [
            each
            for each in told
            if not (harmless(each) or of_dosing(each) or significant(each) or is_drug(each) or in_lexicon(each))
            and each not in name
        ]
        if len(strange) >= 4 and len(strange) > 0.5 * len(told):
            self._doubt("much of it was not understood", ALL)

    def _missing(self, said: Directions) -> None:
        self._strange()
        on_skin = any(each not in (*INSIDE, "mouth") and each.split()[-1] not in SIDED for each in self.sites)
        outside = "apply" in self.verbs or said.form in ON_SKIN or (on_skin and not said.form)
        if not (said.amount or said.by_time or said.steps or outside):
            self._doubt(NO_DOSE, (*DOSE, *WHEN), tuple(self.product.alone))
        if (
            not said.says_when
            or (said.at and not said.often and not said.as_needed and not said.weekdays and not said.steps)
        ) and not any("times" in each.fields for each in self.doubts):
            self._doubt("it was not read when it is to be taken", (*WHEN, *DOSE, "as_needed"))
        ranged = said.amount is not None and said.amount.low != said.amount.high
        inner = not said.site or said.site in ("rectal", "injection")
        if said.as_needed and ranged and inner and not (said.often or said.most or said.gap_hours):
            self._doubt("it does not say how often at most", ("times", "max"))

    def _fitting(self, said: Directions) -> None:
        unit = said.amount.unit if said.amount else ""
        drops = unit == "drop" and not any(each in said.site for each in ("ear", "nostril", "nose"))
        drops = drops or (
            said.form == "drops" and not any(each in said.text.casefold() for each in ("ear", "nas", "nose", "oral"))
        )
        eyes = "eye" in said.site or "eye" in said.text.casefold() or "ophth" in said.text.casefold() or drops
        if said.form in ("tablet", "capsule") and unit in ("tablet", "capsule") and unit != said.form:
            self._doubt(f"it says {said.form} and {unit}", ("unit",), (said.form, unit))
        if eyes and any(each.key == "od" for each in self.tokens):
            self._doubt("'OD' may mean once daily or the right eye", ("times", "site"))
        self.doubts.extend(misfits(said, self.tokens, self.items, self.verbs, self.sites))
        if said.often and said.often.once and (said.days or said.weekdays):
            self._doubt("a single dose, and for days", (*WHEN, *LENGTH))


def _whole(doubt: Doubt, said: Directions) -> Doubt:
    """A doubt of the parts of a course is one of how much, when and how long; of how often, of whether as needed."""
    if said.as_needed and "times" in doubt.fields:
        doubt = replace(doubt, fields=tuple(dict.fromkeys((*doubt.fields, "as_needed"))))
    if "steps" not in doubt.fields or not said.steps:
        return doubt
    return replace(doubt, fields=tuple(dict.fromkeys((*doubt.fields, *DOSE, *WHEN, *LENGTH))))
