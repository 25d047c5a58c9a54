"""The index of long lists gives what reading through every record gives."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.device.conditions import Condition, Days, Shape, Terms, select
from camphor.device.dates import day
from camphor.device.device import Device
from camphor.device.index import Index
from camphor.device.records import INDEX_FROM, MOST_FOUND, Records
from camphor.device.store import Store
from camphor.types import Call
from tests.doubles.device import phone

WORDS = ["ada", "bo", "cy", "dee", "eli"]
DATES = ["2026-03-01", "2026-03-02T10:00:00", "2026-03-05", "soon", "2026-02-28T23:30:00-08:00"]
RECORD = st.fixed_dictionaries(
    {"title": st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)},
    optional={
        "start": st.sampled_from(DATES),
        "end": st.sampled_from(DATES),
        "tracks": st.sampled_from([1, 2, "2 km"]),
    },
)
DAYS = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(
    lambda pair: Days(day("2026-02-27") + min(pair), day("2026-02-27") + max(pair))
)
TERMS = st.builds(
    Terms,
    st.frozensets(st.sampled_from([*WORDS, "title=ada", "tracks==2", "end?"]), min_size=1, max_size=4),
    st.booleans(),
)
SHAPES = st.sampled_from([Shape(("start", "end")), Shape(None, fielded=True)])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(RECORD, max_size=12), st.lists(RECORD, max_size=3), st.lists(DAYS | TERMS, max_size=3), SHAPES, st.data()
)
def test_index_agrees_with_reading_through(
    records: list[dict[str, Any]],
    added: list[dict[str, Any]],
    wanted: list[Condition],
    shape: Shape,
    data: st.DataObject,
) -> None:
    store = Store(None, create=True)
    index = Index(store, None)
    info = store.add_list("app", "list", ("apps", "app", "list"), shape, records)
    index.build(info)
    for record in added:
        index.add(info, store.append(info.id, record), record)
    kept = store.records(info.id)
    for place in data.draw(st.sets(st.sampled_from(range(len(kept))))) if kept else ():
        ordinal, record = kept[place]
        index.remove(info, ordinal, record)
        store.remove(info.id, ordinal)
    info = store.lists()[0]
    there = [record for _, record in store.records(info.id)]
    found = [record for _, record in store.records_at(info.id, index.select(info, wanted))]
    store.close()
    assert found == select(there, wanted, shape)


def test_a_list_is_indexed_when_it_grows_long() -> None:
    store = Store(None, create=True)
    records = Records(store)
    for number in range(INDEX_FROM + 3):
        records.add("notes", "notes", {"content": f"note {number}"}, ("apps", "notes", "notes"), Shape())
    info = store.lists()[0]
    assert info.indexed
    assert records.find("notes", "notes", [Terms(frozenset(("note", "2")))]) == [{"content": "note 2"}]
    [(ordinal, _)] = records.rows("notes", "notes", [Terms(frozenset(("258",)))])
    records.change("notes", "notes", ordinal, {"content": "moved"})
    assert records.find("notes", "notes", [Terms(frozenset(("moved",)))]) == [{"content": "moved"}]
    assert records.find("notes", "notes", [Terms(frozenset(("258",)))]) == []
    store.close()


def test_a_look_up_says_how_many_records_it_leaves_out() -> None:
    data = phone()
    data["apps"]["notes"]["notes"] = [{"content": f"milk {number}"} for number in range(MOST_FOUND + 20)]
    with Device.create(None, data) as made:
        found = made.execute(Call("get_notes_content", {"keyword": "milk"})).records
        assert found[0] == {"content": "milk 0"}
        assert len(found) == MOST_FOUND + 1
        assert found[-1] == {"left_out": "20 more records fit: ask for something narrower"}
        assert len(made.records("notes", "notes")) == MOST_FOUND + 20
