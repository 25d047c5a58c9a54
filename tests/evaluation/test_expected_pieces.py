"""Free text of a gold action is right by the pieces that people wrote beside the query."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from camphor.device.device import Device
from camphor.types import Call
from camphor_lab.evaluation.expected import right
from camphor_lab.evaluation.values import ValueMatcher

PHONE = {
    "format": "camphor.device/1",
    "id": "p",
    "owner": "Ana",
    "now": "2026-03-12T08:45:00",
    "apps": {"notes": {"notes": []}},
}
WHOLE = {"any_of": ["I've still got your esky", "Still got your esky mate"], "has": ["esky"]}
PIECES = {"any_of": ["15:30", "half past three"], "has": ["18"]}


class Unlike:
    """No text is like another."""

    def prepare(self, texts: Iterable[str]) -> None: ...

    def cosine(self, first: str, second: str) -> float:
        return 0.0


@pytest.mark.parametrize(
    ("value", "text", "is_right"),
    [
        ({"any_of": ["late", "behind", "ten"]}, "We're ten minutes behind", True),
        ({"any_of": ["late", "behind"], "has": []}, "We are nearly there", False),
        ({"any_of": ["Half two"]}, "half two", True),
        ({"has": ["84", "36"]}, "84 wide and 36 deep", True),
        ({"has": ["84", "36"]}, "84 wide", False),
        (WHOLE, "The esky is still here with me", True),
        (WHOLE, "It is still here with me", False),
        (PIECES, "On the 18th at half past three", True),
        (PIECES, "On the 18th", False),
        (PIECES, "At half past three", False),
        ("Buy milk", "buy milk", True),
    ],
)
def test_pieces_decide(value: object, text: str, is_right: bool) -> None:
    with Device.create(None, PHONE) as device:
        gold, made = Call("create_notes", {"content": value}), Call("create_notes", {"content": text})
        assert right(gold, made, ValueMatcher(device.toolbox, Unlike())) is is_right
