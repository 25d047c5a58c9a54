"""`camphor lab evaluate pictures`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from camphor.health.prescriptions.lines import TextLine
from camphor.health.prescriptions.parse import Prescription, parse
from camphor_lab.evaluation.directions import DOUBT, RIGHT, WRONG
from camphor_lab.evaluation.pictures import EXTRA, UNREAD, metrics, score
from tests.doubles.command import Camphor

DEVELOPMENT = Path(__file__).parents[2] / "data" / "prescription-pictures-development"


def items() -> dict[str, dict[str, Any]]:
    told = (DEVELOPMENT / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return {item["id"]: item for item in map(json.loads, told)}


def read(*lines: str) -> Prescription:
    return parse([TextLine(each) for each in lines])


def test_a_picture_is_read_and_scored(camphor: Camphor, tmp_path: Path) -> None:
    chosen = [items()[each] for each in ("pd-026",)]
    for each in chosen:
        shutil.copy(DEVELOPMENT / each["file"], tmp_path)
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, chosen)), encoding="utf-8")
    out = tmp_path / "out.json"
    ran = camphor("evaluate", "pictures", str(tmp_path), "--json", "--out", str(out))
    assert ran.status == 0, ran.err
    told = json.loads(ran.out)
    assert told["items"] == 1
    assert told["outcomes"][WRONG] == 0
    assert told["outcomes"][RIGHT] == 1
    assert json.loads(out.read_text(encoding="utf-8"))["metrics"] == told


def test_another_name_strength_or_dose_is_silently_wrong() -> None:
    item = items()["pd-004"]
    name = "Bisoprolol 2.5mg tablets"
    assert score(item, read(name, "One to be taken each morning"))[0].outcome == RIGHT
    (first, *_) = score(item, read("Bisoprolol 5mg tablets", "One to be taken each morning"))
    assert [field for field, _, _ in first.wrong] == ["strength"]
    (first, *_) = score(item, read(name, "Two to be taken each morning"))
    assert (first.outcome, first.wrong) == (WRONG, (("amount", 2.0, 1),))
    assert score(item, read(name, "One mornig"))[0].outcome == DOUBT


def test_a_medicine_that_is_missing_is_wrong_unless_something_is_said_of_it() -> None:
    item = items()["pd-026"]
    assert score(item, read())[0].outcome == WRONG
    seen = Prescription((), (), (TextLine("NITROFURANT0IN 100"),))
    assert score(item, seen)[0].outcome == UNREAD


def test_what_is_no_medicine_is_wrong_where_it_would_be_kept() -> None:
    item = {**items()["pd-026"], "medicines": []}
    (wrong,) = score(item, read("Ramipril 5 mg tablets", "1 tablet daily"))
    (extra,) = score(item, read("Farmaciol 5 mg tablets", "1 tablet daily"))
    assert (wrong.outcome, extra.outcome) == (WRONG, EXTRA)
    assert metrics([wrong, extra])["extra_in_doubt"] == 1


def test_a_folder_without_items_is_refused(camphor: Camphor, tmp_path: Path) -> None:
    ran = camphor("evaluate", "pictures", str(tmp_path))
    assert ran.status == 2
    assert "has no items.jsonl" in " ".join(ran.err.split())
