"""Look-ups that the assistant made itself come first and are not learnt; what they miss is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.bounds import Limits
from camphor.datasets.items import Item, read_items
from camphor.datasets.replay import replay
from camphor.device.device import Device
from camphor.device.text import text_of
from camphor.errors import DatasetError
from camphor.training.attempts import Attempt, read_attempts, with_attempt
from camphor.training.config import parse_config
from camphor.training.samples import NothingToLearn, as_samples, render_item, write_samples
from camphor.types import Agent, Call, Step, Turn

SET = Path(__file__).parents[2] / "data/handwritten/t12"
ITEMS = list(read_items(SET / "items.jsonl"))
VAIN = (Agent.CONTEXT, (Call("get_contacts_information", {"keyword": "Zebediah"}),))


def data_of(item: Item) -> dict[str, Any]:
    assert isinstance(item.device, str)
    found: dict[str, Any] = json.loads((SET / item.device).read_text(encoding="utf-8"))
    return found


def look_ups(steps: Sequence[Step]) -> list[tuple[Agent, tuple[Call, ...]]]:
    return [(step.agent, step.calls) for step in steps if step.agent is not Agent.TASK]


def found_by(steps: Sequence[Step]) -> set[str]:
    return {text_of(record) for step in steps for found in step.observations for record in found.records}


def attempted(item: Item, attempt: Attempt) -> tuple[Turn, Turn | None]:
    with Device.create(None, data_of(item)) as device:
        turn = replay(item, device).turn
        return turn, with_attempt(turn, attempt, device)


def several(item: Item) -> bool:
    return any(step["agent"] == "personal_context" and len(step["calls"]) > 1 for step in item.steps)


SEVERAL = [item for item in ITEMS if several(item)]


@pytest.mark.parametrize("item", SEVERAL[:8], ids=lambda item: item.id)
def test_what_an_attempt_misses_is_looked_up_behind_it(item: Item) -> None:
    with Device.create(None, data_of(item)) as device:
        turn = replay(item, device).turn
    place = next(n for n, step in enumerate(turn.steps) if step.agent is Agent.CONTEXT and len(step.calls) > 1)
    first = turn.steps[place].calls[0]
    attempt = [*look_ups(turn.steps[:place]), (Agent.CONTEXT, (first,))]
    _, made = attempted(item, attempt)
    if made is None:  # the other look-ups find nothing that this one does not
        assert found_by(turn.steps) == found_by(
            [replace(turn.steps[place], observations=turn.steps[place].observations[:1])]
        )
        return
    assert [step.taught for step in made.steps[: len(attempt)]] == [False] * len(attempt)
    assert all(step.taught for step in made.steps[len(attempt) :])
    assert first not in [call for step in made.steps[len(attempt) :] for call in step.calls]
    assert found_by(made.steps) == found_by(turn.steps)
    assert made.steps[-1] == turn.steps[-1]


def test_the_words_of_an_attempt_are_not_learnt_and_all_others_are() -> None:
    item = SEVERAL[0]
    usual, prompt = (render_item(item, data_of(item), attempt=attempt) for attempt in (None, [VAIN]))
    learnt = [[s.text for s in segments if s.trained] for segments in (usual, prompt)]
    assert learnt[0] == learnt[1]
    shown = "".join(s.text for s in prompt)
    assert "Zebediah" in shown
    assert shown.index("Zebediah") < shown.index(learnt[1][1])


def test_look_ups_that_find_too_much_are_gone_on_from_to_the_actions() -> None:
    item = next(item for item in SEVERAL if len(item.steps) == 2)
    with Device.create(None, data_of(item)) as device:
        right = look_ups(replay(item, device).turn.steps)
    prompt = render_item(item, data_of(item), attempt=[*right, VAIN])
    trained = [s.text for s in prompt if s.trained]
    assert trained[0] == "task_completion"
    assert len(trained) == 2


def test_an_attempt_that_was_right_teaches_nothing() -> None:
    item = SEVERAL[0]
    with Device.create(None, data_of(item)) as device:
        right = look_ups(replay(item, device).turn.steps)
    assert attempted(item, right)[1] is None
    with pytest.raises(NothingToLearn):
        render_item(item, data_of(item), attempt=right)


def test_an_attempt_that_leaves_no_step_to_go_on_with_is_left_out() -> None:
    most = Limits().steps
    assert attempted(SEVERAL[0], [VAIN] * (most - 2))[1] is not None
    assert attempted(SEVERAL[0], [VAIN] * (most - 1))[1] is None


def test_what_the_person_does_is_asked_for_once() -> None:
    item = replace(
        SEVERAL[0], steps=({"agent": "user_perception", "calls": [{"name": "get_user_intent"}]}, *SEVERAL[0].steps)
    )
    attempt = [(Agent.PERCEPTION, (Call("get_user_intent"),)), VAIN]
    _, made = attempted(item, attempt)
    assert made is not None
    assert [step.agent for step in made.steps].count(Agent.PERCEPTION) == 1


def results(path: Path, attempts: dict[str, Attempt]) -> Path:
    """A result file of `camphor evaluate`, as far as it is read; its actions are not."""
    items = []
    for name, attempt in attempts.items():
        steps = [
            {"agent": agent.value, "calls": [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]}
            for agent, calls in attempt
        ]
        items.append({"id": name, "steps": [*steps, {"agent": "task_completion", "calls": []}]})
    path.write_text(json.dumps({"metrics": {}, "items": items}), encoding="utf-8")
    return path


def test_only_queries_with_an_attempt_to_learn_from_are_written(tmp_path: Path) -> None:
    item = SEVERAL[0]
    with Device.create(None, data_of(SEVERAL[1])) as device:
        right = look_ups(replay(SEVERAL[1], device).turn.steps)
    attempts = read_attempts(results(tmp_path / "r.json", {item.id: [VAIN], SEVERAL[1].id: right}))
    assert attempts[item.id] == (VAIN,)
    counts = write_samples(SET / "items.jsonl", tmp_path / "s.jsonl", attempts=attempts)
    assert counts["written"] == 1
    assert counts["left out: no attempt"] == len(ITEMS) - 2
    assert [json.loads(line)["id"] for line in (tmp_path / "s.jsonl").read_text().splitlines()] == [item.id]


def test_samples_are_made_anew_when_the_results_change(tmp_path: Path) -> None:
    table = {"path": str(SET / "items.jsonl"), "attempts": "r.json"}
    (file,) = parse_config({"out": "out", "data": [table]}, folder=tmp_path).data
    assert file.attempts == str(tmp_path / "r.json")

    def made(names: Sequence[str]) -> Path:
        results(tmp_path / "r.json", {name: [VAIN] for name in names})
        return as_samples(Path(file.path), tmp_path, attempts=Path(file.attempts))

    first, second = made([SEVERAL[0].id]), made([SEVERAL[0].id, SEVERAL[1].id])
    assert first != second
    assert [len(path.read_text().splitlines()) for path in (first, second)] == [1, 2]


@pytest.mark.parametrize(
    "text",
    [None, "no JSON", "{}", '{"items": [{"id": "a"}]}', '{"items": [{"id": "a", "steps": [{"agent": "cook"}]}]}'],
)
def test_a_file_that_is_no_result_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "r.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match=r"r\.json"):
        read_attempts(path)
