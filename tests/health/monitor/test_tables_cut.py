"""Tables that break off, and such that are too large."""

from __future__ import annotations

from pathlib import Path

import pytest
from vitals_doubles import ZONE

from camphor.errors import UsageError
from camphor.health.monitor import tables
from camphor.health.monitor.imports import read

HEAD = "time,heart rate,oxygen,note\n"
ROWS = "".join(f'2026-03-12T08:{minute:02d}:00,61,97,"calm, in bed"\n' for minute in range(20))
LIBRE = "Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mmol/L\n" + "".join(
    f"Reader,1,2026-03-12 08:{minute:02d},0,5.5\n" for minute in range(20)
)


@pytest.mark.parametrize(
    ("text", "readings", "lost"),
    [
        (HEAD + ROWS, 40, ""),
        (HEAD + ROWS.rstrip(), 40, ""),
        (HEAD + ROWS + "2026-03-12T08:20:00,6", 40, "1 row was not read"),
        (HEAD + ROWS + '2026-03-12T08:20:00,61,97,"cal', 40, "1 row was not read"),
        (
            HEAD + ROWS + '2026-03-12T08:20:00,61,97,"calm\n' + "2026-03-12T08:30:00,61,97,\n" * 19,
            40,
            "20 rows were not read",
        ),
        (HEAD + ROWS + '2026-03-12T08:20:00,61,97,"a note\nof two lines"\n', 42, ""),
        (LIBRE + "Reader,1,2026-03-12 09", 20, "1 row was not read"),
    ],
)
def test_a_table_that_breaks_off_is_read_to_there_and_says_how_many_rows_were_not(
    tmp_path: Path, text: str, readings: int, lost: str
) -> None:
    path = tmp_path / "vitals.csv"
    path.write_text(text, encoding="utf-8")
    found = read(path, ZONE)
    assert found.readings == readings
    assert lost in found.broken
    assert bool(lost) == bool(found.broken)


def test_a_table_that_is_too_large_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_BYTES", 1 << 20)
    path = tmp_path / "years.csv"
    path.write_text(HEAD + ROWS * 2000, encoding="utf-8")
    with pytest.raises(UsageError, match="has 1 MB, and tables are read up to 1 MB: take in a shorter time, or split"):
        read(path, ZONE)
