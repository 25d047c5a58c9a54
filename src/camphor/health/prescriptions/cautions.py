"""Words to stop beside a dose that is taken: when to leave it out, what not to take with it, another medicine.

A text that says how much is taken and when may go on to say when not to: "hold if SBP < 100", "do not take within 2
hours of milk", "never stop suddenly". Such a clause is a remark. A word to stop that stands by itself, or before
anything else, is none: it is left to the reader, who is told whether the text says more than to stop.
"""

from __future__ import annotations

from collections.abc import Sequence

from camphor.health.prescriptions.courses import DoseCourse
from camphor.health.prescriptions.directions import MASSES
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.lexing import UNSURE, Token, listed, words
from camphor.health.prescriptions.scanning import DOSING, TextItem, is_drug

_SAYS_WHEN = ("often", "at", "length", "weekdays", "daynumber", "scheme", "needed")
_DOSES = frozenset(
    {"amount", "scheme", "most", "often", "at", "then", "end", "verb", "length", "weekdays", "daynumber"}
)
_SENTENCE = ".;\n()"


def without_cautions(items: Sequence[TextItem], tokens: Sequence[Token]) -> list[TextItem]:
    """The items, with each clause around a word to stop that only cautions as one item of the kind "remark"."""
    kept: list[TextItem] = []
    place = 0
    while place < len(items):
        item = items[place]
        if item.kind == "stop":
            clause = _Clause(items, place, tokens)
            if clause.cautions:
                del kept[len(kept) - (place - clause.start) :]
                kept.append(TextItem("remark", None, items[clause.start].start, items[clause.end - 1].end))
                place = clause.end
                continue
        kept.append(item)
        place += 1
    return kept


class _Clause:
    """The clause of a word to stop: from the word "not" before it, to the next mark."""

    def __init__(self, items: Sequence[TextItem], place: int, tokens: Sequence[Token]) -> None:
        self._items, self._tokens, self._place = items, tokens, place
        self.start = self._from(place)
        end = place + 1
        while end < len(items) and not self._closes(end):
            end += 1
        self.end = end
        self._rest = items[place + 1 : end]
        self._inside = _kinds(self._rest)
        self._after = [each.key for each in tokens[items[place].end : self._rest[-1].end]] if self._rest else []
        self._open = list(self._after)  # without what may stand before a condition
        while self._open and listed("before_condition", self._open[0]):
            self._open.pop(0)

    @property
    def cautions(self) -> bool:
        """Whether a dose is said outside of the clause, and nothing in it changes that."""
        if not self._dosed():
            return False
        said = [each.key for each in self._tokens[self._items[self.start].start : self._items[self._place].end]]
        if self._never_daily() or self._other_medicine():
            return True
        if self.start < self._place:  # "never stop suddenly"
            return not self._inside & _DOSES and not self._changes(("dose", "doses", "unless"))
        if any(listed("negation", each) for each in said):
            return self._beside()
        return self._condition()

    def _from(self, place: int) -> int:
        """Where "do not", "not to be" or "never" before the word begins."""
        start = place
        for back in range(place - 1, max(place - 5, -1), -1):
            item = self._items[back]
            if item.kind != "word":
                break
            if listed("negation", str(item.value)):
                start = back - 1 if back and self._items[back - 1].value == "do" else back
        return start

    def _closes(self, place: int) -> bool:
        item = self._items[place]
        if item.kind != "mark":
            return False
        mark = str(item.value)
        if mark not in ",:-":
            return mark in _SENTENCE
        rest = self._items[place + 1 : place + 4]
        return any(each.kind in (*_DOSES, "stop") for each in rest)

    def _dosed(self) -> bool:
        """Whether how much and when are said outside of the clause."""
        outside = [*self._items[: self.start], *self._items[self.end :]]
        kinds = _kinds(outside)
        applied = "verb" in kinds and "form" in kinds
        return bool(kinds & {"amount", "scheme", "strength"} or applied) and bool(kinds & set(_SAYS_WHEN))

    def _never_daily(self) -> bool:
        weekly = any(each.kind == "often" and getattr(each.value, "period", "") == "week" for each in self._items)
        return weekly and [each.kind for each in self._rest] == ["often"]

    def _other_medicine(self) -> bool:
        """Whether it is another medicine that is stopped: "take 1 daily. Stopped: ramipril"."""
        back = self._place
        while back and not self._ended(self._items[back - 1]):
            back -= 1
        clause = [*self._items[back : self._place], *self._rest]
        if _kinds(clause) & (_DOSES - {"verb"} | {"strength"}) or back < 3:
            return False
        named = [str(each.value) for each in clause if each.kind == "word"]
        others = [each for each in named if is_drug(each) or listed("kinds_of_medicine", each)]
        own = {
            ingredient
            for each in self._items[:back]
            if each.kind == "word" and (drug := find(str(each.value)).drug)
            for ingredient in drug.ingredients
        }
        theirs = {each for name in others if (drug := find(name).drug) for each in drug.ingredients}
        if not others or not own or own & theirs:
            return False
        self.start = back
        return True

    def _ended(self, item: TextItem) -> bool:
        return item.kind in _SAYS_WHEN or (item.kind == "mark" and str(item.value) in _SENTENCE)

    def _beside(self) -> bool:
        """What else is not done or taken: "do not take with milk", "do not give a second dose"."""
        timed = self._inside & {"at", "amount", "often"}
        if not self._open or self._inside & (_DOSES - {"at", "amount", "often"}):
            return False
        first = self._open[0]
        if listed("another", first):
            return not timed
        if listed("later_than", first):
            return not self._changes(("later", "after", "than", "if")) and "amount" not in timed
        if first == "within":
            return not self._changes(("tablet", "tablets", "dose", "within", "unless")) and timed <= {"amount"}
        if timed or self._changes(("if", "unless", "until", "dose")):
            return False
        return listed("beside_it", first) or any(listed("taken_beside", each) for each in self._open)

    def _condition(self) -> bool:
        """When it is left out: "hold if SBP < 100", "hold for loose stools", "stop when clear"."""
        first = self._after[:1]
        measured = any(each in ("<", ">") for each in self._after) or "advice" in self._inside
        if self._inside & (_DOSES - ({"amount", "often"} if measured else set())):
            return False
        if self._changes(("if", "unless", "dose", "stop", "once")):
            return False
        if first == ["for"]:
            what = self._after[1] if len(self._after) > 1 else ""
            return bool(what) and not what[0].isdigit() and not listed("counts_time", what)
        return first in (["if"], ["when"], ["once"], ["unless"]) or (
            bool(self._open) and listed("condition_of_stop", self._open[0])
        )

    def _changes(self, but: Sequence[str]) -> bool:
        return any(listed("changes_dose", each) and each not in but for each in self._after)


def _kinds(items: Sequence[TextItem]) -> set[str]:
    return {each.kind for each in items}


def says_more(
    tokens: Sequence[Token],
    items: Sequence[TextItem],
    stops: Sequence[TextItem],
    course: DoseCourse,
    *,
    verbs: bool,
    needed: bool,
) -> bool:
    """Whether more is said than to stop.

    Args:
        stops: the words to stop, of `items`. verbs, needed: whether a verb of taking and "as needed" are said.
    """
    before = [each for each in items if each.end <= stops[0].start]
    after = [each for each in items if each.start >= stops[-1].end]
    whole = any(each.kind == "amount" for each in before) and any(each.kind in DOSING for each in before)
    replaced = _replaced(tokens, stops)
    first = all(each.kind in ("mark", "word", "form", "strength") for each in before)
    if first and not verbs and not whole:
        taken = needed or any(each.days for each in course.doses)
    else:
        timed = len(course.doses) > 1 or any(each.days or each.at for each in course.doses)
        taken = verbs or needed or whole or timed
    return (
        taken
        or _doses_follow(tokens, after, first)
        or any(each.kind in DOSING | {"amount"} for each in after if each.start >= replaced)
        or _medicines(tokens[:replaced]) > 1
        or any(token.kind == UNSURE for token in tokens)
        or any(listed("more_than_stop", each) for each in _others(tokens[:replaced], items, stops))
    )


def _doses_follow(tokens: Sequence[Token], after: Sequence[TextItem], first: bool) -> bool:
    """Whether a dose stands after the words to stop, and outside their sentence where they come first."""
    dosed = any(
        each.kind in ("often", "scheme", "at") or (each.kind == "amount" and each.value.unit not in MASSES)
        for each in after
    )
    ends = next((each.start for each in after if each.kind == "mark" and str(each.value) in ".;"), len(tokens))
    inside = all(each.start < ends for each in after if each.kind in ("often", "scheme", "at", "amount"))
    return dosed and not (first and inside)


def _replaced(tokens: Sequence[Token], stops: Sequence[TextItem]) -> int:
    """Where it is said what takes the place of what is stopped, "now on apixaban"; the end, where it is not."""
    keys = [each.key for each in tokens]
    for place in range(stops[-1].end, len(keys) - 1):
        if f"{keys[place]} {keys[place + 1]}" in words()["replaced"]["by"]:
            return place
    return len(keys)


def _medicines(tokens: Sequence[Token]) -> int:
    found = {tuple(drug.ingredients) for each in tokens if len(each.key) > 3 and (drug := find(each.key).drug)}
    return len(found)


def _others(tokens: Sequence[Token], items: Sequence[TextItem], stops: Sequence[TextItem]) -> set[str]:
    """The words that are neither to stop nor advice, nor name the product."""
    told = [*stops, *(each for each in items if each.kind in ("advice", "strength", "form"))]
    places = {place for each in told for place in range(each.start, each.end)}
    return {token.key for place, token in enumerate(tokens) if place not in places}
