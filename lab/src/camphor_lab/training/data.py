"""Samples: text in segments, tokenised as at run time, and laid out in batches whose order depends on the seed alone.

A line of a samples file is {"id": str, "segments": [[text, trained, special, compressed], ...]}, where marks that are
false may be left out at the end. Each segment is tokenised on its own, as the running assistant does, so that both see
the same tokens. Control tokens such as <|im_start|> are recognised in segments marked `special` only: text that a
person or a record contributes can never form one. Segments marked `compressed` come first: each is a definition that
stands in the prompt as a function token (CAMPHOR, section 3.3).
"""

from __future__ import annotations

import functools
import json
import random
import re
import sys
from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from camphor.errors import DatasetError
from camphor.models.native import LlamaEngine
from camphor.tools.tool import NAME
from camphor.types import Agent, Segment
from camphor_lab.training.config import DataFile

EXPECTED = "expected id and segments of [text, trained, special?, compressed?]"
FULL = 1.05  # of an equal part: more would keep the others waiting
LEAST_OPENING = 16  # tokens: to share fewer costs more than it saves
_AGENTS = frozenset(agent.value for agent in Agent)
_NO_CALLS = " []"
_CALL = re.compile(rf'"(?:[^"\\]|\\.)*"|({NAME.pattern})\(')  # a string, or the name of a call


class Tokenizer(Protocol):
    def encode(self, text: str, special: bool = False) -> list[int]: ...

    def bytes_of(self, token: int) -> int:
        """How many bytes of text it stands for."""
        ...


class GgufTokenizer:
    """The tokenizer inside a GGUF file, run as the assistant runs it."""

    def __init__(self, path: str | Path) -> None:
        self._engine = LlamaEngine(Path(path), None, context=32, threads=1)
        self.bytes_of = functools.cache(lambda token: len(self._engine.piece(token, special=True)))

    def encode(self, text: str, special: bool = False) -> list[int]:
        return self._engine.tokenise(text, special)

    def decode(self, tokens: Sequence[int]) -> str:
        return b"".join(self._engine.piece(token, special=True) for token in tokens).decode("utf-8", "replace")


@dataclass(frozen=True)
class Sample:
    """tokens (n,) int32; `trained` are the [start, stop) spans of the segments that the model is to write.

    `definitions` are shown as function tokens; `deciding` are the places, ascending, of trained tokens that name an
    agent or a tool. `opening` is the number of tokens before the person's first words: what the queries to one phone
    have in common. `pairs` is how many prompt-completion pairs the sample stands for, `weight` a factor on its losses.
    """

    id: str
    tokens: NDArray[np.int32]
    trained: tuple[tuple[int, int], ...]
    definitions: tuple[str, ...] = ()
    deciding: tuple[int, ...] = ()
    opening: int = 0
    pairs: int = 0
    weight: float = 1.0


@dataclass(frozen=True)
class Batch:
    """Samples laid end to end; neighbours with the same opening share one copy of it, a sequence before their own.

    tokens (T,) int64; lengths of the sequences, sum T; positions (n,) int64 of trained tokens, ascending; `segments`
    holds the number of trained tokens of each trained segment, in order, sum n; deciding (n,) says which name an agent
    or a tool, weights (n,) float32 what their samples count. `definitions` are those of all samples, each once; `shown`
    has for each sequence the places of its own in it, and `after` the place of the sequence that it goes on, None where
    it begins by itself.
    """

    tokens: NDArray[np.int64]
    lengths: tuple[int, ...]
    positions: NDArray[np.int64]
    segments: tuple[int, ...]
    deciding: NDArray[np.bool_]
    weights: NDArray[np.float32]
    definitions: tuple[str, ...] = ()
    shown: tuple[tuple[int, ...], ...] = ()
    after: tuple[int | None, ...] = ()

    def factors(self, decide: float) -> NDArray[np.float32]:
        """(n,) factors on the losses: the samples' weights, `decide` times as much where a token decides."""
        return np.where(self.deciding, np.float32(decide), np.float32(1)) * self.weights


def read_samples(path: str | Path, tokenizer: Tokenizer, limit: int | None = None) -> list[Sample]:
    """Raises DatasetError with the path, and the number of the line where one line breaks the format."""
    samples: list[Sample] = []
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if limit is not None and len(samples) >= limit:
                    break
                if line.strip():
                    samples.append(_sample(line, tokenizer, str(path), number))
    except OSError as error:
        raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(str(path), None, "not UTF-8 text: save it as UTF-8") from error
    return samples


def _sample(line: str, tokenizer: Tokenizer, path: str, number: int) -> Sample:
    try:
        raw = json.loads(line)
        return encode_sample(str(raw["id"]), [_segment(s) for s in raw["segments"]], tokenizer)
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(path, number, f"{EXPECTED}: {error!r}") from error


def _segment(raw: Any) -> Segment:
    text, *marks = raw
    if not isinstance(text, str) or not all(isinstance(mark, bool) for mark in marks) or not 1 <= len(marks) <= 3:
        raise ValueError(f"segment {raw!r}")
    return Segment(text, *marks)


def encode_sample(name: str, segments: Iterable[Segment], tokenizer: Tokenizer) -> Sample:
    """Tokenise segment by segment. The first token of a text cannot be trained: nothing comes before it.

    Raises:
        ValueError: a compressed segment stands behind text, or is trained.
    """
    tokens: list[int] = []
    spans: list[tuple[int, int]] = []
    definitions: list[str] = []
    deciding: list[int] = []
    opening = 0
    segments = [segment for segment in segments if segment.text]
    person = _persons_place(segments)
    for place, segment in enumerate(segments):
        if segment.compressed:
            if tokens or segment.trained or segment.special:
                raise ValueError("compressed segments come first and are neither trained nor special")
            definitions.append(sys.intern(segment.text))  # a data set shows a few hundred, each thousands of times
            continue
        start = len(tokens)
        tokens += tokenizer.encode(segment.text, segment.special)
        opening = start if place == person else opening
        if segment.trained and len(tokens) > max(start, 1):
            spans.append((max(start, 1), len(tokens)))
            if not segment.special:
                deciding += [start + i for i in _deciding(segment.text, tokens[start:], tokenizer) if start + i]
    places, count = np.array(tokens, dtype=np.int32), count_pairs(segments)
    return Sample(name, places, tuple(spans), tuple(definitions), tuple(deciding), opening, count)


def count_pairs(segments: Iterable[Segment]) -> int:
    """How many prompt-completion pairs a sample's segments are (CAMPHOR, section 4), as `samples.pairs` makes them.

    An agent's name is a completion of its own. Any other goes on to the next line that the model does not write: over a
    value inside it that is shown and not learnt, and from a call list without calls to the answer.
    """
    count, last, goes_on = 0, "", False
    for segment in segments:
        if segment.trained:
            name = segment.text in _AGENTS
            count += name or not goes_on
            last, goes_on = segment.text, not name
        elif "\n" in segment.text:
            goes_on = goes_on and last == _NO_CALLS
    return count


def _persons_place(segments: Sequence[Segment]) -> int | None:
    """Which segment holds the person's first words: the second text behind control tokens, after the system's; None
    where there is none before what is trained."""
    first = next((place for place, segment in enumerate(segments) if segment.trained), 0)
    behind = [place for place in range(1, first) if segments[place - 1].special and not segments[place].special]
    return behind[1] if len(behind) > 1 else None


def _deciding(text: str, tokens: Sequence[int], tokenizer: Tokenizer) -> list[int]:
    """Which tokens of a text that the model writes name an agent, or a tool in a call list."""
    if text in _AGENTS:
        return list(range(len(tokens)))
    if not text.startswith(" ["):
        return []
    names = [
        (len(text[: match.start(1)].encode()), len(text[: match.end(1)].encode()))
        for match in _CALL.finditer(text)
        if match[1]
    ]
    found, place = [], 0
    for index, token in enumerate(tokens):
        end = place + tokenizer.bytes_of(token)
        if any(place < stop and start < end for start, stop in names):
            found.append(index)
        place = end
    return found


def families(samples: Iterable[Sample]) -> list[list[Sample]]:
    """Runs of neighbours with the same opening; a sample with hardly any stands alone."""
    runs: list[list[Sample]] = []
    for sample in samples:
        if runs and _same_opening(runs[-1][-1], sample):
            runs[-1].append(sample)
        else:
            runs.append([sample])
    return runs


def _same_opening(one: Sample, other: Sample) -> bool:
    return (
        one.opening == other.opening >= LEAST_OPENING
        and one.definitions == other.definitions
        and np.array_equal(one.tokens[: one.opening], other.tokens[: other.opening])
    )


def size_of(samples: Iterable[Sample]) -> int:
    """Tokens that a pass over these computes: what neighbours share counts once."""
    return sum(
        sum(len(sample.tokens) for sample in family) - (len(family) - 1) * family[0].opening
        for family in families(samples)
    )


def pack(samples: Sequence[Sample]) -> Batch:
    places: dict[str, int] = {}
    pieces: list[tuple[NDArray[np.int32], int | None, tuple[int, ...]]] = []  # tokens, after, shown
    positions, deciding, weights, segments, start = [], [], [], [], 0
    for family in families(samples):
        shown = tuple(places.setdefault(text, len(places)) for text in family[0].definitions)
        shared, after = (family[0].opening, len(pieces)) if len(family) > 1 else (0, None)
        if shared:
            pieces.append((family[0].tokens[:shared], None, shown))
            start += shared
        for sample in family:
            pieces.append((sample.tokens[shared:], after, shown))
            at = start - shared
            positions += [np.arange(at + a, at + b) for a, b in sample.trained]
            segments += [b - a for a, b in sample.trained]
            deciding += [at + place for place in sample.deciding]
            weights += [np.full(b - a, sample.weight, np.float32) for a, b in sample.trained]
            start += len(sample.tokens) - shared
    texts, afters, showns = zip(*pieces, strict=True)
    flat = np.concatenate(positions).astype(np.int64) if positions else np.zeros(0, np.int64)
    return Batch(
        np.concatenate(texts).astype(np.int64),
        tuple(len(text) for text in texts),
        flat,
        tuple(segments),
        np.isin(flat, deciding),
        np.concatenate(weights) if weights else np.zeros(0, np.float32),
        tuple(places),
        showns,
        afters,
    )


def cut(samples: Iterable[Sample], tokens: int, most: int = 0, shared: bool = True) -> Iterator[list[Sample]]:
    """Consecutive runs of at most `most` samples each if that is given, else of at most `tokens` tokens each (a longer
    sample stands alone), as `size_of` counts them if openings are shared."""
    run: list[Sample] = []
    size = 0
    for sample in samples:
        more = len(sample.tokens) - (sample.opening if shared and run and _same_opening(run[-1], sample) else 0)
        if run and (len(run) >= most if most else size + more > tokens):
            yield run
            run, size, more = [], 0, len(sample.tokens)
        run.append(sample)
        size += more
    if run:
        yield run


def share(samples: Sequence[Sample], tokens: int, multiple: int) -> list[list[Sample]]:
    """Divide samples into parts of nearly equal work, about `tokens` tokens each and, where it can be, a multiple of
    `multiple` of them.

    The largest families go first, each to the part that has least; one that would keep the other parts waiting is
    halved.
    """
    total = size_of(samples)
    count = min(len(samples), multiple * max(1, -(-total // (tokens * multiple))))
    parts: list[list[Sample]] = [[] for _ in range(count)]
    sizes = [0] * count
    waiting = sorted(families(samples), key=size_of)
    while waiting:
        family = waiting.pop()
        size, least = size_of(family), sizes.index(min(sizes))
        half = len(family) // 2
        if half and sizes[least] + size > FULL * total / count:
            for part in family[:half], family[half:]:
                insort(waiting, part, key=size_of)
            continue
        parts[least] += family
        sizes[least] += size
    return [part for part in parts if part]


class Mixture:
    """Files with their repeats; the batches of `epoch(n)` depend on the seed and n alone, not on what ran before.

    A batch has `batch_samples` samples if that is given; or as many as have `batch_pairs` prompt-completion pairs in
    the mean, if that is; else `batch_tokens` tokens. Samples with one opening stand side by side in groups of at most
    `together`, if that is above 1, and count with one copy of it.
    """

    def __init__(
        self,
        files: Sequence[tuple[DataFile, Sequence[Sample]]],
        batch_tokens: int,
        seed: int,
        batch_samples: int = 0,
        together: int = 1,
        batch_pairs: int = 0,
    ) -> None:
        self.files, self.batch_tokens, self.seed, self.together = files, batch_tokens, seed, together
        self.batch_samples = batch_samples
        if batch_pairs and self.pairs:
            self.batch_samples = max(1, round(batch_pairs * self.size / self.pairs))

    @property
    def pairs(self) -> float:
        """Prompt-completion pairs of an epoch; with a repeat that is no whole number, of the mean one."""
        return sum(file.repeat * sum(sample.pairs for sample in samples) for file, samples in self.files)

    @property
    def size(self) -> float:
        """Samples of an epoch, as `pairs` counts them."""
        return sum(file.repeat * len(samples) for file, samples in self.files)

    def epoch(self, number: int) -> list[list[Sample]]:
        """The epoch's optimizer steps, each a list of samples; nothing is left out."""
        order: list[Sample] = []
        for index, (file, samples) in enumerate(self.files):
            whole, part = divmod(file.repeat, 1.0)
            order += list(samples) * int(whole)
            chooser = random.Random(f"{self.seed}/{number}/{index}")
            order += chooser.sample(list(samples), round(part * len(samples)))
        mixer = random.Random(f"{self.seed}/{number}")
        mixer.shuffle(order)
        if self.together > 1:
            groups = _grouped(order, self.together)
            mixer.shuffle(groups)
            order = [sample for group in groups for sample in group]
        return list(cut(order, self.batch_tokens, self.batch_samples, self.together > 1))


def _grouped(samples: Sequence[Sample], most: int) -> list[list[Sample]]:
    """Groups of at most `most` samples with the same opening, none twice in one; those with hardly any stand alone."""
    groups: list[list[Sample]] = []
    growing: dict[object, list[Sample]] = {}
    for sample in samples:
        key = (sample.definitions, sample.tokens[: sample.opening].tobytes())
        group = growing.get(key, [])
        alone = sample.opening < LEAST_OPENING or len(group) == most or any(other is sample for other in group)
        if alone or not group:
            group = growing[key] = []
            groups.append(group)
        group.append(sample)
    return groups
