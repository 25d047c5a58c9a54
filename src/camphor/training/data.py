"""Samples: text in segments, tokenised as at run time, and laid out in batches whose order depends on the seed alone.

A line of a samples file is {"id": str, "segments": [[text, trained], [text, trained, special], ...]}. Each segment is
tokenised on its own, as the running assistant does, so that both see the same tokens. Control tokens such as
<|im_start|> are recognised in segments marked `special` only: text that a person or a record contributes can never
form one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from camphor.errors import DatasetError
from camphor.models.native import Engine
from camphor.training.config import DataFile


class Tokenizer(Protocol):
    def encode(self, text: str, special: bool = False) -> list[int]: ...


class GgufTokenizer:
    """The tokenizer inside a GGUF file, run as the assistant runs it."""

    def __init__(self, path: str | Path) -> None:
        self._engine = Engine(Path(path), None, context=32, threads=1)

    def encode(self, text: str, special: bool = False) -> list[int]:
        return self._engine.tokenise(text, special)

    def decode(self, tokens: Sequence[int]) -> str:
        return b"".join(self._engine.piece(token, special=True) for token in tokens).decode("utf-8", "replace")


@dataclass(frozen=True)
class Sample:
    """tokens (n,) int32; `trained` are the [start, stop) spans of the segments that the model is to write."""

    id: str
    tokens: NDArray[np.int32]
    trained: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Batch:
    """Samples laid end to end.

    tokens (T,) int64; lengths of the samples, sum T; positions (n,) int64 of trained tokens, ascending; `segments`
    holds the number of trained tokens of each trained segment, in order, sum n.
    """

    tokens: NDArray[np.int64]
    lengths: tuple[int, ...]
    positions: NDArray[np.int64]
    segments: tuple[int, ...]


def read_samples(path: str | Path, tokenizer: Tokenizer, limit: int | None = None) -> list[Sample]:
    """Raises DatasetError with path and line number for a file or line that breaks the format."""
    samples: list[Sample] = []
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if limit is not None and len(samples) >= limit:
                    break
                if line.strip():
                    samples.append(_sample(line, tokenizer, str(path), number))
    except OSError as error:
        raise DatasetError(str(path), 0, f"cannot be read: {error.strerror}") from error
    return samples


def _sample(line: str, tokenizer: Tokenizer, path: str, number: int) -> Sample:
    try:
        raw = json.loads(line)
        name, segments = raw["id"], [_segment(s) for s in raw["segments"]]
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(path, number, f"expected id and segments of [text, trained, special?]: {error!r}") from error
    return encode_sample(str(name), segments, tokenizer)


def _segment(raw: Any) -> tuple[str, bool, bool]:
    text, trained, *rest = raw
    if not isinstance(text, str) or not isinstance(trained, bool) or len(rest) > 1:
        raise ValueError(f"segment {raw!r}")
    return text, trained, bool(rest and rest[0])


def encode_sample(name: str, segments: Iterable[tuple[str, bool, bool]], tokenizer: Tokenizer) -> Sample:
    """Tokenise segment by segment. The first token of a text cannot be trained: nothing comes before it."""
    tokens: list[int] = []
    spans: list[tuple[int, int]] = []
    for text, trained, special in segments:
        start = len(tokens)
        tokens += tokenizer.encode(text, special)
        if trained and len(tokens) > max(start, 1):
            spans.append((max(start, 1), len(tokens)))
    return Sample(name, np.array(tokens, dtype=np.int32), tuple(spans))


def pack(samples: Sequence[Sample]) -> Batch:
    positions, segments, start = [], [], 0
    for sample in samples:
        for a, b in sample.trained:
            positions.append(np.arange(start + a, start + b))
            segments.append(b - a)
        start += len(sample.tokens)
    tokens = np.concatenate([s.tokens for s in samples]).astype(np.int64)
    flat = np.concatenate(positions) if positions else np.zeros(0)
    return Batch(tokens, tuple(len(s.tokens) for s in samples), flat.astype(np.int64), tuple(segments))


def cut(samples: Iterable[Sample], tokens: int) -> Iterator[list[Sample]]:
    """Consecutive runs of samples of at most `tokens` tokens each (a longer sample stands alone)."""
    run: list[Sample] = []
    size = 0
    for sample in samples:
        if run and size + len(sample.tokens) > tokens:
            yield run
            run, size = [], 0
        run.append(sample)
        size += len(sample.tokens)
    if run:
        yield run


def share(samples: Sequence[Sample], tokens: int, multiple: int) -> list[list[Sample]]:
    """Divide samples into parts of nearly equal tokens, about `tokens` each; their number is a multiple of `multiple`.

    The longest go first, each to the part that has least.
    """
    total = sum(len(s.tokens) for s in samples)
    count = min(len(samples), multiple * max(1, -(-total // (tokens * multiple))))
    parts: list[list[Sample]] = [[] for _ in range(count)]
    sizes = [0] * count
    for sample in sorted(samples, key=lambda s: -len(s.tokens)):
        least = sizes.index(min(sizes))
        parts[least].append(sample)
        sizes[least] += len(sample.tokens)
    return parts


class Mixture:
    """Files with their repeats; the batches of `epoch(n)` depend on the seed and n alone, not on what ran before."""

    def __init__(self, files: Sequence[tuple[DataFile, Sequence[Sample]]], batch_tokens: int, seed: int) -> None:
        self.files, self.batch_tokens, self.seed = files, batch_tokens, seed

    def epoch(self, number: int) -> list[list[Sample]]:
        """The epoch's optimizer steps, each a list of samples; nothing is left out."""
        order: list[Sample] = []
        for index, (file, samples) in enumerate(self.files):
            whole, part = divmod(file.repeat, 1.0)
            order += list(samples) * int(whole)
            chooser = random.Random(f"{self.seed}/{number}/{index}")
            order += chooser.sample(list(samples), round(part * len(samples)))
        random.Random(f"{self.seed}/{number}").shuffle(order)
        return list(cut(order, self.batch_tokens))

    def tokens(self) -> float:
        """Expected tokens of one epoch."""
        return sum(file.repeat * sum(len(s.tokens) for s in samples) for file, samples in self.files)
