"""What a query costs besides time on the clock: processor seconds of this process, and energy where the machine tells.

Energy is read from the processor packages' counters as Linux shows them (`/sys/class/powercap/intel-rapl:N`, in
microjoules; AMD's too). Most virtual machines have none, and many systems let only root read them: then it is left out.
The counters are the whole machine's, so that a figure means something only where nothing else runs.
"""

from __future__ import annotations

import time
from pathlib import Path

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
