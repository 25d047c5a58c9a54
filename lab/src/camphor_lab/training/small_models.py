"""What the trainings of small models share: lines to learn from, and the file at the end."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from camphor.errors import DatasetError, MissingExtra, UsageError

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Is told of what, how much of how much is done."""


class Model(Protocol):
    def save(self, path: Path) -> None:
        """Write it, whole or not at all. Raises OSError: it cannot be written."""


def read_lines(paths: Iterable[Path], example: Callable[[Any], T], fields: str) -> tuple[list[T], bytes]:
    """An example of each line of JSON, and all that was read, for the hash of the data.

    Args:
        example: makes one of a line's value; raises ValueError, KeyError or TypeError. fields: what a line should have.

    Raises:
        DatasetError: a file cannot be read or breaks the format; says where.
    """
    found: list[T] = []
    whole = b""
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DatasetError(str(path), None, f"cannot be read: {error}") from error
        whole += text.encode()
        for number, line in enumerate(text.splitlines(), 1):
            try:
                found.append(example(json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise DatasetError(str(path), number, f"expected {fields}: {error!r}") from error
    return found, whole


HELD_OUT = 10
"""One text of so many is held out."""


def held_out(number: int, together: int) -> bool:
    """Whether a line of a file is held out; so many neighbours, which may be twins, are held out or learnt together."""
    return number // together % HELD_OUT == 0


class Drawing(Protocol):
    """Settings of how texts are drawn: the steps of an epoch, how many times a step's texts are drawn at once."""

    @property
    def epochs(self) -> float: ...

    @property
    def drawn(self) -> int: ...

    @property
    def seed(self) -> int: ...


def drawn_batches(shares: Sequence[float], lengths: Sequence[int], drawing: Drawing, size: int) -> Iterator[list[int]]:
    """The places of the texts of each step, drawn by how often each is to be read, of like lengths.

    Args:
        shares: how often each is read in an epoch. lengths: of each. size: texts of a step.
    """
    draw = np.random.default_rng(drawing.seed)
    chances = np.array(shares) / sum(shares)
    left = int(drawing.epochs * sum(shares))
    while left > 0:
        some = draw.choice(len(shares), size * drawing.drawn, p=chances)
        chunk = sorted(map(int, some), key=lambda place: lengths[place])
        steps = [chunk[at : at + size] for at in range(0, len(chunk), size)]
        yield from (steps[place] for place in draw.permutation(len(steps)))
        left -= len(chunk)


def need(package: str, what: str, extra: str = "train") -> None:
    """Raises MissingExtra: a package that a training needs is not installed. `what`: how the error calls it."""
    if importlib.util.find_spec(package) is None:
        raise MissingExtra(what, extra, "camphor-lab")


def need_sklearn(command: str) -> None:
    """Raises MissingExtra: scikit-learn is not installed."""
    need("sklearn", f"scikit-learn, which {command} needs,")


def save(model: Model, out: Path) -> None:
    """Write a trained model. Raises UsageError: it cannot be written."""
    try:
        model.save(out)
    except OSError as error:
        raise UsageError(
            f"{out}: it cannot be written ({error.strerror}): name a file in a folder that exists"
        ) from None
