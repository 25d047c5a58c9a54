"""The items of a phone that matter for a query: of this phone, as it is now, once its use is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camphor.device.device import Device
from camphor.device.usage_events import ItemRef, UsageEvent
from camphor.retrieval.context.candidates import pick
from camphor.retrieval.context.features import features
from camphor.retrieval.context.model import EVERY, RankerModel, grow
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.relevance import ENOUGH_USES, Relevance, index_file, index_of_document, shares
from camphor.retrieval.static import StaticEncoder
from camphor.types import Call
from tests.doubles.context_phone import NOW, phone
from tests.doubles.query_reader import query_reader


def by_hour() -> RankerModel:
    """A ranker of one split: the item that is used most at such hours, far before all others."""
    reader = query_reader()
    index, situation = index_of_document(phone()), UseSituation(NOW)
    names = features("x", pick("x", situation, index), situation, index, reader).names
    forest = grow(1)
    forest.feature[0, 0], forest.threshold[0, 0], forest.struck[0, 0] = names.index("rank_hour_all"), 1, 0b01
    forest.value[0, :2] = (3, -3)
    return RankerModel(names, {EVERY: forest}, reader, StaticEncoder().identity)


def used(document: dict[str, Any]) -> dict[str, Any]:
    """The phone with each of its events three times, at least as many as are enough."""
    assert 3 * len(document["usage"]) >= ENOUGH_USES
    return {**document, "usage": document["usage"] * 3}


def device(document: Mapping[str, Any] | None = None, path: Path | None = None) -> Device:
    return Device.create(path, document or used(phone()))


def titles(relevance: Relevance) -> list[str]:
    return [item.title for item in relevance.items("play it")]


def test_the_item_of_such_mornings_comes_first_with_its_record_and_how_sure_that_is() -> None:
    with device() as mine:
        first, second, *others = Relevance(mine, by_hour()).items("play it")
        assert (first.app, first.title, first.record) == ("music", "Tram Song", mine.records("music", "songs")[0])
        assert first.sure > 0.9 > 0.1 > second.sure
        assert all(each.known for each in (first, second, *others))


def test_of_a_phone_whose_use_is_hardly_known_nothing_is_sure() -> None:
    with device(phone()) as mine:
        assert 0 < mine.usage.signals().count.sum() < ENOUGH_USES
        first, *others = Relevance(mine, by_hour()).items("play it")
        assert first.title == "Tram Song"
        assert 0.45 < first.sure <= 0.5
        assert not any(each.known for each in (first, *others))
    with device({**phone(), "usage": []}) as mine:
        assert max(each.sure for each in Relevance(mine, by_hour()).items("play it")) < 0.5


def test_an_item_is_of_the_one_contact_whom_it_is_from_or_to() -> None:
    people = [
        {"name": "Mia Reyes", "phone_number": "555-1", "is_self": True},
        {"name": "Tom Hale", "phone_number": "555-2", "relationship": "brother"},
        {"name": "Tom Ode", "phone_number": "555-3"},
    ]
    messages = [{"contact": name, "text": "x"} for name in ("Tom Hale", "Mia Reyes", "Tom", "a shop")]
    apps = {"contacts": {"people": people}, "imessage": {"messages": messages}}
    with device({**used(phone()), "apps": apps, "usage": []}) as mine:
        found = {item.ref: item.person for item in Relevance(mine, by_hour()).items("x")}
    assert [found[ItemRef("imessage", "messages", at)] for at in range(4)] == ["Tom Hale", "", "", ""]
    assert [found[ItemRef("contacts", "people", at)] for at in range(3)] == ["", "Tom Hale", "Tom Ode"]


def test_a_phone_without_records_says_nothing() -> None:
    with device({**phone(), "apps": {}, "usage": []}) as mine:
        assert titles(Relevance(mine, by_hour())) == []


def test_what_was_removed_and_added_since_counts_at_once() -> None:
    with device() as mine:
        relevance = Relevance(mine, by_hour())
        assert len(relevance.items("x", 100)) == 9
        mine.execute(Call("cancel_calendar_event", {"event_title": "Budget review"}))
        mine.execute(Call("create_reminders", {"time": "2026-03-14T09:00:00", "content": "Book the ferry"}))
        found = [item.title for item in relevance.items("x", 100)]
        assert len(found) == 9
        assert "Book the ferry" in found
        assert "Budget review" not in found


def test_the_index_is_kept_beside_the_store_and_used_again(tmp_path: Path) -> None:
    store = tmp_path / "oleg.camphor"
    with device(path=store) as mine:
        expected = titles(Relevance(mine, by_hour()))
    kept = index_file(store)
    assert kept is not None
    assert kept.parent == tmp_path
    assert kept.stat().st_mode & 0o077 == 0
    with Device.open(store) as mine:
        assert titles(Relevance(mine, by_hour())) == expected


def test_the_index_of_another_phone_tells_nothing_of_it(tmp_path: Path) -> None:
    store, kept = tmp_path / "oleg.camphor", index_file(tmp_path / "oleg.camphor")
    with device(path=store) as mine:
        titles(Relevance(mine, by_hour()))
    store.unlink()
    music = [{"title": f"Other {number}", "artist": "Somebody else"} for number in range(2)]
    with device(used(phone(music=music)), store) as other:
        assert kept is not None
        assert kept.exists()
        found = titles(Relevance(other, by_hour()))
        assert found[0] == "Other 0"
        assert not {"Tram Song", "Night Ferry"} & set(found)
    with Device.open(store) as other:
        assert titles(Relevance(other, by_hour())) == found


def test_a_torn_index_is_made_anew(tmp_path: Path) -> None:
    store = tmp_path / "oleg.camphor"
    with device(path=store) as mine:
        (tmp_path / f"{store.name}.items").write_bytes(b"PK torn")
        assert titles(Relevance(mine, by_hour()))[0] == "Tram Song"


def test_use_that_was_forgotten_is_forgotten_here_too() -> None:
    with device() as mine:
        relevance = Relevance(mine, by_hour())
        assert titles(relevance)[0] == "Tram Song"
        mine.usage.forget_all()
        assert not any(item.known for item in relevance.items("play it"))


def test_new_use_counts_at_once() -> None:
    with device() as mine:
        relevance = Relevance(mine, by_hour())
        for _ in range(60):
            mine.usage.record(UsageEvent(ItemRef("music", "songs", 1), "played", NOW))
        assert titles(relevance)[0] == "Night Ferry"


@pytest.mark.parametrize(("scores", "expected"), [((0.0, 0.0), (0.5, 0.5)), ((1000.0, 0.0), (1.0, 0.0))])
def test_shares_add_up_to_one_however_large_the_scores(scores: tuple[float, ...], expected: tuple[float, ...]) -> None:
    assert shares(np.array(scores)) == pytest.approx(expected)
