"""The rule by which a prompt's segments get their tokens, on a tokeniser of single bytes and pairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from camphor.models.sequence import SegmentCache
from camphor.types import Segment

PAIR = 1000


def tokenise(text: str, special: bool) -> list[int]:
    """Pairs of equal bytes are one token, so that a text has more than one way to be cut."""
    data, tokens, place = text.encode(), [], 0
    while place < len(data):
        pair = data[place : place + 2]
        width = 2 if len(pair) == 2 and pair[0] == pair[1] else 1
        tokens.append(data[place] + (PAIR if width == 2 else 0) + (2 * PAIR if special else 0))
        place += width
    return tokens


def piece(token: int) -> bytes:
    return bytes([token % PAIR]) * (2 if token % (2 * PAIR) >= PAIR else 1)


def singles(text: str) -> list[int]:
    return list(text.encode())


def after(prompt: tuple[Segment, ...], completion: list[int]) -> SegmentCache:
    cache = SegmentCache(tokenise)
    cache.keep(cache.lay_out(prompt))
    cache.add_completion(completion, [piece(token) for token in completion])
    return cache


def flat(cache: SegmentCache, *prompt: Segment) -> list[int]:
    return [token for entry in cache.lay_out(prompt) for token in entry.tokens]


ASK = Segment("ask", special=True)


def test_a_completion_keeps_the_tokens_it_was_written_with() -> None:
    cache = after((ASK,), singles("aab\n"))
    assert flat(cache, ASK, Segment("aab\n")) == tokenise("ask", True) + singles("aab\n")


def test_a_stripped_newline_keeps_the_tokens_before_it() -> None:
    cache = after((ASK,), singles("aab\n"))
    assert flat(cache, ASK, Segment("aab"), Segment("\n= x")) == tokenise("ask", True) + singles("aab\n= x")


def test_an_appended_newline_is_cut_on_its_own() -> None:
    cache = after((ASK,), singles("aab"))
    assert flat(cache, ASK, Segment("aab\n\n")) == tokenise("ask", True) + singles("aab") + tokenise("\n\n", False)


def test_a_token_across_the_change_is_cut_again() -> None:
    cache = after((), tokenise("abb", False))
    assert flat(cache, Segment("ab")) == singles("ab")


def test_a_rewritten_completion_is_cut_like_any_text() -> None:
    cache = after((ASK,), singles("aab"))
    assert flat(cache, ASK, Segment("aac")) == tokenise("ask", True) + tokenise("aac", False)


def test_a_completion_after_another_beginning_is_cut_like_any_text() -> None:
    cache = after((ASK,), singles("aab"))
    assert flat(cache, Segment("ask"), Segment("aab")) == tokenise("ask", False) + tokenise("aab", False)


def test_a_token_that_ends_inside_a_character_is_never_half_kept() -> None:
    data = "é!".encode()
    cache = SegmentCache(tokenise)
    cache.add_completion([1, 2, 3], [data[:1], data[1:], b"\n"])
    assert flat(cache, Segment("é!")) == [1, 2]
    cache.add_completion([1], [data[:1]])
    assert flat(cache, Segment("é!"), Segment("é")) == [1, 2, *tokenise("é", False)]


def test_laying_out_a_prompt_changes_nothing_until_it_is_kept() -> None:
    cache = after((ASK,), singles("aab"))
    cache.lay_out((Segment("other"),))
    assert flat(cache, ASK, Segment("aab")) == tokenise("ask", True) + singles("aab")


@given(
    st.lists(st.tuples(st.text("ab\n é", max_size=6), st.booleans()), max_size=5),
    st.text("ab\n é", max_size=6),
    st.text("ab\n é", max_size=6),
)
def test_the_tokens_always_spell_the_prompt(parts: list[tuple[str, bool]], written: str, sent: str) -> None:
    prompt = tuple(Segment(text, special=special) for text, special in parts)
    cache = after(prompt, singles(written))
    grown = (*prompt, Segment(sent), Segment("aa"))
    spelled = b"".join(piece(token) for token in flat(cache, *grown))
    assert spelled == "".join(segment.text for segment in grown).encode()
