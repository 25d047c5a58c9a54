"""Requests that fail, several at a time, on other processes' pools, and what a grammar allows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from instruct_doubles import Writer

from camphor.datasets.instruct import Collector, Plan
from camphor.datasets.instruct.asking import Answer, Asking, Given, Threads
from camphor.datasets.instruct.prompts import Brief, Stage, grammar, request_for
from camphor.datasets.parallel import RayCluster
from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models.base import Request
from camphor.models.llama import LlamaModel
from camphor.models.scripted import ScriptedModel
from camphor.tools.tool import Tool

Tools = tuple[Tool, ...]
NOW = datetime(2026, 3, 12, 8, 45)


def asked(model: Any, pauses: list[float]) -> Answer:
    return Answer.from_json(Asking(Given(model), Request(()), pauses.append)(0))


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


def brief(tools: Tools, several: bool = False) -> Brief:
    return Brief(tools if several else tools[:1], several, Stage.SEED, 2, (), "in few words", NOW)


def test_a_prompt_that_cannot_fit_says_what_to_do(tools: Tools) -> None:
    with pytest.raises(ContextFull, match="set_alarm does not fit the 100 tokens"):
        request_for(ScriptedModel([], context=100), brief(tools), constrained=False)


@pytest.fixture(scope="module")
def embedded() -> Iterator[LlamaModel]:
    with LlamaModel(adapter=False, context=2048, threads=1) as opened:
        yield opened


@pytest.mark.parametrize("several", [False, True])
def test_the_embedded_model_writes_whole_samples_under_the_grammar(
    embedded: LlamaModel, tools: Tools, several: bool
) -> None:
    made = brief(tools[1:], several)
    request = Request(request_for(embedded, made, constrained=True).prompt, grammar(made, 1), 400)
    samples = json.loads(embedded.complete(request).text)
    assert [set(sample) for sample in samples] == [{"query", "answers"}]
    assert {call["name"] for call in samples[0]["answers"]} <= {tool.name for tool in made.tools}


def test_the_embedded_model_runs_in_the_collector(embedded: LlamaModel, tools: Tools, tmp_path: Path) -> None:
    plan = Plan(count=1, batch=1, patience=1, complex=0.0, constrained=True)
    told = Collector(tools[1:2], embedded, tmp_path, plan).run()
    assert told.filters["JsonExtractor"]["out"] == 1


def open_writer() -> Writer:
    return Writer()


def test_a_ray_cluster_makes_the_same_samples(tools: Tools, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="pip install 'camphor[ray]'")
    plan = Plan(count=20, batch=5, requests=2)
    Collector(tools, Writer(), tmp_path / "here", plan).run()
    with RayCluster("local", 2) as pool:
        Collector(tools, Writer(), tmp_path / "there", plan, opening=open_writer, pool=pool).run()
    for name in ("train.jsonl", "yield.json"):
        assert (tmp_path / "there" / name).read_text() == (tmp_path / "here" / name).read_text()
