"""Words that nobody said are written only where they are much likelier."""

from __future__ import annotations

import numpy as np
import pytest

from camphor.models.constraint import PENALTY, Copying
from camphor.types import Segment

PIECES = ["Per", "Imp", "mission", " trip", ' "', '")', " Elab", " tomorrow", "9", "7", ", ", " perm", "zz"]
PROMPT = (Segment("ask about the permission slip by 9:30"),)


def lowered(written: str, allowed: list[str] | None = None) -> set[str]:
    """The pieces that are made less likely after what was written."""
    logits = np.zeros(len(PIECES), np.float32)
    free = np.array([allowed is None or piece in allowed for piece in PIECES])
    weighed = Copying(PROMPT, lambda token: PIECES[token].encode()).weigh(written, logits, free)
    changed = weighed != logits
    assert np.allclose(weighed[changed], -PENALTY)
    assert not logits.any()
    return {PIECES[place] for place in np.flatnonzero(changed)}


def test_a_word_of_the_prompt_or_of_everyday_language_is_as_likely_as_before() -> None:
    assert lowered('send(content="') == {"Imp", " trip", " Elab", "7", "mission", "zz"}


@pytest.mark.parametrize(("begun", "free"), [("Per", "mission"), ("Imp", "")])
def test_a_word_goes_on_as_it_was_begun(begun: str, free: str) -> None:
    pieces = ["mission", "Imp"]
    assert lowered(f'send(content="{begun}', pieces) == set(pieces) - {free}


def test_only_what_could_become_the_likeliest_is_looked_at() -> None:
    logits = np.zeros(len(PIECES), np.float32)
    logits[PIECES.index("Per")] = PENALTY + 1
    free = np.ones(len(PIECES), np.bool_)
    weighed = Copying(PROMPT, lambda token: PIECES[token].encode()).weigh('send(content="', logits, free)
    assert (weighed == logits).all()


def test_outside_of_quotation_marks_nothing_changes() -> None:
    assert lowered("send(") == set()
    assert lowered('send(content="Per", ') == set()
    assert lowered('send(content="a \\" b') != set()


def test_words_are_known_in_any_script_and_after_a_line_break() -> None:
    pieces = ["Jānis", "Jani", "日", "Hello"]
    copying = Copying((Segment('= name: JĀNIS; note: "Dear\\nHello 日本"'),), lambda token: pieces[token].encode())
    logits, free = np.zeros(len(pieces), np.float32), np.ones(len(pieces), np.bool_)
    for written in ('send(content="', 'send(content="Dear\\n'):
        assert [pieces[at] for at in np.flatnonzero(copying.weigh(written, logits, free))] == ["Jani"]


def test_what_the_grammar_forbids_is_not_looked_at() -> None:
    assert lowered('send(content="', ["Imp", '")']) == {"Imp"}
