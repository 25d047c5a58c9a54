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
_MOST_UNKNOWN = 8  # values of it that no record has


def own_words(text: str, statements: Statements, records: str, *, acted: bool) -> str:
    """A model's answer where all of it may be told, with what it rests on; else what code says in its place.

    Args:
        records: what the phone's records say about the query, "" where they say nothing.
        acted: whether actions were proposed for the query: of these code tells.
    """
    told = _shortened(plain_text(text))
    judged = [(sentence, statements.judge(sentence)) for sentence in sentences(told)]
    claimed = any(each.standing is Standing.CLAIMED for _, each in judged)
    made_up = any(each.standing is Standing.MADE_UP for _, each in judged)
    unknown = tuple(dict.fromkeys(value for _, each in judged for value in each.unknown))
    left = " ".join(sentence for sentence, each in judged if each.standing is not Standing.CLAIMED)
    denies = any(statements.denies(sentence) for sentence, _ in judged)
    denied = bool(records) and denies and statements.of_the_phone and not statements.looked_up
    if acted:  # what was done is told already
        if made_up:
            return records
        return "\n".join(filter(None, [left if claimed else told, _note(told, unknown, statements) if left else ""]))
    if made_up or denied or not told:
        left = records or (_nothing(statements) if made_up or statements.looked_up else NO_ANSWER)
    else:
        left = "\n".join(filter(None, [left if claimed else told, _note(told, unknown, statements) if left else ""]))
    return f"{left} {_NOTHING_DONE}".strip() if claimed else left


def _note(told: str, unknown: tuple[str, ...], statements: Statements) -> str:
    """What of an answer the phone does not have, and the records that it is about where it has other words."""
    sources = _sources(told, statements, needed=bool(unknown))
    where = "in the web" if statements.web_alone else "on the phone"
    lacks = f"Not {where}: {', '.join(f'“{each}”' for each in unknown[:_MOST_UNKNOWN])}." if unknown else ""
    has = f"{where.capitalize()}: {' · '.join(sources)}" if sources else ""
    return f"({' '.join(filter(None, [lacks, has]))})" if lacks or has else ""


def _sources(told: str, statements: Statements, *, needed: bool) -> list[str]:
    """The records that an answer is about, as the person sees them, where it is in other words or they are needed."""
    scene = statements.scene
    records = scene.known.found[-1] if scene.known.found else ()
    if not records or not (needed or statements.not_borne_out(told)):
        return []
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
    return best


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
