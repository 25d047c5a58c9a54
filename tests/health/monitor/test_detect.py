"""Abnormal values that last: the thresholds, the time, artefacts, gaps, movement."""

from __future__ import annotations

import numpy as np
import pytest

from camphor.health.monitor.detect import Episode, condense, detect, judged
from camphor.health.monitor.plausible import judge
from camphor.health.monitor.thresholds import RULES, STALE, Level, Person, RangeRule, rules_for, told_target
from camphor.health.monitor.vitals import Series, Vital, series
from tests.doubles.vitals import NOON, join, steady, still


def found(*parts: Series, rules: tuple[RangeRule, ...] = RULES) -> list[Episode]:
    return detect(judged({each.kind: each for each in parts}), rules)


def names(*parts: Series, rules: tuple[RangeRule, ...] = RULES) -> list[str]:
    return [each.rule.name for each in found(*parts, rules=rules)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_fires_after_its_time_and_not_before(rule: RangeRule) -> None:
    off = 0.5 if rule.above else -0.5
    every = 15 if rule.hold < 600 else 60
    long = steady(rule.kind, rule.limit + off, rule.hold / 60 + 2, every=every)
    (episode,) = found(long, still())
    assert (episode.rule.name, episode.level) == (rule.name, rule.level)
    assert episode.begin == NOON
    assert rule.hold <= episode.sure - NOON <= rule.hold + every
    short = join(
        steady(rule.kind, rule.limit + off, rule.hold / 60 - 1, every=every),
        steady(rule.kind, rule.clear - 2 * off, 10, NOON + rule.hold - 60, every),
    )
    assert names(short, still(), rules=(rule,)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_has_a_source_and_a_margin(rule: RangeRule) -> None:
    assert rule.source
    assert rule.says
    assert rule.stale == STALE[rule.kind]
    assert (rule.clear < rule.limit) == rule.above
    assert rule.level > Level.NOTICE


def test_rules_of_the_early_warning_score_stand_at_its_bands() -> None:
    limits = {rule.name: rule.limit for rule in RULES}
    assert (limits["fast_heart"], limits["fast_heart_urgent"], limits["slow_heart"]) == (111, 131, 40)
    assert 92 < limits["low_oxygen_urgent"] < 93 < limits["low_oxygen"] < 94  # home limits are stricter than 91
    assert (limits["fast_breathing"], limits["fast_breathing_urgent"], limits["slow_breathing"]) == (21, 25, 8)
    assert (limits["fever"], limits["cold"], limits["low_upper_urgent"]) == (39.1, 35.0, 90)


def test_an_artefact_neither_ends_an_episode_nor_makes_one() -> None:
    at = NOON + np.arange(900)
    values = np.full(900, 145.0)
    values[::50] = 60
    values[300:320] = 70  # for twenty seconds the watch lost the pulse
    (episode,) = found(series(Vital.HEART_RATE, at, values), still())
    assert episode.seconds == pytest.approx(899)
    calm = np.full(900, 70.0)
    calm[::50] = 180
    assert found(series(Vital.HEART_RATE, at, calm), still()) == []


def test_a_fast_heart_while_moving_is_exercise_and_afterwards_only_when_it_stays() -> None:
    heart = steady(Vital.HEART_RATE, 150, 30, noise=2)
    walking = steady(Vital.STEPS, 110, 60, NOON - 900, 60)
    assert names(heart, walking) == []
    assert names(heart, steady(Vital.EXERCISE, 1, 60, NOON - 900, 60)) == []
    stopped = steady(Vital.STEPS, 110, 15, NOON - 900, 60)
    (episode,) = found(heart, stopped)
    assert episode.rule.name == "fast_heart_urgent"
    assert episode.begin >= NOON + 480  # ten minutes after the last steps


def test_without_steps_stillness_is_not_known_and_said_so() -> None:
    (episode,) = found(steady(Vital.HEART_RATE, 150, 20, noise=2))
    assert not episode.still_known
    (episode,) = found(steady(Vital.HEART_RATE, 150, 20, noise=2), still())
    assert episode.still_known


def test_a_gap_ends_an_episode() -> None:
    two = join(steady(Vital.HEART_RATE, 140, 4), steady(Vital.HEART_RATE, 140, 4, NOON + 3600))
    assert names(two, still(120)) == []
    assert not found(steady(Vital.HEART_RATE, 140, 8), still())[0].over


def test_a_single_measurement_is_to_be_repeated_and_two_count() -> None:
    (once,) = found(series(Vital.SYSTOLIC, [NOON], [192]))
    assert once.again
    assert once.level is Level.NOTICE
    (twice,) = found(series(Vital.SYSTOLIC, [NOON, NOON + 360], [192, 188]))
    assert (twice.level, twice.again, twice.readings) == (Level.URGENT, False, 2)
    assert found(series(Vital.SYSTOLIC, [NOON, NOON + 360], [192, 138])) == []


def test_the_more_severe_of_one_trouble_is_told_and_from_when_it_began() -> None:
    oxygen = join(steady(Vital.OXYGEN, 93, 10, every=30), steady(Vital.OXYGEN, 88, 10, NOON + 600, 30))
    (episode,) = found(oxygen)
    assert (episode.rule.name, episode.begin, episode.worst) == ("low_oxygen_urgent", NOON, 88)


def test_values_that_hardly_anybody_has_count_with_a_doubt() -> None:
    (episode,) = found(steady(Vital.OXYGEN, 61, 10, every=10))
    assert episode.doubtful
    assert episode.level is Level.URGENT


def test_between_limit_and_clear_an_episode_goes_on_but_does_not_begin() -> None:
    between = steady(Vital.HEART_RATE, 125, 12)
    assert names(between, still(), rules=(RULES[0],)) == []
    after = join(steady(Vital.HEART_RATE, 138, 6), steady(Vital.HEART_RATE, 125, 4, NOON + 360))
    (episode,) = found(after, still(), rules=(RULES[0],))
    assert episode.seconds == pytest.approx(599)


def test_limits_depend_on_the_person() -> None:
    slow = steady(Vital.HEART_RATE, 38, 20)
    assert names(slow) == ["slow_heart"]
    assert names(slow, rules=rules_for(Person(usual_heart=44))) == []
    assert names(steady(Vital.HEART_RATE, 33, 20), rules=rules_for(Person(usual_heart=44))) == ["slow_heart"]
    assert names(
        steady(Vital.HEART_RATE, 180, 10), steady(Vital.STEPS, 150, 60, NOON - 600, 60), rules=rules_for(Person(age=70))
    ) == ["strained_heart"]
    low = steady(Vital.OXYGEN, 89, 10, every=30)
    assert names(low) == ["low_oxygen_urgent"]
    assert names(low, rules=rules_for(Person(oxygen_88_92=True))) == []


def test_only_a_target_that_was_set_lowers_the_limit_of_oxygen() -> None:
    assert told_target(["COPD, target saturation 88-92%"])
    assert told_target(["oxygen 88 to 92"])
    assert not told_target(["COPD"])


def test_readings_of_a_quarter_minute_become_their_median() -> None:
    column = judge(series(Vital.HEART_RATE, 15.0 * 10**8 + np.arange(30), [*range(60, 75), *range(80, 95)]))
    condensed = condense(column)
    assert condensed.value.tolist() == [67, 87]
    assert condensed.count.tolist() == [15, 15]


def test_nothing_comes_of_nothing() -> None:
    assert found(series(Vital.HEART_RATE, [], []), series(Vital.STEPS, [], [])) == []
