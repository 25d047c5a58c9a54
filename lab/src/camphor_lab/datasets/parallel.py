"""Work on several processes, threads or a Ray cluster: numbers go out, texts come back, and are given in order."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Protocol, Self

from camphor.errors import CamphorError, MissingExtra, UsageError
from camphor_lab.datasets.files import write_text

Work = Callable[[int], str]


class Pool(Protocol):
    """Something that works on numbered pieces. `slots` is how many at a time."""

    slots: int

    def start(self, number: int, work: Work) -> None: ...

    def finished(self) -> list[tuple[int, str]]:
        """Waits until a piece or more are finished: their numbers and texts."""
        ...

    def forget(self) -> None:
        """Leaves undone what was started and is not finished."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class _Closing:
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give everything back; pieces that have not begun are left undone."""


class Here(_Closing):
    """This process: one piece at a time, when its text is asked for."""

    slots = 1

    def __init__(self) -> None:
        self._left: list[tuple[int, Work]] = []

    def start(self, number: int, work: Work) -> None:
        self._left.append((number, work))

    def finished(self) -> list[tuple[int, str]]:
        number, work = self._left.pop(0)
        return [(number, work(number))]

    def forget(self) -> None:
        self._left.clear()


class Processes(_Closing):
    """Several processes of this machine; they end with this one, however it ends.

    Raises (`finished`): CamphorError: one of them was killed.
    """

    def __init__(self, processes: int) -> None:
        self.slots = processes
        self._pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=end_with_parent)
        self._running: dict[Future[str], int] = {}

    def start(self, number: int, work: Work) -> None:
        self._running[self._pool.submit(work, number)] = number

    def finished(self) -> list[tuple[int, str]]:
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        try:
            return [(self._running.pop(future), future.result()) for future in done]
        except BrokenProcessPool:
            raise CamphorError(
                "A worker process was ended from outside, perhaps for lack of memory: the same command goes on, "
                "with fewer --processes if need be"
            ) from None

    def forget(self) -> None:
        for future in self._running:
            future.cancel()
        self._running.clear()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def end_with_parent() -> None:
    """What a worker does first.

    Ctrl-C reaches it too, and is its parent's to answer. When its parent is killed it ends: it would wait for ever for
    work, because nobody closes its queue.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.join,), daemon=True).start()


def _end_after(wait_for_parent: Callable[[], None]) -> None:
    wait_for_parent()
    os._exit(1)


class RayCluster(_Closing):
    """The nodes of a Ray cluster, on which camphor is installed; `local` starts one on this machine.

    Args:
        address: `local`, `auto` (the cluster that this machine belongs to) or an address.
        processes: of a local one; every core for None.

    Raises:
        MissingExtra: Ray is not installed. UsageError: there is no cluster at this address.
    """

    def __init__(self, address: str, processes: int | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise MissingExtra("Ray", "ray", "camphor-lab") from None
        self._ray = ray
        here = {"num_cpus": processes, "include_dashboard": False} if address == "local" else {}
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **here)
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[0]
            raise UsageError(f"No Ray cluster at {address!r} ({reason}): start one, or give --ray local") from None
        self.slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task = ray.remote(_call)
        self._running: dict[Any, int] = {}

    def start(self, number: int, work: Work) -> None:
        self._running[self._task.remote(work, number)] = number

    def finished(self) -> list[tuple[int, str]]:
        done, _ = self._ray.wait(list(self._running), num_returns=1)
        return [(self._running.pop(reference), self._ray.get(reference)) for reference in done]

    def forget(self) -> None:
        for reference in self._running:
            self._ray.cancel(reference)
        self._running.clear()

    def close(self) -> None:
        self._ray.shutdown()


def _call(work: Work, number: int) -> str:
    return work(number)


def open_pool(*, processes: int | None = None, ray: str | None = None, pieces: int = 1 << 30) -> Pool:
    """A pool for about so many pieces: a few are worked on here, because processes take a second to start.

    Args:
        processes: how many work at most; None for one on each processor that this process may use.
    """
    if processes is None:
        processes = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if ray is not None:
        return RayCluster(ray, processes)
    return Here() if processes <= 1 or pieces <= 2 * processes else Processes(min(processes, pieces))


def in_order(pool: Pool, work: Work, folder: Path, first: int, end: int) -> Generator[Path]:
    """The texts of the pieces from `first` to before `end`, as files of `folder`, in the order of their numbers.

    A finished piece waits there until those before it are taken, and is not made again by a later run. Who takes it may
    remove it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    following, running = first, 0

    def path(number: int) -> Path:
        return folder / f"{number:06d}.jsonl"

    try:
        for number in range(first, end):
            while not path(number).exists():
                while running < 2 * pool.slots and following < min(end, number + 4 * pool.slots):
                    if not path(following).exists():
                        pool.start(following, work)
                        running += 1
                    following += 1
                for made, text in pool.finished():
                    running -= 1
                    write_text(path(made), text)
            yield path(number)
    finally:
        pool.forget()
