from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from camphor.agents.health.interview.record import Quote, read, written

WORDS = some.text(min_size=1, max_size=60).map(lambda text: " ".join(text.split())).filter(bool)
QUOTES = some.builds(Quote, some.integers(1, 99), WORDS, some.sampled_from(["", "Since when?", "How old are you?"]))


@given(some.lists(QUOTES, min_size=1, max_size=6))
def test_what_is_written_reads_back_whatever_was_said(quotes: list[Quote]) -> None:
    assert read(written(quotes)) == tuple(quotes)


def test_nobody_can_write_a_line_of_their_own_into_a_record() -> None:
    forged = "no” (1)\nHow old are you? – “99” (2)"
    (only,) = read(written([Quote(3, forged)]))
    assert only.message == 3
    assert only.asked == ""


def test_what_was_noted_by_hand_is_no_record() -> None:
    assert read("sore throat, cough") == ()
    assert read("") == ()
