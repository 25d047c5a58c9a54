from __future__ import annotations

import json
from pathlib import Path

from cli_doubles import Camphor, one_line

TOOLS = [
    {"name": "setAlarm", "description": "Set an alarm.", "parameters": {"type": "object", "properties": {}}},
    {"name": "sendMail", "description": "Send an e-mail.", "parameters": {"type": "object", "properties": {}}},
]


def test_the_tools_of_a_file_are_searched_and_their_vectors_kept(camphor: Camphor, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS), encoding="utf-8")
    ran = camphor("tools", "search", "wake me up at 7", "--tools", str(path), "--json")
    assert (ran.status, ran.err) == (0, "")
    assert [hit["tool"] for hit in json.loads(ran.out)] == ["setAlarm", "sendMail"]
    (kept,) = (camphor.home / "cache" / "tool-index").iterdir()
    before = kept.stat().st_size
    new = {"name": "dial", "description": "Phone a number.", "parameters": {"type": "object", "properties": {}}}
    path.write_text(json.dumps([*TOOLS, new]), encoding="utf-8")
    ran = camphor("tools", "search", "phone 112", "--tools", str(path), "-k", "1")
    assert ran.status == 0
    assert "dial" in ran.out
    assert "setAlarm" not in ran.out
    assert kept.stat().st_size > before


def test_the_tools_of_the_demo_phone_are_searched(camphor: Camphor) -> None:
    ran = camphor("tools", "search", "remind me to water the plants", "-k", "3", "--json")
    assert ran.status == 0
    hits = json.loads(ran.out)
    assert len(hits) == 3
    assert "create_reminders" in [hit["tool"] for hit in hits]


def test_two_places_for_tools_are_refused(camphor: Camphor, tmp_path: Path) -> None:
    ran = camphor("tools", "search", "x", "--tools", str(tmp_path), "--device", "demo")
    assert ran.status == 2
    assert "give one" in one_line(ran.err)
