"""`camphor bring`: what a person sees, which device is meant, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Paint.md").write_text("Hall: RAL 9010", encoding="utf-8")
    (folder / "Locker.md").write_text("4711 on the left", encoding="utf-8")
    return folder


def new(camphor: Camphor, name: str = "me") -> None:
    assert camphor("device", "new", name, "--owner", "Ines").status == 0


def test_a_folder_comes_in_once_and_is_kept_fresh(camphor: Camphor, vault: Path) -> None:
    new(camphor)
    first = camphor("bring", str(vault))
    assert (first.status, "notes notes: 2 new" in first.out) == (0, True), first.err
    (vault / "Paint.md").write_text("Hall: RAL 9016", encoding="utf-8")
    assert "1 changed, 1 same" in camphor("bring", "--again").out
    shown = json.loads(camphor("device", "show", "me", "notes", "--json").out)
    assert "RAL 9016" in json.dumps(shown)
    listed = json.loads(camphor("bring", "--json").out)["sources"]
    assert [(each["importer"], each["records"]) for each in listed] == [("notes", 2)]


def test_a_preview_shows_and_writes_nothing(camphor: Camphor, vault: Path) -> None:
    new(camphor)
    ran = camphor("bring", "--preview", str(vault))
    assert "Paint; Hall: RAL 9010" in ran.out
    assert json.loads(camphor("bring", "--json").out)["sources"] == []


def test_a_source_is_forgotten_with_what_it_brought(camphor: Camphor, vault: Path) -> None:
    new(camphor)
    camphor("bring", str(vault))
    assert "2 records are gone" in camphor("bring", "--forget", str(vault), "--records").out
    assert "9010" not in camphor("device", "show", "me", "notes", "--json").out


def test_the_device_must_be_clear_and_a_persons_own(camphor: Camphor, vault: Path) -> None:
    ran = camphor("bring", str(vault))
    assert (ran.status, "camphor device new" in one_line(ran.err)) == (2, True)
    new(camphor)
    new(camphor, "other")
    ran = camphor("bring", str(vault))
    assert (ran.status, "you have me, other" in one_line(ran.err)) == (2, True)
    assert camphor("bring", str(vault), "--device", "other").status == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.ics"], "there is nothing there"),
        (["--as", "bogus", "."], "there is no importer 'bogus'"),
        (["--again", "--as", "ics"], "name none"),
        (["--forget", "x"], "nothing was brought in from there"),
    ],
)
def test_what_is_wrong_is_one_line(camphor: Camphor, words: list[str], told: str) -> None:
    new(camphor)
    ran = camphor("bring", *words)
    assert ran.status == 2
    assert told in one_line(ran.err)


def test_a_file_of_no_kind_is_told_with_what_can_be(camphor: Camphor, tmp_path: Path) -> None:
    new(camphor)
    (tmp_path / "thing.bin").write_bytes(b"\x00\x01\x02" * 50)
    ran = camphor("bring", str(tmp_path / "thing.bin"))
    assert (ran.status, "calendar files (.ics)" in one_line(ran.err)) == (2, True)
