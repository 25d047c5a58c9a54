"""Lines, one after the other, as they come to belong to medicines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from camphor.health.prescriptions.directions import MASSES, Directions
from camphor.health.prescriptions.drugs import Drug, DrugMatch, known, plain
from camphor.health.prescriptions.lexing import words_of
from camphor.health.prescriptions.lines import (
    FORMS,
    MARKS,
    NUMBERING,
    SHORTEST,
    TextLine,
    doses_surely,
    is_advice,
    is_caution,
    is_letterhead,
    is_marked,
    is_supply,
    named,
    names_in,
    others_named,
    page_words,
    taken,
    unexplained,
)
from camphor.health.prescriptions.reading import read_directions
from camphor.health.prescriptions.scanning import harmless, of_dosing, small


@dataclass
class FoundMedicine:
    lines: list[TextLine]
    match: DrugMatch
    unsure: str = ""


class PrescriptionPage:
    """Lines, one after the other, as they come to belong to medicines.

    Directions belong to the medicine above them; where some stand before any medicine, as on a bottle's label, to the
    one below.
    """

    def __init__(self) -> None:
        self.found: list[FoundMedicine] = []
        self.unread: list[TextLine] = []
        self._current: FoundMedicine | None = None  # whose directions may follow
        self._before: list[TextLine] = []  # directions of a medicine that is named below them
        self._above = False  # whether directions stand above their medicine
        self._apart = False  # whether what is no medicine stood since: bare figures are then of a letterhead
        self._beside = False  # whether the line before was of the medicine, or of directions above one
        self._unended = False  # whether that line breaks off within a sentence
        self._labelled = True  # whether each medicine has its directions right above its name, and a gap above those
        self._gap = True  # whether a gap stood since the last medicine
        self._number = 0  # of the last medicine, in a list whose lines are numbered

    def take(self, line: TextLine) -> None:
        if line.begins:
            self._leave()
            self._current, self._beside, self._unended = None, False, False
        if not line.text.strip():
            self._beside, self._gap = False, self._gap or not self._before
            return
        if line.aside:
            return
        if self._unended and line.text[:1].islower() and self._takes_on(line):
            return
        if (
            is_letterhead(line.text)
            or is_caution(line.text)
            or is_supply(line.text)
            or is_advice(line.text)
            or self._says_the_same(line)
        ):
            self._apart, self._beside = not is_caution(line.text), False
            return
        if not line.seen:
            self.unread.append(line)
            if self._current is not None and self._beside:  # it may say what no other line does
                self._current.lines.append(line)
            return
        said = read_directions(NUMBERING.sub("", line.text, count=1))
        if self._is_note(line, said):
            self.unread.append(line)
            return
        if self._takes_on(line):
            return
        seen = min(line.letters, 1.0 if line.other is not None else line.seen)
        match = named(said, seen) or (_strange(line.text, seen) if line.begins else None)
        marked = is_marked(line.text)
        taken_ = taken(read_directions(MARKS.sub("", line.text)) if marked else said)
        figures = said.strength or said.form or (said.doubts and re.search(r"\d", line.text))
        next_ = self._is_next(line, said)
        below = self._current is not None and self._beside and not (said.strength or said.form or next_)
        if match is None and next_ and not marked:
            match = DrugMatch(_opening(line.text), None, 0.5 * line.letters)
        if match is not None and (match.drug or match.candidates or not (marked or below)):
            if said.says_when:  # what stands above is of no medicine
                self._leave()
            self._name(line, match)
        elif (match and below) or taken_ or ((_says(said) or (figures and not self._apart)) and not marked):
            self._direct(line, said)
        elif self._before and not unexplained(said):
            self._before.append(line)
        elif self._is_person(line):
            assert self._current is not None
            self._current.unsure = f"{line.text!r} stands between the name and the directions"
            self.unread.append(line)
        elif unexplained(said) or figures:
            if unexplained(said):
                self._current = None  # what stands below may be another medicine's
            self._leave()
            self.unread.append(line)

    def _takes_on(self, line: TextLine) -> bool:
        """Whether a line goes on with the one before; it is then beside it."""
        if not self._beside or not _goes_on(line, self._unended):
            return False
        if self._before:
            self._before.append(line)
        elif self._current is not None:
            self._current.lines.append(line)
        else:
            return False
        self._unended = unended(line.text)
        return True

    def _is_person(self, line: TextLine) -> bool:
        """Whether a line right below a name may be the person's, as on a bottle: two or three words with capitals."""
        told = line.text.replace(",", " ").split()
        return (
            line.other is not None
            and self._current is not None
            and self._beside
            and len(self._current.lines) == 1
            and 2 <= len(told) <= 3
            and all(re.fullmatch(r"[A-Z][\w.'-]*", each) and not any(map(str.isdigit, each)) for each in told)
        )

    def _is_note(self, line: TextLine, said: Directions) -> bool:
        """Whether a line below whole directions only names days or hours, of something else: "sugar check Mon, Thu"."""
        first = plain(line.text).split()[:1]
        doses = said.amount or said.by_time or said.steps or said.stop or said.most or said.as_needed or said.gap_hours
        other = bool(first) and first[0].isalpha() and not (of_dosing(first[0]) or small(first[0]))
        timed = (said.often or said.at or said.weekdays) and not (said.strength or said.form)
        return (
            line.other is not None
            and other
            and bool(timed)
            and next(names_in(line.text), None) is None
            and not doses
            and self._current is not None
            and not self._unended
            and any(
                doses_surely(each) and (each.says_when or each.as_needed)
                for each in (read_directions(own.text) for own in self._current.lines)
            )
        )

    def _says_the_same(self, line: TextLine) -> bool:
        """Whether a line has only another name of the medicine above: "Generic for ZESTRIL"."""
        own = self.found[-1].match.drug if self.found else None
        bare = MARKS.sub("", line.text)
        if own is None or line.other is None or re.search(r"\d", bare):
            return False
        named_ = {each for _, drug in names_in(line.text) for each in drug.ingredients}
        return named_ == set(own.ingredients) and not taken(read_directions(bare))

    def _is_next(self, line: TextLine, said: Directions) -> bool:
        """Whether a line is another medicine, though no name in it is known.

        It is where its number in the list is the next one, or where all is said of the medicine above, and it names a
        product or says all of a medicine.
        """
        opening = _opening(line.text)
        if self._number and opening and _ordinal(line.text) == self._number + 1:
            return True
        massed = said.amount is not None and said.amount.unit in MASSES
        product = _is_strange(opening) and bool(said.strength or said.form or massed)
        whole = bool(said.head) and (massed or _is_strange(said.head)) and said.says_when
        return (
            (product or whole)
            and self._current is not None
            and any(read_directions(each.text).says_when for each in self._current.lines)
        )

    def _name(self, line: TextLine, match: DrugMatch) -> None:
        self._number = _ordinal(line.text)
        self._labelled = self._labelled and bool(self._before) and self._beside and self._gap
        self._gap = False
        self._current = FoundMedicine([line, *self._before], match)
        self.found.append(self._current)
        self._apart, self._beside, self._unended = False, True, False
        self._above = self._above or bool(self._before)
        self._before = []

    def _direct(self, line: TextLine, said: Directions) -> None:
        if self._current is not None and not (self._above and self._apart):
            self._labelled = False
            self._current.lines.append(line)
            self._beside, self._unended = True, unended(line.text)
        elif self._before or ((self._above or not self.found) and doses_surely(said)):
            self._before.append(line)
            self._beside, self._unended = True, unended(line.text)
        else:
            self.unread.append(line)

    def _leave(self) -> None:
        self.unread.extend(self._before)
        self._before = []

    def end(self) -> None:
        """After the last line: what is left belongs to the last medicine, where directions stood above it."""
        if self._above:
            clear = len(self.found) == 1 or (self._labelled and not self._before)
            self.found[-1].lines.extend(self._before)
            for each in () if clear else self.found:
                each.unsure = "it is not clear which directions are of which medicine"
        else:
            self._leave()

    def doubt_beside(self, lines: Sequence[TextLine]) -> None:
        """Marks the medicines beside directions in a picture that belong to none: they may be theirs."""
        places = {id(line): place for place, line in enumerate(lines)}
        starts = [places[id(each.lines[0])] for each in self.found]
        near: list[FoundMedicine] = []
        own = {id(line) for each in self.found for line in each.lines}
        for line in self.unread:
            if id(line) in own:  # it was not read, and is known to be of one
                continue
            said = read_directions(MARKS.sub("", line.text))
            if not is_marked(line.text) and (doses_surely(said) or said.most):
                place = sum(start < places[id(line)] for start in starts)
                near += self.found[max(0, place - 1) : place + 1]
        for each in near:
            each.unsure = each.unsure or "directions near it were not understood"

    def unused(self, lines: Sequence[TextLine]) -> Iterator[TextLine]:
        """The lines of a picture that name a medicine which was not taken from them."""
        for line in lines:
            if line.other is None or is_caution(line.text):
                continue
            of = [each for each in self.found if any(line is own for own in each.lines)]
            own = {name for each in of for drug in _may_be(each.match) for name in drug.ingredients}
            unknown = any(line is each.lines[0] and not _may_be(each.match) for each in of)  # its name is in doubt
            several = len({drug.ingredients for word in plain(line.text).split() if (drug := _word(word))}) > 1
            named_ = any(line is each.lines[0] for each in of)
            two = named_ and len(set(_FIGURES.findall(line.text))) > 1  # two rows that ran into one
            if (
                two
                or (others_named(line.text, own) and (several or not unknown))
                or any(line in each.lines[1:] and _of_product(line) for each in of)
            ):
                yield line


_FIGURES = re.compile(r"\d[\d.,]*\s?(?:(?:mcg|micrograms?|mg|g|ml|units?)(?![a-z])(?!\s?/)|%)", re.IGNORECASE)


def _ordinal(text: str) -> int:
    """The number of a line in a list, 0 for none: "2) Tab. Pan 40"."""
    match = re.match(r"\D{0,4}?(\d{1,2})\s?[.):]\s", text)
    return int(match[1]) if match else 0


def _opening(text: str) -> str:
    """The words of a line before its first figure, without those of forms and marks: the name, where it has one."""
    told = re.split(r"\d", NUMBERING.sub("", text, count=1), maxsplit=1)[0]
    found = [each for each in re.findall(r"[^\W\d_][\w-]*", told) if len(each) > 1 and not of_dosing(plain(each))]
    return " ".join(each for each in found if not (small(plain(each)) or harmless(plain(each))))


def _strange(text: str, seen: float) -> DrugMatch | None:
    """What a table has where its medicines stand, and no list of names: a medicine in doubt."""
    told = [each for each in re.findall(r"[^\W\d_][\w-]+", text) if not of_dosing(plain(each))]
    return DrugMatch(" ".join(told), None, 0.5 * seen) if any(_is_strange(each) for each in told) else None


def _says(said: Directions) -> bool:
    """Whether a line says something of how a medicine is taken; a place among other words is none: "hand in at ..."."""
    return said.says_something and (replace(said, site="").says_something or not unexplained(said))


def _is_strange(head: str) -> bool:
    """Whether the words before directions have one that may be the name of a medicine that is in no list."""
    told = [plain(each) for each in head.split()]
    return any(len(each) > 4 and not (small(each) or harmless(each) or of_dosing(each)) for each in told)


def _word(word: str) -> Drug | None:
    """The medicine that a word by itself names."""
    return known(word) if len(word) > SHORTEST else None


def _may_be(match: DrugMatch) -> list[Drug]:
    """What a name is, or may be."""
    if match.drug:
        return [match.drug]
    return [drug for each in match.candidates if (drug := known(each))]


def _of_product(line: TextLine) -> bool:
    """Whether a line below the one of the name may be of another medicine: a word in it is not known, and a figure."""
    said = read_directions(line.text)
    strange = _is_strange(line.text) and any(each.isdigit() for each in line.text)
    return strange or bool(said.strength and said.form and unexplained(said))


def unended(text: str) -> bool:
    """Whether a line of directions breaks off within a sentence: after "every", "and", a figure, a comma."""
    if plain(text).endswith(tuple(page_words()["wrapped"]["complete"])):
        return False
    last = text.rsplit(maxsplit=1)[-1].casefold() if text.strip() else ""
    return last in page_words()["wrapped"]["ends"] or last[-1:] == "," or last.isdigit()


def _goes_on(line: TextLine, unended_: bool) -> bool:
    """Whether a line of a picture goes on with the one above.

    It does where it begins small, has words of the product alone, or that breaks off and this names no medicine.
    """
    told = plain(line.text).split()
    if line.other is None or not told:
        return False
    product = page_words()["product"]["words"]
    small_ = (unended_ or line.text.lstrip("( ")[:1].islower()) and next(names_in(line.text), None) is None
    return small_ or all(each in product for each in told)


def numbered(lines: Sequence[TextLine]) -> list[TextLine]:
    """Lines without the numbers of a list of medicines, 1, 2 and so on, where no mark stands behind them.

    All are bare, or a bare one follows on one with its mark: "1) Tab. Telma 40", "2 Tab. Dolo 650".
    """
    bare = {place: int(match[1]) for place, line in enumerate(lines) if (match := _number(line))}
    marked = {place: number for place, line in enumerate(lines) if (number := _ordinal(line.text))}
    listed = len(bare) > 1 and list(bare.values()) == list(range(1, len(bare) + 1))
    found, last = set(bare) if listed else set(), 0
    for place in sorted({*bare, *marked}):
        if place in marked:
            last = marked[place]
        elif last and bare[place] == last + 1:
            found.add(place)
            last += 1
    return [
        replace(line, text=_BARE.sub("", line.text), other=line.other and _BARE.sub("", line.other))
        if place in found
        else line
        for place, line in enumerate(lines)
    ]


_BARE = re.compile(r"^(\d{1,2})\s+(?=[A-Za-z])")


def _number(line: TextLine) -> re.Match[str] | None:
    """The bare number before a medicine's name in a picture."""
    match = _BARE.match(line.text) if line.other is not None else None
    told = line.text[match.end() :].split() if match else []
    if told and plain(told[0]) in words_of(*FORMS):  # "2 Tab. Telma"
        told = told[1:]
    named_ = any(known(re.split(r"\d", " ".join(told[:length]))[0]) for length in (1, 2, 3))
    return match if named_ else None
