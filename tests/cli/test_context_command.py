"""`camphor context`: what is kept about the use of a phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line

USE = {"app": "music", "list": "songs", "item": 0, "kind": "played", "place": "commute", "screen": "Music"}
PHONE = {
    "format": "camphor.device/1",
    "id": "p1",
    "now": "2026-03-12T08:45:00",
    "usage": [{**USE, "at": f"2026-03-{day:02}T07:42:00"} for day in (3, 10)]
    + [{**USE, "item": 7, "at": "2026-03-01"}],
    "apps": {
        "music": {"songs": [{"title": "Grândola", "artist": "Zeca"}, {"title": "Other"}]},
        "notes": {"notes": []},
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "p1.device.json").write_text(json.dumps(PHONE), encoding="utf-8")
    return tmp_path / "p1.device.json"


def test_a_person_sees_corrects_and_deletes_what_is_kept(camphor: Camphor, file: Path) -> None:
    assert "1 of 3 events" in camphor("device", "import", str(file)).out
    on = ("--device", "p1")
    shown = json.loads(camphor("context", "show", "--json", *on).out)
    assert (shown["used"], shown["paused"], shown["skipped"]) == (1, False, 1)
    assert "used 2 times" in camphor("context", "show", "grandola", *on).out
    assert "0 of 0 items" in camphor("context", "show", "nothing", *on).out
    assert "at commute 2 times" in camphor("context", "why", "music/songs/0", *on).out
    assert camphor("context", "correct", "1", "--place", "gym", "--at", "2026-03-04T18:00", *on).status == 0
    why = json.loads(camphor("context", "why", "music/songs/0", "--json", *on).out)
    assert [(each["event"], each["place"]) for each in why["events"]] == [(1, "gym"), (2, "commute")]
    assert camphor("context", "correct", "2", "--remove", *on).status == 0
    assert "used once" in camphor("context", "why", "music/songs/0", *on).out
    assert "Deleted 1 event\n" in camphor("context", "forget", "music/songs/0", *on).out
    assert "nothing is kept" in camphor("context", "why", "music/songs/0", *on).out
    assert camphor("context", "pause", *on).status == 0
    assert camphor("context", "forget", "--all", *on).status == 0
    assert json.loads(camphor("device", "export", "p1").out)["usage"] == []
    assert json.loads(camphor("context", "show", "--json", *on).out)["paused"]
    assert camphor("context", "resume", *on).status == 0


@pytest.mark.parametrize(
    "words",
    [
        ("why", "music/songs/9"), ("why", "songs"), ("correct", "9", "--remove"), ("correct", "1"),
        ("correct", "1", "--kind", "danced"), ("correct", "1", "--at", "soon"),
        ("correct", "1", "--remove", "--kind", "used"), ("forget",), ("forget", "music/songs/0", "--all"),
    ],
)  # fmt: skip
def test_wrong_use_is_told_in_one_line(camphor: Camphor, file: Path, words: tuple[str, ...]) -> None:
    camphor("device", "import", str(file))
    ran = camphor("context", *words, "--device", "p1")
    assert ran.status == 2
    one_line(ran.err)


def test_a_device_file_is_shown_and_stays_as_it_is(camphor: Camphor, file: Path) -> None:
    before = file.read_bytes()
    assert "used 2 times" in camphor("context", "show", "--device", str(file)).out
    ran = camphor("context", "forget", "--all", "--device", str(file))
    assert ran.status == 2
    assert "device import" in one_line(ran.err)
    assert file.read_bytes() == before
