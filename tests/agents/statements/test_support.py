"""Lengths, hours and units that a sentence may have otherwise than the record has them."""

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.gate.scene import Scene
from camphor.agents.statements.figures import lengths_to_the_second
from camphor.agents.statements.support import Support
from camphor.types import Agent, Call, Observation, Step, Turn

NOW = datetime(2026, 3, 12, 8, 45)  # a Thursday


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Six minutes and thirty-two seconds.", [392]),
        ("It runs 51 minutes 44, the other one 45 min 12 s.", [3104, 2712]),
        ("An hour long, 1 hour 2 minutes and 3 seconds", [3723]),
        ("Forty seconds", [40]),
        ("Twenty-six and a half minutes", [1590]),
        ("It takes 20 minutes, until 12:30", []),
        ("45 minutes 12:30", []),
    ],
)
def test_lengths_with_seconds_are_read(text: str, seconds: list[float]) -> None:
    assert [length.seconds for length in lengths_to_the_second(text)[0]] == seconds


def borne_out(sentence: str, *records: dict[str, Any]) -> bool:
    call = Call("get_voice_recording", {})
    turn = Turn("how long is it?", (Step(Agent.CONTEXT, (call,), (Observation(call, records),)),))
    return not Support(Scene(turn, (), NOW, ())).unknown(sentence, names=False)


ROUGH, FINAL = {"title": "Rough mix", "seconds": 3104}, {"title": "Final mix", "seconds": 2712}
EPISODE = {"title": "Locks", "position": "21:40 of 48:12"}
TALK = {"title": "Talk", "start": "2026-03-10T11:00:00", "end": "2026-03-10T12:30:00"}
SACKS = ({"name": "Rice", "value": "14.1 kg"}, {"name": "Flour", "value": "13.4 kg"})


@pytest.mark.parametrize(
    ("right", "wrong", "records"),
    [
        ("It runs 45 minutes and 12 seconds.", "It runs 45 minutes and 13 seconds.", [FINAL]),
        ("Six minutes thirty-two seconds shorter.", "Six minutes thirty seconds shorter.", [ROUGH, FINAL]),
        ("26 and a half minutes are left.", "27 and a half minutes are left.", [EPISODE]),
        ("From eleven to half past twelve.", "From eleven to half past one.", [TALK]),
        ("It was on Tuesday morning.", "It was on Monday morning.", [TALK]),
        ("The rice, by 700 grams to the flour.", "The rice, by eight hundred grams to the flour.", SACKS),
    ],
)
def test_what_the_record_says_otherwise_is_borne_out(right: str, wrong: str, records: list[dict[str, Any]]) -> None:
    assert borne_out(right, *records)
    assert not borne_out(wrong, *records)
