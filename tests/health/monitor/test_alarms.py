"""When the person is told, and when not: no alarm storms."""

from __future__ import annotations

from datetime import date, time

import numpy as np
import pytest

from camphor.health.monitor.alarms import COOL_DOWN, HOUR, MOST_AN_HOUR, Alarms
from camphor.health.monitor.detect import Episode
from camphor.health.monitor.monitor import Monitor, SoftSos, alarms_of
from camphor.health.monitor.thresholds import RULES, Level
from camphor.health.monitor.vitals import Vital, series
from camphor.health.monitor.watch import EMERGENCIES, Watch, WatchScene, Wearer
from tests.doubles.vitals import NOON, ZONE, join, monitor, steady, still

DAY = date(2026, 3, 12)
MIDNIGHT = NOON - 12 * 3600
RULE = {rule.name: rule for rule in RULES}


def episode(name: str, begin: float, end: float, over: bool = False) -> Episode:
    rule = RULE[name]
    return Episode(rule, rule.level, begin, begin + rule.hold, end, rule.limit, rule.limit, 99, over)


def told(alarms: Alarms, now: float, *episodes: Episode) -> list[Level]:
    return [each.level for each in alarms.update(episodes, now)]


def test_what_goes_on_is_told_once_and_an_urgent_one_again_each_hour() -> None:
    alarms = Alarms()
    answers = [told(alarms, at, episode("low_oxygen_urgent", 0, at)) for at in np.arange(120, 3 * HOUR, 60)]
    assert [len(each) for each in answers].count(1) == 3
    assert len(alarms.kept) == 1
    warned = Alarms()
    answers = [told(warned, at, episode("low_oxygen", 0, at)) for at in np.arange(300, 3 * HOUR, 60)]
    assert sum(len(each) for each in answers) == 1


def test_what_becomes_worse_is_told_again() -> None:
    alarms = Alarms()
    assert told(alarms, 400, episode("low_oxygen", 0, 400)) == [Level.WARNING]
    assert told(alarms, 460, episode("low_oxygen_urgent", 0, 460)) == [Level.URGENT]
    assert told(alarms, 520, episode("low_oxygen", 0, 520)) == []
    assert len(alarms.kept) == 1


def test_signs_that_turn_up_together_are_one_alarm() -> None:
    alarms = Alarms()
    assert told(alarms, 200, episode("low_oxygen_urgent", 0, 200)) == [Level.URGENT]
    both = (episode("low_oxygen_urgent", 0, 400), episode("fast_breathing_urgent", 60, 400))
    assert told(alarms, 400, *both) == []
    (alarm,) = alarms.kept
    assert {sign.kind for sign in alarm.signs} == {"oxygen", "respiratory_rate"}


def test_a_sign_that_returns_soon_is_the_same_alarm_and_one_that_returns_late_is_another() -> None:
    alarms = Alarms()
    told(alarms, 200, episode("low_oxygen_urgent", 0, 200))
    ended = episode("low_oxygen_urgent", 0, 300, over=True)
    told(alarms, 900, ended)
    assert alarms.kept[0].ended == 300
    assert told(alarms, 1300, ended, episode("low_oxygen_urgent", 1000, 1300)) == []
    assert alarms.kept[0].ended is None
    later = 1300 + COOL_DOWN + 600
    told(alarms, later)
    assert told(alarms, later + 400, episode("low_oxygen_urgent", later, later + 400)) == [Level.URGENT]
    assert len(alarms.kept) == 2


def test_warnings_are_few_an_hour_and_urgent_ones_are_always_told() -> None:
    alarms, given = Alarms(), 0
    names = ("fast_heart", "low_oxygen", "fever", "low_upper", "low_glucose", "high_glucose", "fast_breathing")
    for number, name in enumerate(names):
        at = 1000 * number  # each is over before the next, and too far from it to belong to it
        given += len(told(alarms, at + 900, episode(name, at, at + 899)))
        told(alarms, at + 920, episode(name, at, at + 600, over=True))
    assert MOST_AN_HOUR <= given < len(names)
    assert told(alarms, 7000, episode("cold", 6700, 7000)) == [Level.URGENT]


def test_a_warning_that_comes_and_goes_all_day_is_told_some_times_only() -> None:
    alarms, given = Alarms(), 0
    for at in np.arange(0, 24 * HOUR, 2700):
        given += len(told(alarms, at + 900, episode("fast_heart", at, at + 899)))
        told(alarms, at + 1300, episode("fast_heart", at, at + 899, over=True))
    assert 1 < given <= 6


def test_what_was_long_over_when_it_was_first_seen_is_not_told() -> None:
    alarms = Alarms()
    assert told(alarms, 8 * HOUR, episode("low_oxygen_urgent", 0, 600, over=True)) == []
    assert alarms.kept == []


def test_an_alarm_without_any_more_readings_ends() -> None:
    alarms = Alarms()
    told(alarms, 200, episode("low_oxygen_urgent", 0, 200))
    told(alarms, 200 + COOL_DOWN + 60, episode("low_oxygen_urgent", 0, 200))
    assert alarms.kept[0].ended == 200


def test_a_phone_clock_that_jumps_neither_storms_nor_silences() -> None:
    alarms = Alarms()
    told(alarms, 10 * HOUR, episode("low_oxygen_urgent", 10 * HOUR - 200, 10 * HOUR))
    back = [told(alarms, at, episode("low_oxygen_urgent", 5 * HOUR, at)) for at in 5 * HOUR + np.arange(200, 1400, 60)]
    assert sum(len(each) for each in back) == 1


# the monitor as a whole


def live(phone: Monitor, watch: Watch, first: float, last: float) -> list[tuple[float, SoftSos]]:
    """A day's hours from `first` to `last` as they come in, looked at every five minutes; seconds and what was told."""
    given = []
    for now, part in watch.live(DAY, 300):
        if first * 3600 <= now - MIDNIGHT <= last * 3600:
            phone.take(part, "watch", now)
            given += [(now - MIDNIGHT, each) for each in phone.look(now)]
    return given


@pytest.mark.parametrize("name", list(EMERGENCIES))
def test_each_emergency_is_told_once_within_a_quarter_of_an_hour(name: str) -> None:
    phone = monitor()
    scene = WatchScene(name, time(15), 40)
    given = live(phone, Watch(Wearer(glucose=True), ZONE, 3, [scene]), 14.4, 15.8)
    (now, sos), *more = given
    assert 15 * 3600 <= now <= 15 * 3600 + 1500
    assert all(each.alarm.level > sos.alarm.level for _, each in more)
    assert "no diagnosis" in sos.text
    if sos.alarm.level is Level.URGENT:
        assert "emergency number" in sos.text


def test_a_healthy_day_with_a_watch_full_of_faults_alarms_nobody() -> None:
    faults = [
        WatchScene("zeros", time(9), 20), WatchScene("nonsense", time(9, 30), 20), WatchScene("spikes", time(10), 20),
        WatchScene("missing", time(10, 30), 20), WatchScene("stuck", time(11, 5), 40),
        WatchScene("clock_ahead", time(12), 15), WatchScene("clock_back", time(12, 30), 15),
        WatchScene("off", time(13), 20),
    ]  # fmt: skip
    phone = monitor()
    assert live(phone, Watch(Wearer(glucose=True), ZONE, 5, faults), 8.8, 13.8) == []
    assert alarms_of(phone.store, 0, 1e12) == []


def test_an_alarm_outlasts_a_restart_and_is_not_told_anew() -> None:
    phone = monitor()
    phone.take({Vital.OXYGEN: steady(Vital.OXYGEN, 87, 6, every=10)}, "ring", NOON + 360)
    (first,) = phone.look(NOON + 360)
    again = Monitor(phone.store, ZONE)
    assert again.look(NOON + 420) == []
    (kept,) = alarms_of(phone.store, NOON, NOON + 9999)
    assert (kept.id, kept.signs) == (first.alarm.id, first.alarm.signs)


def test_the_report_says_what_for_how_long_what_is_usual_and_what_to_do() -> None:
    phone = monitor()
    heart = steady(Vital.HEART_RATE, 150, 12, noise=1)
    phone.take({Vital.HEART_RATE: heart, Vital.STEPS: still()}, "watch", NOON + 720)
    (sos,) = phone.look(NOON + 720)
    lines = sos.text.splitlines()
    assert lines[0] == "Urgent, 12:11 on 12 March 2026"
    assert lines[1].startswith("- Your heart has been beating fast while you were still: 150 bpm for 12 minutes")
    assert "NEWS2" in lines[1]
    assert "camphor health sos start" in sos.text


def test_an_unlikely_danger_is_told_with_a_doubt_and_an_impossible_one_not_at_all() -> None:
    phone = monitor()
    phone.take({Vital.OXYGEN: steady(Vital.OXYGEN, 62, 6, every=10)}, "ring", NOON + 360)
    (sos,) = phone.look(NOON + 360)
    assert "the watch may be wrong" in sos.text
    other = monitor()
    taken = other.take({Vital.OXYGEN: steady(Vital.OXYGEN, 20, 6, every=10)}, "ring", NOON + 360)
    assert other.look(NOON + 360) == []
    assert taken.impossible == 36
    assert "cannot be true (20)" in taken.faults[0].says


def test_readings_with_wrong_times_are_counted_and_not_kept() -> None:
    phone = monitor()
    column = series(Vital.HEART_RATE, [NOON, NOON + 86_400], [60, 160])
    assert phone.take({Vital.HEART_RATE: column}, "watch", NOON).timeless == 1
    assert phone.store.readings("heart_rate", 0, 1e12).at.tolist() == [NOON]


def test_check_finds_a_night_of_low_oxygen_afterwards() -> None:
    phone = monitor()
    night = NOON - 9 * 3600
    oxygen = join(steady(Vital.OXYGEN, 97, 60, night, 60), steady(Vital.OXYGEN, 88, 20, night + 3600, 60))
    phone.take({Vital.OXYGEN: oxygen}, "ring", NOON, past=True)
    found = phone.check(date(2026, 3, 12), date(2026, 3, 12))
    assert [each.rule.name for each in found.episodes] == ["low_oxygen_urgent"]
    assert found.readings == 80
    assert alarms_of(phone.store, 0, 1e12) == []
    phone.store.thin(NOON + 40 * 86_400)
    assert [each.rule.name for each in phone.check(date(2026, 3, 12), date(2026, 3, 12)).episodes] == [
        "low_oxygen_urgent"
    ]


def test_a_watch_that_falls_silent_is_told_as_that_and_alarms_nobody() -> None:
    phone = monitor()
    phone.take({Vital.HEART_RATE: steady(Vital.HEART_RATE, 64, 5, noise=1)}, "watch", NOON + 300)
    assert phone.silence(NOON + 600) == ()
    (fault,) = phone.silence(NOON + 3600)
    assert fault.says == "There has been no heart rate for 55 minutes: the watch may be off or empty"
    assert phone.look(NOON + 3600) == []
