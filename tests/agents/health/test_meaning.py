"""A message as a whole: what of it is read, the file, and another reader."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from camphor.agents.health.suspicion import OUTPUTS, Meaning, meaning_of, pieces_of, read_suspicion
from camphor.errors import ModelMissing
from camphor.retrieval.reading.encoder import word_pieces
from camphor.retrieval.reading.reader import LONGEST, read_reader


def shipped() -> Meaning:
    found = read_suspicion().meaning
    assert found is not None
    return found


def test_concepts_are_read_in_english_after_the_words() -> None:
    told = [word_pieces().vocabulary[piece] for piece in pieces_of("me aprieta el pecho")]
    assert told[0] == "[CLS]"
    words, named = " ".join(told[1:-1]).split(" [SEP] ")
    assert "chest" not in words
    assert "chest" in named.split()


@pytest.mark.parametrize("said", ["", "?" * 5000, "chest pain " * 500, "\x00\ud800", "aa" * 50_000])
def test_what_is_read_fits_the_reader(said: str) -> None:
    assert 3 <= len(pieces_of(said)) <= LONGEST
    assert np.isfinite(shipped().scores([said])).all()


def test_a_message_says_the_same_among_others() -> None:
    said = ["she does not wake up", "can I have Tuesday?", "me aprieta el pecho y sudo desde hace una hora"]
    together = shipped().scores(said)
    assert together.shape == (3, OUTPUTS)
    assert np.allclose(together, np.vstack([shipped().scores([each]) for each in said]), atol=1e-3)
    assert together[0, 0] > together[1, 0]


def test_it_is_kept_whole() -> None:
    meaning = shipped()
    again = meaning_of(meaning.arrays(), {"reader": meaning.changes.mark})
    assert np.array_equal(again.scores(["he fell"]), meaning.scores(["he fell"]))
    with pytest.raises(ValueError, match="outputs"):
        meaning_of({**meaning.arrays(), "head": meaning.head[:1]}, {"reader": meaning.changes.mark})


def test_another_reader_is_refused() -> None:
    reader = read_reader()
    last = reader.layers[-1]
    other = replace(reader, layers=[*reader.layers[:-1], replace(last, attend=last.attend + 1)])
    changes = shipped().changes
    assert other.mark != reader.mark == changes.mark
    with pytest.raises(ModelMissing, match="another reader"):
        replace(shipped(), changes=replace(changes, mark=other.mark)).scores(["he fell"])
