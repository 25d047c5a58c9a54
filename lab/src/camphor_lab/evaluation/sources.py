"""What a result file keeps of its run: which source the score belongs to, and what a query cost besides time."""

from __future__ import annotations

import hashlib
import subprocess
import time
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import camphor
import camphor_lab

# Which source a score belongs to: the commit, and a hash of the files that decide it; and which scores are older.
#
# A score is about the code that made it. Every result file records both, so that one that the code has left behind is
# seen as such. What decides a score is data and code of the package alone: tests, docs and the README do not.

PACKAGE, LAB = Path(camphor.__file__).parent, Path(camphor_lab.__file__).parent
ASSISTANT = ("acting.py", "agents", "app.py", "device", "models", "retrieval", "tools", "types.py")
"""The parts of the package that decide what the assistant does."""

CALLING = ("agents/calling", "models", "retrieval", "tools", "types.py")
CONTEXT = ("lab/context", "device", "models", "retrieval", "tools", "types.py")
RETRIEVAL = ("retrieval", "tools", "types.py")
DEVICE = ("device", "tools", "types.py")
HEALTH = ("agents/health", "health", "models", "tools", "types.py")
PRESCRIPTIONS = ("health/prescriptions",)
"""What decides scores of function calling, context retrieval, tool retrieval, look-ups, the health assistant, and the
reading of prescriptions."""

APART = {"agents": ("agents/calling", "agents/health"), "models": ("models/adapters",)}
"""Folders within a part that other parts name. Adapters are recorded by each result for itself."""


def source_of_now(parts: Iterable[str] = ASSISTANT) -> dict[str, Any]:
    """What a result file keeps of its source: `commit`, `dirty` (None outside a checkout), a SHA-256 of each part."""
    commit, dirty = _commit()
    return {"commit": commit, "dirty": dirty, "parts": {part: _digest(part) for part in parts}}


@cache
def _commit() -> tuple[str | None, bool | None]:
    """The commit that is checked out, and whether files of the two packages differ from it."""
    try:
        found = _git("rev-parse", "--show-toplevel", "HEAD").split()
        if not found or not PACKAGE.is_relative_to(Path(found[0])):
            return None, None
        return found[1], bool(_git("status", "--porcelain", "--", str(PACKAGE), str(LAB)).strip())
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(*words: str) -> str:
    made = subprocess.run(
        ["git", "-C", str(PACKAGE), *words], capture_output=True, text=True, timeout=30, check=True
    )  # fmt: skip
    return made.stdout


@cache
def _digest(part: str) -> str:
    """Of a file, or of all files of a folder with their names. Whoever asks later is told the same: code that runs is
    the code that was imported."""
    whole = hashlib.sha256()
    home, root = place(part)
    for path in [root] if root.is_file() else sorted(root.rglob("*")):
        name = path.relative_to(home).as_posix()
        apart = any(name.startswith(f"{other}/") for other in APART.get(part, ()))
        if path.is_file() and "__pycache__" not in path.parts and not apart:
            whole.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def changed_since(source: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """The parts that are not what they were when a score was made; None where it does not say what they were."""
    if not source or not source.get("parts"):
        return None
    return tuple(part for part, digest in source["parts"].items() if not _there(part) or _digest(part) != digest)


def _there(part: str) -> bool:
    return place(part)[1].exists()


def place(part: str) -> tuple[Path, Path]:
    """The package that a part is in, the laboratory for one that begins with lab/, and the part's path."""
    home = LAB if part.startswith("lab/") else PACKAGE
    return home, home / part.removeprefix("lab/")


def source_in(report: Any) -> Mapping[str, Any] | None:
    """The `source` of a result file: beside its figures, or in what it says of its run."""
    if not isinstance(report, Mapping):
        return None
    run = report.get("run")
    found = report.get("source") or (run.get("source") if isinstance(run, Mapping) else None)
    return found if isinstance(found, Mapping) else None


def ages(reports: Mapping[str, Any]) -> dict[str, str]:
    """For each result file, by name: `current`, `older` than its code, or `unknown` where it says no source."""
    told = {}
    for name, report in reports.items():
        changed = changed_since(source_in(report))
        told[name] = "unknown" if changed is None else "older" if changed else "current"
    return told


# What a query costs besides time on the clock: processor seconds of this process, and energy where the machine tells.
#
# Energy is read from the processor packages' counters as Linux shows them (`/sys/class/powercap/intel-rapl:N`, in
# microjoules; AMD's too). Most virtual machines have none, and many systems let only root read them: then it is left
# out. The counters are the whole machine's, so that a figure means something only where nothing else runs.

COUNTERS = Path("/sys/class/powercap")


class Energy:
    """The energy counters of the processor packages.

    Args:
        folder: where the counters are.
    """

    def __init__(self, folder: Path = COUNTERS) -> None:
        self._packages = [each for each in sorted(folder.glob("intel-rapl:*")) if each.name.count(":") == 1]

    def read(self) -> list[int] | None:
        """The counters in microjoules; None where there are none or one cannot be read."""
        try:
            return [int((package / "energy_uj").read_text()) for package in self._packages] or None
        except (OSError, ValueError):
            return None

    def joules(self, before: list[int], after: list[int]) -> float | None:
        """The energy between two readings; a counter that has begun anew since is put right. None if it cannot be."""
        used = 0
        for package, first, last in zip(self._packages, before, after, strict=True):
            if last < first:
                try:
                    last += int((package / "max_energy_range_uj").read_text())
                except (OSError, ValueError):
                    return None
            used += last - first
        return used / 1e6


class Meter:
    """Counts from when it is made.

    Args:
        energy: the machine's counters.
    """

    def __init__(self, energy: Energy | None = None) -> None:
        self._energy = energy or Energy()
        self._begun = self._energy.read()
        self._used = time.process_time()

    def spent(self) -> dict[str, float]:
        """`cpu_seconds` of all threads of this process, and `joules` of the machine where it reports them."""
        spent = {"cpu_seconds": round(time.process_time() - self._used, 4)}
        now = self._energy.read()
        joules = self._energy.joules(self._begun, now) if self._begun and now else None
        return spent if joules is None else {**spent, "joules": round(joules, 3)}
