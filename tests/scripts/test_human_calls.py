"""People's utterances of public sets as samples of the 24 functions: on lines made by hand in the sets' form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from camphor.tools.plans import plan_to_json
from camphor.trajectories.call_samples import CallSample
from scripts.public_calls.human import human_calls


def write(folder: Path, name: str, *lines: tuple[str, str, Mapping[str, Any]]) -> None:
    place = folder / name
    place.mkdir(exist_ok=True)
    texts = [
        json.dumps({"id": f"{name}:{n}", "query": query, "calls": [{"name": intent, "arguments": slots}]})
        for n, (query, intent, slots) in enumerate(lines)
    ]
    (place / "train.jsonl").write_text("\n".join(texts) + "\n", encoding="utf-8")


def only(folder: Path) -> CallSample:
    refused: Counter[str] = Counter()
    made = list(human_calls(folder, refused))
    assert len(made) == 1, refused
    return made[0]


def calls(sample: CallSample) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["arguments"]) for call in plan_to_json(sample.answers)]


@pytest.mark.parametrize(
    ("name", "query", "intent", "slots", "wanted"),
    [
        (
            "slurp",
            "set an alarm for quarter past six pm on wednesday",
            "alarm_set",
            {"time": "quarter past six pm", "date": "wednesday"},
            [("ACTION_SET_ALARM", {"EXTRA_HOUR": 18, "EXTRA_MINUTES": 15, "EXTRA_DAYS": ["Wednesday"]})],
        ),
        (
            "hwu64",
            "wake me up at half past five",
            "alarm_set",
            {"time": "half past five"},
            [("ACTION_SET_ALARM", {"EXTRA_HOUR": 5, "EXTRA_MINUTES": 30})],
        ),
        ("slurp", "olly read me all my alarms", "alarm_query", {}, [("ACTION_SHOW_ALARMS", {})]),
        (
            "ms_lu",
            "dial five five five zero one four two",
            "phone_OutgoingCall",
            {},
            [("dial", {"phone_number": "5550142"})],
        ),
        (
            "ms_lu",
            "i want to ring rosalind",
            "phone_OutgoingCall",
            {"contactName": "rosalind"},
            [("get_contact_info", {"name": "rosalind", "key": "phone"}), ("dial", {"phone_number": "#0"})],
        ),
        (
            "ms_lu",
            "what is the email address of omar fahmy?",
            "people_GetEmailAddress",
            {"contact": "omar fahmy"},
            [("get_contact_info", {"name": "omar fahmy", "key": "email"})],
        ),
        (
            "slurp",
            "open the contact named greta",
            "email_querycontact",
            {"person": "greta"},
            [("get_contact_info", {"name": "greta", "key": "uri"}), ("ACTION_VIEW_CONTACT", {"contact_uri": "#0"})],
        ),
        (
            "ms_lu",
            "directions to the quill bookshop on pine street please",
            "pointofinterest_GetDirections",
            {"Keyword": "quill bookshop", "Address": "pine street"},
            [("search_location", {"query": "quill bookshop on pine street"})],
        ),
        (
            "hwu64",
            "where is the nearest chemist",
            "recommendation_locations",
            {"business_type": "chemist"},
            [("search_location", {"query": "nearest chemist"})],
        ),
        (
            "slurp",
            "olly how high is mount kenya",
            "qa_factoid",
            {"place_name": "mount kenya"},
            [("web_search", {"query": "how high is mount kenya"})],
        ),
        (
            "slurp",
            "find me a recipe for leek soup",
            "cooking_recipe",
            {"food_type": "leek soup"},
            [("web_search", {"query": "recipe for leek soup"})],
        ),
        (
            "hwu64",
            "add kai@pier dot com to my contacts",
            "email_addcontact",
            {"email_address": "kai@pier dot com"},
            [("ACTION_INSERT_CONTACT", {"contact_info": {"email": "kai@pier.com"}})],
        ),
        (
            "ms_lu",
            "send an email to ines about the boat saying it floats",
            "email_SendEmail",
            {"ContactName": "ines", "EmailSubject": "boat", "Message": "it floats"},
            [
                ("get_contact_info", {"name": "ines", "key": "email"}),
                ("send_email", {"to": ["#0"], "subject": "boat", "body": "it floats"}),
            ],
        ),
        (
            "firefox_voice",
            "google tide tables",
            "search.searchGoogle",
            {},
            [("web_search", {"query": "tide tables", "engine": "google"})],
        ),
        (
            "firefox_voice",
            "Set a timer for 1 hour and 5 minutes",
            "timer.set",
            {},
            [("ACTION_SET_TIMER", {"duration": "1 hours 5 minutes"})],
        ),
        ("hwu64", "please turn on bluetooth", "general", {}, [("open_settings", {"setting_type": "bluetooth"})]),
    ],
)
def test_what_is_said_in_full_is_mapped(
    tmp_path: Path, name: str, query: str, intent: str, slots: dict[str, Any], wanted: list[Any]
) -> None:
    write(tmp_path, name, (query, intent, slots))
    sample = only(tmp_path)
    assert calls(sample) == wanted
    assert sample.id == f"{name}:0"
    assert name in sample.tags
    assert all(words in query for words in sample.said.values())


@pytest.mark.parametrize(
    ("query", "intent", "slots"),
    [
        ("set an alarm for six", "alarm_set", {"time": "six"}),  # of which half of the day?
        ("set an alarm for two hours from now", "alarm_set", {"time": "two hours from now"}),
        ("set an alarm for six am next sunday", "alarm_set", {"time": "six am", "date": "next sunday"}),
        ("call ruth on her cell phone", "phone_OutgoingCall", {"contactName": "ruth"}),
        ("make a call", "phone_OutgoingCall", {}),
        ("find a cheap hotel for under ninety dollars", "pointofinterest_FindPointOfInterest", {"Keyword": "hotel"}),
        ("how old is my brother", "qa_factoid", {"person": "brother"}),
        ("send ada an email about the tent", "email_SendEmail", {"ContactName": "ada", "EmailSubject": "tent"}),
        ("meeting with ada tomorrow at six pm", "calendar_set", {"event_name": "meeting"}),
        ("turn on the kettle", "appliance_on", {}),
    ],
)
def test_what_is_doubtful_is_dropped_and_counted(
    tmp_path: Path, query: str, intent: str, slots: dict[str, Any]
) -> None:
    write(tmp_path, "slurp", (query, intent, slots))
    refused: Counter[str] = Counter()
    assert list(human_calls(tmp_path, refused)) == []
    assert [why.startswith(f"{intent}: ") for why in refused] == [True]


def test_some_requests_have_no_function(tmp_path: Path) -> None:
    lines = [(f"dim the lamp in room {word}", "iot_hue_lightdim", {}) for word in ("one", "two", "three", "four")]
    people = [
        (f"what is the number of {who}", "people_GetPhoneNumber", {"contact": who}) for who in ("ada", "ben", "cleo")
    ]
    write(tmp_path, "slurp", *lines)
    write(tmp_path, "ms_lu", *people)
    made = list(human_calls(tmp_path, without_answer=0.25))
    assert sorted(len(sample.answers) for sample in made) == [0, 1, 1, 1]
    assert all("none" in sample.tags for sample in made if not sample.answers)
    assert [sample.answers for sample in human_calls(tmp_path, without_answer=0.0) if not sample.answers] == []


def test_a_text_comes_once_and_a_kind_does_not_crowd_out_others(tmp_path: Path) -> None:
    people = [
        (f"phone number of {who}", "people_GetPhoneNumber", {"contact": who}) for who in ("ada", "ben", "cleo", "ada")
    ]
    write(tmp_path, "ms_lu", *people)
    assert len(list(human_calls(tmp_path))) == 3
    assert len(list(human_calls(tmp_path, most_of_a_kind=2))) == 2
    assert [s.id for s in human_calls(tmp_path, seed=1)] == [s.id for s in human_calls(tmp_path, seed=1)]
