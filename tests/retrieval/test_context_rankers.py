from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from camphor.device.usage_events import ItemRef
from camphor.errors import ModelMissing
from camphor.retrieval.context.candidates import pick
from camphor.retrieval.context.features import features, most_within, ranks_within, sum_within, tabled
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.model import EVERY, RankerModel, grow, read_model
from camphor.retrieval.context.query import QueryReader, UseSituation
from camphor.retrieval.context.rankers import (
    ContextRetriever,
    LambdaMartRrf,
    LambdaMartSum,
    LexicalRanker,
    Semantic,
    added,
    fused,
)
from camphor.retrieval.context.relevance import index_of_document, situation_of_document
from camphor.retrieval.static import StaticEncoder
from tests.doubles.context_phone import NOW, phone
from tests.doubles.query_reader import query_reader

SONG = ItemRef("music", "songs", 0)


def by_hour() -> RankerModel:
    """A ranker of one split: items that are often used at this hour, at least as often as some other of their store."""
    index, situation = index_of_document(phone()), UseSituation(NOW)
    reader = query_reader()
    names = features("x", pick("x", situation, index), situation, index, reader).names
    forest = grow(1)
    forest.feature[0, 0], forest.threshold[0, 0], forest.struck[0, 0] = names.index("rank_hour_all"), 1, 0b01
    forest.value[0, :2] = (1, -1)
    return RankerModel(names, {EVERY: forest, "music.songs": forest}, reader, StaticEncoder().identity, {"data": "x"})


class Letters:
    """An encoder that counts a, b and c, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked += texts
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], np.float32)


def column(
    name: str, query: str = "play it", situation: UseSituation | None = None, reader: QueryReader | None = None
) -> dict[ItemRef, float]:
    document = phone()
    index = index_of_document(document)
    situation = situation or situation_of_document(document)
    picked = pick(query, situation, index)
    made = features(query, picked, situation, index, reader)
    return {index.ref(row): float(value) for row, value in zip(picked.rows, made.column(name), strict=True)}


def test_the_next_event_is_the_first_of_those_ahead() -> None:
    ranks = column("rank_next")
    assert [ranks[ItemRef("calendar", "events", number)] for number in range(3)] == [20, 1, 2]
    assert column("today")[ItemRef("calendar", "events", 1)] == 1
    assert column("tomorrow")[ItemRef("calendar", "events", 2)] == 1
    assert column("done")[ItemRef("reminders", "reminders", 1)] == 1


def test_habits_are_of_hours_and_places() -> None:
    morning, night = UseSituation(NOW, "commute"), UseSituation(datetime(2026, 3, 12, 23, 5), "home")
    other = ItemRef("music", "songs", 1)
    for name in ("rank_habit", "rank_at_hour", "rank_at_place"):
        assert column(name, situation=morning)[SONG] == 1
        assert column(name, situation=night)[other] == 1
    assert column("used")[ItemRef("mail", "messages", 0)] == 0


def test_what_a_reader_weighs_is_told_of_each_item_and_of_its_place_among_others() -> None:
    reader = query_reader({"used": 2.0})
    used, unused = SONG, ItemRef("mail", "messages", 0)
    fit = column("asked_use", reader=reader)
    assert (fit[used], fit[unused]) == (2, 0)
    assert column("rank_asked_all", reader=reader)[used] == 1
    assert column("asked_gap", reader=reader)[unused] == -2
    share = column("asked_share", reader=reader)
    assert sum(share.values()) == pytest.approx(1)
    assert share[used] == pytest.approx(share[unused] * np.exp(2))


def test_a_reader_of_other_features_is_refused() -> None:
    with pytest.raises(ModelMissing, match="train-ranker"):
        column("used", reader=replace(query_reader(), features=("used",)))


def test_what_cannot_be_known_is_a_number_all_the_same() -> None:
    for document in (phone(), phone(calendar=[{"title": "someday"}]), {"apps": {"notes": {"notes": [{}]}}}):
        for now in (NOW, datetime(2000, 1, 1), datetime(2090, 1, 1)):
            index, situation = index_of_document(document), UseSituation(now, "Mars", "a screen", ("did a thing",))
            table = features("", pick("", situation, index), situation, index, query_reader()).table
            assert np.isfinite(table).all()
            assert table.dtype == np.float32


def test_ranks_are_of_each_group_and_shared_by_equals() -> None:
    groups = np.array([0, 1, 0, 1, 0], np.int16)
    values = np.array([3.0, 1.0, 5.0, 1.0, 3.0])
    assert ranks_within(values, groups).tolist() == [2, 1, 1, 1, 2]
    assert most_within(values, groups).tolist() == [5, 1, 5, 1, 5]
    assert sum_within(values, groups).tolist() == [11, 2, 11, 2, 11]
    assert ranks_within(values[:0], groups[:0]).tolist() == []


def test_fusion_puts_the_best_of_the_likeliest_store_first() -> None:
    store = np.array([0, 0, 1, 1], np.int16)
    within = np.array([1.0, 0.0, 9.0, 1.0])
    overall = np.array([2.0, 1.5, 1.0, 0.0])
    assert np.argsort(-fused(within, overall, store)).tolist()[0] == 0
    assert added(within, overall, store).tolist() == [2.5, 1.5, 5.5, 0.5]


@pytest.mark.parametrize(
    "ranker", [LexicalRanker(), Semantic(), Semantic(Letters()), LambdaMartSum(by_hour()), LambdaMartRrf(by_hour())]
)
def test_every_retriever_gives_at_most_k_items_best_first(ranker: ContextRetriever) -> None:
    index = index_of_document(phone())
    for k in (1, 3, 99):
        found = ranker.search("water the ferns", UseSituation(NOW, "commute"), index, k)
        assert len(found) <= min(k, len(index))
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        assert len({hit.ref for hit in found}) == len(found)


@pytest.mark.parametrize(
    "ranker", [LexicalRanker(), Semantic(), Semantic(Letters()), LambdaMartSum(by_hour()), LambdaMartRrf(by_hour())]
)
def test_a_phone_without_items_or_with_one_app_is_searched(ranker: ContextRetriever) -> None:
    assert ranker.search("ferns", UseSituation(NOW), ContextIndex(), 3) == ()
    one = index_of_document({"apps": {"notes": {"notes": [{"title": "ferns"}]}}})
    assert [hit.ref for hit in ranker.search("ferns", UseSituation(NOW), one, 3)] == [ItemRef("notes", "notes", 0)]


def test_items_that_fit_equally_do_not_stand_as_the_device_has_them() -> None:
    index = index_of_document({"apps": {"notes": {"notes": [{"title": "same"} for _ in range(30)]}}})
    firsts = {LexicalRanker().search(f"same {word}", UseSituation(NOW), index, 1)[0].ref for word in "abcdefgh"}
    assert len(firsts) > 1


def test_an_encoder_sees_each_item_once() -> None:
    index, encoder = index_of_document(phone()), Letters()
    ranker = Semantic(encoder)
    ranker.search("abba", UseSituation(NOW), index, 2)
    asked = len(encoder.asked)
    ranker.search("cab", UseSituation(NOW), index, 2)
    assert encoder.asked[asked:] == ["cab"]


def test_learnt_trees_decide_by_use_and_their_file_gives_them_again(tmp_path: Path) -> None:
    path = tmp_path / "ranker.npz"
    by_hour().save(path)
    model = read_model(path)
    assert model.about == {"data": "x"}
    assert model.features == by_hour().features
    index = index_of_document(phone())
    for ranker in (LambdaMartRrf(by_hour()), LambdaMartRrf(path)):
        assert ranker.search("play it", UseSituation(NOW, "commute"), index, 1)[0].ref == SONG
    assert model.reader.features == by_hour().reader.features
    assert model.reader.encoder.mark == by_hour().reader.encoder.mark


def test_a_file_that_is_no_ranker_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ranker.npz"
    for content in (b"", b"PK\x03\x04 torn"):
        path.write_bytes(content)
        with pytest.raises(ModelMissing, match="train-ranker"):
            read_model(path)
    with pytest.raises(ModelMissing):
        read_model(tmp_path / "none.npz")


def test_ranks_in_a_table_end_somewhere() -> None:
    made = tabled({"rank_x": np.array([1.0, 500.0]), "x": np.array([1.0, 500.0])})
    assert made.table.tolist() == [[1, 1], [20, 500]]
