"""Apple Health's export: `export.xml`, or the `export.zip` that holds it, read as a stream however large it is."""

from __future__ import annotations

import zipfile
import zlib
from datetime import datetime, tzinfo
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from camphor.errors import UsageError
from camphor.health.monitor.formats import formats
from camphor.health.monitor.imported import Imported, conversion
from camphor.health.monitor.vitals import Vital, epoch

_FORM = formats()["apple"]
KINDS = {f"HKQuantityTypeIdentifier{name}": Vital(kind) for name, kind in _FORM["kinds"].items()}
STAGES = {f"HKCategoryValueSleepAnalysis{name}": Vital(kind) for name, kind in _FORM["stages"].items()}
_SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
_AT_ONCE = 1 << 20
_LONGEST_DOCTYPE = 1 << 22
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


def read_zip(archive: zipfile.ZipFile, path: Path, zone: tzinfo | None) -> Imported | None:
    """The export in a zip file; None where it holds none. Raises UsageError: the export is something else."""
    # the file is named in the phone's language; the clinical copy beside it has another form
    files = [each for each in archive.infolist() if each.filename.casefold().endswith(".xml")]
    files = [each for each in files if "cda" not in each.filename.rsplit("/", 1)[-1].casefold()]
    for each in sorted(files, key=lambda each: -each.file_size):
        with archive.open(each) as file:
            if b"<HealthData" not in file.read(_AT_ONCE):
                continue
        with archive.open(each) as file:
            return _read(file, zone, path)  # type: ignore[arg-type]
    return None


def read_xml(path: Path, zone: tzinfo | None) -> Imported:
    """The export in an XML file. Raises UsageError: it is another kind of XML."""
    with path.open("rb") as file:
        return _read(file, zone, path)


def _read(file: BinaryIO, zone: tzinfo | None, path: Path) -> Imported:
    reading = _AppleReading(zone)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reading.element
    try:
        chunk = _without_doctype(file)
        while chunk:
            parser.Parse(chunk, False)
            if reading.root and reading.root != "HealthData":
                raise UsageError(f"{path} is XML, but no Apple Health export: its first element is {reading.root[:40]}")
            chunk = file.read(_AT_ONCE)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        at = f"line {error.lineno:,}"
        reading.found.broken = f"the file is damaged or cut off at {at}: what stands before it was read"
    except DAMAGED as error:
        reading.found.broken = f"the file is damaged ({error}): what stands before it was read"
    if not reading.root:
        raise UsageError(f"{path} is no Apple Health export: export it in the Health app and name export.zip")
    return reading.found


def _without_doctype(file: BinaryIO) -> bytes:
    """The begin of the file without its document type, which newer phones write wrongly and which nothing here needs.

    Without it no entity can be defined either, so that none can grow.
    """
    head = file.read(_AT_ONCE)
    start = head.find(b"<!DOCTYPE")
    if start < 0:
        return head
    while True:
        inside = head.find(b"[", start)
        close = head.find(b">", start)
        end = head.find(b"]>", start) + 1 if 0 <= inside < close else close
        if end > 0:
            # the lines are kept, so that a fault is told at its line
            return head[:start] + b"\n" * head.count(b"\n", start, end) + head[end + 1 :]
        more = file.read(_AT_ONCE)
        if not more or len(head) > _LONGEST_DOCTYPE:
            return head[:start]
        head += more


class _AppleReading:
    """Takes the elements as they come."""

    def __init__(self, zone: tzinfo | None) -> None:
        self.found, self.zone, self.root = Imported(), zone, ""

    def element(self, name: str, attributes: dict[str, str]) -> None:
        if not self.root:
            self.root = name
        if name == "Record":
            kind = KINDS.get(attributes.get("type", ""))
            if kind is not None:
                self._quantity(kind, attributes)
            elif attributes.get("type") == _SLEEP:
                self._sleep(attributes)
        elif name == "Workout":
            self._workout(attributes)

    def _quantity(self, kind: Vital, attributes: dict[str, str]) -> None:
        at = self._time(attributes, "startDate")
        if at is None:
            return
        unit = attributes.get("unit", "")
        convert = conversion(kind, unit)
        if convert is None:
            self.found.skip(f"{kind.value} in an unknown unit ({unit[:20]})")
            return
        value = _number(attributes.get("value", ""))
        if value is None:
            self.found.skip(f"{kind.value} without a number")
            return
        # Apple writes shares of one under the unit %
        value = value * 100 if kind is Vital.OXYGEN and value <= 1 else convert(value)
        self.found.units[kind] = unit
        self.found.add(kind, attributes.get("sourceName", ""), at, value)

    def _sleep(self, attributes: dict[str, str]) -> None:
        stage = STAGES.get(attributes.get("value", ""))
        if stage is None:
            return
        at, end = self._time(attributes, "startDate"), self._time(attributes, "endDate")
        if at is None or end is None:
            return
        if end < at:
            self.found.skip("sleep that ends before it begins")
            return
        self.found.add(stage, attributes.get("sourceName", ""), at, (end - at) / 60)

    def _workout(self, attributes: dict[str, str]) -> None:
        at, end = self._time(attributes, "startDate"), self._time(attributes, "endDate")
        if at is not None and end is not None and 0 < end - at < 86_400:
            for minute in range(int((end - at) // 60)):
                self.found.add(Vital.EXERCISE, attributes.get("sourceName", ""), at + 60 * minute, 1.0)

    def _time(self, attributes: dict[str, str], name: str) -> float | None:
        try:
            return epoch(_moment(attributes.get(name, "")), self.zone)
        except (ValueError, OverflowError):
            self.found.skip("a time that cannot be read")
            return None


@lru_cache(maxsize=4096)
def _moment(text: str) -> datetime:
    """The moment of `2024-08-11 21:34:30 -0700`. Raises ValueError: it is no time."""
    return datetime.fromisoformat(text.strip().replace(" +", "+").replace(" -", "-"))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None
