"""A perfect model that converses is not stood in the way of: every fourth query of the everyday suite.

`benchmarks/perfect_model.py data/everyday --forms conversing` asks all of them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.perfect_model import GoldAnswerer, exact
from camphor.agents.prompts import Form
from camphor.trajectories.items import Item
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.judged import judge
from camphor_lab.evaluation.runner import run_item

ROOT = Path(__file__).parents[1]
SET = Dataset(ROOT / "data" / "everyday")


@pytest.mark.parametrize("item", SET.items[::4], ids=lambda item: item.id)
def test_what_a_perfect_model_says_and_does_comes_through(item: Item) -> None:
    result = run_item(SET, item, GoldAnswerer(Form.FULL))
    assert result.error is None
    assert exact(item, result)
    told = judge(SET, item, result).to_json().get("answer")
    assert told is None or told["verdict"] == "right"


def test_a_model_that_says_something_else_does_not() -> None:
    item = next(each for each in SET.items if each.answer and each.answer.get("must") and each.response)
    result = run_item(SET, replace(item, response="At 03:17 in Ulaanbaatar."), GoldAnswerer(Form.FULL))
    assert "(Not on the phone: “At 03:17”" in result.response


def test_the_result_file_says_the_same() -> None:
    report = json.loads((ROOT / "results" / "perfect-conversing.json").read_text(encoding="utf-8"))
    whole = report["forms"]["conversing"]["(all on)"]
    assert (whole["answers"]["not_right"], whole["not_exact"], whole["errors"]) == ([], [], 0)
