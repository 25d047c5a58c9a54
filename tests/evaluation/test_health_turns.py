"""Planner and caller turn by turn: what is asked of the model, what counts as right, and going on after a stop."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import corpus_bleu

from camphor.agents.health.case import SPECIALISTS, Called, PlannerTurn
from camphor.agents.health.loop import caller_grammar
from camphor.agents.health.prompts import Writer, as_text
from camphor.errors import ContextFull
from camphor.models.base import ScriptedModel
from camphor.types import Call
from camphor_lab.evaluation.health_data import HealthDataset, RunOptions
from camphor_lab.evaluation.health_turns import (
    TurnScorer,
    WrittenTurn,
    call_figures,
    evaluate_turns,
    measure_turns,
    minds,
    thoughts,
    turns_of,
    words_of,
)
from camphor_lab.training.health import shuffled_tools
from tests.doubles.health_cases import gold_texts, perfect, write_cases

RUN = RunOptions("health-turns")


@pytest.fixture
def dataset(tmp_path: Path) -> HealthDataset:
    return HealthDataset(write_cases(tmp_path / "data", ["counter", "hard_sos_end"]))


def test_every_turn_is_asked_for_once_in_a_text_that_grows(dataset: HealthDataset) -> None:
    case = dataset.cases[0]
    tools = shuffled_tools(case.id)
    asked = list(thoughts(case, tools))
    turns = case.case.turns
    assert len(asked) == sum(isinstance(turn, PlannerTurn | Called) for turn in turns)
    texts = [as_text(thought.prompt) for thought in asked]
    for before, after in itertools.pairwise(texts):
        assert after.startswith(before.removesuffix("<reason>").removesuffix("<tool>"))
    places = [place for place, turn in enumerate(turns) if isinstance(turn, Called)]
    grammars = [thought.grammar for thought, text in zip(asked, texts, strict=True) if text.endswith("<tool>")]
    assert grammars == [caller_grammar(case.case.before(place), tools, SPECIALISTS) for place in places]


def test_what_is_recorded_is_right(dataset: HealthDataset) -> None:
    report = evaluate_turns(dataset, minds(perfect(dataset)), shuffled_tools, RUN)
    metrics = report["metrics"]
    for agent in ("planner", "caller"):
        names = [name for name in metrics[agent] if name not in ("turns", "interval_95")]
        assert {name: metrics[agent][name] for name in names} == dict.fromkeys(names, 1)
        assert metrics["by_use_case"]["hard_sos_end"][agent]["bleu"] == 1
    assert metrics["cases"] == 2
    assert metrics["errors"] == 0
    assert [item["wrong"] for item in report["items"]] == [[], []]


def test_a_model_for_each_agent(dataset: HealthDataset) -> None:
    turns = [turn for case in dataset.cases for turn in turns_of(case, (), shuffled_tools(case.id))]
    planner, caller = (ScriptedModel(t.gold for t in turns if t.writer is writer) for writer in Writer)
    report = evaluate_turns(dataset, minds(planner, caller), shuffled_tools, RUN)
    assert report["metrics"]["planner"]["same"] == report["metrics"]["caller"]["same"] == 1


@pytest.mark.parametrize(
    ("wrote", "figures"),
    [
        (Call("find", {"symptoms": "Cough,  fever", "kind": "dentist"}), [1, 1, 1, 1]),
        (Call("find", {"symptoms": "cough", "kind": "dentist"}), [1, 1, 0, 1 / 2]),
        (Call("find", {"symptoms": "cough, fever"}), [1, 0, 0, 1 / 2]),
        (Call("find", {"symptoms": "cough, fever", "kind": "dentist", "when": {}}), [1, 0, 0, 2 / 3]),
        (Call("ask", {"symptoms": "cough, fever", "kind": "dentist"}), [0, 0, 0, 0]),
        (None, [0, 0, 0, 0]),
    ],
)
def test_tool_parameters_and_values_of_a_call(wrote: Call | None, figures: list[float]) -> None:
    assert call_figures(Call("find", {"symptoms": "cough, fever", "kind": "dentist"}), wrote) == figures


def test_true_is_not_one() -> None:
    assert call_figures(Call("send", {"all": True}), Call("send", {"all": 1}))[2] == 0


def test_texts_are_compared_as_the_reference_packages_do() -> None:
    wrote = ["Knee pain.</reason><action>Look up past complaints.</action>", "Told.</reason><action><END></action>"]
    gold = ["Pain in a knee.</reason><action>Look up complaints of old.</action>", wrote[1]]
    turns = [WrittenTurn(Writer.PLANNER, *pair) for pair in zip(wrote, gold, strict=True)]
    metrics = measure_turns(["general", "general"], [[turn] for turn in turns], TurnScorer())["planner"]
    texts = [[words_of(Writer.PLANNER, each) for each in side] for side in (wrote, gold)]
    assert texts[0] == ["Knee pain. Look up past complaints.", "Told. <END>"]
    assert metrics["bleu"] == pytest.approx(corpus_bleu(texts[0], [texts[1]]).score / 100, abs=1e-4)
    scorer = RougeScorer(["rougeL"])
    means = [scorer.score(right, text)["rougeL"].fmeasure for text, right in zip(*texts, strict=True)]
    assert metrics["rougeL"] == pytest.approx(sum(means) / 2, abs=1e-4)
    assert metrics["same"] == 0.5
    assert metrics["interval_95"]["same"] == [0, 1]


def test_the_mean_of_appointments_counts_each_use_case_the_same() -> None:
    right, wrong = (
        WrittenTurn(Writer.CALLER, "[get_location()]", "[get_location()]"),
        WrittenTurn(Writer.CALLER, "", "[a()]"),
    )
    use_cases = ["general", "general", "general", "negative", "soft_sos"]
    cases = [[right], [right], [right], [wrong], [wrong]]
    metrics = measure_turns(use_cases, cases, TurnScorer())
    assert metrics["appointments"]["cases"] == 4
    assert metrics["appointments"]["caller"]["tool"] == 0.5
    assert metrics["caller"]["tool"] == 0.6
    assert metrics["planner"]["rougeL"] is None


def test_what_breaks_is_a_result(dataset: HealthDataset) -> None:
    model = ScriptedModel([gold_texts(dataset)[0], ContextFull(9, 8), *gold_texts(dataset)[-11:]])
    report = evaluate_turns(dataset, minds(model), shuffled_tools, RUN)
    assert report["metrics"]["errors"] == 1
    assert report["items"][0]["error"].startswith("ContextFull")
    assert report["items"][0]["wrong"][0]["wrote"] == ""
    assert report["items"][1]["wrong"] == []


def test_a_stopped_run_goes_on(dataset: HealthDataset, tmp_path: Path) -> None:
    out = tmp_path / "health-turns.json"
    run = RunOptions("health-turns", out=out, command="camphor lab evaluate health data")
    texts = gold_texts(dataset)
    first = len(turns_of(dataset.cases[0], (), shuffled_tools(dataset.cases[0].id)))
    with pytest.raises(RuntimeError):
        evaluate_turns(dataset, minds(ScriptedModel([*texts[:first], RuntimeError("off")])), shuffled_tools, run)
    assert not out.exists()
    rest = ScriptedModel(texts[first:])
    report = evaluate_turns(dataset, minds(rest), shuffled_tools, run)
    assert report["run"]["resumed"] == 1
    assert len(rest.requests) == len(texts) - first
    assert json.loads(out.read_text())["metrics"] == report["metrics"]
    assert [path.name for path in tmp_path.glob("health-turns*")] == [out.name]
