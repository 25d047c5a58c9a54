"""Samples of function calling as training samples: what is shown, what is learnt, and when they are made anew."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.calling.prompts import CallForm, read_answer
from camphor.errors import DatasetError, UsageError
from camphor.tools.plans import Reference
from camphor.trajectories.call_samples import (
    CallSample,
    FunctionChooser,
    dataset_tools,
    read_call_samples,
    write_call_samples,
)
from camphor.types import Call
from camphor_lab.training.calling import CALL_FORMS
from camphor_lab.training.config import parse_config
from camphor_lab.training.samples import as_samples

TEXT = {"type": "string", "description": "A text."}
SCHEMAS = [
    {"name": name, "description": f"Does {name}.", "parameters": {"type": "object", "properties": parameters}}
    for name, parameters in {
        "water_bed": {"bed": TEXT, "minutes": {"type": "integer", "description": "How long."}},
        "water_pot": {"pot": TEXT},
        "find_plant": {"name": TEXT},
        "plan_visit": {"when": {"type": "string", "description": "The time in ISO 8601 format."}, "title": TEXT},
        "list_beds": {},
        "sow": {"plant": TEXT, "bed": TEXT},
    }.items()
]
SAMPLES = [
    CallSample("s1", "water bed 3 for ten minutes", (Call("water_bed", {"bed": "3", "minutes": 10}),)),
    CallSample(
        "s2",
        "find the basil and sow it in bed 2",
        (Call("find_plant", {"name": "basil"}), Call("sow", {"plant": Reference(0), "bed": "2"})),
    ),
    CallSample(
        "s3",
        "look after the roses tomorrow at 5 pm",
        (Call("plan_visit", {"when": "2026-03-13T17:00:00", "title": "Roses"}),),
        said={"0.when": "tomorrow at 5 pm"},
    ),
    CallSample("s4", "tell me a joke", ()),
]


def dataset(folder: Path, samples: list[CallSample] = SAMPLES) -> Path:
    write_call_samples(folder / "train.jsonl", samples)
    (folder / "tools.json").write_text(json.dumps(SCHEMAS))
    return folder / "train.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def learnt(line: dict[str, Any]) -> list[str]:
    return [text for text, trained, _ in line["segments"] if trained]


@pytest.mark.parametrize("form", CALL_FORMS)
def test_the_answer_and_the_end_of_the_turn_alone_are_learnt(tmp_path: Path, form: str) -> None:
    path = dataset(tmp_path)
    made = lines(as_samples(path, tmp_path, form))
    assert [line["id"] for line in made] == ["s1", "s2", "s3", "s4"]
    tools = dataset_tools(path)
    for line, sample in zip(made, SAMPLES, strict=True):
        answer, end = learnt(line)
        assert end == "<|im_end|>"
        if form != "compact":
            assert read_answer(answer, CallForm(form), tools) == sample.answers
        shown = "".join(text for text, trained, _ in line["segments"] if not trained)
        assert sample.query in shown
        assert all(call.name in shown for call in sample.answers)


def test_the_compact_form_is_usual_and_writes_times_in_the_words_of_the_request(tmp_path: Path) -> None:
    made = lines(as_samples(dataset(tmp_path), tmp_path))
    assert "tomorrow at 5 pm" in learnt(made[2])[0]
    assert "2026" not in json.dumps(made[2])


def test_only_gold_functions_are_shown_unless_others_are_wanted(tmp_path: Path) -> None:
    tools = dataset_tools(dataset(tmp_path))
    perfect, real = FunctionChooser(tools), FunctionChooser(tools, 1.0)
    for sample in SAMPLES[:3]:
        gold = {call.name for call in sample.answers}
        assert {tool.name for tool in perfect.of(sample)} == gold
        with_others = {tool.name for tool in real.of(sample)}
        assert gold < with_others
        assert len(with_others - gold) <= 4
        assert real.of(sample) == real.of(sample)
    assert 1 <= len(perfect.of(SAMPLES[3])) <= 4


def test_others_are_as_frequent_as_told_and_oftener_alike(tmp_path: Path) -> None:
    shown = FunctionChooser(dataset_tools(dataset(tmp_path)), 0.3)
    samples = [CallSample(f"x{i}", "water", (Call("water_bed"),)) for i in range(600)]
    others = Counter(tool.name for each in samples for tool in shown.of(each) if tool.name != "water_bed")
    extended = sum(len(shown.of(each)) > 1 for each in samples)
    assert 0.24 * 600 < extended < 0.36 * 600
    assert others.most_common(1)[0][0] == "water_pot"
    assert set(others) == {schema["name"] for schema in SCHEMAS} - {"water_bed"}


def test_samples_are_made_once_and_again_when_anything_that_decides_them_changes(tmp_path: Path) -> None:
    path = dataset(tmp_path)
    first = as_samples(path, tmp_path / "out")
    assert as_samples(path, tmp_path / "out") == first
    others = {as_samples(path, tmp_path / "out", "json"), as_samples(path, tmp_path / "out", distractors=0.3)}
    changed = [{**schema, "description": "Changed."} for schema in SCHEMAS]
    (tmp_path / "tools.json").write_text(json.dumps(changed))
    assert len({first, as_samples(path, tmp_path / "out"), *others}) == 4


def test_what_is_missing_or_unknown_is_named(tmp_path: Path) -> None:
    path = dataset(tmp_path, [CallSample("s9", "fly", (Call("fly"),))])
    with pytest.raises(DatasetError, match="s9 calls 'fly'"):
        as_samples(path, tmp_path)
    with pytest.raises(UsageError, match="compressed"):
        as_samples(path, tmp_path, "compressed")
    (tmp_path / "tools.json").unlink()
    with pytest.raises(UsageError, match=r"tools\.json"):
        as_samples(path, tmp_path)


def test_a_form_of_function_calling_is_refused_for_phones(tmp_path: Path) -> None:
    path = tmp_path / "phones.jsonl"
    path.write_text('{"id": "a", "query": "call Ann", "device": {}}\n')
    with pytest.raises(UsageError, match="code_short"):
        as_samples(path, tmp_path, "code_short")


def test_settings_take_forms_of_both_kinds_and_a_share_of_others(tmp_path: Path) -> None:
    raw = {"out": "run", "data": [{"path": "a.jsonl", "form": "code_short", "distractors": 0.3}]}
    assert parse_config(raw).data[0].distractors == 0.3
    with pytest.raises(UsageError, match="distractors"):
        parse_config({"out": "run", "data": [{"path": "a.jsonl", "distractors": 2}]})


def test_an_empty_dataset_is_no_crash(tmp_path: Path) -> None:
    path = dataset(tmp_path, [])
    assert as_samples(path, tmp_path) == path
    assert list(read_call_samples(path)) == []
