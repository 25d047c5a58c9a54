"""What a plan may hold where its texts are copied from the request."""

from __future__ import annotations

import pytest

from camphor.models.constraint import accepts
from camphor.tools.plan_grammar import plan_grammar
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent


def tool(name: str, description: str, parameters: tuple[Parameter, ...]) -> Tool:
    return Tool(name, description, parameters, Kind.ACTION, Agent.TASK)


NOTE = tool("note", "Write a note.", (Parameter("text"), Parameter("mime_type", required=False)))
CALL = tool("dial", "Call.", (Parameter("number", role=Role.PHONE),))
MAIL = tool("mail", "Mail.", (Parameter("to", "array", items="string", role=Role.EMAIL),))
SHOW = tool("show", "Show.", (Parameter("contact_uri"),))
WAKE = tool(
    "wake",
    "Set an alarm.",
    (
        Parameter("hour", "integer", role=Role.HOUR, required=False),
        Parameter("days", "array", items="string", role=Role.WEEKDAYS, required=False),
    ),
)
SAVE = tool(
    "save",
    "Save.",
    (Parameter("who", "object", fields=(Parameter("name", required=False), Parameter("phone", required=False))),),
)
TOOLS = (NOTE, CALL, MAIL, SHOW, WAKE, SAVE)
SAID = "note Buy milk, then call 0151 23 and mail ana@example.org; wake me at half past six every Monday: content://c/7"


def accepted(text: str, said: str = SAID) -> bool:
    return accepts(plan_grammar(TOOLS, values=(), said=said, coined=True), f"result0 = {text}")


@pytest.mark.parametrize(
    "text",
    [
        'note(text="Buy milk")',
        'note(text="Buy milk", mime_type="text/plain")',
        'dial(number="0151 23")',
        'mail(to=["ana@example.org"])',
        'show(contact_uri="content://c/7")',
        'wake(hour="half past six", days="every Monday")',
        "wake(hour=6)",
        'save(who={"name": "Ana", "phone": "0151 23"})',
    ],
)
def test_words_of_the_request_and_single_words_are_values(text: str) -> None:
    said = f"{SAID} Ana"
    assert accepted(text, said)


@pytest.mark.parametrize(
    "text",
    [
        'note(text="Buy bread and milk")',
        'note(text="Bread")',
        "mail(to=[])",
        'note(text="result0")',
        'dial(number="mail ana")',
        'dial(number="01512399")',
        'mail(to=["Buy milk"])',
        'mail(to=["bob@example.org"])',
        'show(contact_uri="ana@example.org")',
        'wake(hour="seven")',
        'wake(days="half past")',
        'save(who={"phone": "Buy milk"})',
    ],
)
def test_what_nobody_said_is_no_value(text: str) -> None:
    assert not accepted(text)


def test_a_tool_whose_value_nobody_said_cannot_be_called_but_with_a_result() -> None:
    grammar = plan_grammar((CALL, NOTE), values=(), said="call Ana", coined=True)
    assert accepts(grammar, 'result0 = note(text="Ana")')
    assert not accepts(grammar, 'result0 = dial(number="Ana")')
    assert accepts(grammar, 'result0 = note(text="Ana")\nresult1 = dial(number=result0)')


def test_a_value_of_time_is_among_the_words_that_say_one() -> None:
    grammar = plan_grammar(
        TOOLS, values=(), said="wake me at 7, train 8", coined=True, worded={Role.HOUR: ("at 7", "7", "8")}
    )
    assert accepts(grammar, 'result0 = wake(hour="at 7")')
    assert not accepts(grammar, 'result0 = wake(hour="train 8")')
    assert accepts(grammar, 'result0 = note(text="train 8")')


def test_kinds_of_files_and_addresses_have_their_form() -> None:
    files = Parameter("attachments", "array", items="string", description="Content URIs of files.", required=False)
    sound = Parameter("sound", description='Content URI of the sound, or "silent".', required=False)
    send = tool("send", "Send.", (files, sound))
    grammar = plan_grammar((NOTE, send), values=(), said="note music for content://m/1 or photo", coined=True)
    assert accepts(grammar, 'result0 = note(text="music", mime_type="audio/*")')
    assert not accepts(grammar, 'result0 = note(text="music", mime_type="music")')
    assert accepts(grammar, 'result0 = send(attachments=["content://m/1"], sound="silent")')
    assert not accepts(grammar, 'result0 = send(attachments=["photo"])')


def test_a_request_of_many_words_can_be_copied_from() -> None:
    said = " ".join(f"word{n} of Monday, then a long day" for n in range(12))
    assert accepts(plan_grammar(TOOLS, values=(), said=said, coined=True), 'result0 = wake(days="word3 of Monday")')


def test_a_time_that_is_said_is_not_written_as_a_number() -> None:
    said = {Role.HOUR: ("noon", "at noon")}
    assert accepts(
        plan_grammar(TOOLS, values=(), said="ring at noon", coined=True, worded=said), 'result0 = wake(hour="noon")'
    )
    assert not accepts(
        plan_grammar(TOOLS, values=(), said="ring at noon", coined=True, worded=said), "result0 = wake(hour=9)"
    )
