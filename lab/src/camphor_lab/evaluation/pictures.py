"""Scores the reading of pictures of prescriptions: each medicine with its name, its strength and its directions.

A medicine is *silently wrong* where the person is shown a field for certain that is something else on the paper, where
it is missing and nothing of it is shown as not understood, or where what is no medicine would be kept as one. What the
page asks of a reading that is right (a medicine to be stopped, a dose that changes) is no doubt of the reading.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from camphor.errors import DatasetError, UsageError
from camphor.health.prescriptions.drugs import plain
from camphor.health.prescriptions.lexing import words_of
from camphor.health.prescriptions.lines import NUMBERING, TextLine, page_words
from camphor.health.prescriptions.parse import Prescribed, Prescription, parse
from camphor.health.prescriptions.reading import read_directions
from camphor_lab.evaluation import directions
from camphor_lab.evaluation.directions import DOUBT, RIGHT, WRONG, ReadDirections, ScoredDirections

UNREAD = "not read, and that is said"
OUTCOMES = (RIGHT, directions.INCOMPLETE, DOUBT, UNREAD, WRONG)
EXTRA = "no medicine, and in doubt"
_SAME = 70.0
"""How alike two names are, of 100, to be those of one medicine."""
_UNITS = {
    "micrograms": "mcg",
    "microgram": "mcg",
    "units": "unit",
    "iu": "unit",
    "grams": "g",
    "gram": "g",
    "hours": "hour",
    "h": "hour",
    "hr": "hour",
}


def read_items(folder: Path) -> list[Mapping[str, Any]]:
    """The pictures of a folder with what they say (items.jsonl).

    Raises:
        UsageError: there are none. DatasetError: one breaks the form.
    """
    path = folder / "items.jsonl"
    if not path.is_file():
        raise UsageError(f"{folder} has no items.jsonl: give a folder such as data/prescription-pictures-development")
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            item = json.loads(line)
            told = [each["gold"].keys() >= set(directions.FIELDS) and each["text"] for each in item["medicines"]]
            if not all(told) or not (folder / item["file"]).is_file():
                raise KeyError
        except (json.JSONDecodeError, KeyError, TypeError):
            raise DatasetError(
                str(path), number, "expected a file and its medicines as the README names them"
            ) from None
        found.append(item)
    return found


def fingerprint(folder: Path) -> str:
    """SHA-256 over the items."""
    return hashlib.sha256((folder / "items.jsonl").read_bytes()).hexdigest()


def score(item: Mapping[str, Any], read: Prescription) -> list[ScoredDirections]:
    """The medicines of one picture, then what was taken for one and is none."""
    found = []
    left = list(read.medicines)
    for number, gold in enumerate(item["medicines"], 1):
        told = {**gold, "id": f"{item['id']}.{number}", "tags": _tags(item)}
        near = max(left, key=lambda each: (_is_of(gold, each), _lines_alike(gold, each)), default=None)
        if near is None or _is_of(gold, near) < _SAME:
            shown = any(not line.seen or _within(gold["name"], line.text) for line in read.not_understood)
            found.append(_missing(told, shown))
        else:
            left.remove(near)
            found.append(_scored(told, near))
    return [*found, *(_extra(item, each) for each in left)]


def refused(item: Mapping[str, Any]) -> list[ScoredDirections]:
    """The medicines of a picture of which the person was told that it cannot be read."""
    return [
        _missing({**gold, "id": f"{item['id']}.{number}", "tags": _tags(item)}, True)
        for number, gold in enumerate(item["medicines"], 1)
    ]


def evaluate(
    folder: Path, reader: Callable[[Path], Sequence[TextLine]], done: Callable[[], None]
) -> list[ScoredDirections]:
    """Every picture of a folder, as the person would get it; `done` is called after each. Raises: as `read_items`."""
    found: list[ScoredDirections] = []
    for item in read_items(folder):
        try:
            found += score(item, parse(reader(folder / item["file"])))
        except UsageError:
            found += refused(item)
        done()
    return found


def metrics(scored: Sequence[ScoredDirections]) -> dict[str, Any]:
    """Counts and shares of the outcomes of medicines, by tag, and which fields were silently wrong."""
    medicines = [each for each in scored if each.outcome != EXTRA]
    told = directions.metrics(medicines, OUTCOMES)
    return {**told, "extra_in_doubt": len(scored) - len(medicines)}


def _tags(item: Mapping[str, Any]) -> tuple[str, ...]:
    return item["layout"], "hard" if item["hard"] else "clear"


def _scored(gold: Mapping[str, Any], read: Prescribed) -> ScoredDirections:
    doubts = frozenset(name for each in read.said.doubts for name in each.fields)
    whys = (*(each.why for each in read.said.doubts), *(each.why for each in read.doubts.values()))
    found = directions.score(gold, ReadDirections(read.said.to_json(), doubts, tuple(dict.fromkeys(whys))))
    # that a pen injects is said by its name: the gold has it where the directions say it, too
    injected = ("site", "injection", None) if read_directions(gold["line"]).form == "injection" else None
    wrong = [each for each in found.wrong if each != injected]
    own = {name for name in ("name", "strength") if read.fields[name].doubtful}
    name = re.sub(r" \(.*\)$", "", read.name)
    if "name" not in own and not _same_name(name, gold):
        wrong.append(("name", name, gold["name"]))
    strength = read.fields["strength"].value or ""
    if "strength" not in own and not _same_strength(strength, gold):
        wrong.append(("strength", strength, gold["strength"]))
    outcome = WRONG if wrong else DOUBT if own or doubts else RIGHT if found.outcome == WRONG else found.outcome
    return replace(found, outcome=outcome, wrong=tuple(wrong))


def _same_name(read: str, gold: Mapping[str, Any]) -> bool:
    """Whether a name is the one of the page: what tells one product from another may not lack, and what more there is
    must be printed. A plain form is no part of a name, though some hands write it there.
    """
    told, right, line = (set(_short(plain(each)).split()) for each in (read, gold["name"], gold["line"]))
    forms = {part for each in (*words_of("FORM", "ROUTE"), "ophthalmic") for part in each.split()}
    makes = {part for each in page_words()["product"]["versions"] for part in each.split()}
    return right - (forms - makes) <= told and told - right <= line


def _short(name: str) -> str:
    return re.sub(r"\b(?:modified|prolonged|extended|sustained) release\b", "mr", name)


def _same_strength(read: str, gold: Mapping[str, Any]) -> bool:
    told = _strength(gold["strength"] or "")
    amount = gold["gold"]["amount"]
    taken = f"{amount:g}{gold['gold']['unit']}" if isinstance(amount, int | float) else ""
    # "Paracetamol 1 g qid": what is taken is all that is said
    bare = told.isdigit() and _strength(read).rstrip("abcdefghijklmnopqrstuvwxyz") == told  # "Creon 25000"
    return _strength(read) == told or bare or (not read and told == _strength(taken))


def _strength(text: str) -> str:
    words = re.findall(r"\d+(?:\.\d+)?|[a-z%]+|/", text.casefold().replace(",", ""))
    told = "".join(f"{float(each):g}" if each[0].isdigit() else _UNITS.get(each, each) for each in words)
    return told.removesuffix("/dose")  # of a spray or an inhaler: some hands write it, some do not


def _missing(gold: Mapping[str, Any], shown: bool) -> ScoredDirections:
    wrong = () if shown else (("name", None, gold["name"]),)
    return ScoredDirections(gold["id"], gold["text"], gold["tags"], UNREAD if shown else WRONG, wrong)


def _extra(item: Mapping[str, Any], read: Prescribed) -> ScoredDirections:
    text = " / ".join(line.text for line in read.lines)
    certain = not read.doubts and read.plan is not None
    wrong = (("name", read.name, None),) if certain else ()
    return ScoredDirections(f"{item['id']}.extra", text, _tags(item), WRONG if certain else EXTRA, wrong)


def _alike(one: str, other: str) -> float:
    return fuzz.token_set_ratio(plain(re.sub(r" \(.*\)$", "", one)), plain(other))


def _is_of(gold: Mapping[str, Any], read: Prescribed) -> float:
    """How alike a medicine of the page and one that was read are: their names, or, where that is in doubt, their lines.

    A person who is asked what "Eklira" is sees beside it the line "Eklira Genuair 322micrograms".
    """
    named = _alike(read.name, gold["name"])
    if not (read.fields["name"].doubtful and read.lines):
        return named
    return max(named, _lines_alike(gold, read))


def _lines_alike(gold: Mapping[str, Any], read: Prescribed) -> float:
    told, line = plain(gold["line"]), plain(NUMBERING.sub("", read.lines[0].text)) if read.lines else ""
    return fuzz.ratio(line[: len(told)], told)


def _within(name: str, line: str) -> bool:
    return fuzz.partial_ratio(plain(name), plain(line)) >= _SAME
