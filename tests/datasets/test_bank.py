"""The language bank: in order, divided for good, and enough of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from camphor_lab.datasets import situations
from camphor_lab.datasets.bank import Bank, choose_split, fill, load, read_said, slots_of, split_of
from camphor_lab.datasets.wishes import PROGRAMS

# What fills a slot, by situation; of some slots a line needs one.
_PERSON = {"person", "he", "him", "his"}
_CONTENT = {"tell", "ask", "to", "quote"}
_TIME = {"at", "when"}
_SLOTS: dict[str, set[str]] = {
    "message": _PERSON | _CONTENT,
    "mail": _PERSON | _CONTENT,
    "reply_last": _CONTENT,
    "message_participants": _CONTENT | {"event"},
    "mail_participants": _CONTENT | {"event"},
    "call": _PERSON,
    "reminder": _TIME | {"task", "thing"},
    "reminder_no_time": {"task", "thing"},
    "reminder_before": {"span", "event", "task"},
    "reminder_after": {"span", "event", "task"},
    "note": {"note"},
    "event_new": _TIME | {"new"},
    "event_new_with": _TIME | _PERSON | {"name"},
    "event_cancel": {"event", "day"},
    "event_move": _TIME | {"event"},
    "event_cancel_tell": _CONTENT | {"event", "him"},
    "event_move_tell": _TIME | {"event"},
    "music": {"title", "artist", "album"},
    "podcast": {"title", "show"},
    "place": {"place", "name"},
    "item": {"item"},
    "download": {"app"},
    "post": {"post"},
    "search": {"query"},
    "search_tell": _PERSON | {"query"},
    "search_note": {"query"},
    "tell_event": _PERSON | {"event"},
    "tell_place": _PERSON,
    "send_number": _PERSON | {"person2"},
    "if_event_free": {"day", "new", "when"},
    "answer_again": {"name", "relation"},
    "answer_time": _TIME,
    "follow": _CONTENT | _PERSON - {"person"},
}
_NEEDED = {"message": _CONTENT, "mail": _CONTENT, "reminder": _TIME, "event_new": _TIME, "event_move": _TIME}


def _request_problems() -> Iterator[str]:
    for name, table in load()["requests"].items():
        allowed = _SLOTS.get(name)
        for key in ("ask", "clause"):
            for line in table.get(key, ()):
                slots = slots_of(line)
                if allowed is not None and slots - allowed:
                    yield f"{name}.{key}: unknown slot {sorted(slots - allowed)} in {line!r}"
                if name in _NEEDED and not slots & _NEEDED[name]:
                    yield f"{name}.{key}: needs one of {sorted(_NEEDED[name])}: {line!r}"
                if key == "clause" and line[:1].isupper() and line[:2] != "I ":
                    yield f"{name}.clause: begins with a capital: {line!r}"


def _app_problems() -> Iterator[str]:
    for name, app in load()["apps"].items():
        lists: dict[str, Any] = app.get("records", {})
        for tool in app.get("tools", ()):
            if tool["kind"] == "context":
                if tool.get("returns") not in lists:
                    yield f"{name}.{tool['name']}: returns an unknown list {tool.get('returns')!r}"
                continue
            yield from _tool_problems(name, tool, lists)
        for question in app.get("questions", ()):
            if question["list"] not in lists:
                yield f"{name}: a question over the unknown list {question['list']!r}"


def _tool_problems(name: str, tool: dict[str, Any], lists: dict[str, Any]) -> Iterator[str]:
    parameters, fills = tool.get("parameters", {}), tool.get("fill", {})
    fields = {
        field
        for rule in fills.values()
        if isinstance(rule, str) and rule.startswith("record ")
        for field in lists.get(rule.split()[1].split(".")[0], {})
    }
    for rule in fills.values():
        if isinstance(rule, str) and rule.startswith("record "):
            kind, _, field = rule.split(" ", 1)[1].partition(".")
            if field not in lists.get(kind, {}):
                yield f"{name}.{tool['name']}: no field {rule!r}"
    if not tool.get("ask") and not tool.get("clause"):
        yield f"{name}.{tool['name']}: no line asks for it"
    for key in ("ask", "clause"):
        for line in tool.get(key, ()):
            unknown = slots_of(line) - set(parameters) - fields
            if unknown:
                yield f"{name}.{tool['name']}: unknown slot {sorted(unknown)} in {line!r}"
            open_ends = {p for p in slots_of(line) & set(parameters) if p not in fills and "enum" not in parameters[p]}
            if open_ends:
                yield f"{name}.{tool['name']}: nothing fills {sorted(open_ends)}"


def test_every_line_uses_slots_that_are_filled() -> None:
    assert [*_request_problems(), *_app_problems()] == []


def test_both_splits_have_lines_of_every_situation_and_share_none() -> None:
    train, test = Bank("train"), Bank("test")
    shared = []
    for situation in train.situations():
        for key in ("ask", "clause"):
            if len(load()["requests"][situation].get(key, ())) > 1:
                ours, theirs = set(train.lines(situation, key)), set(test.lines(situation, key))
                assert ours, (situation, key)
                assert theirs, (situation, key)
                shared += sorted(ours & theirs)
    assert shared == []


def test_the_bank_is_rich() -> None:
    requests = load()["requests"]
    assert sum(len(set(table.get(key, ()))) for table in requests.values() for key in ("ask", "clause")) > 500
    assert len(load()["apps"]) >= 30
    assert situations.__all__  # importing it fills PROGRAMS
    assert len(PROGRAMS) >= 40


@given(st.lists(st.text(min_size=1), min_size=2, unique=True))
def test_lines_are_divided_without_loss_or_overlap(lines: list[str]) -> None:
    train, test = choose_split(lines, "train"), choose_split(lines, "test")
    assert train
    assert test
    assert set(train) | set(test) == set(lines)
    assert not set(train) & set(test) or len(set(test)) == len(lines)


@given(st.text())
def test_a_text_keeps_its_split(text: str) -> None:
    assert split_of(text) == split_of(text) in ("train", "test")


def test_said_and_written() -> None:
    assert read_said("if {he} is in -> Are you in? | You in?").written == ("Are you in?", "You in?")
    assert read_said("call the bank").written == ("Call the bank",)
    assert fill("tell {him} {x}", {"him": "her"}) == "tell her {x}"
