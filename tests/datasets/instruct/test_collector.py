"""Runs as a whole: what is kept, counted and written, and what a crash, a bad model or a bad folder does to it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import camphor_lab.datasets.instruct as instruct
from camphor.errors import ModelError, UsageError
from camphor.models.base import Reply, Request, ScriptedModel
from camphor.tools.listing import read_tools
from camphor.tools.tool import Tool
from camphor.trajectories.call_samples import CallSample, read_call_samples
from camphor_lab.datasets.instruct import Collected, Collector, Draft, DraftRefused, Plan, usual_filters
from camphor_lab.datasets.instruct.asking import Asking
from camphor_lab.datasets.similarity import Similar
from tests.doubles.chat_server import chat_server
from tests.doubles.instruct import Writer, answer, prompt_of

Tools = tuple[Tool, ...]
PLAN = Plan(count=40, test=8, complex=0.4, batch=5)


def run(tools: Tools, out: Path, plan: Plan = PLAN, model: Any = None, **more: Any) -> Collected:
    return Collector(tools, model or Writer(), out, plan, **more).run()


def contents(folder: Path) -> dict[str, str]:
    names = ("train.jsonl", "test.jsonl", "tools.json", "yield.json", "rejected.jsonl")
    return {name: (folder / name).read_text() for name in names if (folder / name).exists()}


def kept(folder: Path) -> list[CallSample]:
    return [*read_call_samples(folder / "train.jsonl"), *read_call_samples(folder / "test.jsonl")]


def test_samples_are_kept_split_and_counted(tools: Tools, tmp_path: Path) -> None:
    told = run(tools, tmp_path)
    samples = kept(tmp_path)
    assert (told.kept, told.train, told.test) == (40, 32, 8) == (len(samples), 32, 8)
    sizes = {len(sample.answers) for sample in samples}
    assert {1, 2} <= sizes <= {1, 2, 3}
    assert any("nested" in sample.tags for sample in samples)
    assert {call.name for sample in samples for call in sample.answers} == {tool.name for tool in tools}
    counts = told.filters
    assert list(counts) == ["JsonExtractor", "FormatFilter", "PlainQueryFilter", "InferableFilter", "SimilarityFilter"]
    assert counts["JsonExtractor"]["in"] == told.rounds
    for before, after in zip(list(counts.values())[:-1], list(counts.values())[1:], strict=True):
        assert before["out"] == after["in"]
        assert after["in"] - after["out"] == sum(after["reasons"].values())
    rejected = [json.loads(line) for line in (tmp_path / "rejected.jsonl").read_text().splitlines()]
    assert len(rejected) == told.refused.total() > 0
    assert {line["filter"] for line in rejected} >= {"InferableFilter"}
    assert all(line["why"] for line in rejected if line["filter"] == "InferableFilter")
    assert json.loads((tmp_path / "yield.json").read_text())["filters"] == json.loads(json.dumps(counts))
    assert [tool.name for tool in read_tools(tmp_path / "tools.json")] == [tool.name for tool in tools]


def test_no_test_query_is_like_one_for_training(tools: Tools, tmp_path: Path) -> None:
    run(tools, tmp_path)
    train = Similar(0.6)
    for sample in read_call_samples(tmp_path / "train.jsonl"):
        train.add(sample.query)
    assert all(train.find(sample.query) is None for sample in read_call_samples(tmp_path / "test.jsonl"))


def test_the_first_samples_have_other_examples_and_later_ones_their_own(tools: Tools, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.jsonl"
    line = {
        "query": "who won the cup of 1998?",
        "tools": '[{"name": "cup_winner", "parameters": {}}]',
        "answers": '[{"name": "cup_winner", "arguments": {"year": 1998}}]',
    }
    foreign.write_text(json.dumps(line) + "\n" + json.dumps({"query": "no calls", "tools": [], "answers": []}) + "\n")
    model = Writer()
    run(tools, tmp_path / "out", model=model, seeds=[foreign])
    own = {sample.query for sample in kept(tmp_path / "out")}
    first, last = model.prompts[0], model.prompts[-1]
    assert "cup_winner" in first
    assert not any(query in first for query in own)
    assert "cup_winner" not in last
    assert sum(query in last for query in own) == 5


@pytest.mark.parametrize("requests", [1, 3])
def test_a_run_that_stops_anywhere_ends_the_same(tools: Tools, tmp_path: Path, requests: int) -> None:
    plan = Plan(count=40, test=8, complex=0.4, batch=5, requests=requests)
    run(tools, tmp_path / "whole", plan)
    for stops in range(1, 9, 3):
        model = Writer()

        def stop(told: Collected, stops: int = stops) -> None:
            if told.rounds == stops:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Collector(tools, model, tmp_path / str(stops), plan).run(stop)
        with (tmp_path / str(stops) / "rounds.ndjson").open("ab") as file:
            file.write(b'{"number": 99, "tools": ["set_al')  # as a crash leaves it
        again = Writer()
        run(tools, tmp_path / str(stops), plan, again)
        assert contents(tmp_path / str(stops)) == contents(tmp_path / "whole")
        if requests == 1:
            assert not set(model.prompts) & set(again.prompts)  # nothing is asked twice


def test_a_finished_run_asks_nothing_and_a_larger_one_goes_on(tools: Tools, tmp_path: Path) -> None:
    run(tools, tmp_path)
    before = contents(tmp_path)
    run(tools, tmp_path, model=ScriptedModel([]))
    assert contents(tmp_path) == before
    ids = {sample.id for sample in kept(tmp_path)}
    assert run(tools, tmp_path, Plan(count=50, test=8, complex=0.4, batch=5)).kept == 50
    assert ids < {sample.id for sample in kept(tmp_path)}


def test_a_server_that_fails_loses_nothing(tools: Tools, tmp_path: Path) -> None:
    down = Writer(fails=lambda number: number >= 4)
    waited: list[float] = []

    class Patient(Collector):
        def _asking(self, request: Request) -> Asking:
            return Asking(self._opening, request, waited.append)

    with pytest.raises(ModelError, match=r"broke off.* is kept: the same command goes on"):
        Patient(tools, down, tmp_path, PLAN).run()
    assert len(waited) == 2
    assert len((tmp_path / "rounds.ndjson").read_text().splitlines()) == 4
    assert (tmp_path / "train.jsonl").exists()
    run(tools, tmp_path / "whole")
    run(tools, tmp_path)
    assert contents(tmp_path) == contents(tmp_path / "whole")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "nothing was written"),
        ("I am sorry, I cannot help with that.", "prose"),
        ('[{"query": "wake me', "no whole JSON object with a query"),
        ('[{"query": "wake me at 13:20"}]', "not in the form of a sample"),
        ('{"query": "wake me", "answers": [{"name": "wake", "arguments": {}}]}', "a function that was not offered"),
        (
            '{"query": "wake me at 13:20", "answers": [{"name": "set_alarm", "arguments": {"hour": "soon"}}]}',
            "a parameter or value that the function does not take",
        ),
        (
            '{"query": "wake me", "answers": [{"name": "set_alarm", "arguments": {"hour": 7, "minute": 5}}]}',
            "a value that the query does not tell",
        ),
        (
            '{"query": "set_alarm 13:20", "answers": [{"name": "set_alarm", "arguments": {"hour": 13, "minute": 20}}]}',
            "names a function",
        ),
    ],
)
def test_a_model_that_never_writes_a_sample_is_given_up(tools: Tools, tmp_path: Path, reply: str, reason: str) -> None:
    told = run(tools[:1], tmp_path, Plan(count=5, patience=3), ScriptedModel([reply] * 3))
    assert (told.kept, told.rounds, told.barren) == (0, 3, 3)
    assert told.refused == {reason: 3}


def test_the_same_answer_for_ever_is_given_up(tools: Tools, tmp_path: Path) -> None:
    reply = (
        '{"query": "wake me at 13:20", "answers": [{"name": "set_alarm", "arguments": {"hour": 13, "minute": "20"}}]}'
    )
    told = run(tools[:1], tmp_path, Plan(count=5, patience=3), ScriptedModel([reply] * 4))
    assert (told.kept, told.barren) == (1, 3)
    assert told.refused == {"like an earlier query": 3}
    (sample,) = read_call_samples(tmp_path / "train.jsonl")
    assert sample.answers[0].arguments == {"hour": 13, "minute": 20}


def test_a_folder_of_another_run_is_refused(tools: Tools, tmp_path: Path) -> None:
    run(tools, tmp_path)
    with pytest.raises(UsageError, match="other seed"):
        run(tools, tmp_path, Plan(count=40, test=8, complex=0.4, batch=5, seed=8))
    with pytest.raises(UsageError, match="other functions"):
        run(tools[:2], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="another folder"):
        run(tools, tmp_path / "file")


def test_a_filter_of_ones_own_stands_beside_the_usual_ones(tools: Tools, tmp_path: Path) -> None:
    def short(draft: Draft) -> Draft | DraftRefused:
        return draft if len(draft.query) < 60 else DraftRefused("too long for us")

    told = run(tools, tmp_path, Plan(count=20, complex=0.0), filters=[*usual_filters(), short])
    assert told.filters["short"]["reasons"]["too long for us"] > 0
    assert all(len(sample.query) < 60 for sample in read_call_samples(tmp_path / "train.jsonl"))


def test_a_long_prompt_is_shortened_until_it_fits(tools: Tools, tmp_path: Path) -> None:
    class Small(Writer):
        context = 2600

    model = Small()
    assert run(tools, tmp_path, Plan(count=30, complex=0.0, batch=40), model).kept == 30
    assert not any("Write 40 new" in prompt for prompt in model.prompts)


def test_the_ten_lines_of_the_package_run_as_they_stand(tmp_path: Path) -> None:
    lines = re.findall(r"(?m)^    (.*)$", instruct.__doc__ or "")
    assert len(lines) <= 10
    (tmp_path / "functions.py").write_text(
        'def set_alarm(hour: int, minute: int) -> None:\n    """Set an alarm.\n\n    Args:\n'
        '        hour: hour, 0 to 23\n        minute: minute of the hour\n    """\n'
    )
    with chat_server(answer) as address:
        ran = subprocess.run(
            [sys.executable, "-c", "\n".join(lines)],
            cwd=tmp_path,
            env={"MODEL_SERVER": address, "PYTHONPATH": str(Path(instruct.__file__).parents[3])},
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("3 1 {")
    assert len(kept(tmp_path / "samples")) == 4


def test_the_double_answers_the_same_to_the_same(tools: Tools) -> None:
    request = Request(())
    assert answer(prompt_of(request)) == answer(prompt_of(request))
    assert Writer().complete(request) == Reply(answer(""))
