"""The whole way: queries are written, solved on a phone, replayed and kept, whatever happens on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.agents.prompts import Form
from camphor.agents.strategies.collaboration import collaborate
from camphor.device.device import Device
from camphor.errors import ContextFull, ModelError, ModelMissing, UsageError
from camphor.models.openai import OpenAIModel
from camphor.trajectories.items import check, read_items, replay
from camphor_lab.datasets.llm.judge import Reason, numbers_of
from camphor_lab.datasets.llm.queries import Expect
from camphor_lab.datasets.llm.write import WritePlan, write
from tests.doubles.chat_server import chat_server
from tests.doubles.llm import (
    CHOIR,
    LATE,
    LOOK,
    PHONE,
    SEND,
    SOLVE_CHOIR,
    SOLVE_LATE,
    SOLVE_WHO,
    WHO,
    Killed,
    Mortal,
    lines,
    numbered,
    phones,
    run,
    said,
    seed_of,
    solver,
)

ACT, ANSWER, ASK = Expect.ACTION, Expect.ANSWER, Expect.QUESTION


def plan(*expected: Expect, count: int = 9, patience: int = 1, batch: int = 3, opinion: bool = False) -> WritePlan:
    return WritePlan(count, seed_of(*expected), batch, patience, opinion, {"model": "scripted"})


def only(folder: Path, *replies: str, expected: Expect = ACT, query: str = LATE) -> tuple[Reason, str]:
    """Why the one query that was written was rejected."""
    told, _ = said(folder, [numbered(query), *replies], plan(expected))
    assert told.accepted == 0
    (line,) = lines(folder, "rejected.jsonl")
    assert told.rejected == {Reason(line["reason"]): 1}
    assert line["query"] == query
    return Reason(line["reason"]), line["why"]


def test_what_holds_becomes_items_that_replay(tmp_path: Path) -> None:
    replies = [numbered(LATE, CHOIR), *SOLVE_LATE, *SOLVE_CHOIR]
    told, model = said(tmp_path, replies, plan(ACT, count=2))
    assert (told.accepted, told.rejected, len(model.requests)) == (2, {}, len(replies))
    late, choir = read_items(tmp_path / "out" / "written.jsonl")
    assert late.calls == (
        {"name": "send_imessage_message", "arguments": {"receiver": "555-123-4567", "content": "I'm running late"}},
    )
    assert late.steps[0] == {
        "agent": "personal_context",
        "calls": [{"name": "get_contacts_information", "arguments": {"keyword": "travel buddy"}}],
    }
    assert late.steps[1]["calls"][0]["arguments"]["receiver"] == "Alice Johnson"
    assert choir.calls is not None
    assert choir.calls[0]["arguments"]["time"] == "2026-03-13T21:00:00"
    assert late.response.startswith("Message to Alice Johnson")
    assert {"llm", "single"} <= set(late.tags)
    for item in (late, choir):
        with Device.from_file(tmp_path / "out" / str(item.device)) as device:
            check(item, replay(item, device))


def test_a_question_is_answered_from_what_was_found(tmp_path: Path) -> None:
    told, _ = said(tmp_path, [numbered(WHO), *SOLVE_WHO], plan(ANSWER, count=1))
    assert told.accepted == 1
    (item,) = read_items(tmp_path / "out" / "written.jsonl")
    assert item.calls == ()
    assert item.response.startswith("Ben Adams: relationship dentist")


def test_the_prompt_shows_the_phone_and_seeds_and_no_ids(tmp_path: Path) -> None:
    _, model = said(tmp_path, [numbered(LATE), *SOLVE_LATE], plan(ACT, count=1))
    prompt = "".join(segment.text for segment in model.requests[0].prompt)
    for shown in (
        "Ann Lee",
        "Thu 12 Mar 2026 08:45, Dublin",
        "travel buddy",
        "Choir",
        "create_reminders(",
        "Write 3 new",
    ):
        assert shown in prompt
    assert "p-031" not in prompt
    (asked,) = lines(tmp_path, "rounds.ndjson")
    assert len(asked["seeds"]) == 4
    assert all(f"- {seed}\n" in prompt for seed in asked["seeds"])


def test_accepted_queries_become_seeds_of_later_rounds(tmp_path: Path) -> None:
    said(tmp_path, [numbered(LATE), *SOLVE_LATE, numbered(CHOIR), *SOLVE_CHOIR], plan(ACT, ACT, count=2))
    first, second = lines(tmp_path, "rounds.ndjson")
    assert LATE not in first["seeds"]
    assert LATE in second["seeds"]


def test_a_look_up_that_failed_and_was_put_right_is_left_out(tmp_path: Path) -> None:
    wrong = ' [get_calendar_event(theme="choir", time_range="the blue hour")]'
    replies = [numbered(CHOIR), "personal_context", wrong, *SOLVE_CHOIR]
    told, model = said(tmp_path, replies, plan(ACT, count=1))
    assert told.accepted == 1
    assert "= error: " in "".join(segment.text for segment in model.requests[3].prompt)
    (item,) = read_items(tmp_path / "out" / "written.jsonl")
    assert "recovered" in item.tags
    assert [len(step["calls"]) for step in item.steps] == [1, 1]
    assert "blue hour" not in str(item.steps)


def test_an_action_that_the_phone_does_not_take(tmp_path: Path) -> None:
    wrong = ' [create_reminders(time="at the blue hour", content="Choir")]'
    reason, why = only(tmp_path, "task_completion", wrong, query=CHOIR)
    assert reason is Reason.INVALID
    assert "blue hour" in why


def test_a_tool_that_does_not_exist(tmp_path: Path) -> None:
    reason, why = only(tmp_path, "personal_context", LOOK, "task_completion", " [send_pigeon()]")
    assert reason is Reason.INVALID
    assert "send_pigeon" in why


def test_a_receiver_who_was_not_looked_up(tmp_path: Path) -> None:
    assert only(tmp_path, "task_completion", SEND)[0] is Reason.NOT_LOOKED_UP


@pytest.mark.parametrize("content", ["I'm running 25 minutes late", "late; call 5551112222"])
def test_a_number_out_of_nowhere(tmp_path: Path, content: str) -> None:
    made_up = f' [send_imessage_message(receiver="Alice Johnson", content="{content}")]'
    assert only(tmp_path, "personal_context", LOOK, "task_completion", made_up)[0] is Reason.MADE_UP


@pytest.mark.parametrize(
    ("text", "numbers"), [("9,812 steps", {9812}), ("9812", {9812}), ("at 22:05", {22, 5}), ("1 234.50", {1234, 50})]
)
def test_numbers_are_read_with_and_without_thousands(text: str, numbers: set[int]) -> None:
    assert numbers_of(text) == numbers


def test_nothing_done(tmp_path: Path) -> None:
    reason, why = only(tmp_path, "task_completion", " []", "When shall I say that it is?")
    assert reason is Reason.NOTHING_DONE
    assert "When shall I say that it is?" in why


def test_an_action_where_a_question_was_asked(tmp_path: Path) -> None:
    assert only(tmp_path, *SOLVE_LATE, expected=ANSWER)[0] is Reason.ACTED


def test_an_answer_without_a_look_up(tmp_path: Path) -> None:
    assert only(tmp_path, "task_completion", " []", "Ben.", expected=ANSWER, query=WHO)[0] is Reason.BLIND


def test_no_question_where_something_is_missing(tmp_path: Path) -> None:
    assert only(tmp_path, "task_completion", " []", "Fine.", expected=ASK)[0] is Reason.NOT_ASKED


def test_a_query_like_an_earlier_one_is_not_solved(tmp_path: Path) -> None:
    again = LATE.replace("running", "really")
    told, model = said(tmp_path, [numbered(LATE, again), *SOLVE_LATE, ""], plan(ACT))
    assert len(model.requests) == 6
    assert (told.accepted, told.rejected) == (1, {Reason.ALIKE: 1})


def test_a_model_that_does_not_write_queries_ends_the_run(tmp_path: Path) -> None:
    told, model = said(tmp_path, ["", "No:", ""], plan(ACT, ACT, patience=3))
    assert (told.accepted, told.rounds, told.barren, len(model.requests)) == (0, 3, 3, 3)


def test_a_second_opinion_decides(tmp_path: Path) -> None:
    replies = [numbered(LATE, CHOIR), *SOLVE_LATE, "Yes: she is told.", *SOLVE_CHOIR, "no: it is an hour too early", ""]
    told, model = said(tmp_path, replies, plan(ACT, opinion=True))
    assert (told.accepted, told.rejected) == (1, {Reason.OPINION: 1})
    assert lines(tmp_path, "rejected.jsonl")[0]["why"] == "it is an hour too early"
    read = "".join(segment.text for segment in model.requests[5].prompt)
    assert 'Done: [send_imessage_message(receiver="555-123-4567"' in read
    assert "Found: [{" in read


def test_no_clear_opinion_is_none_in_favour(tmp_path: Path) -> None:
    said(tmp_path, [numbered(LATE), *SOLVE_LATE, "Well, who knows"], plan(ACT, opinion=True))
    assert "neither yes nor no" in lines(tmp_path, "rejected.jsonl")[0]["why"]


def test_a_query_that_a_model_cannot_answer_is_an_outcome(tmp_path: Path) -> None:
    replies = [numbered(LATE, CHOIR), ContextFull("too long for the model"), *SOLVE_CHOIR]
    told, _ = said(tmp_path, replies, plan(ACT, count=1))
    assert (told.accepted, told.rejected) == (1, {Reason.MODEL: 1})
    assert lines(tmp_path, "rejected.jsonl")[0]["why"] == "too long for the model"


def test_a_model_out_of_order_stops_the_run_and_costs_no_query(tmp_path: Path) -> None:
    written = numbered(LATE, CHOIR, "tell Ben Adams that the choir is off")
    with pytest.raises(ModelError, match="overloaded"):
        said(tmp_path, [written, *[ModelError("overloaded")] * 3], plan(ACT))
    with pytest.raises(ModelMissing):
        said(tmp_path, [ModelMissing("gone")], plan(ACT))
    assert lines(tmp_path, "rejected.jsonl") == []
    told, _ = said(tmp_path, [*SOLVE_LATE, *SOLVE_CHOIR], plan(ACT, count=2))
    assert told.accepted == 2


def test_a_server_with_the_openai_interface_does_it_all(tmp_path: Path) -> None:
    """The paper's agents for large models, over HTTP; the model frames its words as such models do."""
    work = 'Response: I will.\nCalls: [send_imessage_message(receiver="Alice Johnson", content="I\'m running late")]'
    chosen = ["personal_context", f"```\n{LOOK}\n```", "Next: **answer**", work, "response_submit", work]
    replies = iter([f'Sure! Here they are:\n\n1. "{LATE}"', *chosen, "Yes, exactly."])
    with chat_server(lambda _: next(replies)) as url:
        model = OpenAIModel(url, "large")
        solve = solver(model, collaborate, Form.FULL)
        told = write(tmp_path / "out", model, solve, phones(tmp_path / "phones"), plan(ACT, count=1, opinion=True))
    assert (told.accepted, told.rejected) == (1, {})
    (item,) = lines(tmp_path, "written.jsonl")
    assert [step["agent"] for step in item["steps"]] == ["personal_context", "task_completion"]
    assert item["calls"][0]["arguments"]["receiver"] == "555-123-4567"


ROUNDS = (
    numbered(LATE, "too short", CHOIR),
    numbered(WHO, CHOIR + " please"),
    numbered("text my dentist that the choir sings on Friday"),
)
SOLUTIONS = {
    LATE: SOLVE_LATE,
    CHOIR: SOLVE_CHOIR,
    WHO: ("task_completion", " []", "Ben."),
    "text my dentist that the choir sings on Friday": (
        "personal_context",
        ' [get_contacts_information(keyword="dentist")]',
        "task_completion",
        ' [send_imessage_message(receiver="Ben Adams", content="The choir sings on Friday")]',
    ),
}
FILES = ("rounds.ndjson", "written.jsonl", "rejected.jsonl", "written.settings.json", "devices/ann.device.json")


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "out" / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    told = run(folder, Mortal(ROUNDS, SOLUTIONS), plan(ACT, ACT, ACT, count=3, patience=2))
    assert told.accepted == 3
    assert told.rejected == {Reason.SHORT: 1, Reason.NOTHING_DONE: 1, Reason.ALIKE: 1}
    return contents(folder)


@pytest.mark.parametrize("lives", range(1, 17))
def test_a_run_that_is_killed_anywhere_comes_to_the_same(
    tmp_path: Path, undisturbed: dict[str, bytes], lives: int
) -> None:
    wanted = plan(ACT, ACT, ACT, count=3, patience=2)
    for _ in range(20):
        try:
            told = run(tmp_path, Mortal(ROUNDS, SOLUTIONS, lives, len(lines(tmp_path, "rounds.ndjson"))), wanted)
        except Killed:
            continue_with = tmp_path / "out" / "written.jsonl"
            if continue_with.exists():  # and a line was cut off
                with continue_with.open("a", encoding="utf-8") as file:
                    file.write('{"id": "llm-')
            lives += 3  # enough for one more query
            continue
        assert told.accepted == 3
        assert contents(tmp_path) == undisturbed
        return
    raise AssertionError("it never ends")


def test_a_larger_count_goes_on(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    run(tmp_path, Mortal(ROUNDS, SOLUTIONS), plan(ACT, ACT, ACT, count=1, patience=2))
    assert len(lines(tmp_path, "written.jsonl")) == 1
    run(tmp_path, Mortal(ROUNDS, SOLUTIONS, asked=1), plan(ACT, ACT, ACT, count=3, patience=2))
    assert contents(tmp_path) == undisturbed


def test_a_finished_run_asks_nothing(tmp_path: Path) -> None:
    said(tmp_path, [numbered(LATE), *SOLVE_LATE], plan(ACT, count=1))
    told, model = said(tmp_path, [], plan(ACT, count=1))
    assert (told.accepted, model.requests) == (1, [])


def test_other_settings_are_refused(tmp_path: Path) -> None:
    said(tmp_path, [numbered(LATE), *SOLVE_LATE], plan(ACT, count=1))
    with pytest.raises(UsageError, match="other batch"):
        said(tmp_path, [], plan(ACT, count=1, batch=4))


def test_the_phone_is_kept_as_it_was_before_anything_was_done(tmp_path: Path) -> None:
    said(tmp_path, [numbered(LATE), *SOLVE_LATE], plan(ACT, count=1))
    with Device.from_file(tmp_path / "out" / "devices" / "ann.device.json") as device:
        assert device.export() == PHONE
