"""benchmarks/first_query.py asks what the orchestrator asks first, from an empty cache."""

from __future__ import annotations

from pathlib import Path

from benchmarks import first_query
from camphor.agents.bounds import Limits
from camphor.agents.orchestrator import orchestrate
from camphor.agents.wants import Think
from camphor.app import setting_of
from camphor.device.device import Device
from camphor.models.base import Reply, Request, Timing

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "src" / "camphor" / "demo" / "ines-dublin.device.json"


class Noting:
    """A model that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def forget(self) -> None:
        self.asked.append("forget")

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply("task_completion", timing=Timing(evaluated_tokens=7))


def test_it_asks_what_the_orchestrator_asks() -> None:
    with Device.from_file(DEMO) as device:
        setting = setting_of(device)
    want = next(orchestrate("hello", (), setting, Limits()))
    assert isinstance(want, Think)
    asked = first_query.first_word(setting, "hello")
    assert (asked.prompt, asked.grammar, asked.max_tokens) == (want.prompt, want.grammar, want.max_tokens)


def test_the_cache_is_emptied_first() -> None:
    with Device.from_file(DEMO) as device:
        setting = setting_of(device)
    model = Noting()
    measured = first_query.measure(model, setting, "hello")
    assert model.asked[0] == "forget"
    assert measured["tokens"] == 7
    assert measured["seconds"] >= 0


def test_one_query_of_each_phone() -> None:
    items = first_query.one_per_phone(ROOT / "data" / "generated-test" / "test.jsonl", 5)
    assert len({str(item.device) for item in items}) == len(items) == 5
    assert not any(item.history for item in items)


def test_seconds_are_a_median() -> None:
    measured = [{"seconds": s, "cpu_seconds": 1.0, "tokens": 3} for s in (1.0, 2.0, 30.0)]
    assert first_query.summary(measured) == {
        "seconds_median": 2.0,
        "seconds_most": 30.0,
        "cpu_seconds": 1.0,
        "tokens": 3.0,
    }
