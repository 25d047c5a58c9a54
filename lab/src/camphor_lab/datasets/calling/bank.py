"""Reads a bank of phrases for function calling (`bank/README.md`) and checks every phrase against the functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from camphor.errors import ArgumentError, CallSyntaxError, DatasetError
from camphor.tools.invoke import check
from camphor.tools.plans import Plan, Reference, plan_from_json, references
from camphor.tools.tool import Toolbox
from camphor.types import Call
from camphor_lab.datasets.calling.slots import SLOT_NAME, SlotSampler, Values
from camphor_lab.datasets.calling.times import Drawn, NoWords
from camphor_lab.datasets.files import read_toml

ROOT = Path(__file__).parent / "bank"
SPLITS = ("train", "test")
FORMS = ("command", "question", "statement")
_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_KEYS = frozenset(("text", "calls", "join", "form"))
_NOON = datetime(2026, 3, 12, 12, 0)
_DRAWS = 2  # of every wording, when it is checked


@dataclass(frozen=True)
class CallPhrase:
    """Wordings of the same calls; `place` says where it was read."""

    texts: tuple[str, ...]
    calls: Plan
    place: str
    form: str = ""
    join: bool = True

    @property
    def functions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(call.name for call in self.calls))

    @property
    def nested(self) -> bool:
        return any(True for call in self.calls for _ in references(call))


@dataclass(frozen=True)
class CallBank:
    """The phrases and values of one split."""

    split: str
    phrases: tuple[CallPhrase, ...]
    values: Values

    def about(self, function: str) -> list[CallPhrase]:
        return [phrase for phrase in self.phrases if function in phrase.functions]


@dataclass(frozen=True)
class Filled:
    """One phrase with values: the text, its calls, the words that must stay whole, and what was computed from which.

    `sources` is by place in the plan ("0.EXTRA_HOUR"), each with the wordings that the value can come from; `copied`
    are the places whose texts come from the query as they are. `open_end` where the text ends in free words, which take
    nothing after them.
    """

    text: str
    calls: Plan
    kept: tuple[str, ...]
    sources: Mapping[str, tuple[str, ...]]
    copied: frozenset[str]
    dated: bool
    open_end: bool
    phrase: CallPhrase


def read_bank(folder: Path, split: str, tools: Toolbox) -> CallBank:
    """One split of a bank, checked.

    Raises:
        DatasetError: a file cannot be read or a phrase is wrong; says all that is wrong, with file and line.
    """
    values: dict[str, list[Any]] = {}
    for path in sorted((folder / f"values_{split}").glob("*.toml")):
        for name, entries in read_toml(path).items():
            values.setdefault(name, []).extend(_entries(path, name, entries))
    phrases: list[CallPhrase] = []
    problems: list[str] = []
    files = sorted((folder / split).glob("*.toml"))
    if not files:
        raise DatasetError(str(folder / split), None, "holds no .toml files with phrases")
    for path in files:
        for number, table in enumerate(_tables(path)):
            place = f"{path.name}, line {_line(path, number)}"
            try:
                phrases.append(_phrase(table, place))
            except (ValueError, CallSyntaxError) as error:
                problems.append(f"{place}: {error}")
    bank = CallBank(split, tuple(phrases), values)
    problems += problems_of(bank, tools)
    if problems:
        shown = "\n  ".join(problems[:40])
        raise DatasetError(str(folder / split), None, f"{len(problems)} problems:\n  {shown}")
    return bank


def _entries(path: Path, name: str, entries: Any) -> list[Any]:
    texts = isinstance(entries, list) and all(isinstance(entry, str | dict) and entry for entry in entries)
    if not texts:
        raise DatasetError(str(path), None, f"{name}: expected a list of texts or of tables of texts")
    return list(entries)


def _tables(path: Path) -> list[Any]:
    tables = read_toml(path).get("phrase", [])
    if not isinstance(tables, list):
        raise DatasetError(str(path), None, "expected tables called [[phrase]]")
    return tables


def _line(path: Path, number: int) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = [at for at, line in enumerate(lines, 1) if line.replace(" ", "").startswith("[[phrase]]")]
    return heads[number] if number < len(heads) else 1


def _phrase(table: Mapping[str, Any], place: str) -> CallPhrase:
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise ValueError(f"{unknown[0]} is unknown: a phrase has {', '.join(sorted(_KEYS))}")
    texts = [table["text"]] if isinstance(table.get("text"), str) else table.get("text")
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError("expected text: one wording or a list of them")
    form = table.get("form", "")
    if form and form not in FORMS:
        raise ValueError(f"form {form!r} is unknown: choose {', '.join(FORMS)}")
    calls = plan_from_json(table.get("calls"))
    if not calls:
        raise ValueError("expected calls: at least one")
    return CallPhrase(tuple(texts), calls, place, form, bool(table.get("join", True)))


# ---- checks ----------------------------------------------------------------------------------------------------------


def problems_of(bank: CallBank, tools: Toolbox) -> list[str]:
    """What is wrong with the phrases of a bank, a line each."""
    sampler = SlotSampler(Random(0), bank.split, _NOON, bank.values)
    return [f"{phrase.place}: {problem}" for phrase in bank.phrases for problem in _problems(phrase, sampler, tools)]


def _problems(phrase: CallPhrase, sampler: SlotSampler, tools: Toolbox) -> Iterator[str]:
    missing = [call.name for call in phrase.calls if call.name not in tools]
    if missing:
        yield f"there is no function {missing[0]}"
        return
    for text in phrase.texts:
        shown = f'"{text if len(text) < 60 else text[:57] + "..."}"'
        unknown = [slot for slot, _ in _SLOT.findall(text) if kind_of(slot, sampler) is None]
        if unknown:
            yield f"{shown}: there is no slot {{{unknown[0]}}}"
            continue
        unsaid = sorted(_used(phrase.calls) - _always_said(text))
        if unsaid:
            yield f"{shown}: the calls use {{{unsaid[0]}}}, which not every alternative of the wording says"
            continue
        try:
            for _ in range(_DRAWS):
                _check_calls(fill(phrase, text, sampler).calls, tools)
        except NoWords:
            continue
        except (ValueError, ArgumentError) as error:
            yield f"{shown}: {error}"


def _check_calls(calls: Plan, tools: Toolbox) -> None:
    for place, call in enumerate(calls):
        tool = tools.get(call.name)
        later = [reference.to for reference in references(call) if reference.to >= place]
        if later:
            raise ValueError(f"call {place} uses the result of call {later[0]}, which comes no earlier")
        plain = {name: value for name, value in call.arguments.items() if not any(True for _ in references(value))}
        filler = {name: "x" for name in call.arguments if name not in plain}
        for name in filler:
            parameter = tool.parameter(name)
            if parameter is not None and parameter.type in ("array", "object"):
                filler[name] = ["x"] if parameter.type == "array" else {"x": "x"}  # type: ignore[assignment]
        checked = check(tool, Call(call.name, {**plain, **filler}))
        changed = [name for name, value in plain.items() if checked.arguments.get(name) != value]
        if changed:
            raise ValueError(f"{call.name}: {changed[0]} is {plain[changed[0]]!r}: not of its type")


def _always_said(text: str) -> set[str]:
    """The slots that every choice of alternatives says."""
    said = {slot for slot, _ in _SLOT.findall(_CHOICE.sub(" ", text))}
    for choice in _CHOICE.findall(text):
        said |= set.intersection(*({slot for slot, _ in _SLOT.findall(part)} for part in choice.split("|")))
    return said


def _used(value: Any) -> set[str]:
    """The slots that calls use."""
    if isinstance(value, Call):
        return _used(value.arguments)
    if isinstance(value, Mapping):
        return set().union(*(_used(each) for each in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(_used(each) for each in value))
    return {slot for slot, _ in _SLOT.findall(value)} if isinstance(value, str) else set()


# ---- filling ---------------------------------------------------------------------------------------------------------


def kind_of(slot: str, sampler: SlotSampler) -> str | None:
    """The kind of a slot: `name2` is a name; None where there is no such kind."""
    if sampler.knows(slot):
        return slot
    found = SLOT_NAME.fullmatch(slot)
    return found[1] if found and sampler.knows(found[1]) else None


def fill(phrase: CallPhrase, text: str, sampler: SlotSampler) -> Filled:
    """A wording with values drawn for its slots.

    Raises:
        ValueError: a slot or a field that does not exist.
        NoWords: no fitting values were drawn.
    """
    text = _CHOICE.sub(lambda found: sampler.rng.choice(found[1].split("|")), text)
    text = re.sub(r"\s+([,.;:?!])", r"\1", " ".join(text.split()))
    drawn = _draw_all(text, sampler)
    kept: list[tuple[str, str, str]] = []

    def put(found: re.Match[str]) -> str:
        words = _shown(drawn[found[1]], found[1], found[2])
        kept.append((found[1], found[2] or "", words))
        return words

    query = _SLOT.sub(put, text)
    drawn = {slot: _with_sources(one, [each for each in kept if each[0] == slot]) for slot, one in drawn.items()}
    sources: dict[str, tuple[str, ...]] = {}
    copied: set[str] = set()
    calls = tuple(
        Call(call.name, _value(call.arguments, drawn, str(place), sources, copied))
        for place, call in enumerate(phrase.calls)
    )
    last = re.search(r"\{(\w+)(?:\.\w+)?\}$", text)
    open_end = bool(last) and kind_of(last[1] if last else "", sampler) in sampler.values
    return Filled(
        query,
        calls,
        tuple(words for _, _, words in kept),
        sources,
        frozenset(copied),
        any(one.dated for one in drawn.values()),
        open_end,
        phrase,
    )


def _with_sources(drawn: Drawn, shown: Sequence[tuple[str, str, str]]) -> Drawn:
    """Of a table, the fields that the text does not show are what the shown ones mean."""
    if drawn.value is not None:
        return drawn
    said = {field for _, field, _ in shown}
    words = tuple(words for _, _, words in shown)
    return replace(drawn, sources={field: words for field in drawn.fields if field not in said})


def _draw_all(text: str, sampler: SlotSampler) -> dict[str, Drawn]:
    drawn: dict[str, Drawn] = {}
    for slot, _ in _SLOT.findall(text):
        if slot in drawn:
            continue
        kind = kind_of(slot, sampler)
        if kind is None:
            raise ValueError(f"there is no slot {{{slot}}}")
        taken = {mark for each in drawn.values() for mark in _marks(each)}
        for _ in range(8):
            one = sampler.draw(kind)
            if taken.isdisjoint(_marks(one)):
                break
        else:
            raise NoWords(slot)
        drawn[slot] = one
    return drawn


def _marks(drawn: Drawn) -> tuple[str, ...]:
    """What no other value of the same wording may have: its words, and what it means ("a PDF", "a PDF file")."""
    return (f"{drawn.words}|{drawn.shown}", *([str(drawn.fields)] if drawn.fields else ()))


def _shown(drawn: Drawn, slot: str, field: str) -> str:
    if not field:
        if not drawn.words:
            raise ValueError(f"{{{slot}}} is a table: write {{{slot}.FIELD}}")
        return drawn.words
    if field not in drawn.shown:
        raise ValueError(f"{{{slot}.{field}}} cannot stand in a text")
    return drawn.shown[field]


def _value(
    value: Any, drawn: Mapping[str, Drawn], place: str, sources: dict[str, tuple[str, ...]], copied: set[str]
) -> Any:
    """A value of a call's template with its slots filled; notes what is computed and what is copied."""
    if isinstance(value, Reference):
        return value
    if isinstance(value, Mapping):
        return {name: _value(each, drawn, f"{place}.{name}", sources, copied) for name, each in value.items()}
    if isinstance(value, list):
        return [_value(each, drawn, f"{place}.{at}", sources, copied) for at, each in enumerate(value)]
    if not isinstance(value, str):
        return value
    whole = _SLOT.fullmatch(value)
    if whole:
        one, field = drawn[whole[1]], whole[2] or ""
        if field in one.sources:
            sources[place] = one.sources[field]
        else:
            copied.add(place)
        return _field(one, whole[1], field)
    if _SLOT.search(value):
        copied.add(place)
    return _SLOT.sub(lambda found: str(_field(drawn[found[1]], found[1], found[2] or "")), value)


def _field(drawn: Drawn, slot: str, field: str) -> Any:
    if not field:
        if drawn.value is None:
            raise ValueError(f"{{{slot}}} is a table: write {{{slot}.FIELD}}")
        return drawn.value
    if field not in drawn.fields:
        raise ValueError(f"{{{slot}}} has no field {field}: {', '.join(drawn.fields) or 'none'}")
    return drawn.fields[field]
