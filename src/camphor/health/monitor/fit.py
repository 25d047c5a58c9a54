"""FIT files of sports watches, through `fitdecode`: activities and the monitoring of whole days."""

from __future__ import annotations

import struct
import warnings
from datetime import datetime
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

from camphor.errors import MissingExtra, UsageError
from camphor.health.monitor.formats import formats
from camphor.health.monitor.imported import Imported
from camphor.health.monitor.vitals import Vital

_FORM = formats()["fit"]
FIELDS = {name: [(each, Vital(kind)) for each, kind in told.items()] for name, told in _FORM["fields"].items()}
"""Fields of each message that are vital signs."""
STAGES = {name: Vital(kind) for name, kind in _FORM["stages"].items()}
_FIT_EPOCH = 631_065_600  # 1989-12-31 UTC
_WALKED = ("walking", "running")


def read(path: Path) -> Imported:
    """The vitals of a FIT file; FIT times are UTC.

    Raises:
        UsageError: it is no FIT file. MissingExtra: `fitdecode` is not installed.
    """
    try:
        import fitdecode
    except ImportError as error:
        raise MissingExtra("fitdecode, which reads FIT files,", "health") from error
    reading = _FitReading()
    faults = (fitdecode.FitError, struct.error, ValueError, KeyError, IndexError, TypeError, AssertionError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the sum at the end and of unknown fields, which change nothing here
        try:
            with fitdecode.FitReader(str(path), check_crc=fitdecode.CrcCheck.READONLY) as file:
                for frame in file:
                    if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                        reading.message(frame)
        except fitdecode.FitHeaderError as error:
            if not reading.messages:
                raise UsageError(f"{path} is no FIT file ({error}): export it from the watch again") from error
            reading.found.broken = "the file goes on with something that is no FIT data: what stands before was read"
        except faults as error:
            # the decoder fails in many ways on bytes that make no sense
            reading.found.broken = f"the file is damaged or cut off ({error}): what stands before was read"
    reading.finish()
    if reading.file_kind and not reading.found.readings and not reading.found.broken:
        kind = str(reading.file_kind).replace("_", " ")
        reading.found.broken = f"it is a FIT file with a {kind} and no vital signs: export an activity or monitoring"
    return reading.found


class _FitReading:
    def __init__(self) -> None:
        self.found, self.messages, self.file_kind = Imported(), 0, ""
        self._last = 0  # of the last full time, in FIT's seconds
        self._source = "FIT"
        self._minutes: set[int] = set()
        self._steps: dict[str, float] = {}
        self._stages: list[tuple[float, str]] = []

    def message(self, frame: Any) -> None:
        self.messages += 1
        if frame.name == "file_id":
            self.file_kind = frame.get_value("type", fallback="")
            maker = frame.get_value("manufacturer", fallback="")
            self._source = " ".join(str(each) for each in (maker, "FIT") if each and not isinstance(each, int))
        at = self._time(frame)
        if at is None:
            if frame.name in FIELDS:
                self.found.skip("a message without a time")
            return
        for name, kind in FIELDS.get(frame.name, ()):
            value = _number(frame.get_value(name, fallback=None))
            if value is not None:
                self.found.add(kind, self._source, at, value)
        if frame.name == "record":
            self._minutes.add(int(at // 60))
        elif frame.name == "monitoring":
            self._walk(frame, at)
        elif frame.name == "sleep_level":
            self._stages.append((at, str(frame.get_value("sleep_level", fallback=""))))

    def _time(self, frame: Any) -> float | None:
        stamp = frame.get_value("timestamp", fallback=None)
        if isinstance(stamp, datetime):
            seconds = stamp.timestamp()
            self._last = int(seconds) - _FIT_EPOCH
            return seconds
        short = frame.get_value("timestamp_16", fallback=None)
        if isinstance(short, int) and self._last:
            # the low half of the time; the high half is that of the last full one, or the next
            return float(self._last + ((short - self._last) & 0xFFFF) + _FIT_EPOCH)
        return None

    def _walk(self, frame: Any, at: float) -> None:
        """Steps are told as a count since midnight, for each kind of activity."""
        kind = str(frame.get_value("activity_type", fallback=""))
        count = _number(frame.get_value("steps", fallback=None))
        if count is None or kind not in _WALKED:
            return
        before = self._steps.get(kind, 0.0)
        new = count - before if count >= before else count
        if new > 0:
            self.found.add(Vital.STEPS, self._source, at, new)
        self._steps[kind] = count

    def finish(self) -> None:
        for minute in sorted(self._minutes):
            self.found.add(Vital.EXERCISE, self._source, minute * 60.0, 1.0)
        for (at, stage), (end, _) in pairwise(sorted(self._stages)):
            if stage in STAGES and 0 < end - at < 43_200:
                self.found.add(STAGES[stage], self._source, at, (end - at) / 60)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if isfinite(value) else None
