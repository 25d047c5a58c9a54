"""How many threads this process can make good use of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# A 135M model's step is so short that waiting for each other costs more than an eighth core brings.
MOST_THREADS = 8


def physical_cores() -> int:
    """Cores this process may run on, hyper-threads counted once and a container's CPU quota respected; at least 1."""
    allowed = _allowed_processors()
    cores = len({_siblings(number) for number in allowed}) if allowed else _told_by_system()
    quota = container_quota()
    return max(1, cores if quota is None else min(cores, quota))


def default_threads() -> int:
    """Physical cores, eight at most."""
    return min(physical_cores(), MOST_THREADS)


def _allowed_processors() -> set[int]:
    affinity = getattr(os, "sched_getaffinity", None)
    return set(affinity(0)) if affinity else set()


def _siblings(processor: int) -> str:
    path = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    try:
        return path.read_text().strip()
    except OSError:
        return str(processor)


def _told_by_system() -> int:
    logical = os.cpu_count() or 1
    if sys.platform == "darwin":
        try:
            told = subprocess.run(
                ["/usr/sbin/sysctl", "-n", "hw.physicalcpu"], capture_output=True, text=True, timeout=2, check=True
            )
            return int(told.stdout)
        except (OSError, ValueError, subprocess.SubprocessError):
            return logical
    return max(1, logical // 2) if logical > 2 else logical


def container_quota(path: Path = Path("/sys/fs/cgroup/cpu.max")) -> int | None:
    """Whole processors of a cgroup's quota, rounded up; None where there is none."""
    try:
        quota, period = path.read_text().split()
        return None if quota == "max" else max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return None
