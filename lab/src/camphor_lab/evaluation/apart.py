"""A dataset run on several processes, each with a model of its own; queries on one phone stay together.

One thread a process is faster than many threads in one: a small model's threads wait for each other most of the time.
What one phone's queries share of their prompts is evaluated once, so they are not divided finely.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from camphor.trajectories.items import Item
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Partial, Progress, Result
from camphor_lab.evaluation.runner import Answerer, run_item

TOGETHER = 24
"""Queries of one phone that a process is given at a time, at most."""

_answerer: Answerer | None = None
_dataset: Dataset | None = None


def run_apart(
    dataset: Dataset,
    make: Callable[[], Answerer],
    processes: int,
    partial: Partial | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """The result of each item, in the dataset's order, as `run_all` has it.

    Args:
        make: opens a model; it is called once in each process, and must be picklable.
    """
    done = dict(partial.done) if partial else {}
    left = [item for item in dataset.items if item.id not in done]
    told = 0
    if progress:
        for item in dataset.items:
            if item.id in done:
                told += 1
                progress(told, len(dataset.items), done[item.id])
    context = multiprocessing.get_context("spawn")  # a forked child would share what the parent's model library holds
    with ProcessPoolExecutor(processes, context, _open, (dataset.files, make)) as pool:
        running = [pool.submit(_answer, [item.id for item in chunk]) for chunk in chunks(dataset, left)]
        for finished in as_completed(running):
            for result in finished.result():
                done[result.id] = result
                told += 1
                if partial:
                    partial.append(result)
                if progress:
                    progress(told, len(dataset.items), result)
    return [done[item.id] for item in dataset.items]


def chunks(dataset: Dataset, items: Sequence[Item]) -> Iterator[list[Item]]:
    """The items by phone, in their order, those of one phone in parts of at most `TOGETHER`."""
    phones: dict[str, list[Item]] = {}
    for item in items:
        phones.setdefault(dataset.key(item), []).append(item)
    for those in phones.values():
        yield from (those[at : at + TOGETHER] for at in range(0, len(those), TOGETHER))


def _open(files: Sequence[object], make: Callable[[], Answerer]) -> None:
    global _answerer, _dataset
    _dataset, _answerer = Dataset(*files), make()  # type: ignore[arg-type]


def _answer(ids: Sequence[str]) -> list[Result]:
    assert _dataset is not None
    assert _answerer is not None
    wanted = set(ids)
    return [run_item(_dataset, item, _answerer) for item in _dataset.items if item.id in wanted]
