"""The table of word vectors, fine-tuned to find what implicit queries are about (Context Tuning, section 3.2).

Only the vectors of pieces that occur in training change, and only those are written: what a phone then needs is numpy
and a small file beside the table that it has. A text loses half of its pieces each time it is seen, so that no one word
comes to stand for an item.

python -m camphor_lab.training.finetune_encoder FOLDER OUT.npz [--epochs 10] [--rate 0.03]
"""

from __future__ import annotations

import argparse
import io
import random
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.models.facts import write_whole
from camphor.retrieval.static import StaticEncoder
from camphor_lab.training.contrastive import ContrastiveExample, Told, Tuning, batches, loss_of, steps_of

Vectors = npt.NDArray[np.float32]

LEAST_CHANGE = 0.1
"""A vector that changed by less than this part of its length stays as it was, and out of the file."""


class Sums:
    """Texts as sums of vectors of pieces that are trained; the torch side of `StaticEncoder.encode`.

    Args:
        encoder: whose vectors are the start. texts: all that will be encoded; only their pieces have vectors here.
    """

    def __init__(self, encoder: StaticEncoder, texts: Iterable[str]) -> None:
        import torch

        self._cut = {text: encoder.pieces(text) for text in texts}
        self.rows = sorted({piece for pieces in self._cut.values() for piece in pieces})
        self._places = {row: place for place, row in enumerate(self.rows)}
        self.start = torch.from_numpy(encoder.vectors(self.rows))
        self.weights = torch.nn.Parameter(self.start.clone())

    def encode(self, texts: Sequence[str], dropout: float = 0.0, chance: random.Random | None = None) -> Any:
        """Unit vectors, (texts, dimensions).

        Args:
            dropout: the share of pieces that are left out, drawn from `chance`; a text never loses all.
        """
        import torch

        cut = [[self._places[piece] for piece in self._cut[text]] for text in texts]
        if chance is not None:
            cut = [[place for place in each if chance.random() >= dropout] or each for each in cut]
        starts = np.cumsum([0, *map(len, cut[:-1])])
        numbers = torch.tensor([place for each in cut for place in each], dtype=torch.long)
        sums = torch.nn.functional.embedding_bag(numbers, self.weights, torch.from_numpy(starts), mode="sum")
        return torch.nn.functional.normalize(sums, dim=1)


def finetune(
    encoder: StaticEncoder,
    examples: Sequence[ContrastiveExample],
    tuning: Tuning | None = None,
    told: Told | None = None,
) -> tuple[list[int], Vectors]:
    """Train the vectors.

    Returns:
        The rows of the table that changed, in order, and their new vectors, (rows, dimensions).

    Raises:
        UsageError: there are no examples.
    """
    import torch

    tuning = tuning or Tuning()
    made = batches(examples, tuning)
    sums = Sums(encoder, (text for each in examples for text in (each.query, *each.gold, *each.others)))
    optimiser = torch.optim.Adam([sums.weights], lr=tuning.rate)
    total = steps_of(examples, tuning)
    falling = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.05, total)
    chance = random.Random(tuning.seed)
    length = sums.start.norm(dim=1).mean()
    for step, batch in enumerate(made, 1):
        queries, texts = (sums.encode(each, tuning.dropout, chance) for each in (batch.queries, batch.texts))
        loss = loss_of(queries, texts, batch, tuning.temperature)
        change = ((sums.weights - sums.start) / length).square().sum() / len(sums.rows)
        optimiser.zero_grad()
        (loss + tuning.keep * change).backward()
        optimiser.step()
        falling.step()
        if told:
            told(step, total, float(loss.detach()))
    vectors = sums.weights.detach().numpy()
    start = sums.start.numpy()
    moved = np.linalg.norm(vectors - start, axis=1) > LEAST_CHANGE * np.linalg.norm(start, axis=1)
    return [row for row, has in zip(sums.rows, moved, strict=True) if has], vectors[moved]


def write_changes(path: Path, encoder: StaticEncoder, rows: Sequence[int], vectors: Vectors) -> None:
    """A file that `StaticEncoder(changes=...)` reads: int8 rows, each with a scale, for that very table."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
    content = io.BytesIO()
    np.savez_compressed(
        content,
        table=np.array(encoder.identity),
        rows=np.array(rows, np.int32),
        vectors=np.round(vectors / scales[:, None]).astype(np.int8),
        scales=scales.astype(np.float32),
    )
    write_whole(path, content.getvalue())


def main(arguments: Sequence[str] | None = None) -> None:
    from camphor_lab.training.contrastive import examples_of

    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=Tuning.epochs)
    parser.add_argument("--rate", type=float, default=Tuning.rate)
    options = parser.parse_args(arguments)
    begun, encoder = time.process_time(), StaticEncoder()
    examples = examples_of(options.folder)
    tuning = Tuning(epochs=options.epochs, rate=options.rate)
    rows, vectors = finetune(encoder, examples, tuning, _show)
    write_changes(options.out, encoder, rows, vectors)
    seconds = time.process_time() - begun
    size = options.out.stat().st_size
    print(
        f"{options.out.name}: {len(examples)} queries, {len(rows)} vectors changed, {size} bytes, {seconds:.0f} CPU s"
    )


def _show(step: int, total: int, loss: float) -> None:
    if step % 50 == 0 or step == total:
        print(f"step {step} of {total}: loss {loss:.3f}", flush=True)


if __name__ == "__main__":
    main()
