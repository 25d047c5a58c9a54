"""The assistant with and without the items that matter now: on real phones in memory, with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.usage_events import ItemRef
from camphor.errors import DatasetError, ModelError, StoreError
from camphor.models.base import Request, ScriptedModel
from camphor.retrieval.context.relevance import MOST, Relevance, Relevant
from camphor.types import Segment
from camphor_lab.evaluation.context_assistant import Both, evaluate_assistant, measure_both
from camphor_lab.evaluation.dataset import ContextDataset
from camphor_lab.evaluation.report_context import assistant_rows, context_assistant
from camphor_lab.evaluation.report_files import Missing, Results, TableBlock
from camphor_lab.evaluation.runner import Once
from tests.doubles.context_dataset import write_folder

VAIN = ["personal_context", ' [get_calendar_event(theme="lesson")]', "task_completion"]
ASKED = [*VAIN, "task_completion"]
"""The first query, which code answers: a look-up in vain; then, with the item in sight, no further one. Without the
item no reply is asked for again."""
PLAY = ["task_completion", ' [play_music(title="Blue Door")]']
OPEN = ["task_completion", " []", "task_completion", " []", "Done.", "Nothing found."]


class Given(Relevance):
    """A ranking that says what it is told to, or fails."""

    def __init__(self, device: Device, found: Sequence[tuple[str, str, int]], error: Exception | None = None) -> None:
        super().__init__(device)
        self._error = error
        records = [(ItemRef(app, name, place), device.records(app, name)[place]) for app, name, place in found]
        self._found = tuple(Relevant(ref, record, str(record.get("title", "Invoice")), 1.0) for ref, record in records)

    def items(self, query: str, k: int = MOST) -> tuple[Relevant, ...]:
        if self._error:
            raise self._error
        return self._found


@pytest.fixture
def dataset(tmp_path: Path) -> ContextDataset:
    return ContextDataset(write_folder(tmp_path / "data"))


def ranks(*found: tuple[str, str, int], error: Exception | None = None) -> Callable[[Device], Relevance]:
    return lambda device: Given(device, found, error)


def first(dataset: ContextDataset, model: ScriptedModel, relevance: Callable[[Device], Relevance]) -> Mapping[str, Any]:
    result = Both(model, relevance=relevance).answer(dataset.samples[0], dataset.folder)
    return {**result.timing, "error": result.error}


def test_the_gold_item_is_found_and_named_only_with_the_items(dataset: ContextDataset) -> None:
    model = ScriptedModel(ASKED)
    told = first(dataset, model, ranks(("calendar", "events", 0)))
    assert [told[stage] for stage in ("asked", "ranked", "sure", "looked_up", "error")] == [True] * 4 + [None]
    assert told["items"] == [{"title": "Guitar class", "sure": 1.0, "gold": True, "looked_up": True}]
    on, off = told["on"], told["off"]
    assert (on["found"], on["shown"], on["proposed"]) == (True, True, False)
    assert (off["found"], off["shown"], off["proposed"]) == (False, False, False)
    assert [call["arguments"]["theme"] for call in on["looked_up"]] == ["lesson", "Guitar class"]
    assert len(off["looked_up"]) == 1
    assert len(model.requests) == len(ASKED)


def test_a_wrong_item_counts_as_wrong(dataset: ContextDataset) -> None:
    told = first(dataset, ScriptedModel(ASKED), ranks(("calendar", "events", 1)))
    assert told["items"] == [{"title": "Dentist", "sure": 1.0, "gold": False, "looked_up": True}]
    assert told["on"]["found"] is False


def test_a_phone_of_hardly_any_use_is_asked_and_sure_of_nothing(dataset: ContextDataset) -> None:
    told = first(dataset, ScriptedModel(VAIN), Relevance)
    assert [told[stage] for stage in ("asked", "ranked", "sure", "looked_up")] == [True, True, False, False]
    assert {**told["on"], "seconds": 0} == {**told["off"], "seconds": 0}


def test_no_action_is_done_and_its_aim_is_told(dataset: ContextDataset) -> None:
    both = Both(ScriptedModel(PLAY), relevance=ranks())
    told = both.answer(dataset.samples[1], dataset.folder).timing
    assert (told["asked"], told["looked_up"]) == (True, False)
    for way in ("on", "off"):
        assert (told[way]["proposed"], told[way]["aimed"], told[way]["shown"]) == (True, True, False)
        assert [call["name"] for call in told[way]["actions"]] == ["play_music"]


def test_what_breaks_is_a_result(dataset: ContextDataset) -> None:
    gone = ModelError("the server is gone")
    assert first(dataset, ScriptedModel([gone, gone]), ranks())["error"] == "ModelError: the server is gone"
    told = first(dataset, ScriptedModel(VAIN), ranks(error=StoreError("the index is torn")))
    assert told["error"] == "StoreError: the index is torn"
    assert told["on"]["response"]


def test_a_gold_item_that_is_not_there_stops_the_run(dataset: ContextDataset) -> None:
    line = {**dataset.samples[0].to_json(), "context": [{"app": "music", "list": "songs", "item": 7}]}
    (dataset.folder / "test.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(DatasetError, match="q1: there is no item music/songs/7"):
        first(ContextDataset(dataset.folder), ScriptedModel([]), ranks())


def test_a_run_is_measured_kept_resumed_and_reported(dataset: ContextDataset, tmp_path: Path) -> None:
    out = tmp_path / "context-assistant.json"
    options: dict[str, Any] = {"name": "scripted", "out": out, "command": "camphor lab evaluate context assistant x"}

    def stop(done: int, total: int, result: Any) -> None:
        if done == 2:
            raise KeyboardInterrupt

    (missing,) = context_assistant(Results(tmp_path)).blocks
    assert isinstance(missing, Missing)
    given = ranks(("calendar", "events", 0))
    with pytest.raises(KeyboardInterrupt):
        evaluate_assistant(dataset, Both(ScriptedModel([*ASKED, *PLAY]), relevance=given), progress=stop, **options)
    report = evaluate_assistant(dataset, Both(ScriptedModel(OPEN), relevance=given), **options)
    metrics = report["metrics"]
    assert metrics["reached"] == {"asked": 3, "ranked": 3, "sure": 3, "looked_up": 2}
    assert metrics["items"] == {"looked_up": 2, "gold": 2, "wrong": 0, "precision": 1.0}
    assert (metrics["off"]["found"], metrics["on"]["found"]) == (0.0, 0.6667)
    assert metrics["difference"]["found"] == 0.6667
    assert metrics["changed"]["found"] == {"only_on": 2, "only_off": 0}
    low, high = metrics["difference"]["interval_95"]["found"]
    assert 0 < low <= 0.6667 <= high <= 1
    assert json.loads(out.read_text())["metrics"] == metrics
    assert not list(tmp_path.glob("*.partial.jsonl"))
    table, *_ = context_assistant(Results(tmp_path)).blocks
    assert isinstance(table, TableBlock)
    assert table.rows == assistant_rows(metrics)
    assert list(table.rows[0][1:3]) == ["0.0", "66.7"]


def test_nothing_cannot_be_measured() -> None:
    with pytest.raises(ValueError, match="no queries"):
        measure_both([], [])


def test_the_same_is_asked_once() -> None:
    once = Once(ScriptedModel(["yes", "no"]))
    one, other = (Request((Segment(text),)) for text in ("one", "other"))
    assert [once.complete(each).text for each in (one, other, one)] == ["yes", "no", "yes"]
    assert once.saved >= 0
