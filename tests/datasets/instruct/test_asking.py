"""Requests that fail, several at a time, on other processes' pools, and what a grammar allows."""

from __future__ import annotations

import json
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models.base import Request, ScriptedModel
from camphor.models.constraint import accepts
from camphor.models.llama import LlamaModel
from camphor.tools.tool import Tool
from camphor_lab.datasets.instruct import Collector, Plan
from camphor_lab.datasets.instruct.asking import Asking, ModelAnswer, OpenModel, Threads
from camphor_lab.datasets.instruct.prompts import SampleBrief, Stage, grammar, request_for
from camphor_lab.datasets.parallel import RayCluster

Tools = tuple[Tool, ...]
CALLS = {
    "ALARM": {"id": 0, "name": "set_alarm", "arguments": {"hour": 7, "minute": 0}},
    "FIND": {"id": 0, "name": "find_number", "arguments": {"person": "Al"}},
    "TEXT": {"id": 1, "name": "send_text", "arguments": {"number": "#0", "text": "hello"}},
}
NOW = datetime(2026, 3, 12, 8, 45)


def asked(model: Any, pauses: list[float]) -> ModelAnswer:
    return ModelAnswer.from_json(Asking(OpenModel(model), Request(()), pauses.append)(0))


def test_a_model_that_fails_is_asked_again_and_one_that_is_not_there_is_not() -> None:
    pauses: list[float] = []
    assert asked(ScriptedModel([ModelError("busy"), "fine"]), pauses).text == "fine"
    assert asked(ScriptedModel([ModelError("one"), ModelError("two"), ModelError("three")]), pauses).error == "three"
    assert len(pauses) == 3
    for error in (ModelMissing("nobody there"), ContextFull("too long")):
        assert asked(ScriptedModel([error, "fine"]), pauses).error == str(error)
    assert len(pauses) == 3


def test_threads_work_at_the_same_time_and_pass_on_what_goes_wrong() -> None:
    both = threading.Barrier(2, timeout=60)

    def meet(number: int) -> str:
        both.wait()
        return str(number)

    def fail(number: int) -> str:
        raise KeyError(number)

    with Threads(2) as pool:
        pool.start(1, meet)
        pool.start(2, meet)
        assert sorted(pool.finished() + pool.finished()) == [(1, "1"), (2, "2")]
        pool.start(3, fail)
        with pytest.raises(KeyError):
            pool.finished()


def brief(tools: Tools, several: bool = False) -> SampleBrief:
    return SampleBrief(tools if several else tools[:1], several, Stage.SEED, 2, (), "in few words", NOW)


def test_a_prompt_that_cannot_fit_says_what_to_do(tools: Tools) -> None:
    with pytest.raises(ContextFull, match="set_alarm does not fit the 100 tokens"):
        request_for(ScriptedModel([], context=100), brief(tools), constrained=False)


WAKE, UP = '{"query": "wake me at 7", "answers": [ALARM]}', '{"query": "up by 7 please", "answers": [ALARM]}'
TEXT, BOTH = UP.replace("ALARM", "TEXT"), '{"query": "find and text Al", "answers": [FIND, TEXT]}'


@pytest.mark.parametrize(
    ("several", "text", "right"),
    [
        (False, f"[{WAKE},\n{UP}]", True),
        (False, f"[{WAKE}]", False),
        (False, f"[{WAKE},\n{TEXT}]", False),
        (True, f"[{BOTH},\n{WAKE}]", True),
    ],
)
def test_the_grammar_has_whole_samples_of_the_functions(tools: Tools, several: bool, text: str, right: bool) -> None:
    for name, call in CALLS.items():
        text = text.replace(name, json.dumps(call))
    assert accepts(grammar(brief(tools, several), 2), text) is right


def test_the_embedded_model_runs_in_the_collector(tools: Tools, tmp_path: Path) -> None:
    plan = Plan(count=1, batch=1, patience=1, complex=0.0, constrained=True)
    with LlamaModel(adapter=False, context=1024, threads=1) as embedded:
        told = Collector(tools[1:2], embedded, tmp_path, plan).run()
    assert told.filters["JsonExtractor"]["out"] == 1


def test_a_ray_cluster_asks_as_this_process_does(tools: Tools, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="pip install ./lab[ray]")
    query = '{"query": "wake me at 13:20", "answers": [{"name": "set_alarm", "arguments": {"hour": 13, "minute": 20}}]}'
    model = ScriptedModel([query])  # each worker has a copy
    with RayCluster("local", 1) as pool:
        told = Collector(tools[:1], model, tmp_path, Plan(count=1), opening=OpenModel(model), pool=pool).run()
    assert told.kept == 1
    assert model.requests == []
