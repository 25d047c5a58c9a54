"""Whole JSON objects are found wherever a model puts them, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor_lab.datasets.instruct.filters import json_values, objects_with

ONE, TWO = '{"query": "wake me {at} 7", "answers": []}', '{"query": "call \\"Ana\\" [work]", "answers": [{"id": 0}]}'
QUERIES = ["wake me {at} 7", 'call "Ana" [work]']


@pytest.mark.parametrize(
    "text",
    [
        f"[{ONE}, {TWO}]",
        f"Sure! Here you are:\n```json\n[{ONE},\n {TWO}]\n```\nTell me if you [need] {{more}}.",
        f"{ONE}\n{TWO}",
        f"1. {ONE}\n2. {TWO}",
        f"[{ONE}]\n\nand another list\n\n[{TWO}]",
        f'{{"samples": [{ONE}, {TWO}]}}',
        f'tool: x\nresponse: {ONE}\nresponse: {{"data": {{"pairs": [[{TWO}]]}}}}',
        f'[{ONE}, {TWO}, {{"query": "half of',
        f'[{ONE}, {{"query": "a comma too many",}}, {TWO}]',
        f"[{ONE}, {{'query': 'single quotes'}}, {TWO}",
        f"[{ONE} {TWO}",
        f'[{ONE}, {TWO}, {{"query": NaN}}]',
    ],
)
def test_complete_objects_are_kept(text: str) -> None:
    assert [found["query"] for found in objects_with("query", text)] == QUERIES


@pytest.mark.parametrize("text", ["", "I cannot do that.", "[[[", '{"query": "half', "[" * 200_000, '{"a":' * 50_000])
def test_nothing_is_found_where_nothing_is_whole(text: str) -> None:
    assert list(json_values(text)) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dictionaries(st.text(), VALUES, min_size=1), max_size=4))
def test_objects_between_prose_come_back_as_they_were(objects: list[dict[str, object]]) -> None:
    text = "so:\n" + "\nor this:\n".join(json.dumps(each, ensure_ascii=False) for each in objects) + "\n]} done"
    assert list(json_values(text)) == objects
