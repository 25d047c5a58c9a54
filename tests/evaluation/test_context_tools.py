"""Tools found with and without the items that a query is about."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from camphor.retrieval.context.rankers import Lexical
from camphor.retrieval.retrievers import Lexical as Words
from camphor_lab.evaluation.context_data import ContextDataset
from camphor_lab.evaluation.context_tools import ALONE, measure_context_tools, ranks_of, ways
from tests.doubles.context_dataset import write_folder


def test_every_way_is_scored_and_gains_are_told(tmp_path: Path) -> None:
    dataset = ContextDataset(write_folder(tmp_path / "data"))
    told: list[tuple[int, int]] = []
    report = measure_context_tools(
        dataset, ways(Words()), Lexical(), about={"command": "x"}, progress=lambda *done: told.append(done)
    )
    assert list(report["methods"]) == [
        "query",
        "query and items, in words",
        "query and items, votes",
        "query and gold items, in words",
        "query and gold items, votes",
        "query, learnt",
        "query and items, votes, learnt",
    ]
    assert told[-1] == (3, 3)
    assert (report["run"]["queries"], report["run"]["among"], report["run"]["command"]) == (3, 59.0, "x")
    for figures in report["methods"].values():
        assert set(figures["recall"]) == {"3", "5", "10"}
        assert figures["plan"]["recall"] == figures["recall"]  # each query of the double has one tool
    assert set(report["gains"]) == set(report["methods"]) - {ALONE}
    gain = report["gains"]["query and gold items, votes"]["recall"]["10"]
    assert gain == round(
        report["methods"]["query and gold items, votes"]["recall"]["10"] - report["methods"][ALONE]["recall"]["10"], 4
    )
    assert gain >= 0


def test_tools_that_fit_equally_well_share_their_mean_rank(tmp_path: Path) -> None:
    tools = tuple(ContextDataset(write_folder(tmp_path / "data")).toolbox)[:5]
    names = [tool.name for tool in tools]
    scores = np.array([0, 0, 3, 0, 1], np.float32)
    assert ranks_of(scores, tools, [names[2], names[4], names[0], "fly"]) == [1, 2, 4, None]
    assert ranks_of(np.zeros(5, np.float32), tools, [names[0]]) == [3]
