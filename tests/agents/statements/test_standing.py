from datetime import datetime
from typing import Any

import pytest

from camphor.agents.gate.scene import Scene
from camphor.agents.statements.standing import Standing, Statements, plain_text, sentences, so_far
from camphor.agents.statements.told import NO_ANSWER, own_words
from camphor.types import Agent, Call, Observation, Step, Turn

NOW = datetime(2026, 3, 12, 8, 45)
DENTIST = {
    "title": "Dentist",
    "start": "2026-03-13T15:30:00",
    "end": "2026-03-13T16:00:00",
    "location": "Main Street 4",
}
CHOIR = {"title": "Choir", "start": "2026-03-12T19:15:00", "end": "2026-03-12T21:15:00"}
ANA = {"name": "Ana Prieto", "phone_number": "555-123-4567"}
BEN = {"name": "Ben Okafor", "phone_number": "555-765-4321"}


def statements(query: str, *records: dict[str, Any], looked_up: bool = True) -> Statements:
    call = Call("get_calendar_event", {"keyword": "x"})
    steps = (Step(Agent.CONTEXT, (call,), (Observation(call, tuple(records)),)),) if looked_up else ()
    return Statements(Scene(Turn(query, steps), (), NOW, (ANA, BEN)), looked_up)


@pytest.mark.parametrize(
    "sentence",
    [
        "Your dentist is tomorrow at half past three.",
        "The dentist takes half an hour, on Friday in Main Street.",
        "Choir begins at 7:15 tonight and takes two hours.",
        "You have two things: Choir and Dentist.",
        "Both together take two and a half hours.",
    ],
)
def test_what_records_bear_out_is_found_in_whatever_words(sentence: str) -> None:
    assert statements("what's on?", DENTIST, CHOIR).standing(sentence) is Standing.FOUND


@pytest.mark.parametrize(
    "sentence",
    [
        "Your dentist is tomorrow at half past four.",
        "The dentist is on Monday.",
        "Choir is in Rathmines.",
        "You have 12 things on.",
    ],
)
def test_a_value_that_no_record_has_is_told_as_such(sentence: str) -> None:
    held = statements("what's on?", DENTIST, CHOIR)
    judged = held.judge(sentence)
    assert judged.standing is Standing.UNCHECKED
    told = own_words(sentence, held, "", acted=False)
    assert told.startswith(f"{sentence}\n(Not on the phone: “{judged.unknown[0]}”")
    assert "Looked up: title: " in told
    assert so_far(sentence, held) == ""


def test_of_two_people_that_were_found_each_has_their_own_number() -> None:
    held = statements("what are their numbers?", ANA, BEN)
    assert held.standing("Ana Prieto has 555-123-4567.") is Standing.FOUND
    assert held.standing("Ana Prieto has 555-123-9999.") is Standing.MADE_UP
    one = statements("what is the number of Ana Prieto?", ANA, BEN)
    assert one.standing("Ana Prieto has 555-765-4321.") is Standing.MADE_UP


def test_knowledge_of_the_world_is_general_and_is_told() -> None:
    held = statements("when did the second world war end?", looked_up=False)
    assert held.standing("It ended in 1945.") is Standing.GENERAL
    assert own_words("It ended in 1945.", held, "", acted=False) == "It ended in 1945."
    assert statements("how do I boil eggs?", looked_up=False).standing("You should boil them for 8 minutes.") in (
        Standing.GENERAL,
        Standing.FOUND,
    )


def test_a_fact_of_the_phone_that_was_not_looked_up_is_made_up() -> None:
    held = statements("when is my dentist appointment?", looked_up=False)
    assert held.standing("Your appointment is on Tuesday at 3.") is Standing.MADE_UP
    assert own_words("Your appointment is on Tuesday at 3.", held, "Dentist, tomorrow 15:30.", acted=False) == (
        "Dentist, tomorrow 15:30."
    )


def test_an_address_that_stands_nowhere_is_made_up() -> None:
    held = statements("how do I reach Ana?", {**ANA, "mail": "ana@prieto.example"})
    assert held.standing("Write to ana@prieto.example.") is Standing.FOUND
    assert held.standing("Write to ana@prietto.example.") is Standing.MADE_UP


def test_that_something_was_done_is_for_code_to_tell() -> None:
    held = statements("text Ana that I'm late", looked_up=False)
    for told in ("I've sent Ana the message.", "Done!", "The message has been sent."):
        assert held.standing(told) is Standing.CLAIMED
        assert "Nothing was done." in own_words(told, held, "", acted=False)
        assert own_words(told, held, "", acted=True) == ""
    joke = statements("tell me a joke", looked_up=False)
    assert joke.standing("I called the tram company.") is not Standing.CLAIMED


def test_an_answer_shows_the_records_that_it_rests_on() -> None:
    held = statements("when is the dentist?", CHOIR, DENTIST)
    told = own_words("Dentist, tomorrow at 15:30.", held, "", acted=False)
    assert told.startswith("Dentist, tomorrow at 15:30.\n(Looked up: title: Dentist; start: ")
    assert "Choir" not in told
    assert "I cannot check" in own_words("Der Zahnarzt ist morgen um halb vier dran.", held, "", acted=False)


def test_a_wish_of_which_nothing_was_done_ends_so() -> None:
    held = statements("play some jazz", looked_up=False)
    assert (
        own_words("Jazz is on in every room.", held, "", acted=False) == "Jazz is on in every room. Nothing was done."
    )
    assert own_words("Which one, swing or bebop?", held, "", acted=False) == "Which one, swing or bebop?"


def test_words_over_and_over_are_no_answer() -> None:
    held = statements("how far is it?", looked_up=False)
    assert own_words("mile " * 500, held, "", acted=False) == NO_ANSWER
    assert so_far("mile " * 500, held) == ""


def test_half_an_answer_is_shown_up_to_what_is_not_to_be_told() -> None:
    held = statements("what's on?", DENTIST)
    assert so_far("Tomor", held) == "Tomor"
    assert so_far("Tomorrow at 15", held) == "Tomorrow at"
    assert so_far("Tomorrow at 15:30 ", held) == "Tomorrow at 15:30"
    assert so_far("Tomorrow at 15:30. Bring 900 ", held) == "Tomorrow at 15:30."
    assert so_far("Dentist. I've cancelled it. ", held) == "Dentist."


def test_sentences_end_where_they_do() -> None:
    assert sentences("Dr. Okafor at 3.30 p.m. is fine. Bring it!\n- one\n- two") == [
        "Dr. Okafor at 3.30 p.m. is fine.",
        "Bring it!",
        "- one",
        "- two",
    ]


def test_what_a_terminal_or_a_browser_would_obey_is_taken_out() -> None:
    text = (
        "\x1b[31mred\x1b[0m ![x](http://a.example/p.png) [site](https://a.example) <script>run()</script><b>b</b>\x00"
    )
    assert plain_text(text) == "red x site b"
    assert plain_text("half a \ud83d") == "half a"


def test_what_the_model_would_do_is_its_opinion_but_for_the_names_in_it() -> None:
    advice = statements("nets tomorrow, good idea?", CHOIR)
    assert advice.standing("I'd leave it, or be done by half past ten.") is Standing.FOUND
    assert advice.standing("I'd go with Dr Lecter.") is Standing.UNCHECKED
