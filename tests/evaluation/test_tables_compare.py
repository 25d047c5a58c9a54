from __future__ import annotations

from typing import Any

from rich.console import Console

from camphor.types import Agent, Call, Observation, Step
from camphor_lab.evaluation.compare import compare, show_comparison
from camphor_lab.evaluation.metrics import Scored, measure
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.scores import score_calls
from camphor_lab.evaluation.tables import main_rows, markdown, percent, rich_tables
from camphor_lab.evaluation.values import ValueMatcher
from tests.doubles.evaluation import TOOLBOX, Alike, message

ON, OFF = Call("switch", {"state": "on"}), Call("switch", {"state": "off"})
FOUND = Step(Agent.CONTEXT, (Call("find", {"keyword": "lamp"}),), (Observation(Call("find"), ({"name": "Lamp"},)),))


def report(**predicted: tuple[list[Call], list[Call]]) -> dict[str, Any]:
    """A report of queries given as name=(gold, predicted)."""
    matcher = ValueMatcher(TOOLBOX, Alike())
    items, scored = [], []
    for name, (gold, calls) in predicted.items():
        error = "ModelError: gave up" if name == "failed" else None
        result = Result(name, f"query {name}", tuple(calls), tuple(gold), (FOUND,), "", 1.0, error, tags=("lamp",))
        score = score_calls(gold, calls, matcher)
        items.append({**result.to_json(), "score": score.to_json()})
        scored.append(Scored(name, score, result.tags, 1, 1.0, error))
    return {"metrics": measure(scored), "items": items}


BEFORE = report(a=([ON], [OFF]), b=([ON], [ON]), c=([ON, message("x")], [OFF]), d=([ON], [OFF]), only=([], []))
AFTER = report(a=([ON], [ON]), b=([ON], []), c=([ON, message("x")], [ON]), d=([ON], [message("x")]))


def test_percent() -> None:
    assert percent(0.876) == "87.6"
    assert percent(None) == "-"


def test_markdown_is_a_table() -> None:
    assert markdown(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"


def test_main_rows_show_the_figures() -> None:
    # gold 1+1+2+1 = 5, predicted 1+0+1+1 = 3; by name 1+0+1+0 = 2, in full 2
    rows = {row[0]: row[1] for row in main_rows(AFTER["metrics"])[1]}
    assert rows["Tool F1"] == "50.0"
    assert rows["Plan F1"] == "50.0"
    assert rows["Queries"] == "4"
    assert rows["No-call accuracy"] == "-"


def test_rich_tables_print_without_cutting() -> None:
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(rich_tables(AFTER["metrics"], ("by_size", "by_turn", "by_tag", "by_tool")))
    console.file.close()
    shown = console.export_text()
    assert "Delexicalized Plan F1" in shown
    assert "send_message" in shown
    assert "…" not in shown


def test_compare_names_what_was_fixed_and_broken() -> None:
    found = compare(BEFORE, AFTER)
    assert [c.id for c in found.fixed] == ["a"]
    assert [c.id for c in found.broken] == ["b"]
    assert [c.id for c in found.better] == ["c"]
    assert [c.id for c in found.worse] == ["d"]
    assert found.alone == 1
    # plan F1 of the four common ones: before 2*1/(5+4), after 2*2/(5+3)
    change, ends = found.difference["plan_f1"]
    assert change is not None
    assert ends is not None
    assert abs(change - (4 / 8 - 2 / 9)) < 1e-12
    assert ends[0] <= change <= ends[1]
    shown = show_comparison(found)
    assert "## Fixed: 1" in shown
    assert 'before: `switch(state="off")`' in shown
    assert "after: nothing" in shown


def test_a_run_compared_with_itself_has_not_changed() -> None:
    found = compare(AFTER, AFTER)
    assert not (found.fixed)
    assert not (found.broken)
    assert not (found.better)
    assert not (found.worse)
    assert not (found.alone)
    assert found.difference["tool_f1"] == (0.0, [0.0, 0.0])
