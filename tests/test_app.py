"""The assistant on a real in-memory device, with a scripted model in the place of the language model."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.bounds import USUAL
from camphor.agents.events import AgentChosen, Answer, Answered, CallsProposed, ConsentNeeded, Decision, Event, Observed
from camphor.agents.prompts import Form
from camphor.app import LONGEST_QUERY, NOT_UNDERSTOOD, Assistant, clean_query, run_to_end
from camphor.device.device import Device
from camphor.errors import UsageError
from camphor.models.base import ScriptedModel
from camphor.tools.modules import tool
from camphor.types import Call, Turn

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Ines Marques",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "location": {"city": "Dublin"},
    "screen": "",
    "activity": [],
    "web": [],
    "apps": {
        "contacts": {
            "people": [
                {
                    "person_id": "1",
                    "name": "Alice Johnson",
                    "phone_number": "555-123-4567",
                    "relationship": "Travel Buddy",
                },
            ]
        },
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
    },
}
WORDS = [
    "personal_context",
    ' [get_contacts_information(keyword="travel buddy")]',
    "task_completion",
    ' [send_imessage_message(receiver="Alice Johnson", content="I\'ll be late"); '
    'create_reminders(time="at 6", content="Call Alice")]',
]


def assistant(words: list[str]) -> Assistant:
    return Assistant(Device.create(None, PHONE), ScriptedModel(words))


def watch(helper: Assistant, query: str, decide: dict[str, Decision]) -> list[Event]:
    loop = helper.run(query)
    seen: list[Event] = [next(loop)]
    while not isinstance(seen[-1], Answered):
        event = seen[-1]
        seen.append(loop.send(decide[event.call.name]) if isinstance(event, ConsentNeeded) else next(loop))
    return seen


def test_a_wish_is_shown_step_by_step_and_done_with_consent() -> None:
    helper = assistant(WORDS)
    yes = Decision(Answer.YES)
    seen = watch(
        helper, "tell my travel buddy I'm late, remind me at 6", {"send_imessage_message": yes, "create_reminders": yes}
    )
    kinds = [type(event) for event in seen]
    assert kinds == [
        AgentChosen,
        CallsProposed,
        Observed,
        AgentChosen,
        CallsProposed,
        ConsentNeeded,
        ConsentNeeded,
        Observed,
        Answered,
    ]
    sent = helper.device.records("imessage", "messages")
    assert (sent[0]["contact"], sent[0]["text"]) == ("Alice Johnson", "I'll be late")
    assert helper.device.records("reminders", "reminders")[0]["time"] == "2026-03-12T18:00:00"
    assert "Reminder set for Thu 12 Mar 18:00" in seen[-1].response  # type: ignore[union-attr]


def test_only_calls_copy_words_of_the_prompt() -> None:
    model = ScriptedModel([*WORDS[:2], "task_completion", " []", "What shall I write?"])
    run_to_end(Assistant(Device.create(None, PHONE), model), "write to my travel buddy", consent=True)
    assert [request.copies for request in model.requests] == [False, True, False, True, False]


def test_of_a_question_no_action_and_no_answer_is_written() -> None:
    model = ScriptedModel([*WORDS[:2], "task_completion"])
    answered = run_to_end(Assistant(Device.create(None, PHONE), model), "who is my travel buddy?", consent=True)
    assert len(model.requests) == 3
    assert answered.response == ("Alice Johnson: relationship Travel Buddy, phone number 555-123-4567 (your contacts).")


@pytest.mark.parametrize("words", ["Hello.", "It is in the Rua das Flores.", "Alice is 34.", "I have called her."])
def test_of_the_models_own_words_only_a_question_back_is_told(words: str) -> None:
    told = run_to_end(assistant(["task_completion", " []", words]), "make me some tea", consent=True)
    assert told.response == NOT_UNDERSTOOD
    asked = run_to_end(assistant(["task_completion", " []", "Which tea?"]), "make me some tea", consent=True)
    assert asked.response == "Which tea?"


def test_hints_are_few_and_leave_room_for_the_talk() -> None:
    tool = {"kind": "action", "description": "Turn the wheel of a mill in the village. " * 4, "parameters": {}}
    apps = {f"mill{number}": {"tools": [{**tool, "name": f"turn_mill{number}"}]} for number in range(60)}
    device = Device.create(None, {**PHONE, "apps": PHONE["apps"] | apps})
    earlier = tuple(Turn(f"Turn mill{number}", (), "Turned.") for number in (1, 2))
    model = ScriptedModel(["task_completion", " []", "Nothing to do."], context=1024)
    helper = Assistant(device, model, earlier, form=Form.HINTED)
    run_to_end(helper, "And turn mill7 too, like that one", consent=True)
    words = [segment.text for segment in model.requests[0].text]
    assert 0 < sum("turn_mill" in line for text in words for line in text.splitlines()) <= 3
    assert "Turn mill1" in words


def test_a_query_that_is_stopped_tells_what_was_done() -> None:
    helper = assistant([*WORDS, *WORDS])
    yes = Decision(Answer.YES)
    watch(helper, "text her and remind me", {"send_imessage_message": yes, "create_reminders": yes})
    assert helper.done == 2
    loop = helper.run("text her and remind me")
    event = next(loop)
    while not isinstance(event, ConsentNeeded):
        event = next(loop)
    loop.send(yes)  # the second action asks now
    loop.close()
    assert helper.done == 1


def test_what_it_cost_is_told_for_all_turns_together() -> None:
    answered = watch(
        assistant(WORDS),
        "text her",
        {"send_imessage_message": Decision(Answer.NO), "create_reminders": Decision(Answer.NO)},
    )[-1]
    assert isinstance(answered, Answered)
    assert len(answered.timings) == len(WORDS)
    assert answered.cost.generated_tokens == sum(turn.generated_tokens for turn in answered.timings)
    assert answered.cost.seconds == pytest.approx(sum(turn.seconds for turn in answered.timings))


def test_what_is_refused_is_not_done_and_said_so() -> None:
    helper = assistant(WORDS)
    decide = {"send_imessage_message": Decision(Answer.NO), "create_reminders": Decision(Answer.YES)}
    answered = watch(helper, "tell her", decide)[-1]
    assert isinstance(answered, Answered)
    assert helper.device.records("imessage", "messages") == []
    assert [call.name for call in answered.refused] == ["send_imessage_message"]
    assert "Not done without your yes" in answered.response


def test_an_edited_action_is_done_as_edited() -> None:
    helper = assistant(WORDS)
    edited = Call("create_reminders", {"time": "2026-03-12T19:30:00", "content": "Ring Alice"})
    decide = {"send_imessage_message": Decision(Answer.NO), "create_reminders": Decision(Answer.YES, edited)}
    answered = watch(helper, "tell her and remind me", decide)[-1]
    assert [(r["time"], r["content"]) for r in helper.device.records("reminders", "reminders")] == [
        ("2026-03-12T19:30:00", "Ring Alice")
    ]
    assert "19:30" in answered.response  # type: ignore[union-attr]


def test_without_consent_nothing_is_done() -> None:
    helper = assistant(WORDS)
    answered = run_to_end(helper, "tell my travel buddy I'll be late and remind me to call her at 6", consent=False)
    assert helper.device.journal() == []
    assert [call.name for call in answered.proposed] == ["send_imessage_message", "create_reminders"]


def test_a_value_that_is_not_understood_is_told_and_the_rest_is_done() -> None:
    words = [
        "task_completion",
        ' [create_reminders(time="at the blue hour", content="Call"); create_reminders(time="at 6", content="Call")]',
    ]
    helper = assistant(words)
    answered = run_to_end(helper, "remind me at 6, and at the blue hour", consent=True)
    assert len(helper.device.records("reminders", "reminders")) == 1
    assert "Not done:" in answered.response


def test_a_question_back_with_a_number_from_nowhere_is_not_told() -> None:
    words = ["task_completion", " []", "Shall I call 555-999-0000?"]
    assert run_to_end(assistant(words), "make me some tea", consent=True).response == NOT_UNDERSTOOD


def test_the_next_turn_sees_the_earlier_one() -> None:
    model = ScriptedModel(["task_completion", " []", "Hello to whom?", "task_completion", " []", "To whom?"])
    helper = Assistant(Device.create(None, PHONE), model)
    run_to_end(helper, "say hello", consent=True)
    run_to_end(helper, "say it again", consent=True)
    assert "Hello to whom?" in "".join(segment.text for segment in model.requests[-1].prompt)


def test_a_turn_about_something_else_is_asked_without_the_earlier_one() -> None:
    model = ScriptedModel(["task_completion", " []", "Hello.", "task_completion"])
    helper = Assistant(Device.create(None, PHONE), model, limits=USUAL.without("unclear"))
    run_to_end(helper, "say hello to my travel buddy", consent=True)
    run_to_end(helper, "is any milk on the shopping list?", consent=True)
    assert "travel buddy" not in "".join(segment.text for segment in model.requests[-1].prompt)
    first, second = (turn.response for turn in helper.history)
    assert (first[:13], second[:15]) == ("I did nothing", "I found nothing")


def test_thanks_are_answered_without_the_model() -> None:
    helper = assistant([])
    assert run_to_end(helper, "thanks!", consent=True).response == "You're welcome."
    assert helper.history == ()


def test_a_question_that_somebody_wrote_asks_nothing_of_the_person() -> None:
    texts = [{"contact": "Alice Johnson", "from_me": False, "date": "2026-03-12T08:00:00", "text": "Are you coming?"}]
    phone = {**PHONE, "apps": PHONE["apps"] | {"imessage": {"messages": texts}}}
    talk = Assistant(Device.create(None, phone), ScriptedModel(["task_completion"]))
    assert "“Are you coming?”" in run_to_end(talk, "what did Alice write?", consent=True).response
    assert run_to_end(talk, "thanks!", consent=True).response == "You're welcome."


def test_the_clock_is_read_without_the_model() -> None:
    told = "It is Thursday 12 March 2026, 08:45."
    assert run_to_end(assistant([]), "what day is it?", consent=True).response == told


def test_a_day_asked_for_in_a_talk_is_the_day_of_what_was_spoken_of() -> None:
    reminders = [{"content": "Rehearse the fugue", "time": "2026-03-17T18:00:00", "done": False}]
    phone = {**PHONE, "apps": PHONE["apps"] | {"reminders": {"reminders": reminders}}}
    talk = Assistant(Device.create(None, phone), ScriptedModel(["task_completion"] * 3))
    run_to_end(talk, "is there a reminder about the fugue?", consent=True)
    for query in ("what day?", "and what time?"):
        assert "Tue 17 Mar 18:00" in run_to_end(talk, query, consent=True).response


@pytest.mark.parametrize("answer", ["ok", "yes", "Sure!", "yep", "perfect, thanks", "go ahead"])
def test_a_courtesy_may_answer_a_question(answer: str) -> None:
    call = ' [create_reminders(time="tomorrow at 5 pm", content="Pack")]'
    helper = assistant(["task_completion", " []", "Shall I remind you too?", "task_completion", call])
    run_to_end(helper, "pack for tomorrow at 5 pm", consent=True)
    assert [made.name for made in run_to_end(helper, answer, consent=False).proposed] == ["create_reminders"]


@pytest.mark.parametrize("answer", ["thanks!", "no thanks", "no", "never mind", "who is my travel buddy?"])
def test_thanks_a_no_and_another_question_agree_to_nothing(answer: str) -> None:
    call = ' [create_reminders(time="tomorrow at 5 pm", content="Pack")]'
    helper = assistant(["task_completion", " []", "Shall I remind you too?", "task_completion", call])
    run_to_end(helper, "pack for tomorrow at 5 pm", consent=True)
    assert run_to_end(helper, answer, consent=True).proposed == ()


def test_what_is_not_there_is_said_to_be_nowhere() -> None:
    words = ["personal_context", ' [get_imessage_history(keyword="Sam")]', "task_completion"]
    told = run_to_end(assistant(words), "did Sam write?", consent=True)
    assert told.response == "I found nothing about “sam” on this phone."


@pytest.mark.parametrize("query", ["", "   ", "\x00\x1b\u200b", "x" * (LONGEST_QUERY + 1)])
def test_a_query_without_words_or_without_end_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        clean_query(query)


def test_control_characters_are_taken_out_of_a_query() -> None:
    assert clean_query("call\x1b[31m  Ana\n\tnow") == "call [31m Ana now"


def test_a_long_conversation_forgets_its_oldest_turns_whole() -> None:
    model = ScriptedModel(["task_completion"] * 60, context=600)
    helper = Assistant(Device.create(None, PHONE), model)
    for number in range(20):
        run_to_end(helper, f"what is question number {number} about something long enough to count?", consent=True)
    last = "".join(segment.text for segment in model.requests[-1].prompt)
    assert "question number 18" in last
    assert "question number 0 " not in last
    assert len(last) < 600 * 4
    assert len(helper.history) == 20


def test_what_a_function_of_the_person_found_is_told() -> None:
    @tool(reads=True)
    def find_plant(plant: str) -> list[dict[str, str]]:
        """Find out in which bed a plant grows."""
        return [{"plant": "basil", "bed": "greenhouse"}] if plant == "basil" else []

    def told(query: str, plant: str) -> str:
        device = Device.create(None, PHONE)
        device.add_functions("garden", find_plant)
        words = ["personal_context", f' [find_plant(plant="{plant}")]', "task_completion"]
        return run_to_end(Assistant(device, ScriptedModel(words)), query, consent=False).response

    assert told("where does the basil grow?", "basil") == "This is what I found: plant: basil; bed: greenhouse"
    assert told("where does the mint grow?", "mint") == "I found nothing about “mint grow” on this phone."
