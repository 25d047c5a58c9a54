from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.errors import ArgumentError, CallSyntaxError
from camphor.tools.calls import calls_from_json, calls_to_json, parse_calls, render_calls
from camphor.types import Call

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=40)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.lists(st.builds(Call, NAMES, st.dictionaries(NAMES, VALUES, max_size=4)), max_size=4).map(tuple)


def same(left: Any, right: Any) -> bool:
    """Equal, and of equal types: 1, 1.0 and True are three values in a call."""
    return repr(left) == repr(right)


@given(CALLS)
@settings(deadline=None)
def test_what_is_written_is_read_back_equal(calls: tuple[Call, ...]) -> None:
    assert same(parse_calls(render_calls(calls)), calls)


@given(CALLS)
@settings(deadline=None)
def test_json_is_read_back_equal(calls: tuple[Call, ...]) -> None:
    values = calls_to_json(calls)
    assert calls_from_json(values) == calls
    assert same(calls_from_json(json.dumps(values)), calls)


@given(CALLS)
@settings(deadline=None)
def test_a_call_list_is_one_line(calls: tuple[Call, ...]) -> None:
    assert len(render_calls(calls).splitlines()) == 1


@given(st.text(alphabet="[](){}=;:,'\"\\ab1.-eEnux \n", max_size=60))
@settings(deadline=None, max_examples=400)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        calls = parse_calls(text)
    except CallSyntaxError:  # anything else that is raised fails the test
        return
    assert same(parse_calls(render_calls(calls)), calls)


def test_the_written_form() -> None:
    calls = (Call("a", {"x": 'say "hi"\\\n', "n": 2, "f": 1.5, "b": True, "l": ["p", None]}), Call("b"))
    assert render_calls(calls) == r'[a(x="say \"hi\"\\\n", n=2, f=1.5, b=True, l=["p", None]); b()]'
    assert render_calls(()) == "[]"


@pytest.mark.parametrize(
    "text",
    [
        '[a(x="1", n=2); b()]',
        "[a(x='1', n=2); b()]",
        '[a(x="1", n=2), b()]',
        '[a(x="1", n=2,); b(); ]',
        ' [ a ( x = "1" , n = 2 ) ;\n b ( ) ] ',
        'a(x="1", n=2); b()',
        '[a(x="1", n=+2); b();;]',
    ],
)
def test_what_models_write_is_read_alike(text: str) -> None:
    assert parse_calls(text) == (Call("a", {"x": "1", "n": 2}), Call("b"))


@pytest.mark.parametrize("text", ["", "[]", "[ ]", "[;]", "  "])
def test_no_calls(text: str) -> None:
    assert parse_calls(text) == ()


def test_json_constants_and_escapes_are_read() -> None:
    (call,) = parse_calls(r"[a(t=true, f=false, n=null, s='it\'s \u00e9\x41\q', e=-1.5e3)]")
    assert call.arguments == {"t": True, "f": False, "n": None, "s": "it's éAq", "e": -1500.0}


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ('[a(x="1")', 10, "';' or ']'"),
        ("[a()", 5, "';' or ']'"),
        ("[a(x=1) b()]", 9, "';' or ']'"),
        ('[a(x="1)]', 10, "to close the text that begins at character 6"),
        ("[a(1)]", 4, "a parameter name"),
        ("[a(x)]", 5, "'=' after x"),
        ("[a(x=1, x=2)]", 9, "x only once"),
        ("[a]", 3, "'(' after a"),
        ("[a(x=b)]", 6, "a value"),
        ("[a(x=__import__('os'))]", 6, "a value"),
        ("[a()] b", 7, "the end"),
        (r'[a(x="\u12")]', 7, "4 hexadecimal digits"),
        ("I cannot do that.", 3, "'(' after I"),
    ],
)
def test_what_is_no_call_list_is_refused_with_its_place(text: str, place: int, expected: str) -> None:
    with pytest.raises(CallSyntaxError) as caught:
        parse_calls(text)
    assert str(caught.value).startswith(f"character {place} of the call list: expected")
    assert expected in str(caught.value)


@pytest.mark.parametrize("text", ["[a(x=" + "[" * 100_000, "[a(x=" + "9" * 100_000 + ")]", "[a(x=1e999)]"])
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(CallSyntaxError):
        parse_calls(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), b"x"])
def test_what_is_not_json_cannot_be_written(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"a\(x="):
        render_calls([Call("a", {"x": value})])


def test_calls_as_servers_send_them_are_read() -> None:
    sent = [{"id": "1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}]
    assert calls_from_json(sent) == (Call("a", {"x": 1}),)
    assert calls_from_json({"name": "b"}) == (Call("b"),)


@pytest.mark.parametrize("data", ["{", "3", '["a"]', [{"arguments": {}}], [{"name": "a", "arguments": [1]}], None])
def test_json_that_is_no_call_list_is_refused(data: Any) -> None:
    with pytest.raises(CallSyntaxError):
        calls_from_json(data)
