"""What people say of predictions: kept line by line, and turned into samples."""

from __future__ import annotations

import json
import os
import stat
from datetime import datetime
from pathlib import Path

import pytest

from camphor.errors import DatasetError
from camphor.tools.listing import read_tools
from camphor.tools.plans import Reference
from camphor.tools.readers import from_schema
from camphor.tools.tool import Toolbox
from camphor.trajectories.call_samples import read_call_samples
from camphor.trajectories.recorder import Annotation, PlanVerdict, Recorder, annotation_from_json, export, taught
from camphor.types import Call

BEDS = from_schema(
    {
        "name": "water",
        "description": "Water a bed.",
        "parameters": {
            "type": "object",
            "properties": {"bed": {"type": "string"}, "litres": {"type": "integer"}},
            "required": ["bed"],
        },
    }
)
TOOLS = Toolbox([BEDS])


def said(
    query: str, verdict: PlanVerdict = PlanVerdict.YES, bed: str = "roses", right: str | None = None
) -> Annotation:
    corrected = None if right is None else (Call("water", {"bed": right}),)
    return Annotation(query, (Call("water", {"bed": bed}),), verdict, corrected, ("water",))


def test_an_annotation_survives_its_file(tmp_path: Path) -> None:
    plan = (Call("find", {"name": "Zoë \u2028 #7"}), Call("water", {"bed": Reference(0), "litres": 2}))
    one = Annotation(
        "water Zoë's\nbed", (), PlanVerdict.CORRECTED, plan, ("find", "water"), datetime(2026, 5, 6, 7, 20),
        {"1.bed": "hers"}, model="embedded", adapter="a.gguf", form="compact", problem="half a call",
    )  # fmt: skip
    recorder = Recorder(tmp_path / "taught.jsonl")
    assert list(recorder) == []
    recorder.add(one)
    assert list(recorder) == [one]
    assert one.right == plan
    assert datetime.fromisoformat(one.at).tzinfo is not None


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    Recorder(tmp_path / "taught.jsonl").add(said("a"))
    assert stat.S_IMODE(os.stat(tmp_path / "taught.jsonl").st_mode) == 0o600


@pytest.mark.parametrize("cut", [1, 9, 40, -2, -1])
def test_a_line_that_a_crash_cut_off_is_left_out_and_spoils_nothing(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "taught.jsonl"
    recorder = Recorder(path)
    recorder.add(said("first"))
    whole = path.read_bytes()
    recorder.add(said("sécond"))
    path.write_bytes(whole + path.read_bytes()[len(whole) :][:cut])
    kept = ["first"] if cut != -1 else ["first", "sécond"]  # without its line feed alone it is whole
    assert [each.query for each in recorder] == kept
    recorder.add(said("third"))
    assert [each.query for each in recorder] == [*kept, "third"]


@pytest.mark.parametrize("line", ["water the roses", '{"id": "x", "query": "a"}', '{"query": "a", "verdict": "maybe"}'])
def test_another_file_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "taught.jsonl"
    Recorder(path).add(said("first"))
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DatasetError, match="line 2"):
        list(Recorder(path))


def test_a_broken_plan_is_told() -> None:
    with pytest.raises(ValueError, match="call 0"):
        annotation_from_json({"query": "a", "verdict": "yes", "predicted": [{"id": 0}]})


@pytest.mark.parametrize(
    ("verdict", "right", "problem"),
    [(PlanVerdict.CORRECTED, None, None), (PlanVerdict.NO, "x", None), (PlanVerdict.YES, None, "half a call")],
)
def test_a_verdict_that_contradicts_itself_is_refused(
    verdict: PlanVerdict, right: str | None, problem: str | None
) -> None:
    corrected = None if right is None else (Call("water", {"bed": right}),)
    with pytest.raises(ValueError, match="expected"):
        Annotation("a", (), verdict, corrected, problem=problem)


def test_the_last_word_on_a_query_counts(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "taught.jsonl")
    for each in (
        said("a"), said("b"), said("c", PlanVerdict.NO),
        said("  a", PlanVerdict.CORRECTED, right="lilies"), said("b", PlanVerdict.NO), said("c"),
    ):  # fmt: skip
        recorder.add(each)
    found = taught(recorder, TOOLS)
    assert list(recorder.latest()) == ["a", "b", "c"]
    assert [(each.query, each.answers[0].arguments["bed"]) for each in found.samples] == [
        ("a", "lilies"),
        ("c", "roses"),
    ]
    assert found.refused == 1


def test_calls_that_the_functions_do_not_take_are_left_out_and_told() -> None:
    wrong = Annotation("b", (Call("water", {"litres": 3}),), PlanVerdict.YES)
    gone = Annotation("c", (Call("mow", {}),), PlanVerdict.YES)
    found = taught([said("a"), wrong, gone], TOOLS)
    assert [each.query for each in found.samples] == ["a"]
    assert [query for query, _ in found.unfit] == ["b", "c"]
    assert "bed" in found.unfit[0][1]
    assert "mow" in found.unfit[1][1]


def test_values_get_their_types_and_no_call_is_a_sample_too() -> None:
    typed = Annotation("a", (), PlanVerdict.CORRECTED, (Call("water", {"litres": "3", "bed": "x"}),))
    nothing = Annotation("b", (), PlanVerdict.YES)
    first, second = taught([typed, nothing], TOOLS).samples
    assert first.answers == (Call("water", {"bed": "x", "litres": 3}),)
    assert second.answers == ()


def test_an_export_is_a_dataset_with_its_functions(tmp_path: Path) -> None:
    clock = datetime(2026, 5, 6, 7, 20)
    one = Annotation("a", (Call("water", {"bed": "x"}),), PlanVerdict.YES, now=clock, said={"0.bed": "x"})
    found = export([one, said("b", PlanVerdict.NO)], TOOLS, tmp_path / "new" / "taught")
    written = tuple(read_call_samples(tmp_path / "new" / "taught" / "train.jsonl"))
    assert written == found.samples
    assert (written[0].now, written[0].said, written[0].tags) == (clock, {"0.bed": "x"}, ("taught",))
    assert [tool.name for tool in read_tools(tmp_path / "new" / "taught" / "tools.json")] == ["water"]
    assert sorted(path.name for path in (tmp_path / "new" / "taught").iterdir()) == ["tools.json", "train.jsonl"]


def test_a_line_says_all_of_it(tmp_path: Path) -> None:
    Recorder(tmp_path / "taught.jsonl").add(said("a", PlanVerdict.CORRECTED, right="lilies"))
    line = json.loads((tmp_path / "taught.jsonl").read_text())
    assert line["predicted"] == [{"id": 0, "name": "water", "arguments": {"bed": "roses"}}]
    assert line["corrected"] == [{"id": 0, "name": "water", "arguments": {"bed": "lilies"}}]
    assert (line["verdict"], line["tools"]) == ("corrected", ["water"])
