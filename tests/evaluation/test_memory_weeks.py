"""Scripted weeks: figures that a memory which keeps too much, or too little, cannot pass."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.events import Event
from camphor.agents.memory.hearing import Hears
from camphor.agents.memory.known_facts import MemoryReply
from camphor.agents.memory.long_term import LongTermMemory
from camphor.device.memories import Memory, MemoryKind, MemoryOrigin
from camphor.errors import DatasetError, UsageError
from camphor.models.base import ScriptedModel
from camphor_lab.evaluation.memory_weeks import WeekPlayer, Weeks, evaluate_weeks

PHONE = {
    "format": "camphor.device/1",
    "id": "t",
    "owner": "Kai",
    "now": "2026-03-12T08:00:00",
    "apps": {
        "contacts": {"people": [{"person_id": "1", "name": "Ana Ruiz", "phone_number": "555-0101"}]},
        "imessage": {"messages": []},
    },
}
WEEK = {
    "id": "w1",
    "device": "kai.device.json",
    "turns": [
        {"at": "2026-03-12T08:10", "say": "I take the 7:20", "kind": "fact",
         "facts": [{"id": "f1", "keeps": ["7:20"]}]},
        {"at": "2026-03-12T09:00", "say": "my train is late", "kind": "distractor"},
        {"at": "2026-03-13T09:00", "say": "I'm on the 7:45 now", "kind": "update",
         "facts": [{"id": "f2", "keeps": ["7:45"], "replaces": "f1"}]},
        {"at": "2026-03-15T09:00", "say": "when does my train leave?", "kind": "use", "uses": ["f2"],
         "answer": {"must": ["7:45"], "must_not": ["7:20"]}},
        {"at": "2026-03-16T09:00", "say": "text Ana my train", "kind": "use", "uses": ["f2"],
         "calls": [{"name": "send_imessage_message",
                    "arguments": {"receiver": "Ana Ruiz", "content": {"has": ["7:45"]}}}]},
    ],
}  # fmt: skip


class Alike:
    """Texts are alike where they are equal."""

    def prepare(self, texts: Any) -> None:
        pass

    def cosine(self, first: str, second: str) -> float:
        return float(first == second)


class Keeping(LongTermMemory):
    """Keeps every sentence of `keeps`, ends the one before where told so, and serves all."""

    keeps: Sequence[str] = ("I take the 7:20", "I'm on the 7:45 now")
    ends = True

    def answer(
        self, query: str, turn: int, answering: bool = False, hears: Hears | None = None
    ) -> Generator[Event, Any, MemoryReply | None]:
        if query not in self.keeps:
            return None
        for memory in self.phone.memories.all() if self.ends else ():
            self.phone.memories.end(memory.id)
        self.phone.memories.add(MemoryKind.FACT, query, MemoryOrigin(query, ""), value=query)
        return MemoryReply("Noted.")
        yield

    def serving(self, query: str) -> tuple[Memory, ...]:
        return tuple(self.phone.memories.all())


class TooMuch(Keeping):
    keeps = ("I take the 7:20", "I'm on the 7:45 now", "my train is late")
    ends = False


def folder(path: Path, *weeks: Any) -> Path:
    (path / "kai.device.json").write_text(json.dumps(PHONE), encoding="utf-8")
    (path / "weeks.jsonl").write_text("".join(json.dumps(each) + "\n" for each in weeks), encoding="utf-8")
    return path


def figures(path: Path, memory: type[LongTermMemory], sends: str = "I take the 7:45") -> dict[str, Any]:
    send = f' [send_imessage_message(receiver="Ana Ruiz", content="{sends}")]'
    player = WeekPlayer(ScriptedModel(["task_completion", "task_completion", send]), memory, Alike())
    metrics: dict[str, Any] = evaluate_weeks(Weeks(path), player, name="scripted")["metrics"]
    return metrics


def test_what_is_kept_ended_and_used_is_counted(tmp_path: Path) -> None:
    told = figures(folder(tmp_path, WEEK), Keeping)
    assert (told["captured"], told["falsely_captured"], told["updated"]) == (1.0, 0.0, 1.0)
    assert (told["used_answer"], told["used_action"], told["acted"]) == (1.0, 1.0, 0.0)
    assert told["of"]["captured"] == 2
    assert told["errors"] == 0


def test_too_much_and_too_old_is_counted_against_it(tmp_path: Path) -> None:
    told = figures(folder(tmp_path, WEEK), TooMuch, "I take the 7:20")
    assert told["falsely_captured"] > 0
    assert told["updated"] == 0.0
    assert (told["used_answer"], told["used_action"]) == (0.0, 0.0)


@pytest.mark.parametrize("line", [{"id": "w"}, {**WEEK, "turns": [{"at": "soon", "say": "x", "kind": "fact"}]}])
def test_a_bad_line_is_named(line: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="2"):
        Weeks(folder(tmp_path, WEEK, line))


def test_an_unknown_kind_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no weeks"):
        Weeks(tmp_path)
    with pytest.raises(DatasetError, match="gossip"):
        Weeks(folder(tmp_path, {**WEEK, "turns": [{"at": "2026-03-12", "say": "x", "kind": "gossip"}]}))
