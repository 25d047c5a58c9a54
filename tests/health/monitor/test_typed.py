"""Readings that a person types."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.errors import UsageError
from camphor.health.monitor.typed import note, typed
from camphor.health.monitor.vitals import Vital, epoch
from tests.doubles.vitals import ZONE, monitor

NOW = datetime(2026, 3, 12, 12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "142/91 pulse 68",
            [("systolic", 142, "142 mmHg"), ("diastolic", 91, "91 mmHg"), ("heart_rate", 68, "68 bpm")],
        ),
        ("Blutdruck 142 zu 91 mmHg", [("systolic", 142, "142 mmHg"), ("diastolic", 91, "91 mmHg")]),
        ("7.8 mmol/L", [("glucose", 140.5, "7.8 mmol/L")]),
        ("glucose: 140 mg/dL", [("glucose", 140, "140 mg/dL")]),
        ("82kg", [("weight", 82, "82 kg")]),
        ("181 lb", [("weight", 82.1, "181 lb")]),
        ("12 st 13 lb", [("weight", 82.1, "12 st 13 lb")]),
        ("temperature 38,2 °C", [("temperature", 38.2, "38,2 °C")]),
        ("100.8 F", [("temperature", 38.2, "100.8 °F")]),
        ("oxygen 94 %", [("oxygen", 94, "94%")]),
        ("94 % oxygen, 68 bpm", [("oxygen", 94, "94%"), ("heart_rate", 68, "68 bpm")]),
    ],
)
def test_a_reading_is_taken_as_it_is_typed(text: str, said: list[tuple[str, float, str]]) -> None:
    assert [(each.kind.value, round(each.value, 1), each.written) for each in typed(text)] == said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("glucose 7.8", "unit of glucose 7.8 is not told: type 7.8 mg/dL or 7.8 mmol/L"),
        ("142/91 68", "68 may be anything"),
        ("mood 7", "'mood' is no vital sign"),
        ("hello", "no reading in 'hello'"),
        ("82 kg 83 kg", "same kind"),
        ("142/91 after lunch", "'after lunch' has no number"),
    ],
)
def test_what_is_left_open_is_asked_for(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        typed(text)


@pytest.mark.parametrize(
    ("text", "at", "told"),
    [
        ("142/910", "", "cannot be true, so nothing was kept"),
        ("91/142 pulse 68", "", "cannot be true"),
        ("pulse 68", "13:00", "lies ahead"),
        ("pulse 68", "2026-03-12", "no time of the phone"),
        ("pulse 68", "soon", "no time"),
    ],
)
def test_what_cannot_be_true_is_not_kept(text: str, at: str, told: str) -> None:
    kept = monitor()
    with pytest.raises(UsageError, match=told):
        note(kept, text, NOW, at)
    assert kept.store.kinds() == []


def test_a_typed_reading_is_kept_in_its_unit_and_looked_at_as_any_other() -> None:
    kept = monitor()
    assert note(kept, "7.8 mmol/L", NOW, "08:30").at == datetime(2026, 3, 12, 8, 30)
    assert kept.store.units() == {"glucose": "mmol/L"}
    assert note(kept, "231/92", NOW).doubts == ()
    assert kept.look(epoch(NOW, ZONE)) == []
    assert "call your emergency number" in kept.again()
    assert note(kept, "temperature 45 °C", NOW).doubts == ("body temperature 45 °C",)
    assert kept.store.readings(Vital.SYSTOLIC.value, 0, 1e12).value.tolist() == [231]
