"""Function tokens: a tool's definition as one vector that stands in the prompt in place of its text.

CAMPHOR, section 3.3: the language model itself compresses a definition, offline, into the embedding of its last token.
Here that is the output embedding, after the final norm, that the frozen base model has without any adapter, so a
vector depends on nothing but the base and the text, is the same for training and running, and is kept on disk per
definition: an app that is added costs the encoding of its own tools. A projector (`camphor.models.projector`), which
may be learned, then takes it to where token embeddings lie (SmolLM2-135M: output embeddings have norm 50, token
embeddings 3.2).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import numpy as np

from camphor.errors import ModelError
from camphor.models.facts import write_whole
from camphor.models.merge import update_with_sample
from camphor.models.sequence import Vectors

Progress = Callable[[float], None]

SUFFIX = ".vectors"
FOLDER = "function-tokens"
"""The folder of vectors in camphor's folder of what can be made again."""
FORM = 1
"""Raised when the same model, method and definition are to give other vectors."""
REMEMBERED = 1024
"""Definitions whose vectors stay in memory, 2.3 kB each for SmolLM2-135M."""


class Method(StrEnum):
    """What of a definition's output embeddings is taken."""

    LAST = "last"
    """The last token's (the paper's)."""
    LAST_AND_MEAN = "last+mean"
    """The last token's, and the mean over all tokens: two vectors. Not in the paper."""

    @property
    def vectors(self) -> int:
        """k, the vectors a definition has."""
        return len(self.value.split("+"))

    def reduce(self, embeddings: Vectors) -> Vectors:
        """Output embeddings of all tokens, (tokens, n_embd), to a definition's vectors, (k, n_embd)."""
        if self is Method.LAST:
            return embeddings[-1:].astype(np.float32)
        return np.stack([embeddings[-1], embeddings.mean(axis=0)]).astype(np.float32)


class VectorFiles:
    """Vectors of definitions, in memory and in a folder, one small file each.

    A file is the SHA-256 of what follows it and the float32 numbers, little-endian. It appears whole or not at all; one
    that is damaged counts as missing, and a folder that cannot be written keeps nothing.

    Args:
        folder: made when first written to; None for memory only. identity: of the model and the method, in any words.
    """

    def __init__(self, folder: Path | None, identity: str) -> None:
        self._folder = folder
        self._identity = f"{FORM} {identity}"
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    def get(self, text: str, count: int) -> Vectors | None:
        """The (count, n_embd) vectors of a definition, or None where they are not known."""
        known = self._kept.get(text)
        if known is None and self._folder is not None:
            known = _read_vectors(self._path(text), count)
            if known is not None:
                self._remember(text, known)
        return known

    def put(self, text: str, vectors: Vectors) -> None:
        self._remember(text, vectors)
        if self._folder is None:
            return
        data = vectors.astype("<f4").tobytes()
        with contextlib.suppress(OSError):  # a full disk costs the next start some seconds, not this one its answer
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(text), hashlib.sha256(data).digest() + data)

    def _path(self, text: str) -> Path:
        assert self._folder is not None
        key = hashlib.sha256(f"{self._identity}\n{text}".encode(errors="surrogatepass")).hexdigest()
        return self._folder / f"{key[:40]}{SUFFIX}"

    def _remember(self, text: str, vectors: Vectors) -> None:
        self._kept[text] = vectors
        if len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)


class DefinitionEncoder(ABC):
    """Makes definitions into vectors, each once.

    Args:
        folder: where vectors are kept; None to keep them in memory only. method: what is taken of a definition.
    """

    def __init__(self, folder: Path | None, method: Method) -> None:
        self.method = method
        self._folder = folder

    @abstractmethod
    def _identity(self) -> str:
        """What tells this model from all others, as far as its vectors go."""

    @abstractmethod
    def _output_embeddings(self, texts: Sequence[str]) -> Iterator[Vectors]:
        """For each text the embeddings of its tokens after the final norm, (tokens, n_embd)."""

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """The definitions' vectors, (len(texts), k, n_embd), those of equal texts computed once.

        Args:
            progress: told the part that is done, 0 to 1, when anything has to be computed.

        Raises:
            ModelMissing: the model cannot be read. ModelError: an empty definition, or one longer than the context.
        """
        if not texts:
            raise ValueError("there is nothing to encode")
        if not all(texts):
            raise ModelError("a tool's definition is empty: it has no last token to stand for it")
        found = {text: self._files.get(text, self.method.vectors) for text in texts}
        missing = [text for text, vectors in found.items() if vectors is None]
        for done, (text, embeddings) in enumerate(zip(missing, self._output_embeddings(missing), strict=True), 1):
            found[text] = vectors = self.method.reduce(embeddings)
            self._files.put(text, vectors)
            if progress is not None:
                progress(done / len(missing))
        return np.stack([vectors for vectors in (found[text] for text in texts) if vectors is not None])

    @functools.cached_property
    def _files(self) -> VectorFiles:
        return VectorFiles(self._folder, f"{self._identity()} {self.method}")


class LlamaEncoder(DefinitionEncoder):
    """Makes definitions into vectors with a GGUF model in llama.cpp, without an adapter.

    The model is opened when a definition is not known yet, and closed again.

    Args:
        model_path: the base model. folder: where vectors are kept; None to keep them in memory only.
        method: what is taken of a definition. threads: None for as many as are good; the vectors do not depend on it.
        mapped: whether the file is mapped into memory.
    """

    def __init__(
        self,
        model_path: Path,
        folder: Path | None = None,
        method: Method = Method.LAST,
        threads: int | None = None,
        mapped: bool = True,
    ) -> None:
        super().__init__(folder, method)
        self.model_path = model_path
        self._threads, self._mapped = threads, mapped

    def _identity(self) -> str:
        return model_identity(self.model_path)

    def _output_embeddings(self, texts: Sequence[str]) -> Iterator[Vectors]:
        if texts:
            from camphor.models.native_encoder import output_embeddings  # loads the llama.cpp libraries

            yield from output_embeddings(self.model_path, texts, self._threads, self._mapped)


def model_identity(path: Path) -> str:
    """What a model file is known by: a hash of its size and of samples from all of it; ModelError if unreadable."""
    digest = hashlib.sha256()
    try:
        update_with_sample(digest, path)
    except OSError as error:
        raise ModelError(f"{path}: the language model cannot be read: {error.strerror or error}") from None
    return digest.hexdigest()


def _read_vectors(path: Path, count: int) -> Vectors | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, numbers = data[:32], data[32:]
    if hashlib.sha256(numbers).digest() != digest or not numbers or len(numbers) % (4 * count):
        return None
    return np.frombuffer(numbers, "<f4").reshape(count, -1).astype(np.float32)
