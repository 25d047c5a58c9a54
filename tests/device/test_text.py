"""The words of texts, and what of them is seen."""

import pytest

from camphor.device.text import without_unseen


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m\x00", "red"),
        ("no\u200bth\u202eing", "nothing"),
        ("two\nlines\tand", "two\nlines\tand"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u200db", "ab"),
    ],
)
def test_what_nobody_sees_goes_and_what_joins_letters_and_emoji_stays(text: str, shown: str) -> None:
    assert without_unseen(text) == shown
