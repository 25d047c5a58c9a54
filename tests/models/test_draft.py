"""Where a completion ends, and what its text is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from camphor.models.base import Finish
from camphor.models.local import Completion


def write(pieces: list[bytes], *stop: str, limit: int = 99) -> Completion:
    draft = Completion(pieces.__getitem__, stop, limit)
    for token in range(len(pieces)):
        draft.add(token)
    return draft


def test_a_stop_string_ends_it_and_is_not_in_the_text() -> None:
    draft = write([b"one", b"\n", b"two"], "\n")
    assert (draft.text, draft.tokens, draft.finish) == ("one", [0, 1], Finish.STOP)


def test_a_stop_string_may_lie_across_tokens() -> None:
    draft = write([b"a<", b"/e", b"nd", b">x"], "</end>")
    assert (draft.text, draft.tokens) == ("a", [0, 1, 2])


def test_a_token_that_goes_on_after_the_stop_string_is_not_kept() -> None:
    draft = write([b"a", b"b\n\n"], "\n")
    assert (draft.text, draft.tokens) == ("ab", [0])


def test_the_earliest_stop_string_counts() -> None:
    assert write([b"ab;cd\n"], "\n", ";").text == "ab"


def test_the_limit_ends_it() -> None:
    draft = write([b"a", b"b", b"c"], limit=2)
    assert (draft.text, draft.finish) == ("ab", Finish.LENGTH)


def test_a_stop_string_at_the_limit_is_a_stop() -> None:
    assert write([b"a", b"\n"], "\n", limit=2).finish == Finish.STOP


def test_half_a_character_at_the_end_is_left_out_and_odd_bytes_are_shown() -> None:
    assert write([b"caf", "é".encode()[:1]]).text == "caf"
    assert write([b"a\xffb"]).text == "a�b"


@given(
    st.text("ab\n€", max_size=20),
    st.lists(st.integers(1, 4), min_size=1, max_size=30),
    st.sampled_from(["\n", "ab", "b€"]),
)
def test_the_text_is_what_comes_before_the_first_stop_string(text: str, sizes: list[int], stop: str) -> None:
    data, pieces = text.encode(), []
    for size in sizes * (len(data) // len(sizes) + 1):
        pieces.append(data[:size])
        data = data[size:]
    assert write(pieces, stop).text == text.partition(stop)[0]
