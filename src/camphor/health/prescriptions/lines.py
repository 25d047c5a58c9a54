"""Lines of a prescription, and what kind each is: a letterhead, a printed warning, how much is handed out.

The words by which they are told are in layout.toml and in words.toml.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from camphor.health.prescriptions.directions import Directions
from camphor.health.prescriptions.drugs import Drug, DrugMatch, find, known, plain, table
from camphor.health.prescriptions.lexing import words, words_of
from camphor.health.prescriptions.reading import read_directions
from camphor.health.prescriptions.scanning import harmless, is_drug, of_dosing, small

NOT_READ = "(something is written here that could not be read)"
NUMBERING = re.compile(
    r"^\s*(?:r[x/]\s*[:.]?\s*|[℞P]x?\s+|sig\s?:\s*)?(?:\(?\d{1,2}\s*[.):](?!\d)\s*|[-•*]\s+|(?:\[\s?\]|[☐□])\s*(?=[A-Za-z]))?(?:r[x/]\s*[:.]?\s*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TextLine:
    """One line as it was read; `seen` says how clear it was, 0 to 1, 1 for typed text.

    `other`: the same line as a second reading of the picture has it; None for text that was not read from a picture.
    `aside`: it is of a column that says nothing of how a medicine is taken; `letters`: how clear it is apart from its
    figures; `begins`: a table shows that it is of something else than the line above.
    """

    text: str
    seen: float = 1.0
    other: str | None = None
    aside: bool = False
    letters: float = 1.0
    begins: bool = False


@dataclass(frozen=True)
class Piece:
    """One piece of text: its middle, width and height, on a page that lies straight, and how clear it is.

    `other`: what a second reading has there; `letters`: how clear it is apart from its figures.
    """

    x: float
    y: float
    width: float
    height: float
    text: str
    seen: float
    corners: Any = ()
    other: str | None = None
    letters: float = 1.0

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2


def joined(row: Sequence[Piece]) -> TextLine:
    """The pieces of a row as one line, as clear as the least clear of them."""
    others = [each.text if each.other is None else each.other for each in row]
    read_twice = any(each.other is not None for each in row)
    other = " ".join(each for each in others if each) if read_twice else None
    letters = min(each.letters for each in row)
    return TextLine(" ".join(each.text for each in row), min(each.seen for each in row), other, letters=letters)


def is_letterhead(text: str) -> bool:
    """Whether a line is part of a letterhead, a date, a telephone number or a heading, and no medicine."""
    told = plain(text).split()
    if any(is_drug(each) for each in told) or has_clocks(text):
        return False
    if _opens(told, words()["letterhead"]["openers"]):
        return True
    if any(each in _addresses() for each in told) and (is_marked(text) or not _doses(text)):
        return not taken(read_directions(MARKS.sub("", text)))
    return not MARKS.sub("", text).strip(" .,;:()|-#")


MARKS = re.compile(
    r"(?:\b\d{1,2}[/.-](?:\d{1,2}|[A-Za-z]{3})[/.-](?:\d\d){1,2}\b|\b\d{4}-\d\d-\d\d\b)"  # a date
    r"(?:(?: at)? \d{1,2}[:.]\d\d(?: ?(?i:[ap]m))?)?"
    r"|(?<![\w/])(?:0?[1-9]|1[0-2])/20\d\d\b"
    r"|(?<!\d)(?:\+|\(?0)\d[\d ()-]{6,}\d|\(?\d{3}\)?[ .-]?\d{3}[ .-]\d{4}\b"  # a telephone number
    r"|\b[A-Z]{1,2} ?\d[A-Z\d]? ?\d[A-Z]{2}\b|\b[A-Z]{2},? \d{4,5}\b|\b[A-Z]\d\d [A-Z\d]{4}\b"  # a postcode
    r"|\b[A-Z]{2,}\d+[A-Z]*\d{3,}\b|\b\d{5,}\b"  # the number of a form, a licence, a person
)


def has_clocks(text: str) -> bool:
    """Whether a line is hours of the day, four figures each, and no telephone number: "0800 1700"."""
    return bool(re.fullmatch(r"\W*(?:(?:[01]\d|2[0-3])[0-5]\d\W*)+", text))


def looked_alike(text: str) -> str:
    """A text of a picture in which letters that a reading takes for others are put right, where nothing else can be
    meant: "imi" is 1 ml, "5 mI" 5 ml, "microgramsldose" micrograms/dose.
    """
    text = re.sub(r"(?<![^\W_])[iIl]m[iIl1](?![^\W_])", "1ml", text)
    text = re.sub(r"(?<=\d)(\s?)m[I1|](?![^\W_])", r"\1ml", text)
    return re.sub(r"(?i)(micrograms?|mcg|mg|units?)[lI|](dose|ml|puff|hour|hr)", r"\1/\2", text)


def is_marked(text: str) -> bool:
    """Whether a line has a date, a telephone number, a postcode or another long number."""
    return bool(MARKS.search(text)) and not has_clocks(text)


def taken(said: Directions) -> bool:
    """Whether a text says for certain how something is taken, and not only a number."""
    return bool(said.often or said.at or said.as_needed or said.steps or said.stop or said.most or said.by_time)


def doses_surely(said: Directions) -> bool:
    """Whether a text says how much is taken, and not only a number."""
    counted = said.amount is not None and bool(said.amount.unit or said.says_when)
    return counted or bool(said.by_time or said.steps or said.stop)


def is_caution(text: str) -> bool:
    """Whether a line is a printed warning that changes nothing in the directions."""
    told = plain(text).split()
    if not _opens(told, page_words()["cautions"]["openers"]):
        return False
    said = read_directions(text)
    return not (said.often or said.most or said.at) and not is_drug(told[0])


def is_advice(text: str) -> bool:
    """Whether a line is what else a doctor wrote below the medicines: tests, diet, when to come again."""
    told = plain(text).split()
    if not _opens(told, page_words()["advice"]["openers"]):
        return False
    return not (doses_surely(read_directions(MARKS.sub("", text))) or any(is_drug(each) for each in told))


def _opens(told: list[str], openers: Iterable[str]) -> bool:
    """Whether the words of a line begin with one of these."""
    return any(told[: len(each)] == each for each in (opener.split() for opener in openers))


def _doses(text: str) -> bool:
    said = read_directions(text)
    # "14 High Street": a bare number is no dose
    counted = said.amount is not None and bool(said.amount.unit)
    return bool(counted or said.often or said.at or said.strength or said.stop)


def is_supply(text: str) -> bool:
    """Whether a line says how much is handed out, or how often again: "28 tablets", "Qty: 45", "Refills 3"."""
    told = page_words()["supply"]
    words_ = plain(re.sub(r"(?<=[^\W\d_])(?=\d)", " ", text)).split()  # "QTY16"
    if _opens(words_, told["openers"]):
        said = read_directions(MARKS.sub("", text))
        says = (
            said.often
            or (said.at and not is_marked(text))
            or said.weekdays
            or said.as_needed
            or said.steps
            or said.stop
            or said.most
        )
        return not says and not any(is_drug(each) for each in words_)
    packed = "".join(text.split()).casefold().replace("×", "x")
    return bool(re.fullmatch(rf"\(?{_COUNT}(?:x{_COUNT})?({_counted()})\)?", packed))


_COUNT = r"\d+(?:\.\d+)?"


_LEAST_PACK = 10


def without_pack(line: TextLine, below: str) -> TextLine:
    """A line of a medicine without how many are handed out, which a label has before the name.

    "28 Ramipril 5mg capsules", "100ml Amoxicillin 250mg/5ml suspension", "1 x 120 dose Trimbow inhaler"; so are few
    ones where the line below says how many are taken. Where the number is what is taken, no dose is left: a doubt.
    """
    match = _pack().match(line.text)
    if match is None:
        return _without_end(line)
    many = match["times"] or match["counted"] or float(match["count"]) >= _LEAST_PACK
    if not many and not doses_surely(read_directions(below)):
        return line
    rest = line.text[match.end() :]
    said = read_directions(rest)
    first = rest.split(maxsplit=1)[0]
    named = bool(said.head) and said.head.split()[0] == first and plain(first) not in words_of("MASS")
    if said.says_when or not named or not (said.strength or said.form):
        return _without_end(line)
    form = f"{match['counted']} " if match["counted"] and not said.form else ""
    return replace(line, text=form + rest, other=line.other and form + _pack().sub("", line.other))


def _without_end(line: TextLine) -> TextLine:
    """A line of a medicine without how many are handed out, behind its strength and form: "0.5% eye drops 10ml"."""
    match = _pack_behind().search(line.text)
    if match is None:
        return line
    enough = match["times"] or float(match["count"]) >= _LEAST_PACK or (match["count"] == "1" and match["x"])
    said = read_directions(line.text[: match.start()])
    if not enough or said.says_when or not (said.head and said.strength and said.form):
        return line
    return replace(line, text=line.text[: match.start()], other=line.other and _pack_behind().sub("", line.other))


@cache
def _pack_behind() -> re.Pattern[str]:
    times = r"(?:(?P<times>\d{1,2}\s?[x×]\s?)|(?P<x>[x×]\s?))?"
    return re.compile(rf"[\s,(]+{times}(?P<count>{_COUNT})(?:\s?(?:{_counted()}))?[\s)]*$", re.IGNORECASE)


@cache
def _pack() -> re.Pattern[str]:
    times = r"(?P<times>\d{1,2}\s?[x×]\s?)?"
    counted = rf"(?P<count>{_COUNT})(?:\s?(?P<counted>(?i:{_counted()})))?(?:\s?[x×])?"
    return re.compile(rf"^{times}{counted}\s+(?:of\s+)?(?=[^\W\d_]{{2}})")


@cache
def _counted() -> str:
    return "|".join(map(re.escape, page_words()["supply"]["counted"]))


def page_words() -> dict[str, Any]:
    """The word lists of layout.toml."""
    return table("layout.toml")


@cache
def _addresses() -> frozenset[str]:
    return frozenset(words()["letterhead"]["addresses"])


def unexplained(said: Directions) -> bool:
    """Whether a line has words that nothing explains: a name that is not known, say."""
    told = [each for each in plain(said.text).split() if not any(letter.isdigit() for letter in each)]
    return any(len(each) > 3 and not (small(each) or harmless(each)) for each in told)


# the names of medicines in a line


FORMS = ("FORM", "FORMWORD", "COUNT")
SHORTEST = 3
"""Letters of a word, more than which it has to name a medicine by itself."""
_LONG = 7
"""Letters from which a strange word that is near a name may be one."""


def named(said: Directions, seen: float) -> DrugMatch | None:
    """The medicine's name in a line; None where the line names none."""
    head = [each for each in said.head.split() if not small(each.casefold()) or each.casefold() == "co"]
    told = head or [each for each in re.findall(r"[^\W\d_][\w-]*", said.text) if is_drug(each)]
    if said.stop and not told:
        told = [
            each
            for each in re.findall(r"[^\W\d_][\w-]{2,}", said.text)
            if not (small(each.lower()) or harmless(each.lower()))
            and each.casefold() not in said.read.get("stop", "").casefold()
        ]
    for length in range(min(6, len(told)), 0, -1):
        for start in range(len(told) - length + 1):
            match = find(" ".join(told[start : start + length]), seen)
            if match.drug is not None:
                return match
    near = [
        match
        for length in (2, 1)
        for start in range(len(told) - length + 1)
        if (match := find(" ".join(told[start : start + length]), seen)).candidates
    ]
    if near:
        return max(near, key=lambda each: each.confidence)
    # a name that is not in the list still stands before what is said of it
    strange = [each for each in told if not harmless(each.casefold()) and len(each) > 2]
    if strange and (said.strength or said.form or said.says_something):
        return DrugMatch(" ".join(told), None, 0.5 * seen)
    return None


def names_in(text: str) -> Iterator[tuple[str, Drug]]:
    """The names of medicines in a text, and words that are near one, with what they are or may be."""
    told = re.findall(r"[^\W\d_][\w-]*", text)
    for place, word in enumerate(told):
        for length in (3, 2, 1):
            read = " ".join(told[place : place + length])
            if len(read) > SHORTEST and (drug := known(read)):
                yield read, drug
                break
        else:
            bare = plain(word)
            strange = len(bare) >= _LONG and not (small(bare) or harmless(bare) or of_dosing(bare))
            near = find(word).candidates if strange and not is_drug(bare) else ()
            if is_drug(bare) or near:
                drug = find(near[0] if near else f"co {bare}").drug or find(bare).drug
                if drug:
                    yield word, drug


def others_named(text: str, ingredients: Collection[str]) -> str:
    """The first words of a text that are, or are near, the name of another substance than these; "" for none."""
    return next((read for read, drug in names_in(text) if not set(drug.ingredients) <= set(ingredients)), "")


def _of_make(word: str) -> bool:
    """Whether a word may stand between a name and its make: a strength or a form."""
    return word[:1].isdigit() or plain(word) in words_of(*FORMS, "MASS")


def version_of(line: str, match: DrugMatch) -> str:
    """What stands behind a medicine's name and is part of it: "MR", "Respimat", the "30" of an insulin.

    The make may stand behind the strength: "Tamsulosin 400microgram MR capsules".
    """
    _, _, after = line.partition(match.read)
    told = after.split()
    insulin = match.drug is not None and any("insulin" in each for each in match.drug.ingredients)
    found = told[:1] if insulin and told and told[0].isdigit() and len(told[0]) == 2 else []
    makes = {tuple(each.split()) for each in page_words()["product"]["versions"]}
    place = len(found)
    while place < len(told):
        of = next((size for size in (2, 1) if tuple(plain(" ".join(told[place : place + size])).split()) in makes), 0)
        if not of and not _of_make(told[place]):
            break
        found += [each.strip(",;()") for each in told[place : place + of]]
        place += of or 1
    return " ".join(found)
