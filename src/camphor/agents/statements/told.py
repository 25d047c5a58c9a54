"""What a person is told where a capable model answered in its own words, held against the phone (standing.py)."""

from __future__ import annotations

import re

from camphor.agents.answers import list_findings
from camphor.agents.display import show_record
from camphor.agents.gate.words import content
from camphor.agents.statements.standing import LONGEST, Standing, Statements, plain_text, sentences
from camphor.types import Observation

NO_ANSWER = "The model gave no answer that I can show: ask again, in other words perhaps."
_NOTHING_DONE = "Nothing was done."
_SOURCES = 2  # records that are shown beside an answer


def own_words(text: str, statements: Statements, records: str, *, acted: bool) -> str:
    """A model's answer where all of it may be told; else what code says in its place.

    Args:
        records: what the phone's records say about the query, "" where they say nothing.
        acted: whether actions were proposed for the query: of these code tells.
    """
    told = _shortened(plain_text(text))
    each = [(sentence, statements.standing(sentence)) for sentence in sentences(told)]
    claimed = any(standing is Standing.CLAIMED for _, standing in each)
    made_up = any(standing is Standing.MADE_UP for _, standing in each)
    left = " ".join(sentence for sentence, standing in each if standing is not Standing.CLAIMED)
    if acted:  # what was done is told already; what else is told must be right
        return records if made_up else left if claimed else told
    denies = any(statements.denies(sentence) for sentence, _ in each)
    denied = bool(records) and denies and statements.of_the_phone and not statements.looked_up
    if made_up or denied or not told:
        left = records or (_nothing(statements) if made_up or statements.looked_up else NO_ANSWER)
    elif not claimed:
        return f"{told}\n{_sources(told, statements)}".strip()
    return f"{left} {_NOTHING_DONE}".strip() if claimed else left


def _sources(told: str, statements: Statements) -> str:
    """The records that an answer in other words than theirs is about, so that the person sees what it rests on."""
    scene = statements.scene
    records = scene.known.found[-1] if scene.known.found else ()
    if not records or not statements.not_borne_out(told):
        return ""
    best: list[str] = []
    left = _telling(told)
    shown = [show_record(each.record, scene.now.year) for each in records]
    while shown and left and len(best) < _SOURCES:  # a second one only for what the first does not have
        nearest = max(shown, key=lambda line: len(_telling(line) & left))
        if best and not _telling(nearest) & left:
            break
        best.append(nearest)
        shown.remove(nearest)
        left -= _telling(nearest)
    return f"({'In the web' if statements.web_alone else 'On the phone'}: {' · '.join(best)})"


def _telling(text: str) -> frozenset[str]:
    """The words and figures of a text: "11,482" is 11482."""
    return content(re.sub(r"(?<=\d),(?=\d{3})", "", text))


def _nothing(statements: Statements) -> str:
    scene = statements.scene
    found: list[Observation] = [seen for step in scene.turn.steps for seen in step.observations]
    return list_findings(found, scene.now.year)


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    kept = text[:LONGEST]
    return kept[: max(kept.rfind(". "), kept.rfind(" "), LONGEST // 2)].rstrip() + " …"
