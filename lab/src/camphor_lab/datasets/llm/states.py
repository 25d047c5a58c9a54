"""The device states that queries are written for, and what a model is shown of one.

The paper gives each query a device with records sampled at random, and shows it to the writing model together with the
definitions of the functions (CAMPHOR, section 4).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any, Protocol

from camphor.device.device import Device
from camphor.device.format import SYSTEM_CLOCK, read, record_lists
from camphor.device.when import show_time
from camphor.errors import UsageError
from camphor_lab.datasets.bank import Bank
from camphor_lab.datasets.compose import draw_item
from camphor_lab.datasets.phones import make_phone
from camphor_lab.datasets.wishes import Unfit, World

SUFFIX = ".device.json"
HIDDEN = re.compile(r"(^|_)id$|^(latitude|longitude|is_self)$")  # what people never say
LONGEST_RECORD = 200  # characters
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?")


@dataclass(frozen=True)
class State:
    """One device: the name of its file, without the suffix, and the file's values."""

    name: str
    data: Mapping[str, Any]


class States(Protocol):
    """Where devices come from."""

    @property
    def fingerprint(self) -> str:
        """Equal for equal devices."""

    def draw(self, number: int) -> State:
        """The device of a round; the same number gives the same device."""


class SampledStates:
    """A new phone for every round, as `camphor lab data generate` samples them for training.

    Args:
        seed: the same seed gives the same phones.
    """

    def __init__(self, seed: int) -> None:
        self._seed, self._bank = seed, Bank("train")
        self.fingerprint = f"sampled:{seed}"

    def draw(self, number: int) -> State:
        phone = make_phone(self._bank, Random(f"{self._seed}:llm-phone:{number}"), number)
        phone.data["id"] = f"llm-{self._seed}-{number:04d}"
        return State(phone.data["id"], phone.data)


class GivenStates:
    """The device files of a folder, one after the other and from the first again.

    Raises:
        UsageError: there are none, or one has no clock of its own, so that nothing on it could be replayed.
        DeviceFileError: one breaks the format.
    """

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.glob(f"*{SUFFIX}"))
        if not files:
            raise UsageError(f"{folder}: there are no device files here: name a folder that holds *{SUFFIX}")
        self._states = [State(path.name.removesuffix(SUFFIX), _checked(path)) for path in files]
        digest = hashlib.sha256()
        for path in files:
            digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
        self.fingerprint = digest.hexdigest()[:16]

    def draw(self, number: int) -> State:
        return self._states[number % len(self._states)]


def _checked(path: Path) -> dict[str, Any]:
    data = read(path)
    Device.create(None, data, str(path)).close()
    if data.get("now") in (None, "", SYSTEM_CLOCK):
        raise UsageError(f"{path}: its clock is the machine's, so no replay comes out equal: give it a time as 'now'")
    return data


def bank_queries(rng: Random, count: int) -> list[str]:
    """What other people asked on other phones, drawn from the hand-written bank: seeds that show the tone."""
    bank = Bank("train")
    phone = make_phone(bank, rng, 0)
    world = World(phone, bank, rng)
    found: list[str] = []
    for attempt in range(count * 8):
        if len(found) == count:
            break
        try:
            item = draw_item(phone, world, str(attempt))
        except Unfit:
            continue
        if not item.history:
            found.append(item.query)
    return found


def show_records(state: State, now: datetime, rng: Random) -> list[str]:
    """All records in chance order, a line each: `calendar events: title: Choir; start: Sat 19 Jul 09:00`."""
    lines = []
    for app, name, pointer in record_lists(state.data):
        inside: Any = state.data
        for key in pointer:
            inside = inside[key]
        lines += [f"{app} {name}: {_show(record, now)}" for record in inside if isinstance(record, Mapping)]
    rng.shuffle(lines)
    return lines


def ids_of(value: Any) -> Iterator[str]:
    """Numbers and codes that name records for machines: no person says them."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if re.search(r"(^|_)id$", str(key)) and isinstance(item, str | int) and len(str(item)) > 2:
                yield str(item)
            yield from ids_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from ids_of(item)


def _show(record: Mapping[str, Any], now: datetime) -> str:
    parts = []
    for name, value in record.items():
        if HIDDEN.search(str(name)) or value in (None, "", [], {}):
            continue
        parts.append(f"{name}: {_value(value, now)}")
    text = "; ".join(parts)
    return text if len(text) <= LONGEST_RECORD else text[:LONGEST_RECORD].rsplit(" ", 1)[0] + " ..."


def _value(value: Any, now: datetime) -> str:
    if isinstance(value, list):
        return ", ".join(_value(item, now) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value(item, now)}" for key, item in value.items())
    text = " ".join(str(value).split())
    if _ISO.fullmatch(text):
        try:
            return show_time(datetime.fromisoformat(text), now.year)
        except ValueError:
            return text
    return text
