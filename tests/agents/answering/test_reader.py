"""The reader that ships, and the file that it is kept in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from camphor.agents.answering.ranking import FEATURES
from camphor.agents.answering.tables import record_text, tables_of
from camphor.errors import ModelMissing
from camphor.retrieval.reading.encoder import Matrix
from camphor.retrieval.reading.reader import KINDS, LONGEST, NEITHER, NO, YES, cut, read_reader
from tests.doubles.answering import phone

PHONE = phone()
TEXTS = {
    f"{table.key}/{row.ordinal}": record_text(table, row, PHONE.now) for table in tables_of(PHONE) for row in table.rows
}


def _scores(question: str, features: bool = False) -> dict[str, float]:
    none = np.full((len(TEXTS), len(FEATURES)), float(features), np.float32)
    return dict(zip(TEXTS, read_reader().read(question, list(TEXTS.values()), none).scores.tolist(), strict=True))


@pytest.mark.parametrize(
    ("question", "record"),
    [
        ("who looks at my teeth today and when", "calendar.events/0"),
        ("what did Petra write about the kiln", "mail.messages/0"),
        ("my brother's birthday", "contacts.people/1"),
    ],
)
def test_what_a_question_is_about_scores_most_without_any_feature(question: str, record: str) -> None:
    scores = _scores(question)
    assert max(scores, key=lambda each: scores[each]) == record


def test_features_add_to_a_score() -> None:
    with_them, without = _scores("when is the dentist", True), _scores("when is the dentist")
    added = {round(with_them[each] - without[each], 3) for each in TEXTS}
    assert len(added) == 1
    assert added != {0.0}


def test_a_score_does_not_depend_on_what_else_is_read() -> None:
    alone = read_reader().read("dentist", [TEXTS["calendar.events/0"]], np.zeros((1, len(FEATURES)), np.float32))
    assert alone.scores[0] == pytest.approx(_scores("dentist")["calendar.events/0"], abs=1e-3)


def _says(question: str, record: str) -> np.ndarray:
    return read_reader().read(question, [record], np.zeros((1, len(FEATURES)), np.float32)).says[0]


@pytest.mark.parametrize(
    ("question", "record", "verdict"),
    [
        ("has the lamp been delivered", "your orders order: item desk lamp | status delivered", YES),
        ("has the lamp been delivered", "your orders order: item desk lamp | status on the way", NO),
        ("did I answer Petra", "your messages message: contact Petra | not from me | text can you come?", NO),
        ("did I answer Petra", "your messages message: contact Petra | from me | text yes, gladly", YES),
        ("is the choir on Thursday", "calendar event: title Dentist | start Monday 2 March 10:00 morning", NEITHER),
    ],
)
def test_a_record_says_yes_no_or_neither(question: str, record: str, verdict: int) -> None:
    assert int(_says(question, record).argmax()) == verdict


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how many reminders are still open", "count"),
        ("which reminders are still open", "list"),
        ("is the milk bought yet", "yes_no"),
        ("when do I have to buy milk", "tell"),
    ],
)
def test_the_kind_of_a_question_is_read_with_a_record(question: str, kind: str) -> None:
    record = "your reminders reminder: title buy milk | due Monday 2 March 10:00 morning, in 4 days | not done"
    kinds = read_reader().read(question, [record], np.zeros((1, len(FEATURES)), np.float32)).kinds[0]
    assert KINDS[int(kinds.argmax())] == kind
    assert kinds.sum() == pytest.approx(1.0, abs=1e-5)


def test_a_long_record_loses_its_end_and_no_part_of_the_question() -> None:
    question = "when does the choir sing"
    (long,) = cut(question, ["word " * 500])
    assert len(long) == LONGEST
    assert long[: len(cut(question, ["x"])[0]) - 2] == cut(question, ["x"])[0][:-2]


def test_whole_numbers_keep_weights_to_a_part_in_a_hundred() -> None:
    weights = np.random.default_rng(1).normal(size=(8, 128)).astype(np.float32)
    kept = Matrix.of(weights)
    assert np.abs(kept.rows() - weights).max() < np.abs(weights).max() / 100
    assert kept.rows([3, 1]).tolist() == kept.rows()[[3, 1]].tolist()


def test_a_reader_is_read_as_it_was_written(tmp_path: Path) -> None:
    read_reader().save(tmp_path / "r.npz")
    again = read_reader(tmp_path / "r.npz").read("dentist", list(TEXTS.values()), np.zeros((len(TEXTS), len(FEATURES))))
    assert again.scores.tolist() == pytest.approx(list(_scores("dentist").values()), abs=0.02)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "r.npz").write_bytes(b"no model")
    with pytest.raises(ModelMissing, match="train-reader"):
        read_reader(tmp_path / "r.npz")
