"""The planner's evaluation: settings, files, gains, what breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DatasetError, ModelError, UsageError
from camphor.models.base import ScriptedModel
from camphor.retrieval.context.rankers import LexicalRanker
from camphor_lab.datasets.context.given import Given, Giver, PlannerInput, ranked_by, usual_giver
from camphor_lab.evaluation.context_planner import evaluate_planner
from camphor_lab.evaluation.dataset import ContextDataset
from tests.doubles.context_dataset import write_folder

RIGHT = {"q1": "resume_playback()", "q2": 'play_song(title="Blue Door")', "q3": 'open_note(title="Leek soup")'}
PLANS: dict[str, dict[str, Any]] = {"q1": {}, "q2": {"title": "Blue Door"}, "q3": {"title": "Leek soup"}}
TOOLS = {"q1": "resume_playback", "q2": "play_song", "q3": "open_note"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = write_folder(tmp_path / "data")
    lines = [json.loads(line) for line in (made / "test.jsonl").read_text().splitlines()]
    for line in lines:
        line["tools"] = [TOOLS[line["id"]], "call_contact"]
        line["plan"] = [{"name": TOOLS[line["id"]], "arguments": PLANS[line["id"]]}]
    (made / "test.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return made


def giver_of(folder: Path, **options: int) -> Giver:
    return usual_giver(folder, ranked_by(LexicalRanker()), "lexical", **options, learnt=False)


def answers(*calls: str) -> list[str]:
    return [f"result0 = {call}" for call in calls]


def given(folder: Path, setting: PlannerInput, place: int = 2) -> Given:
    return giver_of(folder).of(ContextDataset(folder).samples[place], setting)


def test_each_setting_has_what_the_paper_says(folder: Path) -> None:
    assert given(folder, PlannerInput.NONE) == Given(None)
    tools = given(folder, PlannerInput.TOOLS)
    assert (len(tools.tools or ()), tools.refs) == (5, ())
    context = given(folder, PlannerInput.CONTEXT)
    assert [(ref.app, ref.ordinal) for ref in context.refs] == [("calendar", 0), ("notes", 0)]
    assert {app for app, _ in context.records} == {"calendar", "notes"}
    gold = given(folder, PlannerInput.ORACLE_TOOLS)
    assert {tool.name for tool in gold.tools or ()} == {"open_note", "call_contact"}
    assert gold.records == ()
    both = given(folder, PlannerInput.ORACLE_BOTH)
    assert both.tools == gold.tools
    assert [record["title"] for _, record in both.records] == ["Guitar class", "Leek soup"]


def test_gold_tools_do_not_stand_in_order_of_their_worth(folder: Path) -> None:
    samples = ContextDataset(folder).samples
    first = set()
    for number in range(20):
        sample = type(samples[0])(**{**samples[0].__dict__, "id": f"s{number}"})
        first.add((giver_of(folder).of(sample, PlannerInput.ORACLE_TOOLS).tools or ())[0].name)
    assert first == {"resume_playback", "call_contact"}


def test_plans_are_scored_in_every_setting_and_kept(folder: Path, tmp_path: Path) -> None:
    dataset = ContextDataset(folder)
    wrong = answers("pin_note()", 'play_song(title="blue door")', 'open_note(title="Leek soup")')
    model = ScriptedModel([*wrong, *answers(*RIGHT.values())])
    reports = evaluate_planner(
        dataset,
        giver_of(folder),
        model,
        [PlannerInput.CONTEXT, PlannerInput.TOOLS],
        name="scripted",
        out=tmp_path,
        command="x",
    )
    plain, tuned = reports[PlannerInput.TOOLS]["metrics"], reports[PlannerInput.CONTEXT]["metrics"]
    assert (plain["plan_accuracy"], plain["exact_match"]) == (0.6667, 0.3333)
    assert (tuned["plan_accuracy"], tuned["exact_match"], tuned["hallucination"]) == (1.0, 1.0, 0.0)
    assert reports[PlannerInput.CONTEXT]["gain"]["plan_accuracy"] == 0.3333
    assert (plain["values_found"], tuned["values_found"]) == (0.3333, 0.6667)
    assert "gain" not in reports[PlannerInput.TOOLS]
    assert tuned["by_intent"]["play_song"]["queries"] == 1
    kept = json.loads((tmp_path / "context-plan-context.json").read_text())
    assert kept["metrics"] == tuned
    assert [item["match"]["plan_accuracy"] for item in kept["items"]] == [True, True, True]
    assert kept["run"]["settings"] == {"setting": "context", "tools": 5, "items": 5}
    assert not list(tmp_path.glob("*.partial.jsonl"))


def test_a_stopped_run_goes_on(folder: Path, tmp_path: Path) -> None:
    dataset, giver = ContextDataset(folder), giver_of(folder)
    options: dict[str, Any] = {"name": "scripted", "out": tmp_path}

    def stop(done: int, total: int, result: Any) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_planner(
            dataset, giver, ScriptedModel(answers(*RIGHT.values())), [PlannerInput.NONE], progress=stop, **options
        )
    rest = ScriptedModel(answers(RIGHT["q3"]))
    reports = evaluate_planner(dataset, giver, rest, [PlannerInput.NONE], **options)
    assert len(rest.requests) == 1
    assert reports[PlannerInput.NONE]["metrics"]["plan_accuracy"] == 1.0


def test_what_breaks_is_a_result(folder: Path) -> None:
    model = ScriptedModel([ModelError("the server is gone"), "no call", 'result0 = fly(to="x")'])
    (report,) = evaluate_planner(
        ContextDataset(folder), giver_of(folder), model, [PlannerInput.TOOLS], name="scripted"
    ).values()
    assert report["metrics"]["plan_accuracy"] == 0.0
    assert report["metrics"]["errors"] == 3
    assert report["metrics"]["hallucination"] == 0.3333
    assert "the server is gone" in report["items"][0]["error"]


def test_what_a_dataset_lacks_is_said(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    lines[0]["tools"], lines[1]["context"][0]["item"] = ["fly"], 7
    (folder / "test.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(DatasetError, match="q1: there is no tool 'fly'"):
        given(folder, PlannerInput.ORACLE_TOOLS, 0)
    with pytest.raises(DatasetError, match=r"q2: there is no item music/songs/7"):
        given(folder, PlannerInput.ORACLE_BOTH, 1)
    with pytest.raises(UsageError, match="0 tools"):
        giver_of(folder, tools=0)
