"""Simulated lives: sizes of the paper, habits that show in the use, and device files of any moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from camphor.device.apps import KNOWN_APPS
from camphor.device.device import Device
from camphor_lab.datasets.context.lives import LISTS, PLACES, Life, LifePerson, Thread
from camphor_lab.datasets.context.simulate import PERSONAS, SIZES, TABLE, make_life, make_lives, split_of_persona

USES = {"created", "opened", "edited", "played", "called", "received", "sent", "searched", "completed", "used"}
MANIFEST = {
    "description": "searches",
    "tools": [{"name": "list_searches", "kind": "context", "returns": "searches", "description": "All searches."}],
}


def records(document: dict[str, Any], app: str) -> list[dict[str, Any]]:
    one = document["apps"][app]
    found: list[dict[str, Any]] = (one if app in KNOWN_APPS else one["records"])[LISTS[app]]
    return found


@pytest.fixture(scope="module")
def lives() -> list[Life]:
    return list(make_lives())


def threads(lives: list[Life], *kinds: str) -> Iterator[tuple[Life, Thread]]:
    return ((life, thread) for life in lives for thread in life.threads if thread.kind in kinds)


def test_the_apps_have_the_sizes_of_table_4(lives: list[Life]) -> None:
    counts = Counter(item.app for life in lives for item in life.items)
    for app, mean in SIZES.items():
        assert counts[app] / PERSONAS == pytest.approx(mean, rel=0.1)


def test_when_queries_are_asked_most_items_are_there_already(lives: list[Life]) -> None:
    counts: Counter[str] = Counter()
    for life in lives:
        now = life.window + (life.end - life.window) / 2
        counts.update(item.app for item in life.items if item.since <= now)
    for app, mean in SIZES.items():
        assert counts[app] / PERSONAS == pytest.approx(mean, rel=0.2)


def test_lives_last_weeks_and_are_full_of_use(lives: list[Life]) -> None:
    for life in lives:
        assert 28 <= (life.end - life.begin).days <= 63
        assert 60 <= len(life.uses) <= 450
        assert [use.at for use in life.uses] == sorted(use.at for use in life.uses)
        assert all(life.items[use.item].since <= use.at <= life.end for use in life.uses)
        assert {use.kind for use in life.uses} <= USES
        assert {use.place for use in life.uses} <= set(PLACES)
    uses = [use.at.hour for life in lives for use in life.uses]
    assert sum(1 <= hour < 5 for hour in uses) < len(uses) / 100


def test_every_kind_of_thread_occurs_in_both_splits(lives: list[Life]) -> None:
    for split in ("train", "test"):
        found = {thread.kind for life in lives if life.persona.split == split for thread in life.threads}
        assert found == set(TABLE)


def test_items_and_threads_know_each_other(lives: list[Life]) -> None:
    for life in lives:
        assert all(thread.items for thread in life.threads)
        for number, thread in enumerate(life.threads):
            assert all(life.items[item].thread == number for item in thread.items)
        own = {item for thread in life.threads for item in thread.items}
        assert all((item.thread is None) == (index not in own) for index, item in enumerate(life.items))
        people = set(life.persona.people)
        who = [thread.attributes["who"] for thread in life.threads if thread.attributes.get("who")]
        assert all(person in people for person in who if isinstance(person, LifePerson))
        numbers = [person.number for person in people]
        assert len(set(numbers)) == len(numbers)


def test_topics_of_the_test_never_stand_in_training(lives: list[Life]) -> None:
    topical = set(TABLE) - {"commute_music", "workout_music", "bedtime_music", "focus_music", "shopping"}
    topical -= {"family_call", "missed_call", "school_run"}  # named by the relationship
    topics: dict[str, set[tuple[str, str]]] = {"train": set(), "test": set()}
    songs: dict[str, set[str]] = {"train": set(), "test": set()}
    for life in lives:
        split = life.persona.split
        topics[split] |= {(thread.kind, thread.what) for thread in life.threads if thread.kind in topical}
        songs[split] |= {str(item.fields["title"]) for item in life.items if item.app == "music"}
    assert not topics["train"] & topics["test"]
    assert not songs["train"] & songs["test"]


def test_the_test_has_its_share_of_people() -> None:
    splits = Counter(split_of_persona(number) for number in range(PERSONAS))
    assert splits["test"] == round(PERSONAS * 936 / (4338 + 936))


def test_the_same_seed_makes_the_same_life() -> None:
    first, again, other = make_life(5, 1), list(make_lives(6, 1))[5], make_life(5, 2)
    assert first.document(first.end) == again.document(again.end)
    assert first.document(first.end) != other.document(other.end)


@pytest.mark.parametrize("number", range(0, PERSONAS, 60))
def test_a_device_takes_the_file_of_any_moment(lives: list[Life], number: int) -> None:
    life = lives[number]
    for now in (life.begin, life.window, life.end):
        document, refs = life.document(now, screen="Lock screen", apps={"google": MANIFEST})
        with Device.create(None, document) as device:
            assert device.now == now.replace(microsecond=0)
            assert "list_searches" in {tool.name for tool in device.toolbox}
            assert device.export()["apps"] == document["apps"]
        for index, ref in refs.items():
            kept, item = records(document, ref.app)[ref.ordinal], life.items[index]
            assert item.since <= now
            assert {key: kept[key] for key in item.fields if kept[key] == item.fields[key]}
        for event in document["usage"]:
            assert event["list"] == LISTS[event["app"]]
            assert event["item"] < len(records(document, event["app"]))
            assert datetime.fromisoformat(event["at"]) <= now


def test_what_lies_ahead_stays_on_the_phone(lives: list[Life]) -> None:
    ahead = Counter[str]()
    for life in lives[:100]:
        document = life.document(life.end)[0]
        now = life.end.isoformat()
        ahead["calendar"] += any(event["start"] > now for event in records(document, "calendar"))
        ahead["reminders"] += any(entry["time"] > now for entry in records(document, "reminders"))
    assert min(ahead.values()) > 80


def test_habits_show_in_time_and_place(lives: list[Life]) -> None:
    there = Counter(
        use.place
        for life, thread in threads(lives, "commute_music")
        for item in thread.items
        for use in life.used(item, life.end)
    )
    assert there["commute"] > 0.6 * there.total()
    for life, thread in threads(lives, "lesson"):
        routine = {moment.weekday() for moment in thread.attributes["occurrences"]}
        assert routine == {thread.attributes["weekday"]}
        for item in life.of(thread, "event", at=life.end):
            start = datetime.fromisoformat(life.items[item].fields["start"])
            assert start in thread.attributes["occurrences"]
    for life, thread in threads(lives, "lesson", "standup", "gym_class"):
        coming = [life.items[item].fields["start"] for item in life.of(thread, "event", at=life.end)]
        assert max(coming) > life.end.isoformat()


def test_weeks_are_left_out(lives: list[Life]) -> None:
    kept = [
        len(life.used(item, life.end)) / sum(moment <= life.end for moment in thread.attributes["occurrences"])
        for life, thread in threads(lives, "family_call")
        for item in life.of(thread, "call", at=life.end)
    ]
    assert 0.6 < sum(kept) / len(kept) < 0.95


def test_habits_move_to_something_new(lives: list[Life]) -> None:
    moved = 0
    for life, thread in threads(lives, "commute_music", "workout_music", "bedtime_music", "focus_music"):
        change = thread.attributes["moved"]
        old = life.of(thread, "old_song", at=life.end)
        assert bool(old) == (change is not None)
        if change is None:
            continue
        moved += 1
        late = [use for use in life.used(old[0], life.end) if use.at > change + timedelta(days=1)]
        new = life.used(life.of(thread, "song", at=life.end)[0], life.end)
        assert all(use.at >= change for use in new)
        assert len(late) <= len(new)
    assert moved > 100


def test_a_missed_call_is_not_returned(lives: list[Life]) -> None:
    for life, thread in threads(lives, "missed_call"):
        missed = next(item for item in thread.items if life.items[item].role == "missed")
        last = life.used(missed, life.end)[-1]
        who = thread.attributes["who"].name
        later = [use for use in life.uses if use.kind == "called" and use.at > last.at]
        assert all(life.items[use.item].fields["contact"] != who for use in later)


def test_a_series_shows_the_due_time_that_is_open(lives: list[Life]) -> None:
    life, thread = next(threads(lives, "medication"))
    item = thread.items[0]
    dues = life.items[item].dues
    for done in life.used(item, life.end)[1:]:
        shown = life.fields(item, done.at)
        following = next(due for due in dues if due > done.at - timedelta(minutes=1))
        assert datetime.fromisoformat(shown["time"]) >= min(following, done.at)
        assert not shown["done"] or datetime.fromisoformat(shown["time"]) <= done.at
    first = life.fields(item, life.items[item].since)
    assert datetime.fromisoformat(first["time"]) == dues[0]


def test_a_series_has_one_organizer_and_its_own_weekday(lives: list[Life]) -> None:
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    for life, thread in threads(lives, "lesson", "standup", "book_club", "volunteer_shift"):
        events = [life.items[item].fields for item in life.of(thread, "event", at=life.end)]
        assert len({event["organizer"] for event in events}) == 1
        other = {day for day in days if day != days[thread.attributes["weekday"]]}
        assert thread.kind != "standup" or not any(day in str(event["title"]) for event in events for day in other)


def test_nights_are_quiet(lives: list[Life]) -> None:
    for life in lives:
        early = (life.persona.work or (9, 17))[0] - life.persona.commute_minutes / 60 < 6.6
        for item in life.items:
            assert all(due.hour + due.minute / 60 >= (5.5 if early else 6) for due in item.dues), item
            assert item.app not in ("calendar", "reminders", "notes") or item.since.hour >= 6
    for life, thread in threads(lives, "client_meeting", "standup", "project"):
        for item in life.of(thread, "event", at=life.end):
            start = datetime.fromisoformat(life.items[item].fields["start"])
            assert 8 <= start.hour <= 19
            assert start.weekday() < 5


def test_habits_are_left_out_elsewhere(lives: list[Life]) -> None:
    for life, thread in threads(lives, "recipe", "diet", "bedtime_music", "medication"):
        uses = [use for item in thread.items for use in life.used(item, life.end)]
        assert not any(use.place in ("clinic", "venue", "out", "gym", "school") for use in uses if use.kind == "opened")


def test_lives_suit_ages_and_names(lives: list[Life]) -> None:
    for life in lives:
        persona = life.persona
        men = [person.name for person in persona.people if person.pronoun == "he"]
        women = [person.name for person in persona.people if person.pronoun == "she"]
        assert not any(name.endswith("ska") for name in men)
        assert not any(name.endswith("ski") for name in women)
        assert "kite surfing" not in persona.hobbies or persona.age <= 55
    pills = [life.persona for life, thread in threads(lives, "medication") if thread.what == "contraceptive pill"]
    assert pills
    assert all(persona.pronoun == "she" and persona.age < 49 for persona in pills)
    short = [life.items[item] for life, thread in threads(lives, "medication") for item in thread.items
             if "antibiotic" in thread.what and life.items[item].dues]  # fmt: skip
    assert short
    assert all((item.dues[-1] - item.dues[0]).days <= 12 for item in short)


def test_the_old_hobby_is_another(lives: list[Life]) -> None:
    shown = 0
    for life, thread in threads(lives, "hobby"):
        titles = [[life.items[item].title for item in life.of(thread, role, at=life.end)]
                  for role in ("search", "old_search")]  # fmt: skip
        assert not set(titles[0]) & set(titles[1])
        shown += bool(set(titles[0]) & set(thread.attributes["shown"]))
    assert shown > 100


def test_a_person_is_where_the_day_takes_them(lives: list[Life]) -> None:
    life = next(life for life in lives if life.persona.work == (9.0, 17.5) and life.persona.commute_minutes > 15)
    day = next(life.begin + timedelta(days=n) for n in range(7) if (life.begin + timedelta(days=n)).weekday() == 2)
    usual = Life(life.persona, life.begin, life.end, [], [], [], stays=[])
    hours = {3: "home", 8.9: "commute", 11: "work", 17.6: "commute", 21: "home"}
    assert {hour: usual.place_at(day + timedelta(hours=hour)) for hour in hours} == hours
    evening = day + timedelta(hours=20)
    usual.stays.append((evening, evening + timedelta(hours=1), "gym"))
    assert usual.place_at(evening + timedelta(minutes=30)) == "gym"
