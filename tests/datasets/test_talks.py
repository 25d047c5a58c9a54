"""Conversations: every turn is carried out, references point at what was spoken of, splits share nothing."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.trajectories.items import check, read_items, replay
from camphor_lab.datasets.conversations import TURNS, PhoneConversation, conversations, items_of, write_conversations
from camphor_lab.training.samples import render_item

COUNT = 12


@pytest.fixture(scope="module")
def talks() -> list[PhoneConversation]:
    return list(conversations("train", 4, COUNT))


def test_they_have_six_turns_and_more_and_point_back(talks: list[PhoneConversation]) -> None:
    kinds = Counter(tag for talk in talks for wish in talk.wishes for tag in wish.tags if tag.startswith("reference:"))
    assert all(TURNS[0] <= len(talk.turns) <= TURNS[1] for talk in talks)
    assert set(kinds) == {f"reference:{kind}" for kind in ("person", "thing", "ordinal", "instead", "time", "place")}


def test_every_turn_leads_to_its_gold_calls_on_the_phone_as_it_is_then(talks: list[PhoneConversation]) -> None:
    for number, talk in enumerate(talks):
        for item, data in items_of(talk, f"t{number}"):
            for end in range(len(item.history) + 1):
                turns = [*item.history, {"query": item.query, "steps": item.steps, "calls": item.calls}]
                last = turns[end]
                part = type(item)(
                    "t", {}, last["query"], tuple(turns[:end]), tuple(last["steps"]), tuple(last["calls"])
                )
                with Device.create(None, data) as device:
                    check(part, replay(part, device))


def test_the_same_seed_gives_the_same_and_the_splits_share_no_sentence(talks: list[PhoneConversation]) -> None:
    assert [talk.turns for talk in conversations("train", 4, 3)] == [talk.turns for talk in talks[:3]]
    test = list(conversations("test", 4, COUNT))
    lines = [{line for talk in each for wish in talk.wishes for line in wish.lines} for each in (talks, test)]
    assert not lines[0] & lines[1]
    assert not {talk.phone["owner"] for talk in talks} & {talk.phone["owner"] for talk in test}


def test_the_second_one_is_the_second_that_was_told(talks: list[PhoneConversation]) -> None:
    checked = 0
    for talk in talks:
        for before, turn in zip(talk.turns, talk.turns[1:], strict=False):
            said = str(turn["query"]).lower()
            titles = [str(v) for call in turn["steps"][-1]["calls"] for v in call["arguments"].values()]
            places = [before["response"].find(title) for title in titles if title in before["response"]]
            if "the second" in said and len(places) == 1 and "reference:ordinal" in _tags(talk, turn):
                checked += 1
                assert any(mark in before["response"][: places[0]] for mark in (",", " and ", " or "))
    assert checked


def _tags(talk: PhoneConversation, turn: object) -> tuple[str, ...]:
    return next(wish.tags for wish, each in zip(talk.wishes, talk.turns, strict=True) if each is turn)


def test_the_same_time_is_the_time_used_before(talks: list[PhoneConversation]) -> None:
    checked = 0
    for talk in talks:
        used = ""
        for wish, turn in zip(talk.wishes, talk.turns, strict=True):
            times = [str(call["arguments"]["time"]) for call in turn["calls"] if "time" in call["arguments"]]
            if wish.situation == "same_time":
                checked += 1
                assert datetime.fromisoformat(times[0]).time() == datetime.fromisoformat(used).time()
            used = times[-1] if times else used
    assert checked


def test_a_long_one_is_cut_by_whole_turns_before_one_that_points_nowhere(talks: list[PhoneConversation]) -> None:
    cut = 0
    for number, talk in enumerate(talks):
        parts = items_of(talk, f"t{number}", tokens=600)
        queries = [str(turn["query"]) for item, _ in parts for turn in (*item.history, {"query": item.query})]
        assert queries == [turn["query"] for turn in talk.turns]
        cut += len(parts) - 1
        for item, _ in parts[1:]:
            first = str(item.history[0]["query"]) if item.history else item.query
            at = queries.index(first)
            assert "reference" not in talk.wishes[at].tags
    assert cut


def test_they_are_written_as_datasets_that_training_reads(tmp_path: Path) -> None:
    counts = write_conversations(tmp_path, "train", 4, 3)
    items = list(read_items(tmp_path / "conversations-train.jsonl"))
    assert len(items) == counts["items"] >= 3
    for item in items:
        data = json.loads((tmp_path / str(item.device)).read_text(encoding="utf-8"))
        trained = [segment.text for segment in render_item(item, data) if segment.trained]
        assert sum(text == "task_completion" for text in trained) == len(item.history) + 1
    assert not list(tmp_path.glob("*.part"))
