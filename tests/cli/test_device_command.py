"""`camphor device`, `camphor tools` and the data folder."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.talks import Talks, talks_file
from camphor.models.llama import embedded_model, shipped_adapter
from camphor.models.merge import merge
from camphor.trajectories.items import Item
from camphor.trajectories.taught import Taught
from camphor.types import Call
from tests.doubles.command import Camphor, one_line

DEMO: dict[str, Any] = json.loads((files("camphor") / "demo" / "ines-dublin.device.json").read_text(encoding="utf-8"))


def test_the_demo_phone_is_rich() -> None:
    lists = [
        records
        for app in DEMO["apps"].values()
        for records in (app["records"] if "tools" in app else app).values()
        if isinstance(records, list)
    ]
    assert len(DEMO["apps"]) >= 15
    assert sum(len(records) for records in lists) >= 170
    assert len(DEMO["web"]) >= 10
    first_names = Counter(person["name"].split()[0] for person in DEMO["apps"]["contacts"]["people"])
    assert first_names["Seán"] == 2
    kinds = Counter(tool["kind"] for tool in DEMO["apps"]["rothar"]["tools"])
    assert kinds == {"context": 2, "action": 2}


def test_export_gives_back_what_was_shipped(camphor: Camphor) -> None:
    assert json.loads(camphor("device", "export").out) == DEMO


def test_import_and_export_lose_nothing(camphor: Camphor, tmp_path: Path) -> None:
    source, target = tmp_path / "mine.device.json", tmp_path / "back.device.json"
    source.write_text(json.dumps({**DEMO, "id": "mine", "mood": {"x": [1, None, "é"]}}), encoding="utf-8")
    assert camphor("device", "import", str(source)).status == 0
    assert camphor("device", "export", "mine", "--out", str(target)).status == 0
    assert json.loads(target.read_text(encoding="utf-8")) == json.loads(source.read_text(encoding="utf-8"))


def test_a_store_file_is_a_device_too(camphor: Camphor) -> None:
    assert camphor("device", "show").status == 0
    store = str(camphor.home / "devices" / "ines-dublin.camphor")
    assert camphor("device", "show", store).out.startswith("Ines Marques")
    assert camphor("device", "import", store, "--name", "twin").status == 0
    assert json.loads(camphor("device", "export", "twin").out) == DEMO


def test_a_name_that_is_taken(camphor: Camphor, tmp_path: Path) -> None:
    source = tmp_path / "p.device.json"
    source.write_text(json.dumps({**DEMO, "id": "p"}), encoding="utf-8")
    assert camphor("device", "import", str(source)).status == 0
    again = camphor("device", "import", str(source))
    assert again.status == 2
    assert "--replace" in one_line(again.err)
    source.write_text(json.dumps({**DEMO, "id": "p", "owner": "Other"}), encoding="utf-8")
    (camphor.home / "devices" / "p.camphor.items").touch()  # what its items were, for ranking
    assert camphor("device", "import", str(source), "--replace").status == 0
    assert camphor("device", "show", "p").out.startswith("Other")
    assert sorted(path.name for path in (camphor.home / "devices").iterdir()) == ["p.camphor"]


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "x" * 65, "a\x00b"])
def test_names_that_cannot_be(camphor: Camphor, tmp_path: Path, name: str) -> None:
    source = tmp_path / "p.device.json"
    source.write_text(json.dumps({**DEMO, "id": name or "/"}), encoding="utf-8")
    ran = camphor("device", "import", str(source))
    assert ran.status == 2
    one_line(ran.err)
    assert not (camphor.home / "devices").exists() or not list((camphor.home / "devices").iterdir())


def test_a_broken_file_leaves_no_device(camphor: Camphor, tmp_path: Path) -> None:
    source = tmp_path / "p.device.json"
    source.write_text(json.dumps({**DEMO, "id": "p", "web": 3}), encoding="utf-8")
    ran = camphor("device", "import", str(source))
    assert ran.status == 2
    assert "/web" in one_line(ran.err)
    assert not list(camphor.home.rglob("*.camphor"))


@pytest.mark.parametrize(
    "words",
    [
        ["device", "import", "missing.device.json"],
        ["device", "import", "."],
        ["device", "export", "nobody"],
        ["device", "export", "--out", "/nowhere/at/all/x.json"],
        ["device", "show", "nobody"],
        ["device", "show", "ines-dublin", "zeppelin"],
        ["device", "new", "a/b"],
        ["device", "new", "a", "--apps", "contacts,zeppelin"],
        ["device", "new", "a", "--now", "yesterday-ish"],
        ["device", "new", "a", "--timezone", "Mars/Olympus"],
        ["device", "settle", "ines-dublin", "7", "--done"],
        ["tools", "get_calender_event"],
        ["tools", "--agent", "boss"],
        ["tools", "--device", "nobody"],
    ],
)
def test_bad_input_is_one_line_and_status_2(camphor: Camphor, words: list[str]) -> None:
    ran = camphor(*words)
    assert (ran.status, ran.out) == (2, "")
    one_line(ran.err)


def test_a_new_phone(camphor: Camphor) -> None:
    made = camphor("device", "new", "ana", "--owner", "Ana Prieto", "--now", "2026-05-01T09:00:00", "--city", "Vigo")
    assert made.status == 0, made.err
    shown = json.loads(camphor("device", "show", "ana", "--json").out)
    assert (shown["owner"], shown["now"], shown["location"]) == ("Ana Prieto", "2026-05-01T09:00:00", {"city": "Vigo"})
    assert set(shown["apps"]) == {"contacts", "calendar", "mail", "imessage", "reminders", "notes"}
    assert [each["name"] for each in json.loads(camphor("device", "list", "--json").out)["devices"]] == [
        "ana",
        "ines-dublin",
    ]


def test_two_processes_make_the_demo_phone_at_once(camphor: Camphor) -> None:
    running = [
        subprocess.Popen(
            camphor.command("device", "show"), env=camphor.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(3)
    ]
    results = [(*process.communicate(), process.returncode) for process in running]
    assert [(err, status) for _, err, status in results] == [(b"", 0)] * 3
    assert json.loads(camphor("device", "export").out) == DEMO


def test_records_are_shown(camphor: Camphor) -> None:
    shown = camphor("device", "show", "ines-dublin", "calendar").out
    assert "Lunch with Alice" in shown
    stations = json.loads(camphor("device", "show", "ines-dublin", "rothar", "--json").out)["stations"]
    assert stations == DEMO["apps"]["rothar"]["records"]["stations"]


def test_records_cannot_steer_the_terminal(camphor: Camphor, tmp_path: Path) -> None:
    source = tmp_path / "p.device.json"
    note = {"title": "\x1b]0;owned\x07", "content": "a\u202eb\x9bc [bold]x[/bold]"}
    source.write_text(
        json.dumps({"format": "camphor.device/1", "id": "p", "apps": {"notes": {"notes": [note]}}}), encoding="utf-8"
    )
    shown = camphor("device", "show", str(source), "notes").out
    assert not set(shown) & {"\x1b", "\x07", "\x9b", "\u202e"}
    assert "[bold]x[/bold]" in shown
    assert json.loads(camphor("device", "show", str(source), "notes", "--json").out) == {"notes": [note]}


def test_tools(camphor: Camphor) -> None:
    tools = json.loads(camphor("tools", "--json").out)
    assert len(tools) == 3 + 1 + 1 + 4 + 23 + 13 + 4
    acting = {tool["name"] for tool in tools if tool["kind"] == "action"}
    assert {"send_mail", "reserve_rothar_bike"} <= acting
    one = camphor("tools", "reserve_rothar_bike").out
    assert "5 to 30" in one
    assert "you are asked first" in one
    named = json.loads(camphor("tools", "get_calendar_event", "--json").out)
    assert set(named["parameters"]["properties"]) == {"theme", "time_range"}
    only = json.loads(camphor("tools", "--agent", "user_perception", "--json").out)
    assert [tool["name"] for tool in only] == ["get_intent"]


def test_doctor_tells_all_as_json(camphor: Camphor) -> None:
    ran = camphor("doctor", "--json")
    found = json.loads(ran.out)
    assert {"camphor", "python", "parts", "model", "data_folder", "ready", "problems"} <= set(found)
    assert ran.status == (0 if found["ready"] else 1)
    assert found["data_folder"]["path"] == str(camphor.home)
    assert not camphor.home.exists()  # looking changes nothing


def test_doctor_runs_the_model_and_reads_its_files(camphor: Camphor) -> None:
    base, adapter = embedded_model(), shipped_adapter()
    assert adapter is not None
    merged = merge(base, adapter, camphor.home / "cache")
    found = json.loads(camphor("doctor", "--json").out)
    assert found["ready"]
    assert found["model"]["merged"]["path"] == str(merged)
    assert found["model"]["self_test"]["died"] == []
    told = camphor("doctor", env={"CAMPHOR_SELFTEST_FAULT": "SIGILL:0"})
    assert told.status == 0
    assert "one thread" in told.out
    assert "(SIGILL)" in told.out
    dead = camphor("doctor", env={"CAMPHOR_SELFTEST_FAULT": "SIGSEGV:0,1,2"})
    assert dead.status == 1
    assert "segmentation fault" in dead.out
    assert "Ready." not in dead.out
    before = merged.stat()
    with merged.open("r+b") as file:
        file.seek(100_000_000)
        file.write(os.urandom(300))
    os.utime(merged, ns=(before.st_atime_ns, before.st_mtime_ns))
    changed = camphor("doctor")
    assert changed.status == 1
    assert f"{merged}: the file was changed after it was made" in changed.out


def test_doctor_names_a_folder_that_cannot_be_written(camphor: Camphor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = camphor("doctor", env={"CAMPHOR_HOME": str(tmp_path / "file" / "below")})
    assert ran.status == 1
    assert "CAMPHOR_HOME" in ran.out


def demo(camphor: Camphor) -> Path:
    camphor("device", "list")
    return camphor.home / "devices" / "ines-dublin.camphor"


def test_the_journal_of_a_phone_on_which_nothing_was_done_says_so(camphor: Camphor) -> None:
    assert camphor("device", "show", "--journal").out == "Nothing was done on ines-dublin yet.\n"
    assert json.loads(camphor("device", "show", "--journal", "--json").out) == []


def test_an_action_is_undone_once_and_the_journal_says_so(camphor: Camphor) -> None:
    store = demo(camphor)
    with Device.open(store) as phone:
        kept = phone.records("notes", "notes")
        phone.execute(Call("create_notes", {"content": "Milk"}))
    assert camphor("device", "undo", "1").out.startswith("Undone: create_notes(")
    again = camphor("device", "undo", "1")
    assert again.status == 1
    assert "undone before" in one_line(again.err)
    [entry] = json.loads(camphor("device", "show", "--journal", "--json").out)
    assert (entry["undoable"], bool(entry["undone"])) == (False, True)
    with Device.open(store) as phone:
        assert phone.records("notes", "notes") == kept


def test_a_removed_phone_takes_all_that_belongs_to_it_along(camphor: Camphor) -> None:
    store = demo(camphor)
    talks = Talks(talks_file(store))
    talks.add(talks.begin().id, "asked", {"query": "my secret"})
    talks.close()
    Taught(store).put(Item("taught-0", {}, "my secret"))
    refused = camphor("device", "remove", store.stem)
    assert refused.status == 1
    assert "--yes" in one_line(refused.err)
    assert camphor("device", "remove", store.stem, "--yes").out == "Removed ines-dublin\n"
    assert list(store.parent.iterdir()) == []
    assert "There is no device" in one_line(camphor("device", "remove", store.stem, "--yes").err)


def test_a_memory_is_corrected(camphor: Camphor) -> None:
    camphor("memory", "remember", "my dentist is Dr Ode")
    told = camphor("memory", "correct", "1", "my dentist is Dr Lund").out
    assert told == "This holds: Your dentist is Dr Lund. No longer: Your dentist is Dr Ode.\n"
