"""Lists of objects larger than memory: read whole however reading cuts them, and on past what is broken."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers.json_objects import FEATURES, LIST, NoList, objects
from tests.doubles.plans import UNHURRIED


class Slow(io.StringIO):
    """A file of which each reading gives a few characters only."""

    def __init__(self, text: str, most: int) -> None:
        super().__init__(text)
        self._most = most

    def read(self, size: int | None = -1) -> str:
        return super().read(self._most)


def found(text: str, most: int = 1 << 20) -> list[dict[str, Any] | None]:
    return [each for _, each in objects(Slow(text, most))]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
LISTS = st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), max_size=5)


@UNHURRIED
@given(LISTS, st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_objects_are_those_of_the_list_however_it_is_read(
    values: list[dict[str, Any]], most: int, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    assert found(text, most) == values
    geo = json.dumps({"name": "x", "features": values, "type": "FeatureCollection"}, indent=indent)
    assert [each for _, each in objects(Slow(geo, most), FEATURES)] == values


@UNHURRIED
@given(LISTS, st.floats(0, 1), st.text(max_size=3), st.integers(1, 40))
def test_damage_raises_nothing_and_what_is_whole_before_it_is_read(
    values: list[dict[str, Any]], share: float, other: str, most: int
) -> None:
    text = json.dumps(values)
    at = int(share * len(text))
    whole = sum(len(json.dumps(values[: count + 1])) - 1 <= at for count in range(len(values)))
    for damaged in (text[:at], text[:at] + other + text[at + 1 :]):
        try:
            read = found(damaged, most)
        except NoList:
            assert at < 1
            continue
        assert read[:whole] == values[:whole]


def test_reading_goes_on_behind_an_object_that_is_broken() -> None:
    good = '{"a": [{"b": 1}, {"c": 2}]}'
    assert found(f'[{good}, {{"x": [1, {{"y": 2}}, "z}}, {good}, {{"a" 1}}, {good}]')[-1] == json.loads(good)
    assert found('[{"a": 1} {"b": 2}, 3, "x", [{"c": 4}], {"d": 5}]') == [
        {"a": 1}, {"b": 2}, None, None, None, {"d": 5}
    ]  # fmt: skip
    assert found('[{"a": 1}, {"n": ' + "9" * 5000 + '}, {"b": 2}]') == [{"a": 1}, None, {"b": 2}]
    assert found('[{"a": 1}, {"n": "' + "x" * (3 << 20) + '"}, {"b": 2}, {"c": 3}]', 1 << 16)[-1] == {"c": 3}


def test_a_list_that_is_cut_off_ends_with_none() -> None:
    for text in ('[{"a": 1}', '[{"a": 1},', '[{"a": 1}, {"b"', '[{"a": 1}, {"b": "x'):
        assert found(text) == [{"a": 1}, None]


@pytest.mark.parametrize("text", ["", "x", "{}", '{"features": 1}', " " * 200_000])
def test_what_is_no_list_is_told(text: str) -> None:
    for opening in (LIST, FEATURES):
        with pytest.raises(NoList):
            list(objects(Slow(text, 1000), opening))
