"""Tables of medicines: heads, columns and cells that are wrapped; what a column of another kind has is set aside.

Recognition joins cells that stand close: a piece is cut at the words where another column begins, as its head shows.
Nothing is set aside that has a word of directions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from camphor.health.prescriptions.drugs import find, plain
from camphor.health.prescriptions.lines import NOT_READ, Piece, TextLine, is_supply, joined, page_words
from camphor.health.prescriptions.reading import read_directions
from camphor.health.prescriptions.scanning import harmless, of_dosing
from camphor.health.prescriptions.times import is_amount, is_none, said_already, spoken, timed, told

_NEXT = 2.2
"""From one line to the next within a cell at most, in heights."""
_WITHIN = 1.7
"""From one line to the next within a cell, in heights, that are certainly of one medicine."""
_ROW = 1.45
"""From one line to the next, in heights, from which a row that says several things is of the next medicine."""
_DASH = 0.6
"""Height of a mark that was not read, as a share of a letter's, up to which it is a dash."""
_SLACK = 0.3
"""Heights beside the head of a time up to which a figure still stands below it."""
_LEAST = 2
"""Letters of a word of directions in another column, more than which it is one: "CC 647B" is a batch."""
_SENTENCE = 4
"""Words from which a cell below a name is a sentence of its own."""
_MOST_WORDS = 5
"""Words of the head of a column."""


_Cells = dict[int, list[Piece]]
"""One medicine of a table: its pieces by column."""


class MedicineTable:
    """A table under its heads: a medicine begins where the first column names one."""

    def __init__(self, heads: Sequence[Piece], row: Sequence[Piece]) -> None:
        self._above = [row]  # the rows of the heads
        self._heads = list(heads)
        self._lefts = [each.left for each in heads]
        self._shown = [plain(each.text) for each in heads]
        self._said = spoken([each.text for each in heads])
        # the first column has the directions, too
        self._whole = _head(heads[0].text) in _words("whole") and not any(self._said)
        self._medicines: list[_Cells] = []
        self._bottom = heads[0].y

    def takes(self, row: Sequence[Piece]) -> bool:
        """Whether a row is of the table; it is then part of it."""
        row = _undashed(row)
        cut = [part for each in row for part in self._cut(each)]
        columns = [self._column(each) for each in cut]
        first = " ".join(each.text for column, each in zip(columns, cut, strict=True) if column == 0)
        beside = any(columns)
        step = row[0].y - self._bottom
        tight = step <= _WITHIN * row[0].height
        begins = _begins(first) or (beside and not self._whole and _dosed(first) and not tight)
        begins = begins and not (tight and not beside and self._unfinished())
        apart = len(cut) == len(row) and step > _ROW * row[0].height
        begins = begins or (bool(first) and self._is_next(first, list(zip(columns, cut, strict=True)), apart))
        under = step < _NEXT * row[0].height and not any(each.isdigit() for part in row for each in part.text)
        if not self._medicines and ((under and not begins) or all(_is_head(each.text, "other") for each in row)):
            for column, each in zip(columns, cut, strict=True):
                self._shown[column] += f" {plain(each.text)}"
                self._heads[column] = replace(self._heads[column], text=f"{self._heads[column].text} {each.text}")
            self._said = spoken([each.text for each in self._heads])
            self._above.append(row)
        elif first and begins and (beside or self._whole or step < 3 * _NEXT * row[0].height):
            self._medicines.append({})
            self._add(columns, cut)
        elif self._medicines and not self._whole and self._across(first, row[0], beside or tight):
            return False
        elif self._medicines and step < _NEXT * row[0].height * (2 if self._whole else 1):
            self._add(columns, cut)
        elif first and beside and not self._whole:
            self._medicines.append({})
            self._add(columns, cut)
        else:
            return False
        self._bottom = row[0].y
        return True

    def ends_before(self, row: Sequence[Piece]) -> bool:
        """Whether a row that is not of the table is of none of its medicines: it does not stand close below."""
        return row[0].y - self._bottom > _WITHIN * row[0].height

    def _is_next(self, first: str, row: Sequence[tuple[int, Piece]], apart: bool) -> bool:
        """Whether a row is of the next medicine, be its name known or not.

        It stands apart and says several things, or something of a time; or it says of a time what was said already.
        """
        own = self._medicines[-1] if self._medicines else {}
        words = page_words()["product"]["words"]
        if self._whole or all(each in words for each in plain(first).split()):
            return False
        again = any(
            self._said[column] and column in own and (is_amount(each.text) or is_none(each.text))
            for column, each in row
        )
        columns = {column for column, _ in row if column}
        return again or (apart and (len(columns) > 1 or any(self._said[column] for column in columns)))

    def _unfinished(self) -> bool:
        """Whether the first cell of the last medicine has no strength yet: its name may go on."""
        first = [each.text for cells in self._medicines[-1:] for each in cells.get(0, [])]
        return bool(first) and not self._whole and not _dosed(" ".join(first))

    def _across(self, first: str, piece: Piece, within: bool) -> bool:
        """Whether a row is a line below the table: it runs across columns, or says nothing of the medicine above."""
        if not first:
            return False
        said = plain(first).split()
        own = page_words()["product"]["words"]
        product = within or self._unfinished() or any(each in own or of_dosing(each) for each in said)
        return len(self._cut(piece)) > 1 or (len(said) >= _SENTENCE and not _dosed(first)) or not product

    def _cut(self, piece: Piece) -> list[Piece]:
        """A piece in parts by column; where its words stand follows from how many letters are before them."""
        words = list(re.finditer(r"\S+", piece.text))
        if len(words) < 2 or not piece.seen:
            return [piece]
        step = piece.width / len(piece.text)
        columns = [self._at(piece.left + step * each.start(), piece.height) for each in words]
        others = (piece.other or "").split()
        same = len(others) == len(words)
        found: list[Piece] = []
        for column in sorted(set(columns)):
            of = [place for place, each in enumerate(columns) if each == column]
            start, end = words[of[0]].start(), words[of[-1]].end()
            other = piece.other
            if other is not None:
                other = " ".join(others[place] for place in of) if same else "" if found else piece.other
            left, width = piece.left + step * start, step * (end - start)
            text = piece.text[start:end]
            found.append(replace(piece, x=left + width / 2, width=width, text=text, other=other))
        if sum(bool(self._said[column]) for column in set(columns)) > 1:  # which figure is of which time is a guess
            found = [replace(each, seen=0.0) for each in found]
        return found

    def _is_stray(self, piece: Piece, column: int, names: Sequence[Piece]) -> bool:
        """Whether an amount stands below no head, or beside no line of the name: it may be of another time or row."""
        head = self._heads[column]
        slack = _SLACK * piece.height
        beside = [each.y for each in names]
        level = beside and min(beside) - 2 * slack < piece.y < max(beside) + 2 * slack
        return not level or piece.right < head.left - slack or piece.left > head.right + slack

    def _add(self, columns: Sequence[int], row: Sequence[Piece]) -> None:
        for column, each in zip(columns, row, strict=True):
            self._medicines[-1].setdefault(column, []).append(each)

    def _column(self, piece: Piece) -> int:
        return self._at(piece.left, piece.height)

    def _at(self, left: float, height: float) -> int:
        fits = [(each, number) for number, each in enumerate(self._lefts) if each <= left + height]
        return max(fits)[1] if fits else self._lefts.index(min(self._lefts))

    def lines(self, marks: Sequence[Piece] = ()) -> Iterator[TextLine]:
        """The heads; the medicines, each as the line of its name, a line of what is said of it, and what is set aside.

        Args:
            marks: where there may be a letter that was not read.
        """
        for row in self._above:  # without a medicine it is no table
            yield replace(joined(row), aside=bool(self._medicines))
        numbered = self._numbered()
        for each in self._medicines:
            self._mark(each, marks)
            aside = {column for column in each if self._is_aside(column, each[column])}
            product = [column for column in sorted(each) if column and _is_head(self._shown[column], "product")]
            columns = [column for column in sorted(each) if column and column not in (*aside, *product)]
            if read_directions(joined(_pieces(each, columns)).text if columns else "").stop:
                # what was taken until now tells which one of that name it is
                doses = [column for column in columns if _is_mass(each[column])]
                product, columns = [*product, *doses], [column for column in columns if column not in doses]
            yield from self._named(each, product, numbered)
            pieces, needless = self._told(each, columns)
            if pieces:
                yield joined(pieces)
            for column in sorted({*aside, *needless}):
                line = joined(each[column])
                head = self._shown[column].capitalize()
                other = None if line.other is None else f"{head}: {line.other}"
                yield TextLine(f"{head}: {line.text}", line.seen, other, aside=True)

    def _mark(self, cells: _Cells, marks: Sequence[Piece]) -> None:
        """A cell of a time in which nothing was read, and there is a mark, is not empty."""
        level = [piece for pieces in cells.values() for piece in pieces]
        for mark in marks if any(self._said) else ():
            column = self._column(mark)
            near = any(abs(mark.y - each.y) < each.height / 2 for each in level)
            if near and self._said[column] and column not in cells:
                cells[column] = [replace(mark, text=NOT_READ, other="")]

    def _told(self, cells: _Cells, columns: Sequence[int]) -> tuple[list[Piece], list[int]]:
        """What is said of a medicine, from left to right, and the columns of times that say no more than the others."""
        times = [column for column in columns if self._said[column]]
        others = [column for column in columns if not self._said[column]]
        for column in times:
            first, *more = cells[column]
            if self._is_stray(first, column, cells.get(0, [])):
                cells[column] = [replace(first, seen=0.0), *more]
        of = [(self._said[column], cells[column]) for column in times]
        for column in others:
            if _is_head(self._shown[column], "when"):
                cells[column] = timed(cells[column])
        agree = said_already(joined(_pieces(cells, others)).text, of) if times and others else False
        if agree:
            return _pieces(cells, others), times
        if agree is None:
            return [replace(each, seen=0.0) for each in _pieces(cells, columns)], []
        before = _pieces(cells, [column for column in others if not times or column < times[0]])
        after = _pieces(cells, [column for column in others if times and column > times[0]])
        return [*before, *told(of, before), *after], []

    def _named(self, cells: _Cells, product: Sequence[int], numbered: bool) -> Iterator[TextLine]:
        own = cells.get(0, [])
        if not own:
            return
        rows = [own]
        if self._whole:
            rows = [[each for each in own if each.y == y] for y in dict.fromkeys(each.y for each in own)]
        rows[0] = [*rows[0], *(piece for column in product for piece in cells[column])]
        for place, row in enumerate(rows):
            line = joined(row)
            if numbered and not place:
                bare = re.compile(r"^\d{1,2}[.)]?\s+")
                line = replace(line, text=bare.sub("", line.text), other=line.other and bare.sub("", line.other))
            yield replace(line, begins=not place)

    def _is_aside(self, column: int, pieces: Sequence[Piece]) -> bool:
        if not column or self._said[column] or _head(self._shown[column]) in _words("hours"):
            return False
        if not self._whole and _is_head(self._shown[column], "notes") and _is_harmless(pieces):
            return True
        aside = _is_head(self._shown[column], "aside") or _head(self._shown[column]) in _words("beside")
        if not (self._whole or aside):
            return False
        said = {word for each in pieces for word in plain(each.text).split()}
        supply = page_words()["supply"]["counted"]
        dosing = any(of_dosing(word) and len(word) > _LEAST for word in said.difference(supply))
        return self._whole or not dosing or is_supply(joined(pieces).text)

    def _numbered(self) -> bool:
        """Whether the medicines are numbered from 1, so that the figure before a name is no amount."""
        first = [" ".join(each.text for each in cells.get(0, [])) for cells in self._medicines]
        figures = [re.match(r"(\d{1,2})[.)]?\s", each) for each in first]
        return len(figures) > 1 and [int(each[1]) for each in figures if each] == list(range(1, len(figures) + 1))


def table_of(row: Sequence[Piece]) -> MedicineTable | None:
    """The table that a row is the head of; None where it is none."""
    heads = [head for piece in row for head in _heads(piece)]
    numbers = bool(heads) and _head(heads[0].text) in _words("numbers")
    if (
        len(heads) > 1 and numbers and (_is_medicine(heads[1].text) or not _is_medicine(heads[0].text))
    ):  # "Item" is both
        heads = [replace(heads[1], x=heads[0].left + heads[1].width / 2), *heads[2:]]
    elif len(heads) > 2 and _is_head(heads[0].text, "product") and _is_head(heads[1].text, "medicine"):
        heads = [heads[1], heads[0], *heads[2:]]
    times = spoken([each.text for each in heads])
    if times and times[0]:  # the medicines stand below no head
        edge = heads[0].left - 2 * heads[0].height
        heads = [replace(heads[0], x=edge / 2, width=edge, text="Medicine"), *heads]
    known = len(heads) > 1 and _is_medicine(heads[0].text)
    other = any(times) or any(_is_head(each.text, "other") for each in heads[1:])
    return MedicineTable(heads, row) if known and other else None


def _undashed(row: Sequence[Piece]) -> list[Piece]:
    """A row without the marks that were not read and are too low for letters: dashes."""
    height = max(each.height for each in row)
    return [each for each in row if each.seen or each.height > _DASH * height] or list(row)


def _is_mass(pieces: Sequence[Piece]) -> bool:
    text = " ".join(each.text for each in pieces)
    return _dosed(text) and not re.sub(r"\d[\d.,]*\s?[a-z%]+", "", text, flags=re.IGNORECASE).strip()


def _is_harmless(pieces: Sequence[Piece]) -> bool:
    """Whether a note has no word, in either reading, that may change what is taken."""
    line = joined(pieces)
    words = plain(f"{line.text} {line.other or ''}").split()
    sends, said = page_words()["table"]["sends"], page_words()["table"]["states"]
    also = {*said, *page_words()["supply"]["counted"]}
    return bool(line.seen) and all(
        each in also or (harmless(each) and each not in sends and not of_dosing(each)) for each in words
    )


def _pieces(cells: _Cells, columns: Sequence[int]) -> list[Piece]:
    return [piece for column in columns for piece in cells[column]]


def _heads(piece: Piece) -> list[Piece]:
    """The heads of columns that stand in one piece; the piece where it is not made of known heads."""
    words = list(re.finditer(r"\S+", piece.text))
    step = piece.width / max(1, len(piece.text))
    found: list[Piece] = []
    place = 0
    while place < len(words):
        for length in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            start, end = words[place].start(), words[place + length - 1].end()
            head = piece.text[start:end]
            after = words[place + length].group() if place + length < len(words) else ""
            if head.endswith("/") or after.startswith("/"):  # "Duration / status" is one
                continue
            if _head(head) in _every_head() or spoken([head, "morning"])[0]:
                break
        else:
            return [piece]
        left, width = piece.left + step * start, step * (end - start)
        found.append(replace(piece, x=left + width / 2, width=width, text=piece.text[start:end]))
        place += length
    return found


def _is_medicine(text: str) -> bool:
    return _is_head(text, "medicine") or _head(text) in _words("whole")


_KINDS = ("numbers", "medicine", "whole", "other", "product", "aside", "beside")


@cache
def _every_head() -> frozenset[str]:
    return frozenset().union(*(_words(each) for each in _KINDS))


def _begins(text: str) -> bool:
    """Whether the first cell of a row begins a medicine, and does not go on with the one above."""
    told = plain(text).split()
    named = (find(" ".join(told[start:end])) for start in range(len(told)) for end in range(start + 1, start + 4))
    return bool(re.match(r"\s*\(?\d{1,2}\s?[.)]\s", text)) or any(
        match.drug or (match.candidates and len(match.read) > 6) for match in named
    )


def _dosed(text: str) -> bool:
    return bool(re.search(r"\d\s?(?:mg|mcg|micrograms?|g|ml|units?|%)(?![a-z])", text, re.IGNORECASE))


def _is_head(text: str, kind: str) -> bool:
    """Whether a head is of a kind: one of its list, or made of the words of that list ("Drug name and strength")."""
    told = set(plain(text).split()).difference(page_words()["table"]["joins"])
    own, product = _own_words(kind), _own_words("product")
    also = product if kind == "medicine" else frozenset()
    return _head(text) in _words(kind) or (bool(told & own - also) and told <= own | also)


@cache
def _own_words(kind: str) -> frozenset[str]:
    joins = page_words()["table"]["joins"]
    return frozenset(word for each in page_words()["table"][kind] for word in each.split() if word not in joins)


def _head(text: str) -> str:
    """The head of a column in one form: "GPtodo" and "GP to do"."""
    return plain(text).replace(" ", "")


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(map(_head, page_words()["table"][name]))
