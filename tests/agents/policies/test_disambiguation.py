from __future__ import annotations

import pytest

from camphor.agents.policies.disambiguation import asks_whom_in_vain, settle_people, whole_question
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

SEND = Tool(
    "send", "", (Parameter("receiver", role=Role.PHONE), Parameter("content")), Kind.ACTION, Agent.TASK, "imessage"
)
TOOLBOX = Toolbox((SEND,))
MAX_U = {"name": "Max Unterberger", "phone_number": "1", "relationship": "Colleague"}
MAX_B = {"name": "Max Brandner", "phone_number": "2", "relationship": "Flatmate"}
LOOK = Call("get_contacts_information", {"keyword": "Max"})


def turn(query: str, *more: Observation) -> Turn:
    return Turn(query, (Step(Agent.CONTEXT, (LOOK,), (Observation(LOOK, (MAX_U, MAX_B)), *more)),))


def which_person(calls: list[Call], now: Turn, history: tuple[Turn, ...], toolbox: Toolbox) -> str:
    return settle_people(calls, now, history, toolbox)[1]


def tell(*receivers: str) -> list[Call]:
    return [Call("send", {"receiver": receiver, "content": "Hi"}) for receiver in receivers]


def test_a_name_that_fits_two_is_asked_about() -> None:
    question = which_person(tell("Max Brandner"), turn("tell Max he can keep it"), (), TOOLBOX)
    assert question == "Which one do you mean: Max Unterberger (Colleague) or Max Brandner (Flatmate)?"


@pytest.mark.parametrize("query", ["tell max from the flat, my flatmate", "tell Max Brandner he can keep it"])
def test_a_word_of_the_query_tells_them_apart(query: str) -> None:
    assert which_person(tell("Max Brandner"), turn(query), (), TOOLBOX) == ""


def test_an_earlier_answer_tells_them_apart() -> None:
    earlier = Turn("call Max", (), "Do you mean Max Unterberger or the other?")
    assert which_person(tell("Max Unterberger"), turn("tell him"), (earlier,), TOOLBOX) == ""


def test_a_message_of_one_of_them_tells_them_apart_and_of_both_does_not() -> None:
    call = Call("get_imessage_history", {"keyword": "pass"})
    one = Observation(call, ({"contact": "Max Brandner", "text": "where is my lift pass"},))
    both = Observation(call, ({"contact": "Max Brandner", "text": "a"}, {"contact": "Max Unterberger", "text": "b"}))
    query = "Max can keep his lift pass, tell him"
    assert which_person(tell("Max Brandner"), turn(query, one), (), TOOLBOX) == ""
    assert which_person(tell("Max Unterberger"), turn(query, one), (), TOOLBOX) != ""
    assert which_person(tell("Max Brandner"), turn(query, both), (), TOOLBOX) != ""


def test_speaking_to_all_of_them_is_clear() -> None:
    assert which_person(tell("Max Brandner", "Max Unterberger"), turn("tell Max"), (), TOOLBOX) == ""
    assert which_person(tell("Max Brandner"), turn("tell both Max"), (), TOOLBOX) == ""


def test_actions_without_a_person_need_no_question() -> None:
    assert which_person([Call("play", {"title": "Max"})], turn("play Max"), (), TOOLBOX) == ""


def test_a_wrong_pick_is_put_right_by_the_persons_words() -> None:
    calls, question = settle_people(tell("Max Unterberger"), turn("text max brandner that I'm late"), (), TOOLBOX)
    assert question == ""
    assert calls[0].arguments["receiver"] == "Max Brandner"


def test_a_part_of_a_name_means_the_one_who_was_looked_up() -> None:
    sean = {"name": "Sean Murphy", "phone_number": "3", "relationship": "Plumber"}
    now = Turn("ring the plumber and tell him", (Step(Agent.CONTEXT, (LOOK,), (Observation(LOOK, (sean,)),)),))
    (call,), question = settle_people(tell("Sean"), now, (), TOOLBOX)
    assert (call.arguments["receiver"], question) == ("Sean Murphy", "")
    (call,), _ = settle_people(tell("Alice"), now, (), TOOLBOX)
    assert call.arguments["receiver"] == "Alice"  # nobody of that name was looked up: the device decides


def test_the_address_of_a_mail_tells_two_of_one_name_apart() -> None:
    call = Call("get_mail_event", {"theme": "pass"})
    mail = Observation(call, ({"sender": "max.b@mail.example", "subject": "lift pass"},))
    now = Turn(
        "tell Max about the pass he wrote of",
        (Step(Agent.CONTEXT, (LOOK,), (Observation(LOOK, (MAX_U, {**MAX_B, "email": "max.b@mail.example"})), mail)),),
    )
    assert which_person(tell("Max Brandner"), now, (), TOOLBOX) == ""


def test_a_question_back_names_everybody_whom_it_could_be_about() -> None:
    asked = "Max Brandner?"
    assert whole_question(asked, turn("ring Max")) == (
        "Which one do you mean: Max Unterberger (Colleague) or Max Brandner (Flatmate)?"
    )
    both = "Max Unterberger or Max Brandner?"
    assert whole_question(both, turn("ring Max")) == both
    assert whole_question("Max Brandner wrote.", turn("who wrote?")) == "Max Brandner wrote."
    assert whole_question("At what time?", turn("remind me")) == "At what time?"


SEAN_P = {"name": "Sean Murphy", "phone_number": "3", "relationship": "Plumber"}
SEAN_B = {"name": "Sean Doyle", "phone_number": "4", "relationship": "Brother"}


def looked_up(keyword: str, *people: dict[str, str]) -> Step:
    call = Call("get_contacts_information", {"keyword": keyword})
    return Step(Agent.CONTEXT, (call,), (Observation(call, people),))


ASKED = Turn("call Sean", (looked_up("Sean", SEAN_P, SEAN_B), Step(Agent.TASK)), "Which one do you mean?")


@pytest.mark.parametrize(
    "steps",
    [
        (looked_up("plumber", SEAN_P),),
        (looked_up("Sean", SEAN_P, SEAN_B), looked_up("plumber", SEAN_P)),
        (looked_up("Sean", SEAN_P, SEAN_B),),
        (),
    ],
)
def test_a_name_that_fits_several_means_the_one_whom_the_turn_singled_out(steps: tuple[Step, ...]) -> None:
    (call,), question = settle_people(tell("Sean"), Turn("the plumber", steps), (ASKED,), TOOLBOX)
    assert (call.arguments["receiver"], question) == ("Sean Murphy", "")


def test_a_name_that_still_fits_several_is_asked_about_before_the_device_refuses_it() -> None:
    question = which_person(tell("Sean"), Turn("yes, Sean"), (ASKED,), TOOLBOX)
    assert question == "Which one do you mean: Sean Murphy (Plumber) or Sean Doyle (Brother)?"


def test_one_of_a_turn_long_ago_is_not_taken_for_the_one_looked_up_now() -> None:
    other = {"name": "Sean Ryan", "phone_number": "5"}
    (call,), question = settle_people(
        tell("Sean"), Turn("ring Sean Ryan", (looked_up("Ryan", other),)), (ASKED,), TOOLBOX
    )
    assert (call.arguments["receiver"], question) == ("Sean Ryan", "")


def test_the_answer_to_which_of_two_decides_whoever_the_model_looks_up() -> None:
    now = Turn("not the other one, the plumber", (looked_up("Sean Doyle", SEAN_B),))
    (call,), question = settle_people(tell("Sean Doyle"), now, (ASKED,), TOOLBOX)
    assert (call.arguments["receiver"], question) == ("Sean Murphy", "")
    longer = Turn("text Sean Doyle that I am waiting here for the plumber", (looked_up("Sean Doyle", SEAN_B),))
    (call,), _ = settle_people(tell("Sean Doyle"), longer, (ASKED,), TOOLBOX)
    assert call.arguments["receiver"] == "Sean Doyle"


def test_whom_one_word_means_alone_is_not_asked() -> None:
    mum = Call("get_contacts_information", {"keyword": "mum"})
    lurdes = {"name": "Lurdes Marques", "phone_number": "3", "relationship": "Mum"}
    orla = {"name": "Orla Brady", "phone_number": "4", "relationship": "Conor's mum"}
    now = Turn("text mum", (Step(Agent.CONTEXT, (mum,), (Observation(mum, (lurdes, orla)),)),))
    assert asks_whom_in_vain("Lurdes Marques or Orla Brady: which one?", now)
    assert not asks_whom_in_vain("What shall I tell Lurdes Marques?", now)
    assert not asks_whom_in_vain("Max Unterberger or Max Brandner?", turn("tell Max"))


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("tell Max all is well", True),
        ("text Max that each of us pays", True),
        ("tell Max every little helps", True),
        ("tell both Maxes, both Max I mean", False),
        ("text all my Maxs", False),
        ("tell Max he can keep it, both of them", False),
    ],
)
def test_all_of_something_else_does_not_choose_between_two(query: str, asks: bool) -> None:
    assert bool(which_person(tell("Max Brandner"), turn(query), (), TOOLBOX)) is asks
