"""What public utterances become on a phone: which kind they are, whose values they get, and which are dropped."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from camphor_lab.datasets.bank import Bank
from camphor_lab.datasets.human import MAPPERS, kind_of
from camphor_lab.datasets.phones import make_phone
from camphor_lab.datasets.wishes import Unfit, Wish, World

BANK = Bank("train")


def world() -> World:
    """The first sampled phone that has all the apps that are asked for here."""
    for number in range(50):
        phone = make_phone(BANK, Random(number), number)
        if {"reminders", "calendar", "music"} <= set(phone.data["apps"]):
            return World(phone, BANK, Random(1))
    raise AssertionError("no phone has reminders, a calendar and music")


def wish(kind: str, query: str, **arguments: Any) -> Wish:
    return MAPPERS[kind](world(), query, arguments)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("calendar_set", "event"),
        ("calendar_CreateCalendarEntry", "event"),
        ("iot_hue_lightoff", "impossible"),
        ("none:clinc_oos", "question"),
        ("alarm_set", "alarm_set"),
        ("calendar_set_everything", "calendar_set_everything"),
    ],
)
def test_names_of_several_sets_mean_one_kind(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_a_song_of_the_phone_takes_the_place_of_the_one_that_was_named() -> None:
    songs = world().phone.records("music", "songs")
    found = wish("play_music", "please play yellow submarine now", song_name="yellow submarine")
    [act] = found.acts
    assert act.name == "play_music"
    assert act.human["title"] in {song["title"] for song in songs}
    assert act.human["title"].lower() in found.text.lower()
    assert "yellow submarine" not in found.text


def test_words_of_time_stay_as_they_were_said_and_code_reads_them() -> None:
    [act] = wish("alarm_set", "wake me at six am tomorrow", time="six am", date="tomorrow").acts
    assert act.human["time"] == "six am tomorrow"
    assert act.gold["time"].endswith("T06:00:00")


@pytest.mark.parametrize(
    ("kind", "query", "arguments"),
    [
        ("alarm_set", "wake me every day at six am", {"time": "six am"}),
        ("alarm_set", "set an alarm", {}),
        ("event", "add lunch on friday", {"event_name": "lunch", "date": "friday"}),
        ("play_music", "play something", {}),
        ("play_music", "play it", {"song_name": "yellow"}),
    ],
)
def test_what_is_not_plain_is_dropped(kind: str, query: str, arguments: dict[str, str]) -> None:
    with pytest.raises(Unfit):
        wish(kind, query, **arguments)
