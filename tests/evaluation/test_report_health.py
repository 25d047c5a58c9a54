"""The report's section on the health assistant, from result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor.agents.health.prompts import Writer
from camphor_lab.datasets.health.cases import APPOINTMENTS
from camphor_lab.evaluation.health_data import HealthLine
from camphor_lab.evaluation.health_flows import measure_flows
from camphor_lab.evaluation.health_lines import measure_specialists, measure_urgency
from camphor_lab.evaluation.health_turns import TurnScorer, WrittenTurn, measure_turns
from camphor_lab.evaluation.report_files import Missing, PlotBlock, Results, TableBlock, TextBlock, papers
from camphor_lab.evaluation.report_health import health
from camphor_lab.evaluation.results import Result

RUN = {"command": "camphor lab evaluate health x", "dataset": "test.jsonl"}
PLAN, CALL = (
    "It hurts.</reason><action>Look back.</action>",
    '[retrieve_past_complaints(user_id="U1", symptoms="knee")]',
)


def blocks(folder: Path) -> list[Any]:
    return list(health(Results(folder), papers()["health"]).blocks)


def write(folder: Path, name: str, metrics: dict[str, Any]) -> None:
    (folder / f"{name}.json").write_text(json.dumps({"metrics": metrics, "run": RUN, "items": []}))


def test_what_is_missing_is_said_with_its_command(tmp_path: Path) -> None:
    write(tmp_path, "health-sos", {"seconds": 1})  # of another command
    found = blocks(tmp_path)
    assert all(isinstance(block, Missing) for block in found)
    commands = " ".join(command for block in found for command in block.commands)
    assert all(option in commands for option in ("--flows", "--specialists", "--urgency", "health-turns.json"))


def test_tables_2_and_3_stand_beside_the_papers_figures(tmp_path: Path) -> None:
    case = [WrittenTurn(Writer.PLANNER, PLAN, PLAN), WrittenTurn(Writer.CALLER, CALL, CALL)]
    write(tmp_path, "health-turns", measure_turns(["general", "soft_sos"], [case, case], TurnScorer()))
    write(tmp_path, "health-turns-all", measure_turns(APPOINTMENTS, [case] * 4, TurnScorer()))
    found = blocks(tmp_path)
    planner, caller, all_planner, all_caller = (block for block in found if isinstance(block, TableBlock))
    assert [row[0] for row in planner.rows] == [
        "General",
        "paper: General",
        "Soft SOS",
        "appointments, mean",
        "paper: appointments, mean",
        "all turns",
    ]
    assert list(planner.rows[1]) == ["paper: General", None, "94.8", "97.0", "95.0", "97.0", None]
    assert planner.rows[4][5] == "97.0"  # of the one use case that is there
    assert all_planner.rows[-2][5] == "85.5"
    assert all_caller.rows[-2][5] == "96.5"
    assert list(caller.rows[1][6:9]) == ["100.0", "100.0", "90.0"]
    assert str(caller.rows[0][8]).startswith("100.0 (")
    assert [block.name for block in found if isinstance(block, PlotBlock)] == ["health-turns", "health-turns-all"]
    assert "cannot be compared with ours directly" in next(b.text for b in found if isinstance(b, TextBlock))


def test_cases_descriptions_and_urgency_are_tables(tmp_path: Path) -> None:
    right = {"success": True, "exact": False, "tools": True}
    write(tmp_path, "health-flows", measure_flows(["general"], [right], [Result("a", "", (), ())]))
    line = HealthLine("a", "tooth", ("dentist",))
    row = {"chosen": "neurologist", "asked": [], "stopped": [], "error": None, "seconds": 1.0}
    write(tmp_path, "health-specialists", measure_specialists([line], [row]))
    missed = {"id": "b", "level": "now", "kind": "stroke", "lang": "en", "verdict": "routine"}
    write(tmp_path, "health-urgency-test", measure_urgency([missed, {**missed, "id": "c", "verdict": "ask"}]))
    flows, specialists, mistaken, urgency = (block for block in blocks(tmp_path) if isinstance(block, TableBlock))
    assert flows.rows[0][:2] == ["General", "1"]
    assert str(flows.rows[0][3]).startswith("0.0")
    assert specialists.rows[0][3] == "0.0 (0.0 to 0.0)"
    assert mistaken.rows == [["dentist", "1", "neurologist 1"]]
    assert urgency.rows[0] == ["urgent, found or asked about", "2", "50.0"]
