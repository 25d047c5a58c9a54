"""A folder of notes: what becomes of each file, and what is left out and told."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers import Situation, Unread
from camphor.device.importers.notes import NOTES
from tests.doubles.plans import UNHURRIED

OSLO = Situation(datetime(2026, 5, 6, 9), tz.gettz("Europe/Oslo"))
AT = datetime(2026, 1, 2, 12, tzinfo=UTC).timestamp()


def write(folder: Path, name: str, text: str | bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (AT, AT))


def read(folder: Path) -> tuple[dict[str, dict[str, object]], Unread]:
    unread = Unread()
    return {each.key: dict(each.record) for each in NOTES.read(folder, OSLO, unread)}, unread


def test_a_title_comes_from_front_matter_a_heading_or_the_name(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\ntitle: 'Paint'\ntags: [home, #walls]\n---\nHall: RAL 9010\n")
    write(tmp_path, "Trips/b.md", "# Lofoten\n\nTake boots.")
    write(tmp_path, "Locker code.txt", "4711")
    found, unread = read(tmp_path)
    assert found == {
        "a.md": {"title": "Paint", "content": "Hall: RAL 9010", "modified": "2026-01-02T13:00:00",
                 "tags": ["home", "walls"]},
        "Trips/b.md": {"title": "Lofoten", "content": "Take boots.", "modified": "2026-01-02T13:00:00",
                       "folder": "Trips"},
        "Locker code.txt": {"title": "Locker code", "content": "4711", "modified": "2026-01-02T13:00:00"},
    }  # fmt: skip
    assert unread.count == 0


def test_hidden_files_links_and_others_are_left_out(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    write(vault, ".obsidian/app.md", "settings")
    write(vault, ".trash/old.md", "gone")
    write(vault, "picture.png", b"\x89PNG")
    write(tmp_path, "secret.md", "outside")
    write(vault, "kept.md", "kept")
    (vault / "link.md").symlink_to(tmp_path / "secret.md")
    assert list(read(vault)[0]) == ["kept.md"]
    assert NOTES.recognises(vault)
    assert not NOTES.recognises(tmp_path / "nowhere")


def test_what_is_no_text_is_told_by_its_name_alone(tmp_path: Path) -> None:
    write(tmp_path, "latin.txt", "Blåbær".encode("latin-1"))
    write(tmp_path, "log.txt", b"x" * (5 << 20))
    found, unread = read(tmp_path)
    assert not found
    assert unread.told == ["latin.txt: not UTF-8 text", "log.txt: larger than 4 MiB"]


@UNHURRIED
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_told(tmp_path_factory: object, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("notes")  # type: ignore[attr-defined]
    write(folder, "a.md", content)
    found, unread = read(folder)
    assert len(found) + unread.count <= 1
