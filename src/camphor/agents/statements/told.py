"""What a person is told where a capable model answered in its own words, held against the phone (standing.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from camphor.agents.answers import list_findings
from camphor.agents.display import show_record
from camphor.agents.gate.words import content, spaced
from camphor.agents.languages import not_english
from camphor.agents.statements.figures import figures_of
from camphor.agents.statements.standing import LONGEST, Judged, Standing, Statements, degenerate, plain_text, sentences
from camphor.device.text import text_of
from camphor.types import Observation

NO_ANSWER = "The model gave no answer that I can show: ask again, in other words perhaps."
_NOTHING_DONE = "Nothing was done."
_SOURCES = 2  # records that are shown beside an answer
_LONGEST_SOURCE = 240  # characters of each
_FEWEST_TOLD = 3  # words and figures that a further one must have and the first has not
_MOST_UNKNOWN = 8  # values of it that no record has


def own_words(text: str, statements: Statements, records: str, *, acted: bool) -> str:
    """A model's answer where all of it may be told, with what it rests on; else what code says in its place.

    Args:
        records: what the phone's records say about the query, "" where they say nothing.
        acted: whether actions were proposed for the query: of these code tells.
    """
    told = "" if degenerate(text) else _shortened(plain_text(text))
    judged = [(sentence, statements.judge(sentence)) for sentence in sentences(told)]
    claimed = any(each.standing is Standing.CLAIMED for _, each in judged)
    made_up = any(each.standing is Standing.MADE_UP for _, each in judged)
    if made_up:
        left = records or ("" if acted else _nothing(statements))
    elif claimed:
        left = " ".join(sentence for sentence, each in judged if each.standing is not Standing.CLAIMED)
    else:
        left = told
    if not left and not acted:
        left = records or (_nothing(statements) if statements.looked_up else NO_ANSWER)
    note = _note(told, judged, statements) if left and not made_up else ""
    if records and left == told and statements.of_the_phone and not (statements.looked_up or acted):
        note = f"(On the phone: {records})"  # the model did not look
    idle = not acted and (claimed or (statements.nothing_done and not told.endswith("?")))
    return "\n".join(filter(None, [f"{left} {_NOTHING_DONE}".strip() if idle else left, note]))


def _note(told: str, judged: Sequence[tuple[str, Judged]], statements: Statements) -> str:
    """What of an answer the phone does not have, and the records that it is about.

    These stand beside every answer that something was looked up for: a wrong one is seen to be wrong, and what was not
    done is not on the phone.
    """
    unknown = tuple(dict.fromkeys(value for _, each in judged for value in each.unknown))
    if unknown and not statements.scene.records:
        return "(Not looked up on the phone.)"
    where = "in the web" if statements.web_alone else "on the phone"
    lacks = f"Not {where}: {', '.join(f'“{each}”' for each in unknown[:_MOST_UNKNOWN])}." if unknown else ""
    unread = "I cannot check what is not English." if statements.looked_up and not_english(told) else ""
    sources = _sources(told, statements)
    has = f"Looked up: {' · '.join(sources)}" if sources else ""
    return f"({' '.join(filter(None, [lacks, unread, has]))})" if lacks or unread or has else ""


def _sources(told: str, statements: Statements) -> list[str]:
    """The records that an answer is about, as people see them: the nearest, and one for what that does not have."""
    scene = statements.scene
    records = scene.known.found[-1] if scene.known.found else ()
    best: list[str] = []
    acts = (f"{spaced(call.name)} {text_of(dict(call.arguments))}" for call in scene.proposed)
    left, asked = _telling(told) - _telling(" ".join(acts)), _telling(scene.query)  # deeds need no source
    shown = {_short(line): _telling(line) for line in (show_record(each.record, scene.now.year) for each in records)}
    often = Counter(word for words in shown.values() for word in words)
    while shown and left and len(best) < _SOURCES:  # a word that few of them have says more
        nearest = max(shown, key=lambda line: sum(1 / often[word] for word in shown[line] & (left | asked)))
        new = len(shown[nearest] & left)
        if new < (_FEWEST_TOLD if best else 1):
            break
        best.append(nearest)
        left -= shown.pop(nearest)
    return best


def _short(line: str) -> str:
    return line if len(line) <= _LONGEST_SOURCE else f"{line[: _LONGEST_SOURCE - 2].rsplit(' ', 1)[0]} …"


def _telling(text: str) -> frozenset[str | float]:
    """The words and figures of a text: "4.20" is 4.2."""
    return frozenset((*(word for word in content(text) if not word.isdigit()), *figures_of(text)))


def _nothing(statements: Statements) -> str:
    scene = statements.scene
    found: list[Observation] = [seen for step in scene.turn.steps for seen in step.observations]
    return list_findings(found, scene.now.year)


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    kept = text[:LONGEST]
    return kept[: max(kept.rfind(". "), kept.rfind(" "), LONGEST // 2)].rstrip() + " …"
