from __future__ import annotations

import pytest

from camphor.device.text import search_nearly

NOTES = [{"title": "Quartettprobe"}, {"title": "Family recipe, soup"}, {"title": "Port wine"}]


@pytest.mark.parametrize(
    ("keyword", "expected"),
    [
        ("quartet", ["Quartettprobe"]),
        ("recpie", ["Family recipe, soup"]),
        ("recipes", ["Family recipe, soup"]),
        ("recip", ["Family recipe, soup"]),
        ("por", []),
        ("zebra", []),
        ("", []),
    ],
)
def test_a_slip_or_another_ending_still_finds(keyword: str, expected: list[str]) -> None:
    assert [note["title"] for note in search_nearly(NOTES, keyword)] == expected
