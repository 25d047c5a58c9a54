"""How long a life takes to come in: calendar, contacts, mail and notes of ten years, written as their formats are.

    python benchmarks/bring.py --out results/bring.json
    python benchmarks/bring.py --events 800 --mails 6000 --notes 200      (a tenth)

The corpus is made in a temporary folder: 8,000 events (a fifth of them series) by icalendar, 600 contacts by vobject,
60,000 mails by the standard library's mailbox, 2,000 Markdown notes; words come from the project's bank of texts. Each
source is brought onto a new device by what `camphor bring` runs, in a process of its own, and once more with nothing
new. Told are records, seconds, records a second, the highest memory, and beside them the floor: reading the same files
as plain bytes and inserting as many rows into a bare SQLite table.
"""

from __future__ import annotations

import argparse
import json
import mailbox
import multiprocessing
import random
import resource
import sqlite3
import tempfile
import time
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from camphor.device.device import Device
from camphor.device.importers import Situation, Unread, importer_of
from camphor_lab.datasets.bank import Bank
from camphor_lab.evaluation.results import write_report

NOW = datetime(2026, 3, 12, 8, 45)
ZONE = ZoneInfo("Europe/Dublin")
EMPTY = {"format": "camphor.device/1", "id": "me", "owner": "Ines Marques", "now": NOW.isoformat(),
         "timezone": "Europe/Dublin", "apps": {}}  # fmt: skip


def texts() -> list[str]:
    """Lines of everyday text."""
    return [line for lines in Bank("train").content.values() for line in lines if "{" not in line]


def write_events(path: Path, count: int, rng: random.Random, lines: list[str]) -> None:
    from icalendar import Calendar, Event

    calendar = Calendar()
    for number in range(count):
        event = Event()
        start = NOW.replace(tzinfo=ZONE) - timedelta(days=rng.uniform(-300, 3650))
        event.add("uid", f"{number}@example.org")
        event.add("summary", rng.choice(lines)[:80])
        event.add("dtstart", start.replace(minute=0, second=0, microsecond=0))
        event.add("dtend", start.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1))
        event.add("location", rng.choice(lines)[:40])
        if number % 5 == 0:
            event.add("rrule", {"freq": "weekly", "count": rng.randint(2, 30)})
        calendar.add_component(event)
    path.write_bytes(calendar.to_ical())


def write_contacts(path: Path, count: int, rng: random.Random) -> None:
    import vobject

    names = [
        f"{first} {last}" for first in ("Ana", "Ben", "Cara", "Dev", "Eoin", "Fay") for last in map(str, range(400))
    ]
    with path.open("w", encoding="utf-8") as out:
        for number, name in enumerate(rng.sample(names, min(count, len(names)))):
            card = vobject.vCard()
            card.add("fn").value = name
            card.add("n").value = vobject.vcard.Name(family=name.split()[1], given=name.split()[0])
            card.add("uid").value = str(number)
            card.add("tel").value = f"+353 1 555 {number:04d}"
            card.add("email").value = f"{number}@example.org"
            out.write(card.serialize())


def write_mails(path: Path, count: int, rng: random.Random, lines: list[str]) -> None:
    box = mailbox.mbox(path)
    for number in range(count):
        mail = EmailMessage()
        mail["From"] = f"Writer {rng.randint(0, 500)} <w{rng.randint(0, 500)}@example.org>"
        mail["To"] = "Ines <ines@example.org>"
        mail["Subject"] = rng.choice(lines)[:90]
        mail["Date"] = (NOW.replace(tzinfo=ZONE) - timedelta(minutes=rng.randint(0, 5_000_000))).strftime(
            "%a, %d %b %Y %H:%M:%S %z"
        )
        mail["Message-ID"] = f"<{number}@example.org>"
        mail.set_content("\n".join(rng.choices(lines, k=rng.randint(3, 25))))
        box.add(mail)
    box.close()


def write_notes(path: Path, count: int, rng: random.Random, lines: list[str]) -> None:
    for number in range(count):
        file = path / f"{number % 20}" / f"note {number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {rng.choice(lines)[:60]}\n\n" + "\n".join(rng.choices(lines, k=20)), encoding="utf-8")


def bring(source: Path, store: Path) -> dict[str, Any]:
    """Bring one source in, and again; called in a process of its own, so that its memory is its own."""
    told: dict[str, Any] = {}
    with Device.open(store) as device:
        for turn in ("first", "again"):
            unread, importer = Unread(), importer_of(source)
            begun = time.perf_counter()
            done = device.sources.bring(
                importer.name, str(source), importer.read(source, Situation(NOW, device.zone, device.owner), unread),
                NOW.isoformat(), mirrors=importer.mirrors,
            )  # fmt: skip
            seconds = time.perf_counter() - begun
            total = done.total
            told[turn] = {
                "new": total.new, "changed": total.changed, "same": total.same, "unread": unread.count,
                "seconds": round(seconds, 2), "records_per_second": round((total.new + total.same) / seconds),
            }  # fmt: skip
    told["peak_megabytes"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return told


def floor(source: Path, rows: int) -> float:
    """Seconds for reading the same bytes and writing as many rows into a bare table."""
    begun = time.perf_counter()
    files = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
    size = sum(len(path.read_bytes()) for path in files)
    with tempfile.TemporaryDirectory() as folder:
        base = sqlite3.connect(Path(folder) / "x.db")
        base.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
        text = "x" * min(2000, size // max(1, rows))
        base.executemany("INSERT INTO t (b) VALUES (?)", ((text,) for _ in range(rows)))
        base.commit()
        base.close()
    return round(time.perf_counter() - begun, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, count in (("events", 8000), ("contacts", 600), ("mails", 60_000), ("notes", 2000)):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rng, lines = random.Random(7), texts()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = {each: folder / each for each in ("calendar.ics", "contacts.vcf", "archive.mbox", "notes")}
        write_events(sources["calendar.ics"], given.events, rng, lines)
        write_contacts(sources["contacts.vcf"], given.contacts, rng)
        write_mails(sources["archive.mbox"], given.mails, rng, lines)
        write_notes(sources["notes"], given.notes, rng, lines)
        store = folder / "me.camphor"
        Device.create(store, EMPTY).close()
        told: dict[str, Any] = {}
        for title, source in sources.items():
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                told[title] = pool.apply(bring, (source, store))
            told[title]["floor_seconds"] = floor(source, told[title]["first"]["new"])
            print(title, json.dumps(told[title]), flush=True)
        report = {
            "command": "python benchmarks/bring.py --out results/bring.json",
            "sources": told,
            "seconds": round(sum(each["first"]["seconds"] for each in told.values()), 1),
            "peak_megabytes": max(each["peak_megabytes"] for each in told.values()),
            "store_megabytes": round(store.stat().st_size / 1e6, 1),
        }
    print(json.dumps({key: value for key, value in report.items() if key != "sources"}))
    if given.out:
        write_report(given.out, report)


if __name__ == "__main__":
    main()
