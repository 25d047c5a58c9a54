"""Sentences as vectors without a network: a vector for every word piece, added up.

The table comes with this package. It was distilled from all-MiniLM-L6-v2 (Apache-2.0) by `camphor.training.static`, the
way model2vec does it (Tulkens and van Dongen 2024): each piece alone through the model, principal components,
and a weight by how rare the piece is. A query costs a look-up for each of its pieces.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from camphor.errors import ModelMissing
from camphor.retrieval.wordpiece import WordPiece

Vector = npt.NDArray[np.float32]

TABLE = Path(__file__).parent / "minilm-static.npz"
LONGEST = 4096
"""Pieces of a text that are read."""


class StaticEncoder:
    """Texts as sums of the vectors of their pieces, of unit length; all zeros for a text without a known piece.

    Args:
        table: an `.npz` with `pieces` (UTF-8 bytes, one a line), `vectors` (int8, pieces by dimensions) and `scales`
            (float32, pieces): a piece's vector is its row times its scale.

    Raises:
        ModelMissing: the table cannot be read.
    """

    def __init__(self, table: Path = TABLE) -> None:
        try:
            self._pieces, self._vectors, self._scales, self.identity = _read(table)
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise ModelMissing(f"{table}: the table of word vectors cannot be read: reinstall camphor") from error
        self.dimensions = int(self._vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> Vector:
        """The embeddings of the texts, in order: float32, shape (number of texts, dimensions)."""
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            numbers = self._pieces.cut(text)[:LONGEST]
            if numbers:
                found[row] = self._scales[numbers] @ self._vectors[numbers].astype(np.float32)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.where(lengths > 0, lengths, 1), np.float32)


@lru_cache(maxsize=2)
def _read(table: Path) -> tuple[WordPiece, npt.NDArray[np.int8], Vector, str]:
    with table.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
        text, vectors, scales = file["pieces"].tobytes(), file["vectors"], file["scales"].astype(np.float32)
    pieces = text.decode().split("\n")
    if vectors.ndim != 2 or len(pieces) != len(vectors) or scales.shape != (len(vectors),):
        raise ValueError("pieces, vectors and scales differ in number")
    identity = hashlib.sha256(text + vectors.tobytes() + scales.tobytes()).hexdigest()
    return WordPiece(pieces), vectors, scales, f"static {identity[:32]}"
