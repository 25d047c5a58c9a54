"""Each operation on a phone whose every record is known: the program, and what is told."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from camphor.agents.answering.answer import answer, sight_of, split
from camphor.agents.answering.compose import compose
from camphor.agents.answering.model import read_answering
from camphor.agents.answering.question import Operation, read_question
from camphor.agents.answering.ranking import rank
from camphor.agents.answering.render import render
from camphor.device.device import Device
from tests.doubles.answering import phone

PHONE = phone()
CASES = [
    ("when is the dentist", "tell", ["calendar.events/0"], ["14:30"]),
    ("where is the dentist", "tell", ["calendar.events/0"], ["Tully"]),
    ("what's on today", "list", ["calendar.events/0", "calendar.events/1"], ["Dentist", "Choir rehearsal"]),
    ("which reminders are still open", "list", ["reminders.reminders/0", "reminders.reminders/2"], ["ferns"]),
    ("how many events do I have today", "count", ["calendar.events/0", "calendar.events/1"], ["2 events"]),
    ("what's the total of my orders", "sum", [f"amazon.orders/{each}" for each in range(3)], ["80 EUR in all"]),
    ("what's the average total of my orders", "mean", [f"amazon.orders/{each}" for each in range(3)], ["26.67 EUR"]),
    ("which order was the most expensive", "most", ["amazon.orders/1"], ["Lantern", "40.00 EUR"]),
    ("what's the cheapest order", "least", ["amazon.orders/0"], ["Trowel", "12.50 EUR"]),
    ("when is my next event", "next", ["calendar.events/0"], ["14:30"]),
    ("what was the last order", "last", ["amazon.orders/2"], ["Tarpaulin"]),
    ("what's my first event today", "first", ["calendar.events/0"], ["Dentist"]),
    ("how many days until the kayak course", "until", ["calendar.events/2"], ["2 days until Kayak course"]),
    ("how long ago did Oisin write to me", "ago", ["imessage.messages/0"], ["3 days ago"]),
    ("how old is Oisin", "age", ["contacts.people/1"], ["is 35"]),
    ("how long is the dentist", "duration", ["calendar.events/0"], ["45 minutes"]),
    ("how long is the curlew recording", "duration", ["voice_memos.recordings/0"], ["1 minute 35 seconds"]),
    ("am I free on Saturday at 11", "free", ["calendar.events/2"], ["No:", "Kayak course"]),
    ("am I free on Friday at three", "free", [], ["Yes:", "nothing"]),
    ("is the lantern delivered", "tell", ["amazon.orders/1"], ["No:", "shipped"]),
    ("did Oisin answer", "tell", ["imessage.messages/1"], ["No:", "You wrote"]),
    ("have I written back to Oisin", "tell", ["imessage.messages/1"], ["Yes:", "You wrote"]),
    ("how long is choir", "duration", ["calendar.events/1"], ["2 hours"]),
    ("what time does the kayak course finish", "tell", ["calendar.events/2"], ["12:00"]),
    ("how many frames does the meadow hive have", "tell", ["beekeeper.hives/1"], ["5"]),
]


@pytest.mark.parametrize(("query", "operation", "records", "said"), CASES, ids=[case[0] for case in CASES])
def test_operations(query: str, operation: str, records: list[str], said: list[str]) -> None:
    told = answer(query, PHONE)
    (program,) = told.programs
    assert (program.operation.value, [each.pointer for each in program.picks]) == (operation, records)
    assert all(each in told.text for each in said), told.text
    assert told.found


def _people(*born: str) -> Device:
    names = ("Petra Lund", "Oisin Berg", "Wilma Okoro")
    people = [{"name": name, "birthday": day} for name, day in zip(names, born, strict=True)]
    return phone(contacts__people=people)


def test_birthdays_of_a_time_come_in_it_whatever_the_year() -> None:
    (program,) = answer("birthdays in may", _people("1990-05-04", "1961-03-29", "1992-04-02")).programs
    assert {str(each.value("name")) for each in program.picks} == {"Petra Lund"}


def test_who_was_born_on_29_february_has_a_birthday_in_other_years_too() -> None:
    told = answer("how many days until Petra's birthday", _people("1992-02-29", "1961-03-29", "1990-04-02")).text
    assert re.search(r"\d+ days until Petra Lund", told), told


@pytest.mark.parametrize("query", ["what's the number of Petra", "the phone number of Petra", "Petra's number?"])
def test_the_number_of_somebody_is_one_to_call(query: str) -> None:
    told = answer(query, phone(contacts__people=[{"name": "Petra Lund", "phone_number": "+353 87 555 0142"}]))
    assert told.text.startswith("Petra Lund: phone number +353 87 555 0142")


@pytest.mark.parametrize(
    "query",
    [
        "what's Barnaby's number?",
        "the number of the ferryman",
        "when is Barnaby's birthday?",
        "what's the email of Dr Barnaby",
        "what did Barnaby write to me",
        "how much was the order for Barnaby",
    ],
)
def test_of_whom_no_record_speaks_nobody_elses_is_told(query: str) -> None:
    told = answer(query, PHONE)
    assert not told.found
    assert told.text.startswith("I found nothing about ")


@pytest.mark.parametrize("query", ["who is Tom Walsh?", "what's Tom's number", "who is May?"])
def test_a_name_that_looks_like_a_time_is_a_name(query: str) -> None:
    people = [{"name": "Tom Walsh", "phone_number": "555-0104"}, {"name": "May Chen", "phone_number": "555-0105"}]
    told = answer(query, phone(contacts__people=people)).text
    assert told.startswith("May Chen: " if "May" in query else "Tom Walsh: ")


def test_a_month_after_its_preposition_is_a_month_whoever_is_called_so() -> None:
    device = phone(contacts__people=[{"name": "May Chen", "phone_number": "555-0105"}])
    stretch = answer("what's on in May?", device).programs[0].stretch
    assert stretch is not None
    assert (stretch.first.month, stretch.last.month) == (5, 5)


def test_a_bare_question_is_about_what_the_one_before_was() -> None:
    before = ["when is the dentist", "thanks", "how long?"]
    for query in ("where?", "what day?", "and what time?"):
        assert "Dentist" in answer(query, PHONE, before=before).text
    assert "Dentist" not in answer("what's on Saturday?", PHONE, before=before).text


def test_a_program_as_text() -> None:
    (program,) = answer("how much did the lantern cost", PHONE).programs
    assert str(program) == "tell(amazon.orders/1; total)"
    (program,) = answer("what's on today", PHONE).programs
    assert str(program) == "list(calendar.events/0, calendar.events/1)"


def test_words_of_others_are_quoted_with_who_wrote_them() -> None:
    told = answer("what did Petra write about the kiln", PHONE).text
    assert told.startswith("Petra Lund wrote on Wed 11 Mar 16:20")
    assert "“The kiln is booked for us until the end of the month.”" in told


def test_own_words_are_told_as_own() -> None:
    told = answer("what did I write to Oisin", PHONE).text
    assert told.startswith("You wrote to Oisin Brannock")
    assert "“I will fetch it on Sunday.”" in told


def test_what_is_not_there_is_named() -> None:
    told = answer("when is the blacksmith course", PHONE)
    assert told.programs[0].operation is Operation.NONE
    assert not told.found
    assert told.text == "I found nothing about “blacksmith course” on this phone."


def test_where_the_record_lacks_what_was_asked_nothing_else_of_it_is_told() -> None:
    device = phone(
        contacts__people=[{"person_id": "003", "name": "Petra Lund", "email": "petra@lund.example"}], mail__messages=[]
    )
    told = answer("what's Petra's phone number", device)
    assert not told.found
    assert told.text.startswith("I found no")
    assert "petra@lund.example" not in told.text


def test_what_no_record_names_is_said() -> None:
    told = answer("what colour is the trowel", PHONE)
    assert not told.found
    assert told.text == "I found nothing about “colour trowel” on this phone."


def test_of_two_contacts_of_one_name_both_are_told() -> None:
    people = [
        {"name": "Sean Doyle", "phone_number": "555-0104", "relationship": "plumber"},
        {"name": "Sean Kavanagh", "phone_number": "555-0105", "relationship": "cousin"},
    ]
    told = answer("what's Sean's number?", phone(contacts__people=people)).text
    assert "555-0104" in told
    assert "555-0105" in told


def test_several_questions_are_answered_each() -> None:
    told = answer("when is the dentist and how old is Oisin", PHONE)
    assert [each.operation for each in told.programs] == [Operation.TELL, Operation.AGE]
    assert len(told.text.splitlines()) == 2


def test_a_question_that_points_back_takes_over_what_the_first_is_about() -> None:
    assert split("when is the dentist and where is it") == ["when is the dentist", "where is it dentist"]
    assert split("who likes bread and butter") == ["who likes bread and butter"]


def test_birthdays_of_a_month_that_is_only_named() -> None:
    (program,) = answer("may birthdays", _people("1990-05-04", "1961-03-29", "1992-04-02")).programs
    assert [each.pointer for each in program.picks] == ["contacts.people/0"]


def _mails(*bodies: str) -> Device:
    return phone(
        mail__messages=[
            {
                "sender": "billing@power.example",
                "subject": f"Electricity bill {month}",
                "date": f"2026-0{month}-01T08:00:00",
                "body": body,
                "recipients": [],
            }
            for month, body in enumerate(bodies, 1)
        ]
    )


def test_amounts_in_texts_are_reckoned_where_each_holds_one() -> None:
    told = answer("what do both electricity bills come to", _mails("188.02, due 10 February.", "214.37, due 10 March."))
    assert told.text.startswith("402.39 in all:")
    assert "188.02" in told.text
    assert "214.37" in told.text


def test_a_text_with_two_amounts_is_not_reckoned_with() -> None:
    told = answer("what do both electricity bills come to", _mails("188.02, late 190.02.", "214.37, late 216.37."))
    assert "in all" not in told.text


def test_a_figure_in_a_text_is_not_how_many_texts_there_are() -> None:
    notes = [{"title": "Party guests", "content": "8 kids and 4 grown-ups", "modified": "2026-03-01T10:00:00"}]
    told = answer("how many kids did we invite to the party", phone(notes__notes=notes))
    assert "8 kids" in told.text
    assert "1 note" not in told.text


def test_a_flag_is_asked_for_by_its_name() -> None:
    assert [each.pointer for each in answer("how many hives are strong", PHONE).programs[0].picks] == [
        "beekeeper.hives/0"
    ]


def test_the_name_that_was_asked_for_is_no_other_contacts_relation() -> None:
    people = [
        {"name": "Naoko Berg", "phone_number": "5550 1302"},
        {"name": "Kenji Berg", "phone_number": "5550 1303", "relationship": "Naoko's husband"},
    ]
    told = answer("Naoko's number please", phone(contacts__people=people))
    assert "1302" in told.text
    assert "1303" not in told.text


@pytest.mark.parametrize(
    ("score", "begins"),
    [
        (0.2, "I am not sure what answers that. The nearest is: Party guests"),
        (-1.0, "I found no sure answer for that on this phone. The nearest is Party guests, in your notes."),
        (-5.0, "I found nothing about “liam peanuts” on this phone."),
    ],
)
def test_a_record_that_may_be_meant_is_shown_as_the_nearest_and_nothing_denied(score: float, begins: str) -> None:
    notes = [{"title": "Party guests", "content": "Alva, Nour. Liam is allergic to nuts"}, {"title": "Wall paint"}]
    query, device, model = "is it ok to give Liam peanuts", phone(notes__notes=notes), read_answering()
    question, sight = read_question(query, device.now), sight_of(query, device, {}, model)
    first, *rest = rank(question, sight, model.weights)
    read = [replace(first, score=score, says=(0.2, 0.2, 0.6)), *(replace(each, score=-9.0) for each in rest)]
    program = compose(question, sight, read)
    assert program.operation is Operation.NONE
    assert render(program, sight).startswith(begins)


def test_the_nearest_is_not_named_where_a_name_is_asked_for() -> None:
    people = [{"name": "Dr Yasmin Haddad", "relationship": "eye doctor"}]
    device = phone(contacts__people=people, notes__notes=[])
    told = answer("what was the name of the doctor I saw about my knee", device)
    assert not told.found
    assert "Haddad" not in told.text
