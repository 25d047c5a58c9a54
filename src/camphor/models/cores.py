"""How many threads this process can make good use of."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

# A 135M model's step is so short that waiting for each other costs more than an eighth core brings.
MOST_THREADS = 8
SPIN = "GOMP_SPINCOUNT"
# Turns of waiting before a thread sleeps: some microseconds. With 300,000, the default of GNU's OpenMP, a thread whose
# partner is off its core burns the core that the partner waits for.
SPINS = "1000"
GLANCES = 3


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


def other_work(own: int) -> float:
    """Threads of other programs that want to run now, as far as the system tells.

    On Linux the fewest of some glances, as many programs want to run for a moment only. Elsewhere the machine's load
    over the last minute, which is told late, less `own` threads of this program; 0 where that is not told either.
    """
    glances = [running for _ in range(GLANCES) if (running := _running()) is not None]
    if glances:
        return max(0, min(glances) - 1)  # this thread is running, and those that it computes with are asleep
    try:
        return max(0.0, os.getloadavg()[0] - own)
    except (AttributeError, OSError):
        return 0.0


def _running(path: Path = Path("/proc/loadavg")) -> int | None:
    try:
        running = int(path.read_text().split()[3].split("/")[0])
    except (OSError, ValueError, IndexError):
        return None
    time.sleep(0.0002)
    return running


@contextlib.contextmanager
def brief_spinning() -> Iterator[None]:
    """Where GNU's OpenMP is loaded in here, its threads soon sleep when they wait for each other.

    It reads the setting once, when it is loaded; a choice that the person made in the environment stands.
    """
    if SPIN in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ[SPIN] = SPINS
    try:
        yield
    finally:
        os.environ.pop(SPIN, None)  # no other program that is started from here is meant


class Crew:
    """How many threads a computation uses now, so that they are not kept waiting by other work.

    llama.cpp's threads meet some four hundred times a token and wait for each other. On a machine with other work one
    of them is often off its core, and two threads are then slower than one: 0.3 tokens a second for 80 where they wait
    by spinning without end, half as fast where they soon sleep (`brief_spinning`).

    There is one thread while other work leaves no room for more, and where a stretch of work got clearly less
    processor time than its threads would use, their number is halved. After a pause more are tried again, unless other
    work speaks against it; the pause doubles with each vain trial. Logits do not depend on the number.

    Args:
        most: threads to use when nothing disturbs. others: tells how many threads of other programs want to run, given
            how many of ours do. processors: the machine's, all of them also in a container, as other work is the whole
            machine's too.
    """

    STRETCH = 0.1
    """Seconds of work that are judged together: some systems tell processor time in steps of 16 ms."""
    IDLE = 0.4
    """Processors' worth of time missing from which on threads are being kept waiting."""
    PAUSE, LONGEST_PAUSE = 4.0, 32.0

    def __init__(self, most: int, others: Callable[[int], float] = other_work, processors: int | None = None) -> None:
        self._most = max(1, most)
        self._others = others
        self._processors = processors or os.cpu_count() or 1
        self._wall = self._used = 0.0
        self._pause = self.PAUSE
        self._retry_at = -math.inf
        self.count = 0
        self.count = self._most if self._has_room(self._most) else 1

    def worked(self, wall: float, used: float, now: float) -> None:
        """Work has been done with `count` threads, which may be another number from now on.

        Args:
            wall: seconds it took. used: processor seconds of all threads. now: a clock's seconds.
        """
        self._wall += wall
        self._used += used
        if self._wall < self.STRETCH:
            return
        missing = self.count - self._used / self._wall
        self._wall = self._used = 0.0
        if self.count > 1 and missing > self.IDLE:
            self.count //= 2
            self._retry_at = now + self._pause
            self._pause = min(2 * self._pause, self.LONGEST_PAUSE)
        elif self.count == self._most:
            self._pause = self.PAUSE
        elif now >= self._retry_at:
            more = min(2 * self.count, self._most)
            self.count = more if self._has_room(more) else self.count

    def _has_room(self, threads: int) -> bool:
        return self._processors - self._others(self.count) >= threads - 0.5
