"""What a query means is decided by the clock, the place and the habits of a life, not by its words."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import pytest

from camphor_lab.datasets.context.intents import INTENTS
from camphor_lab.datasets.context.lives import ItemUse, Life, LifeItem, LifePerson, Persona, Thread
from camphor_lab.datasets.context.phrases import QueryBank, QueryPhrase, fill
from camphor_lab.datasets.context.present import document_at, whole
from camphor_lab.datasets.context.queries import QueryDraft, ask, word
from camphor_lab.datasets.context.toolbox import manifest

MONDAY = datetime(2026, 3, 2)
ANNA = LifePerson("Anna Berg", "Sister", "family", "555-0101", "anna@example.org", "she")
PAUL = LifePerson("Paul Noor", "Teacher", "service", "555-0102", "paul@example.org", "he")
PERSONA = Persona(
    id="p1", split="train", name="Ida Lund", email="ida@example.org", age=40, profession="baker", music="jazz",
    films="drama", cuisine="thai", sport="rowing", hobbies=(), habits=(), people=(ANNA,), city="Oslo", country="Norway",
    places={"home": "1 Elm St"}, work=(9.0, 17.0), workdays=(0, 1, 2, 3, 4), commute_minutes=30, pronoun="she",
)  # fmt: skip
BANK = QueryBank("train", (), {"grocery": ("eggs",), "playlist": ("Slow",)})


def at(day: int, hour: float) -> datetime:
    """A time in the fourth week, whose Monday is day 0."""
    return MONDAY + timedelta(days=21 + day, hours=hour)


def lesson(title: str, start: datetime, who: LifePerson = PAUL) -> LifeItem:
    end = (start + timedelta(hours=1)).isoformat()
    fields = {"title": title, "start": start.isoformat(), "end": end, "location": "9 Oak Rd", "organizer": who.name,
              "participants": [who.name]}  # fmt: skip
    return LifeItem("calendar", "event", fields, MONDAY)


def song(title: str, role: str = "song") -> LifeItem:
    return LifeItem("music", role, {"title": title, "artist": "Ox", "album": "Tin", "genre": "jazz"}, MONDAY)


def plays(item: int, hour: float, place: str, days: range) -> list[ItemUse]:
    return [ItemUse(item, "played", MONDAY + timedelta(days=day, hours=hour), place) for day in days]


@pytest.fixture
def life() -> Life:
    items = [
        lesson("Cello", at(3, 18)),
        lesson("Pottery", at(2, 19)),
        song("Morning Tin"),
        song("Iron Run"),
        song("Old Tin", "old_song"),
        LifeItem(
            "phone", "missed", {"contact": "Anna Berg", "relationship": "Sister", "direction": "missed"}, at(1, 10)
        ),
        LifeItem("reminders", "reminder", {"content": "Swallow two"}, MONDAY, (at(1, 8), at(2, 8))),
        LifeItem("notes", "note", {"title": "Buy", "content": "tea"}, MONDAY),
    ]
    threads = [
        Thread("lesson", "cello", {"who": PAUL, "occurrences": (at(3, 18),)}, [0]),
        Thread("lesson", "pottery", {"who": PAUL, "occurrences": (at(2, 19),)}, [1]),
        Thread("commute_music", "ride", {"moved": MONDAY + timedelta(days=9)}, [2, 4]),
        Thread("workout_music", "gym", {"moved": None}, [3]),
        Thread("missed_call", "Anna", {"who": ANNA}, [5]),
        Thread("medication", "pills", {"hour": 8}, [6]),
        Thread("shopping", "shop", {}, [7]),
    ]
    uses = plays(2, 8.5, "commute", range(10, 23)) + plays(4, 8.5, "commute", range(9))
    uses += plays(3, 19, "gym", range(0, 23, 2))
    uses.append(ItemUse(5, "received", at(1, 10), "home"))
    uses.append(ItemUse(7, "edited", at(0, 10), "shop"))
    uses.sort(key=lambda use: use.at)
    return Life(PERSONA, MONDAY, at(6, 23), items, threads, uses, [])


def means(life: Life, intent: str, kinds: str, thread: int, now: datetime, text: str = "that") -> QueryDraft | None:
    phrase = QueryPhrase(INTENTS[intent], tuple(kinds.split()) or INTENTS[intent].kinds, text)
    return ask(life, phrase, life.threads[thread], now, BANK, Random(0))


def items_of(asked: QueryDraft | None) -> tuple[int, ...]:
    return asked.found.items if asked else ()


def test_of_two_lessons_the_next_is_meant(life: Life) -> None:
    assert items_of(means(life, "when_next", "lesson", 1, at(1, 9))) == (1,)
    assert not means(life, "when_next", "lesson", 0, at(1, 9))
    assert items_of(means(life, "when_next", "lesson", 0, at(2, 22))) == (0,)


def test_late_means_what_is_about_to_begin(life: Life) -> None:
    assert items_of(means(life, "late", "", 1, at(2, 18.8))) == (1,)
    assert items_of(means(life, "late", "", 1, at(2, 19.2))) == (1,)
    assert not means(life, "late", "", 1, at(2, 12))


def test_an_event_of_no_thread_is_nearer(life: Life) -> None:
    life.items.append(lesson("Passport office", at(2, 18.9)))
    assert not means(life, "late", "", 1, at(2, 18.8))
    assert items_of(means(life, "late", "lesson", 1, at(2, 18.8))) == (1,)


def test_the_same_words_mean_another_song_elsewhere(life: Life) -> None:
    at_work_day, at_gym = at(1, 8.4), at(1, 18.9)
    life.stays.append((at(1, 18), at(1, 20), "gym"))
    assert items_of(means(life, "play_usual", "", 2, at_work_day)) == (2,)
    assert not means(life, "play_usual", "", 3, at_work_day)
    assert items_of(means(life, "play_usual", "", 3, at_gym)) == (3,)


def test_a_habit_moves_to_a_new_song(life: Life) -> None:
    earlier = MONDAY + timedelta(days=8, hours=8.4)
    life.items[2].since = MONDAY + timedelta(days=9)
    assert not means(life, "play_usual", "", 2, earlier)
    assert items_of(means(life, "play_usual", "", 2, at(1, 8.4))) == (2,)
    assert items_of(means(life, "play_before", "commute_music", 2, at(1, 12))) == (4,)


def test_what_plays_was_played_last(life: Life) -> None:
    now = at(0, 8.5) + timedelta(minutes=2)
    assert items_of(means(life, "what_plays", "", 2, now)) == (2,)
    assert not means(life, "what_plays", "", 3, now)
    assert not means(life, "what_plays", "", 2, now + timedelta(hours=1))


def test_a_missed_call_is_returned_until_another_comes(life: Life) -> None:
    asked = means(life, "ring_back", "missed_call", 4, at(1, 11), "ring {them} back")
    assert items_of(asked) == (5,)
    assert asked
    assert asked.words["them"] == "her"
    assert asked.arguments == {"contact": "Anna Berg"}
    life.items.append(LifeItem("phone", "call", {"contact": "555-9999", "direction": "missed"}, at(1, 10.5)))
    assert not means(life, "ring_back", "missed_call", 4, at(1, 11))


def test_done_means_the_reminder_that_is_due(life: Life) -> None:
    assert items_of(means(life, "done", "medication", 5, at(1, 8.2))) == (6,)
    swallowed = ItemUse(6, "completed", at(1, 8.1), "home")
    assert not means(replace(life, uses=[*life.uses, swallowed], _by_item={}), "done", "medication", 5, at(1, 8.2))


def test_nothing_is_meant_before_it_is_on_the_phone(life: Life) -> None:
    life.items[5].since = at(2, 0)
    assert not means(life, "ring_back", "missed_call", 4, at(1, 11))


def test_the_plan_copies_the_query_and_the_items(life: Life) -> None:
    phrase = QueryPhrase(INTENTS["late"], ("lesson",), "tell them <I'm [five|ten] minutes late>")
    asked = ask(life, phrase, life.threads[1], at(2, 18.8), BANK, Random(0))
    assert asked
    _, refs = life.document(asked.scene.now)
    for seed in range(30):
        sample = word(asked, phrase, refs, Random(seed))
        assert sample
        message = sample.plan[0].arguments["message"]
        assert message in sample.query
        assert message.lower().replace("'", "") in ("im five minutes late", "im ten minutes late")
        assert sample.plan[0].arguments["title"] == "Pottery"


def test_slots_bring_their_values(life: Life) -> None:
    asked = means(life, "add_grocery", "shopping", 6, at(1, 12), "we need {grocery}")
    assert asked
    assert asked.arguments == {"title": "Buy", "text": "eggs"}
    asked = means(life, "remind_before", "lesson", 1, at(1, 12), "tell me {ahead} before")
    assert asked
    assert at(1, 12) < datetime.fromisoformat(asked.arguments["time"]) < at(2, 19)
    asked = means(life, "invite", "lesson", 1, at(1, 12), "ask {relation} along")
    assert asked
    assert asked.words["relation"] == "my sister"
    assert asked.arguments["person"] == "Anna Berg"
    assert items_of(asked) == (1, 5)


def test_wordings_are_filled() -> None:
    phrase = QueryPhrase(INTENTS["late"], ("lesson",), "[oh , |]say <sorry>  to {them}")
    texts = {fill(phrase, {"them": "him"}, Random(seed)).text for seed in range(9)}
    assert texts == {"Oh, say sorry to him", "Say sorry to him"}


def test_a_phone_of_the_past_is_the_life_of_then(life: Life) -> None:
    life = replace(life, items=sorted(life.items, key=lambda item: item.since), uses=[], _by_item={})
    life.uses = plays(0, 8.5, "gym", range(10, 23))
    document = whole(life)
    for now in (MONDAY, at(0, 9), at(1, 10.2), at(6, 22)):
        there = document_at(document, now, "gym", "Music")
        then, _ = life.document(now, "gym", "Music", apps={app: manifest(app) for app in ("phone", "google")})
        assert there == then


def test_the_score_is_looked_for_after_the_game(life: Life) -> None:
    games = tuple(at(day, 19) for day in (-7, 0, 7))
    life.items += [LifeItem("google", "search", {"query": "Elks fixtures"}, MONDAY),
                   LifeItem("google", "result", {"query": "Elks final score"}, MONDAY)]  # fmt: skip
    life.threads.append(Thread("match", "Elks", {"team": "Elks", "occurrences": games}, [8, 9]))
    life.uses += [ItemUse(9, "searched", at(-6, 9), "home"), ItemUse(8, "searched", at(0, 17), "home")]
    assert items_of(means(life, "score", "", 7, at(1, 9))) == (9,)
    assert not means(life, "score", "", 7, at(5, 9))  # days after the game nobody asks
    followed = means(life, "follow", "", 7, at(1, 9))
    assert followed
    assert followed.arguments == {"topic": "Elks"}


def test_of_a_series_the_coming_event_is_called_about(life: Life) -> None:
    life.items.append(lesson("Pottery", at(1, 19)))
    life.items.append(lesson("Pottery", at(8, 19)))
    life.threads[1].items += [8, 9]
    assert items_of(means(life, "call_about", "lesson", 1, at(1, 22))) == (1,)


def test_a_mail_that_names_nobody_does_not_say_who_comes(life: Life) -> None:
    fields = {"sender": "Box <box@example.org>", "subject": "Tickets", "body": "Row 3", "date": "2026-03-02T09:00:00"}
    life.items.append(LifeItem("mail", "mail", fields, MONDAY))
    life.threads[1].items.append(8)
    assert items_of(means(life, "who_there", "lesson", 1, at(1, 9))) == (1,)
    fields["body"] = "Paul Noor expects you"
    assert items_of(means(life, "who_there", "lesson", 1, at(1, 9))) == (1, 8)


def test_a_bill_that_is_paid_takes_its_mail_with_it(life: Life) -> None:
    dues = (at(1, 18), at(31, 18))
    mail = {"sender": "Gas <gas@example.org>", "subject": "Invoice", "body": "80", "date": "2026-03-10T09:00:00"}
    life.items += [LifeItem("reminders", "reminder", {"content": "Pay gas"}, MONDAY, dues),
                   LifeItem("mail", "mail", mail, MONDAY + timedelta(days=8))]  # fmt: skip
    life.threads.append(Thread("bill", "gas", {"due": dues[0]}, [8, 9]))
    assert items_of(means(life, "due", "bill", 7, at(0, 9))) == (8, 9)
    life.uses.append(ItemUse(8, "completed", at(1, 18.2), "home"))
    assert items_of(means(replace(life, _by_item={}), "due", "bill", 7, at(2, 9))) == (8,)


def test_nobody_has_to_be_at_a_birthday_by_midnight(life: Life) -> None:
    fields = {"title": "Anna's birthday", "start": at(2, 0).isoformat(), "end": at(3, 0).isoformat()}
    life.items.append(LifeItem("calendar", "event", fields, MONDAY))
    life.threads.append(Thread("birthday", "tea", {"who": ANNA}, [8]))
    assert not means(life, "when_next", "", 7, at(1, 9))
    assert items_of(means(life, "when_next", "birthday", 7, at(1, 9))) == (8,)
    assert items_of(means(life, "when_next", "", 1, at(1, 9))) == (1,)


def test_a_habit_needs_three_days(life: Life) -> None:
    life.stays.append((at(1, 18), at(1, 20), "gym"))
    uses = [use for use in life.uses if use.item != 3]
    few = replace(life, uses=[*uses, *plays(3, 19, "gym", range(18, 22, 2))], _by_item={})
    assert not means(few, "play_usual", "", 3, at(1, 18.9))
    more = replace(life, uses=[*uses, *plays(3, 19, "gym", range(16, 22, 2))], _by_item={})
    assert items_of(means(more, "play_usual", "", 3, at(1, 18.9))) == (3,)


def test_a_trade_is_written_as_the_call_has_it(life: Life) -> None:
    fitter = LifePerson("Per Lie", "phone repair shop", "service", "555-0103", "per@example.org", "he")
    call = {"contact": "Per Lie", "relationship": "phone repair shop", "direction": "outgoing"}
    life.items += [LifeItem("google", "search", {"query": "glass broken touch works"}, MONDAY),
                   LifeItem("phone", "call", call, MONDAY)]  # fmt: skip
    life.threads.append(Thread("repair", "screen", {"who": fitter, "occurrences": ()}, [8, 9]))
    asked = means(life, "nearby", "repair", 7, at(1, 9))
    assert items_of(asked) == (9, 8)
    assert asked
    assert asked.arguments == {"query": "phone repair shop"}


def test_greetings_know_the_clock(life: Life) -> None:
    phrase = QueryPhrase(INTENTS["when_next"], ("lesson",), "when is it")
    found: set[str] = set()
    for now, wrong in ((at(1, 9), "evening"), (at(1, 22), "morning")):
        asked = ask(life, phrase, life.threads[1], now, BANK, Random(0))
        assert asked
        _, refs = life.document(now)
        queries = [sample.query for seed in range(300) if (sample := word(asked, phrase, refs, Random(seed)))]
        assert not any(f"good {wrong}" in query.lower() for query in queries)
        found |= {query for query in queries if query.startswith("Good ")}
    assert found


def test_who_is_late_is_not_there_yet(life: Life) -> None:
    life.stays.append((at(2, 18.8), at(2, 20), "venue"))
    asked = means(life, "late", "", 1, at(2, 19.1))
    assert asked
    assert asked.scene.place == "out"


def test_no_way_leads_to_a_video_call(life: Life) -> None:
    assert items_of(means(life, "where_next", "lesson", 1, at(2, 18))) == (1,)
    life.items[1].fields["location"] = "Video call"
    assert not means(life, "where_next", "lesson", 1, at(2, 18))
