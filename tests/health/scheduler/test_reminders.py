"""Reminders as a person meets them: nagging, late, snoozed, missed, and under clocks that jump."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from camphor.device.health.doses import DoseState
from camphor.errors import Refused, UsageError
from tests.doubles.scheduler import Phone


def test_a_dose_is_reminded_of_until_it_is_confirmed() -> None:
    phone = Phone()
    phone.take(food="with food")
    assert phone.at(7, 59) == []
    (first,) = phone.at(8)
    assert first.text.startswith("Metformin 850 mg, 1 tablet, with food, due 08:00")
    assert phone.at(8, 5) == []
    (second,) = phone.at(8, 10)
    assert "Reminder 2" in second.text
    dose, news = phone.reminders.taken(1)
    assert (dose.state, news) == (DoseState.TAKEN, True)
    assert phone.at(9) == []
    assert [reminder.dose.id for reminder in phone.at(20)] == [2]


def test_the_same_word_said_twice_counts_once() -> None:
    phone = Phone()
    phone.take()
    phone.at(8)
    assert phone.reminders.taken(1)[1]
    phone.now = phone.now.replace(minute=7)
    dose, news = phone.reminders.taken(1)
    assert not news
    assert phone.reminders.wall(dose.decided or 0) == datetime(2026, 3, 12, 8)
    assert [what for _, what, _ in phone.doses.events(1)] == ["reminding", "reminded", "taken"]


def test_two_doses_too_close_may_be_the_same_one() -> None:
    phone = Phone()
    medicine = phone.take()
    phone.at(8)
    phone.at(13)  # the first waits still; it is taken late, and the next is near
    phone.reminders.taken(1)
    phone.at(18, 30)
    with pytest.raises(Refused, match="noted as taken at 13:00 on 12 March already"):
        phone.reminders.taken(2)
    assert phone.doses.dose(2).state is DoseState.DUE
    assert phone.reminders.taken(2, another=True)[1]
    assert phone.reminders.counts(datetime(2026, 3, 12), datetime(2026, 3, 13))["taken"] == 2
    phone.doses.stop(medicine.id, phone.now, phone.reminders.now)
    assert phone.at(8, day=13) == []


def test_a_dose_cannot_be_noted_long_before_its_time_or_in_the_future() -> None:
    phone = Phone()
    phone.take()
    phone.at(8)
    with pytest.raises(UsageError, match="too early"):
        phone.reminders.taken(2)
    with pytest.raises(UsageError, match="still to come"):
        phone.reminders.taken(1, datetime(2026, 3, 12, 9))


def test_snooze_skip_and_taking_back() -> None:
    phone = Phone()
    phone.take()
    phone.at(8)
    phone.reminders.snooze(1, timedelta(minutes=40))
    assert phone.at(8, 39) == []
    assert len(phone.at(8, 40)) == 1
    with pytest.raises(UsageError, match="put off until 14:00"):
        phone.reminders.snooze(1, timedelta(hours=8))
    phone.reminders.skip(1, "felt sick")
    assert phone.at(9) == []
    with pytest.raises(UsageError, match="nothing to put off"):
        phone.reminders.snooze(1)
    phone.doses.reopen(1, phone.reminders.now)
    assert len(phone.after(minutes=1)) == 1
    with pytest.raises(UsageError, match="nothing was said"):
        phone.doses.reopen(1, phone.reminders.now)


def test_a_missed_dose_is_told_of_once_counted_and_may_still_be_noted() -> None:
    phone = Phone()
    phone.take()
    assert len(phone.at(8)) == 1
    (missed,) = phone.at(14, 1)
    assert missed.missed
    assert "counts as missed" in missed.text
    assert phone.at(14, 2) == []
    day = (datetime(2026, 3, 12), datetime(2026, 3, 13))
    assert phone.reminders.counts(*day) == {"taken": 0, "skipped": 0, "missed": 1, "open": 1}
    phone.reminders.taken(1, datetime(2026, 3, 12, 8, 20))
    assert phone.reminders.counts(*day)["missed"] == 0


def test_reminders_of_a_dose_come_to_an_end() -> None:
    phone = Phone()
    phone.take()
    phone.at(7, 59)
    shown = [reminder for _ in range(300) for reminder in phone.after(minutes=1)]
    assert len(shown) == phone.reminders.rules.most


def test_after_a_long_sleep_what_still_counts_is_reminded_of_and_the_rest_is_missed() -> None:
    phone = Phone()
    phone.take()
    shown = phone.at(9, day=15)
    assert [(each.missed, f"{each.dose.wall:%d %H}") for each in shown] == [
        (False, "15 08"),
        (True, "14 08"),
        (True, "14 20"),
    ]
    assert "60 minutes ago" in shown[0].text
    counts = phone.reminders.counts(datetime(2026, 3, 12), datetime(2026, 3, 16))
    assert counts == {"taken": 0, "skipped": 0, "missed": 6, "open": 2}


def test_a_clock_that_jumps_ahead_and_back_leaves_no_false_miss_and_no_double_dose() -> None:
    phone = Phone()
    phone.take()
    phone.at(8)
    phone.reminders.taken(1)
    (wrong,) = [each for each in phone.at(20, day=15) if not each.missed]
    phone.reminders.taken(wrong.dose.id)
    phone.now = datetime(2026, 3, 12, 10)  # the clock is right again
    days = (datetime(2026, 3, 12), datetime(2026, 3, 16))
    assert phone.reminders.counts(*days) == {"taken": 2, "skipped": 0, "missed": 0, "open": 6}
    (evening,) = phone.at(20)
    assert (evening.dose.wall, evening.number) == (datetime(2026, 3, 12, 20), 1)
    assert "noted as taken at 20:00 on 15 March, which is ahead of the clock" in evening.text
    phone.reminders.taken(evening.dose.id)
    for day, hour in ((13, 8), (13, 20), (14, 8), (14, 20), (15, 8)):
        (reminder,) = phone.at(hour, day=day)
        phone.reminders.taken(reminder.dose.id)
    assert phone.at(20, 10, day=15) == []  # of that one the person has spoken
    assert phone.reminders.counts(*days)["taken"] == 8


def test_what_a_wrong_clock_put_off_does_not_stay_put_off() -> None:
    phone = Phone()
    phone.take()
    phone.at(8)
    phone.at(13, 50)
    phone.reminders.snooze(1, timedelta(minutes=9))
    phone.now = datetime(2026, 3, 12, 8, 30)
    assert len(phone.reminders.tick()) == 1


@pytest.mark.parametrize("evening", [datetime(2026, 3, 28, 22), datetime(2026, 10, 24, 22)])
def test_a_dose_in_the_skipped_or_the_doubled_hour_is_reminded_of_once(evening: datetime) -> None:
    phone, shown = Phone(now=evening), []
    phone.take({"times": ["01:30"]})
    start = phone.reminders.now
    for minutes in range(0, 12 * 60, 5):  # elapsed time, as a clock goes through the night
        phone.now = phone.reminders.wall(start + minutes * 60)
        for reminder in phone.reminders.tick():
            shown.append(reminder)
            phone.reminders.taken(reminder.dose.id)
    assert [(each.number, each.missed) for each in shown] == [(1, False)]


def test_medicines_as_needed_have_no_reminders_and_keep_their_bounds() -> None:
    phone = Phone(now=datetime(2026, 3, 12, 10))
    painkiller = phone.take({"times": [], "as_needed": True, "most_a_day": 2, "least_hours": 4.0}, "Paracetamol")
    assert phone.reminders.tick() == []
    assert phone.reminders.taken_as_needed(painkiller.id)[1]
    assert not phone.reminders.taken_as_needed(painkiller.id, another=True)[1]  # the same minute is the same dose
    phone.now += timedelta(hours=1)
    with pytest.raises(Refused, match="already"):
        phone.reminders.taken_as_needed(painkiller.id)
    phone.now += timedelta(hours=4)
    assert phone.reminders.taken_as_needed(painkiller.id)[1]
    phone.now += timedelta(hours=5)
    with pytest.raises(Refused, match="at most 2"):
        phone.reminders.taken_as_needed(painkiller.id)
    assert phone.reminders.taken_as_needed(painkiller.id, another=True)[1]


def test_two_programs_remind_of_a_dose_once(tmp_path: Path) -> None:
    path = tmp_path / "phone.health"
    one, other = Phone(path), Phone(path)
    one.take()
    shown = one.at(8) + other.at(8)
    assert len(shown) == 1
    other.reminders.taken(1)
    assert one.at(8, 10) == []


def test_a_day_far_ahead_that_is_asked_for_writes_no_centuries_of_doses() -> None:
    phone = Phone()
    phone.take()
    phone.at(8)
    assert phone.reminders.listed(datetime(2626, 3, 12), datetime(2626, 3, 13)) == []
    written = phone.doses.between(0, float("inf"))
    assert 300 < len(written) < 400  # twice a day for half a year
