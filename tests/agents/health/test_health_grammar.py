"""What planner and caller can write: only calls, identifiers and figures that the case has."""

from __future__ import annotations

from llguidance import LLMatcher, LLTokenizer

from camphor.agents.health.case import Called, Case, PlannerTurn, Seen, UserDetails
from camphor.agents.health.loop import caller_grammar, planner_grammar
from camphor.agents.health.observed import CaseFacts
from camphor.device.apps import tools_of
from camphor.types import Call

TOOLS = tools_of("clinic")
KINDS = ("general physician", "cardiologist")
USER = UserDetails("JICC571413", "Sakura Tominaga", "2024-09-02T10:57:00")
START = Case(USER, "My knee hurts since 3 weeks. My number is +351 912 555 010.")
FIND = Call("get_available_specialists", {"symptoms": "knee pain", "specialization": "general physician"})
SLOT = {
    "specialist_id": "AECJ317777",
    "name": "Dr. Diego Arroyo (General Physician)",
    "available_slot": {"date": "2024-11-30", "time": "11:00-11:30"},
}
LATER = {**SLOT, "specialist_id": "B2", "available_slot": {"date": "2024-12-02", "time": "14:00-14:20"}}
PLAN = PlannerTurn("It hurts.", "Go on.")
OFFERED = START.then(PLAN, Called(FIND), Seen(SLOT), PLAN)


def writes(grammar: str, text: str) -> bool:
    matcher = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(grammar), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return bool(matcher.consume_tokens(list(text.encode())) and matcher.is_accepting())


def calls(case: Case, text: str) -> bool:
    return writes(caller_grammar(case, TOOLS, KINDS), f"[{text}]")


def confirm(specialist: str, when: str, user: str = "JICC571413") -> str:
    return f'confirm_appointment(user_id="{user}", specialist_id="{specialist}", appointment_time_date="{when}")'


def test_only_known_users_kinds_and_tools_can_be_written() -> None:
    case = START.then(PLAN)
    assert calls(case, 'retrieve_past_complaints(user_id="JICC571413", symptoms="knee pain")')
    assert not calls(case, 'retrieve_past_complaints(user_id="JICC571414", symptoms="knee pain")')
    assert calls(case, 'get_available_specialists(symptoms="knee pain", specialization="cardiologist")')
    assert not calls(case, 'get_available_specialists(symptoms="knee pain", specialization="wizard")')
    assert not calls(case, "heal()")


def test_slot_is_booked_only_as_it_was_offered() -> None:
    assert calls(OFFERED, confirm("AECJ317777", "11:00-11:30, 30/11/2024"))
    assert not calls(OFFERED, confirm("AECJ317777", "11:00-11:30, 29/11/2024"))
    assert not calls(OFFERED, confirm("B2", "11:00-11:30, 30/11/2024"))
    assert not calls(START.then(PLAN), confirm("AECJ317777", "11:00-11:30, 30/11/2024"))


def test_specialist_goes_with_their_own_slot() -> None:
    case = OFFERED.then(Called(FIND), Seen([LATER]), PLAN)
    assert [offer.specialist_id for offer in CaseFacts(case).offers] == ["B2", "AECJ317777"]
    assert calls(case, confirm("B2", "14:00-14:20, 02/12/2024"))
    assert not calls(case, confirm("B2", "11:00-11:30, 30/11/2024"))


def ask(text: str) -> str:
    return f'get_input_from_user(user_id="JICC571413", questions="{text}")'


def test_texts_hold_no_figures_that_were_not_seen_or_said() -> None:
    offer = "Dr. Diego Arroyo (General Physician) has an opening on Sat 30 Nov, 11:00-11:30. Would you like it?"
    assert calls(OFFERED, ask(offer))
    assert not calls(OFFERED, ask(offer.replace("30 Nov", "30 Dec")))
    assert not calls(OFFERED, ask(offer.replace("11:30", "12:30")))
    assert not calls(START.then(PLAN), ask(offer))
    assert calls(START.then(PLAN), ask("Has it hurt for 3 weeks?"))
    assert not calls(START.then(PLAN), ask("Has it hurt for 4 weeks?"))


def test_messages_go_to_one_number_or_to_all_contacts() -> None:
    case = START.then(PLAN, Called(Call("search_ambulance")), Seen({"ambulance_id": "AMB1", "phone_no": "+469"}), PLAN)
    assert calls(case, 'send_message(phone_no="+469", text="Help")')
    assert calls(case, 'send_message(phone_no="+351 912 555 010", text="Help")')
    assert calls(case, 'send_message(text="Help", to_emergency_contacts=True)')
    assert not calls(case, 'send_message(phone_no="+470", text="Help")')
    assert not calls(case, 'send_message(text="Help")')


def test_ambulance_is_searched_where_the_person_is() -> None:
    place = {"latitude": 23.5326, "longitude": 139.7524}
    case = START.then(PLAN, Called(Call("get_location")), Seen(place), PLAN)
    assert calls(case, 'search_ambulance(location={"latitude": 23.5326, "longitude": 139.7524})')
    assert not calls(case, 'search_ambulance(location={"latitude": 23.5, "longitude": 139.7524})')
    assert not calls(START.then(PLAN), 'search_ambulance(location={"latitude": 0.0, "longitude": 0.0})')


def test_wished_times_come_from_the_persons_words() -> None:
    case = OFFERED.then(
        Called(Call("get_input_from_user", {"questions": "Fine?"})), Seen("Rather on Friday after 5 pm"), PLAN
    )
    found = CaseFacts(case).schedules
    assert {"time_range": "friday 17:00-22:00"} in found
    assert {"time_range": "17:00-22:00"} in found
    assert any(schedule.get("date") == "2024-09-06" for schedule in found)
    wish = 'get_available_specialists(symptoms="knee pain", specialization="cardiologist", user_schedule={})'
    assert calls(case, wish.replace("{}", '{"time_range": "17:00-22:00"}'))
    assert not calls(case, wish.replace("{}", '{"time_range": "16:00-22:00"}'))


def test_symptoms_are_stored_at_the_time_of_the_case() -> None:
    stored = 'store_symptoms(user_id="JICC571413", symptoms="knee pain", timestamp="2024-09-02T10:57:00")'
    assert calls(START.then(PLAN), stored)
    assert not calls(START.then(PLAN), stored.replace("10:57", "11:57"))


def test_planner_writes_both_tags_and_closes_only_where_it_may() -> None:
    thought = "The knee hurts.</reason><action>Look for help.</action>"
    end = "It is done.</reason><action><END></action>"
    assert writes(planner_grammar(START, may_close=True), thought)
    assert writes(planner_grammar(START, may_close=True), end)
    assert not writes(planner_grammar(START, may_close=False), end)
    assert writes(planner_grammar(START, may_close=False, must_close=True), end)
    assert not writes(planner_grammar(START, may_close=False, must_close=True), thought)
    assert not writes(planner_grammar(START, may_close=True), "Seen on Sat 30 Nov.</reason><action>Go.</action>")
    assert not writes(planner_grammar(START, may_close=True), "a</reason><action>b</action><tool>")


def test_hostile_words_break_no_grammar() -> None:
    case = Case(USER, 'x" | /.*/ 9\\ %regex 12"34 [1] {2} \U0001f9b5 7').then(
        PLAN, Called(FIND), Seen({"a": '5" \\'}), PLAN
    )
    assert calls(case, ask("Does it hurt?"))


def test_soft_sos_tells_every_reading_once_and_nothing_else() -> None:
    asked = "Soft SOS triggered. Abnormal Vitals: {'oxygen': 84, 'temperature': 39.4}"
    case = Case(USER, asked).then(PLAN)
    told = r"Abnormal vitals detected.\n\nYour vitals:\nOxygen: 84%\nTemperature: 39.4 C"

    def notify(message: str) -> str:
        return f'notify_user(user_id="JICC571413", message="{message}")'

    assert calls(case, notify(told))
    assert not calls(case, notify(told.replace("39.4", "84")))
    assert not calls(case, notify(r"Your vitals:\nOxygen: 84%"))
    assert not calls(case, notify(told + r"\nPulse: 84 bpm"))
    assert not calls(case, notify(told + r"\nYou are fine, go to bed"))
    assert calls(START.then(PLAN), notify("Your knee is noted."))


def test_a_planner_that_asked_enough_asks_no_more() -> None:
    ask = "Unclear.</reason><action>Ask the user: Where?</action>"
    look = "Clear.</reason><action>Use the tool. Ask nothing.</action>"
    for text, may_ask, written in ((ask, True, True), (ask, False, False), (look, False, True)):
        assert writes(planner_grammar(START, may_close=False, may_ask=may_ask), text) is written
