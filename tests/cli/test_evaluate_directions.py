"""`camphor lab evaluate directions`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor_lab.evaluation.directions import DOUBT, FIELDS, RIGHT, WRONG
from tests.doubles.command import Camphor

EMPTY: dict[str, Any] = dict.fromkeys(FIELDS) | {
    "stop": False, "at": [], "days": [], "as_needed": False, "ongoing": False, "unclear": False,
}  # fmt: skip


def item(number: int, text: str, **gold: Any) -> str:
    return json.dumps({"id": f"x-{number}", "text": text, "gold": {**EMPTY, **gold}, "tags": ["x"]})


def test_directions_are_right_in_doubt_or_silently_wrong(camphor: Camphor, tmp_path: Path) -> None:
    daily = {"per": "day", "n": 1}
    lines = [
        item(1, "Take 1 tablet daily", amount=1, unit="tablet", times=daily),
        item(2, "Digoxin .125 mg daily", unit="mg", times=daily, unclear=True),
        item(3, "Take 1 tablet daily", amount=2, unit="tablet", times=daily),
        item(4, "Take 1 tablet daily", amount=1, unit="tablet", times=daily, as_needed=True),
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ran = camphor("evaluate", "directions", str(tmp_path), "--json")
    assert ran.status == 0, ran.err
    told = json.loads(ran.out)
    assert (told["outcomes"][RIGHT], told["outcomes"][DOUBT], told["outcomes"][WRONG]) == (1, 1, 2)
    assert told["wrong_fields"] == {"amount": 1, "as_needed": 1}
    shown = camphor("evaluate", "directions", str(tmp_path), "--show").out
    assert "amount: read 1.0, right 2" in shown


def test_hardly_anything_on_the_development_data_is_silently_wrong(camphor: Camphor) -> None:
    """What is left are points that careful hands read differently, a form that is not said, or an ISMP abbreviation."""
    folder = Path(__file__).parents[2] / "data" / "directions-development"
    told = json.loads(camphor("evaluate", "directions", str(folder), "--json").out)
    assert told["shares"][WRONG] < 0.0085
    assert told["shares"][RIGHT] > 0.58


def test_a_folder_without_directions_is_refused(camphor: Camphor, tmp_path: Path) -> None:
    ran = camphor("evaluate", "directions", str(tmp_path))
    assert ran.status == 2
    assert "has no directions" in " ".join(ran.err.split())
