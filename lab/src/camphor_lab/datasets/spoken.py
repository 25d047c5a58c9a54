"""Gold in the words of the query as it was said: what capitals and marks a style dropped, nobody can copy."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from camphor_lab.datasets.moments import MONTHS, WEEKDAYS
from camphor_lab.datasets.style import as_said
from camphor_lab.datasets.wishes import Act

_WRITTEN = frozenset(("content", "event_title"))  # free text, which the assistant begins with a capital
_ALWAYS = {name.lower(): name for name in (*WEEKDAYS, *MONTHS) if name not in ("March", "May")}


def strings(value: Any) -> Iterable[str]:
    """Every text in a device file: what a look-up shows can be copied from there."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def in_words_of(query: str, style: str, act: Act, known: Collection[str], names: Collection[str]) -> Act:
    """The action with its free texts as the restyled query has them; gold takes both, the said one first.

    Args:
        known: texts of the phone's records, which stay as they are there.
        names: capitalised words that an assistant knows: of the contacts.
    """
    human, gold = dict(act.human), dict(act.gold)
    for name, value in act.human.items():
        copied = gold.get(name) == value or isinstance(gold.get(name), dict)
        if not isinstance(value, str) or value in known or not copied:
            continue
        said = as_said(value, style)
        if said == value or said.lower() not in query.lower():
            continue
        written = _capitals(said, names) if name in _WRITTEN else said
        if written != value:
            human[name] = written
            options = gold[name]["any_of"] if isinstance(gold[name], dict) else [gold[name]]
            gold[name] = {"any_of": [written, *(option for option in options if option != written)]}
    return replace(act, human=human, gold=gold)


def _capitals(text: str, names: Collection[str]) -> str:
    known = {**{name.lower(): name for name in names}, **_ALWAYS, "i": "I"}
    text = re.sub(r"[^\W\d_]+", lambda found: known.get(found.group(), found.group()), text)
    return text[:1].upper() + text[1:]
