"""Running a function-calling dataset: what prompts show, what is recorded, resuming, and counting tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.calling.prompts import CallForm
from camphor.errors import DatasetError, ModelError, UsageError
from camphor.models.base import Finish, Reply
from camphor.models.scripted import ScriptedModel
from camphor.tools.plans import Reference
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import CallSample, write_call_samples
from camphor.types import Call
from camphor_lab.evaluation.calling_data import CallDataset, Examples, is_calling_dataset, perfect, retrieved
from camphor_lab.evaluation.calling_run import Setup, evaluate_calling
from camphor_lab.evaluation.sources import CALLING
from camphor_lab.evaluation.tables import function_rows, score_rows
from tests.doubles.evaluation import Alike

TEXT = {"type": "string", "description": "A text."}
SCHEMAS = [
    {"name": name, "description": f"Does {name}.", "parameters": {"type": "object", "properties": parameters}}
    for name, parameters in {"find_plant": {"name": TEXT}, "sow": {"plant": TEXT, "bed": TEXT}, "list_beds": {}}.items()
]
SAMPLES = [
    CallSample("a", "list my beds", (Call("list_beds"),), tags=("terse",)),
    CallSample("b", "sow basil in bed 2", (Call("sow", {"plant": "basil", "bed": "2"}),)),
    CallSample(
        "c",
        "find basil and sow it in bed 2",
        (Call("find_plant", {"name": "basil"}), Call("sow", {"plant": Reference(0), "bed": "2"})),
    ),
    CallSample("d", "tell me a joke", ()),
]
ANSWERS = [
    "list_beds()",
    'sow(plant="basil", bed="3")',
    'p = find_plant(name="basil")\nsow(plant=p, bed="2")',
    "no words that are calls",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_call_samples(tmp_path / "test.jsonl", SAMPLES)
    train = [CallSample(f"t{i}", f"list bed number {i}", (Call("list_beds"),)) for i in range(5)]
    train += [
        CallSample("t9", "SOW basil in bed 2", SAMPLES[1].answers),
        CallSample("t10", "sow kale", SAMPLES[1].answers),
    ]
    write_call_samples(tmp_path / "train.jsonl", train)
    (tmp_path / "tools.json").write_text(json.dumps(SCHEMAS))
    return tmp_path / "test.jsonl"


def setup(data: CallDataset, shots: int = 0, form: CallForm = CallForm.CODE_SHORT) -> Setup:
    return Setup(perfect(data), Examples(data, shots), form, constrained=False)


def run(data: CallDataset, model: ScriptedModel, out: Path | None = None, **more: Any) -> dict[str, Any]:
    return evaluate_calling(data, model, setup(data, **more), Alike(), name="scripted", out=out, command="test")


def test_every_request_is_scored_and_kept_with_what_was_written(path: Path, tmp_path: Path) -> None:
    report = run(CallDataset(path), ScriptedModel(ANSWERS), tmp_path / "r.json")
    kept = json.loads((tmp_path / "r.json").read_text())
    assert set(kept.pop("source")["parts"]) == set(CALLING)
    assert report == kept
    assert [item["score"]["right"] for item in report["items"]] == [True, False, True, True]
    assert [item["error"] is not None for item in report["items"]] == [False, False, False, True]
    assert report["items"][2]["predicted"][1]["arguments"] == {"plant": "#0", "bed": "2"}
    metrics = report["metrics"]
    assert (metrics["accuracy"], metrics["recall"], metrics["errors"]) == (0.75, 1.0, 1)
    assert metrics["soft_accuracy"] == pytest.approx((1 + 0.5 + 2) / 4)
    assert metrics["by_kind"]["nested"]["accuracy"] == 1.0
    assert report["run"]["settings"]["form"] == "code_short"
    assert not list(tmp_path.glob("*.partial.jsonl"))


def test_a_stopped_run_goes_on_and_a_broken_model_is_a_result(path: Path, tmp_path: Path) -> None:
    data, out = CallDataset(path), tmp_path / "r.json"

    class Stopped(ScriptedModel):
        def complete(self, request: Any) -> Reply:
            if len(self.requests) == 2:
                raise KeyboardInterrupt
            return super().complete(request)

    with pytest.raises(KeyboardInterrupt):
        run(data, Stopped(ANSWERS), out)
    rest = ScriptedModel([ModelError("no power"), Reply("sow(", finish=Finish.LENGTH)])
    report = run(data, rest, out)
    assert report["run"]["resumed"] == 2
    assert len(rest.requests) == 2
    assert [item["score"]["right"] for item in report["items"]] == [True, False, False, True]
    assert "no power" in report["items"][2]["error"]


def text_of(model: ScriptedModel, number: int) -> str:
    return "".join(segment.text for segment in model.requests[number].prompt)


def test_prompts_show_the_gold_functions_alone_or_those_that_a_retriever_finds(path: Path) -> None:
    data = CallDataset(path)
    shown = [{tool.name for tool in perfect(data)(sample)} for sample in SAMPLES]
    assert shown[:3] == [{"list_beds"}, {"sow"}, {"find_plant", "sow"}]
    assert shown[3]

    class Last:
        def scores(self, query: str, tools: Sequence[Tool]) -> Any:
            import numpy as np

            return np.arange(len(tools), dtype=np.float32)

    assert [tool.name for tool in retrieved(data, Last(), 2)(SAMPLES[0])] == ["list_beds", "sow"]
    report = evaluate_calling(
        data,
        ScriptedModel(ANSWERS),
        Setup(retrieved(data, Last(), 2), Examples(data, 0), CallForm.CODE_SHORT, constrained=False),
        Alike(),
        name="scripted",
    )
    assert report["metrics"]["recall"] == pytest.approx(2 / 3, abs=1e-4)


def test_examples_come_from_training_never_from_the_test_and_call_what_can_be_called(path: Path) -> None:
    data = CallDataset(path)
    examples = Examples(data, 2)
    tools = perfect(data)(SAMPLES[0])
    drawn = examples.of(SAMPLES[0], tools)
    assert len(drawn) == 2
    assert all(query.startswith("list bed number") for query, _ in drawn)
    assert examples.of(SAMPLES[0], tools) == drawn
    few = examples.of(SAMPLES[1], perfect(data)(SAMPLES[1]))
    assert len(few) == 2
    assert "sow kale" in [query for query, _ in few]
    assert not any(query.casefold() == "sow basil in bed 2" for query, _ in few)
    model = ScriptedModel(ANSWERS)
    run(data, model, shots=1, form=CallForm.JSON)
    assert "list bed number" in text_of(model, 0)
    with pytest.raises(UsageError, match="the test itself"):
        Examples(data, 1, path)
    with pytest.raises(UsageError, match=r"none\.jsonl"):
        Examples(data, 1, path.with_name("none.jsonl"))


def test_what_cannot_be_scored_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--limit"):
        CallDataset(path, limit=0)
    write_call_samples(path, [SAMPLES[0], SAMPLES[0]])
    with pytest.raises(DatasetError, match="used twice"):
        CallDataset(path)
    write_call_samples(path, [CallSample("x", "fly", (Call("fly"),))])
    with pytest.raises(DatasetError, match="fly"):
        CallDataset(path)
    write_call_samples(path, [])
    with pytest.raises(UsageError, match="no samples"):
        CallDataset(path)


def test_functions_may_come_from_another_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "tools.json").rename(tmp_path / "others.json")
    with pytest.raises(UsageError, match=r"tools\.json"):
        CallDataset(path)
    assert len(CallDataset(path, tmp_path / "others.json").tools) == 3


def test_a_calling_dataset_is_told_from_one_of_phones(path: Path, tmp_path: Path) -> None:
    assert is_calling_dataset(path)
    (tmp_path / "phones.jsonl").write_text('{"id": "a", "query": "x", "device": "d.json", "calls": []}\n')
    assert not is_calling_dataset(tmp_path / "phones.jsonl")
    assert not is_calling_dataset(tmp_path / "missing.jsonl")


def test_tables_show_each_kind_and_function(path: Path) -> None:
    metrics = run(CallDataset(path), ScriptedModel(ANSWERS))["metrics"]
    header, rows = score_rows(metrics)
    assert header[0] == "samples"
    assert [row[0] for row in rows] == ["all", "simple", "complex", "2 calls", "nested", "none"]
    assert rows[0][2].startswith("75.0 (")
    assert [row[0] for row in function_rows(metrics)[1]] == ["find_plant", "list_beds", "sow"]
