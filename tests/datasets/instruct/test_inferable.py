"""A value passes where the query tells it, in whatever words, and only there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.tools.plans import Reference
from camphor.tools.readers import from_schema
from camphor.tools.tool import Tool
from camphor.types import Call
from camphor_lab.datasets.instruct.inferable import not_inferable

NOW = datetime(2026, 3, 12, 8, 45)  # a Thursday
KIND = (
    'The page to open. Possible values are: - "general": Main page (default) - "wifi": Wi-Fi page - "locale": Language'
    ' and input page - "airplane_mode": Flight page'
)


def tool(name: str, description: str = "", **schema: Any) -> Tool:
    schema = {"type": "string", "description": description, **schema}
    return from_schema({"name": "f", "parameters": {"properties": {name: schema}}})


HOUR = tool("hour", "The hour of the day from 0 to 23.", type="integer")
COUNT = tool("count", "How many.", type="integer")
TEXT = tool("text", "What to say.")
TIME = tool("time", "When it begins, in ISO 8601 format.")
LENGTH = tool("duration", 'How long, such as "1 hours 30 minutes".')
SECONDS = tool("seconds", "How long in seconds.", type="integer")
DAYS = tool("days", "The days on which it repeats.", type="array", items={"type": "string"})
PAGE = tool("page", KIND)
ENUM = tool("unit", "Unit of temperature.", enum=["celsius", "fahrenheit"])
VIBRATE = tool("EXTRA_VIBRATE", "Whether it should vibrate. Default is False.", type="boolean", default=False)
SEVERAL = tool("allow_multiple", "If True, several files can be chosen.", type="boolean", default=False)
MIME = tool("mime_type", "MIME type of the file.")
PHONE = tool("phone_number", "The number.")
EMAIL = tool("to", "Addresses.", type="array", items={"type": "string"})
CONTACT = tool("info", "Fields of the contact.", type="object")
KEY = tool("key", 'One of: "email", "phone", "address"')

TOLD = [
    (HOUR, "wake me up at 7:30 pm", 19),
    (HOUR, "wake me up at half past seven in the evening", 19),
    (HOUR, "alarm at quarter to eight tomorrow morning", 7),
    (HOUR, "alarm for noon", 12),
    (HOUR, "at 6", 18),
    (HOUR, "in two hours", 10),
    (COUNT, "add two dozen eggs", 24),
    (COUNT, "order twenty-five chairs", 25),
    (COUNT, "a hundred and five please", 105),
    (COUNT, "do it twice", 2),
    (COUNT, "1,250 flyers", 1250),
    (TEXT, "tell Ana I'm running late", "I'm running late"),
    (TEXT, "make an event called team meeting", "Team Meeting"),
    (TEXT, "put 'buy 2 apples' on the list", "Buy two apples"),
    (TEXT, "show me the nearest coffee shops", "nearest coffee shop"),
    (TEXT, "save it as budget report pdf", "budget_report.pdf"),
    (TEXT, "позвони маме", "маме"),
    (TIME, "lunch next Friday at 1 pm", "2026-03-20T13:00:00"),
    (TIME, "dentist tomorrow at half past nine", "2026-03-13T09:30:00"),
    (TIME, "call in 20 minutes", "2026-03-12T09:05:00"),
    (TIME, "holiday on 4 July", "2026-07-04"),
    (TIME, "holiday on 4 July", "2026-07-04T00:00:00"),
    (TIME, "meet tomorrow at 3 pm for 90 minutes", "2026-03-13T16:30:00"),
    (TIME, "tomorrow from 3 pm to 4:15 pm", "2026-03-13T16:15:00"),
    (LENGTH, "timer for an hour and a half", "1 hours 30 minutes"),
    (LENGTH, "90 minute timer", "1 hours 30 minutes"),
    (LENGTH, "a timer, quarter of an hour", "15 minutes"),
    (LENGTH, "an hour and a half", "PT1H30M"),
    (SECONDS, "five minutes", 300),
    (DAYS, "every weekday at 7", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]),
    (DAYS, "on Mon and Fridays", ["MONDAY", "FRI"]),
    (DAYS, "Tuesday through Thursday", ["Tuesday", "Wednesday", "Thursday"]),
    (DAYS, "daily", ["Sunday"]),
    (DAYS, "every day except Sunday", ["Saturday"]),
    (PAGE, "open the Wi-Fi page", "wifi"),
    (PAGE, "i want another language", "locale"),
    (PAGE, "put it in airplane mode", "airplane_mode"),
    (ENUM, "in Fahrenheit", "fahrenheit"),
    (VIBRATE, "with vibration", True),
    (VIBRATE, "an alarm", False),
    (SEVERAL, "let me choose some photos", True),
    (MIME, "pick a photo", "image/*"),
    (MIME, "make a PDF", "application/pdf"),
    (MIME, "open any file", "*/*"),
    (PHONE, "dial 555-123 4567", "5551234567"),
    (PHONE, "call five five five one two three double four", "555-12344"),
    (EMAIL, "mail bob dot k at mail dot com and to ann@x.org", ["bob.k@mail.com", "Ann@x.org"]),
    (EMAIL, "mail it to her", [Reference(0)]),
    (CONTACT, "new contact Jo March, 555 0101 22", {"name": "Jo March", "phone": "555-010122"}),
    (KEY, "what is Ana's number?", "phone"),
    (TIME, "rooms from November 25, 2013, to January 7, 2006", "2006-01-07"),
    (COUNT, "verses 35 to 39", 37),
    (tool("tip", "The tip.", type="number"), "add a 15% tip", 0.15),
    (TEXT, "1000 US dollars in euros", "EUR"),
]
MADE_UP = [
    (HOUR, "wake me up at 7 pm", 7),
    (HOUR, "wake me at 7 in the morning", 19),
    (HOUR, "wake me tomorrow morning", 8),
    (COUNT, "add some eggs", 12),
    (TEXT, "send Ana a message", "Happy birthday to you"),
    (TEXT, "mail Bob about the 3 invoices", "the 4 invoices"),
    (TIME, "lunch next Friday at 1 pm", "2026-03-21T13:00:00"),
    (TIME, "lunch next Friday at 1 pm", "2026-03-20T12:00:00"),
    (TIME, "lunch with Ana", "2026-03-20T12:00:00"),
    (LENGTH, "timer for an hour and a half", "1 hours 20 minutes"),
    (LENGTH, "set a timer", "10 minutes"),
    (SECONDS, "five minutes", 200),
    (DAYS, "every weekday at 7", ["Monday", "Saturday"]),
    (PAGE, "open the page", "locale"),
    (ENUM, "what is the temperature", "celsius"),
    (VIBRATE, "set an alarm for 6", True),
    (MIME, "pick a photo", "video/*"),
    (PHONE, "dial Ana", "5551234567"),
    (PHONE, "dial 555-123 4567", "5551234568"),
    (EMAIL, "mail Bob and ann@x.org", ["ann@x.org", "bob@example.com"]),
    (CONTACT, "new contact Jo March", {"name": "Jo March", "phone": "555-010122"}),
    (KEY, "who is Ana?", "address"),
    (COUNT, "verses 35 to 39", 40),
    (TEXT, "1000 US dollars in euros", "GBP"),
]


@pytest.mark.parametrize(("function", "query", "value"), TOLD)
def test_a_value_that_the_query_tells_passes(function: Tool, query: str, value: Any) -> None:
    name = function.parameters[0].name
    assert not_inferable(query, (Call("f", {name: value}),), (function,), NOW) == []


@pytest.mark.parametrize(("function", "query", "value"), MADE_UP)
def test_a_value_that_it_does_not_tell_is_named(function: Tool, query: str, value: Any) -> None:
    name = function.parameters[0].name
    (fault,) = not_inferable(query, (Call("f", {name: value}),), (function,), NOW)
    assert (fault.call, fault.name, fault.parameter) == (0, "f", name)
    assert fault.value == value or fault.value in (value if isinstance(value, list) else value.values())


def test_without_a_clock_tomorrow_is_no_date_and_a_full_date_is() -> None:
    assert not_inferable("tomorrow at 3 pm", (Call("f", {"time": "2026-03-13T15:00:00"}),), (TIME,))
    assert not not_inferable("on 13 March 2026", (Call("f", {"time": "2026-03-13"}),), (TIME,))


def test_the_words_of_a_moment_are_kept() -> None:
    said: dict[str, str] = {}
    plan = (Call("f", {"time": "2026-03-20T13:00:00"}),)
    assert not not_inferable("lunch with Bo next Friday at 1 pm please", plan, (TIME,), NOW, said)
    assert said == {"0.time": "next Friday at 1 pm"}
