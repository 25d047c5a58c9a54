"""Plans that people put right: calls become steps, and items stay until they are taken out."""

from __future__ import annotations

import threading
from importlib.resources import files
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.errors import StoreError, UnknownTool, UsageError
from camphor.trajectories.items import Item
from camphor.trajectories.taught import AskedQuery, Taught, before, forget_taught, item_of, steps_of
from camphor.types import Agent, Call, Observation, Step, Turn

ALICE = Call("get_contacts_information", {"keyword": "Alice"})
MAIL = Call("get_mail_event", {"theme": "flight"})
CLOCK = Call("get_time_information")
NOTE = Call("create_notes", {"content": "Alice flies"})
NEVER = "2020-01-01T00:00:00+00:00"


@pytest.fixture
def phone() -> Device:
    return Device.from_file(Path(str(files("camphor") / "demo" / "ines-dublin.device.json")))


def agents(steps: list[dict[str, object]]) -> list[tuple[object, int]]:
    return [(step["agent"], len(list(step["calls"]))) for step in steps]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([], [("task_completion", 0)]),
        ([(ALICE, 0), (MAIL, 0), (NOTE, 1)], [("personal_context", 2), ("task_completion", 1)]),
        ([(ALICE, 0), (MAIL, 1)], [("personal_context", 1), ("personal_context", 1), ("task_completion", 0)]),
        ([(ALICE, 0), (MAIL, None)], [("personal_context", 2), ("task_completion", 0)]),
        ([(ALICE, 0), (CLOCK, 0)], [("personal_context", 1), ("device_information", 1), ("task_completion", 0)]),
        ([(NOTE, 0), (ALICE, 1)], [("personal_context", 1), ("task_completion", 1)]),
    ],
)
def test_calls_become_steps_with_what_is_done_last(
    phone: Device, calls: list[tuple[Call, int | None]], expected: list[tuple[str, int]]
) -> None:
    assert agents(steps_of(calls, phone.toolbox)) == expected


def test_a_tool_that_is_not_there_makes_no_step(phone: Device) -> None:
    with pytest.raises(UnknownTool, match="launch"):
        steps_of([(Call("launch"), 0)], phone.toolbox)


def test_turns_that_cannot_be_played_again_are_left_out(phone: Device) -> None:
    gone = Call("cancel_calendar_event", {"event_title": "A thing that never was"})
    turn = Turn("cancel it", (Step(Agent.TASK, (gone,), (Observation(gone, ({"title": "x"},)),)),), "Cancelled.")
    steps = steps_of([(NOTE, 0)], phone.toolbox)
    item = item_of(phone, AskedQuery("t/2", "note it", NEVER, ((NEVER, turn),)), steps, "")
    assert item.history == ()
    assert item.calls == ({"name": "create_notes", "arguments": {"content": "Alice flies"}},)


def test_the_phone_is_as_it_was_before_as_far_as_that_can_be(phone: Device) -> None:
    was = phone.records("notes", "notes")
    phone.execute(NOTE)
    phone.execute(Call("send_imessage_message", {"receiver": "555-123-4567", "content": "late"}))
    with before(phone, NEVER) as copy:
        assert copy.records("notes", "notes") == was
        assert copy.records("imessage", "messages") == phone.records("imessage", "messages")
    with before(phone, "2999-01-01T00:00:00+00:00") as copy:
        assert copy.export() == phone.export()


def test_an_answer_alone_must_say_something(phone: Device) -> None:
    with pytest.raises(UsageError, match="what the answer should be"):
        item_of(phone, AskedQuery("t/1", "who?", NEVER), steps_of([(ALICE, 0)], phone.toolbox), "  ")


def test_items_put_at_once_are_all_there(tmp_path: Path) -> None:
    taught = Taught(tmp_path / "a.camphor")
    threads = [threading.Thread(target=taught.put, args=(Item(f"t{n}", {"half": "\ud800"}, "q"),)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(taught.items()) == [f"t{n}" for n in range(8)]
    assert taught.items()["t0"].device == {"half": "\ud800"}
    forget_taught(tmp_path / "a.camphor")
    forget_taught(tmp_path / "a.camphor")
    assert list(tmp_path.iterdir()) == []


def test_a_phone_in_memory_keeps_nothing_and_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="import it first"):
        Taught(None)
    (tmp_path / "a.camphor.taught").mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        Taught(tmp_path / "a.camphor").items()
