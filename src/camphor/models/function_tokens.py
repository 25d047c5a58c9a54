"""Function tokens: a tool's definition as one vector that stands in the prompt in place of its text.

CAMPHOR, section 3.3: the language model itself compresses a definition, offline, into the embedding of its last token.
Here that is the output embedding, after the final norm, that the frozen base model has without any adapter, so a
vector depends on nothing but the base and the text, is the same for training and running, and is kept on disk per
definition: an app that is added costs the encoding of its own tools. A `Projector`, which may be learned, then takes
it to where token embeddings lie (SmolLM2-135M: output embeddings have norm 50, token embeddings 3.2).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import zipfile
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camphor.errors import ModelError
from camphor.models.facts import write_whole
from camphor.models.merge import update_with_sample
from camphor.models.sequence import Vectors
from camphor.models.weights import read_contents, read_tensor

Progress = Callable[[float], None]

_VECTORS_SUFFIX = ".vectors"
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
        return self._folder / f"{key[:40]}{_VECTORS_SUFFIX}"

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


# From a definition's output embedding to a function token: a small affine map, kept beside the adapter it belongs to.
#
# The file is NumPy's .npz (`camphor-smollm2-135m.tokens.npz` beside `camphor-smollm2-135m.gguf`) with these arrays:
#
#     version  ()                             1
#     method   ()  text                       which embeddings are taken, a `Method`: "last" where absent
#     mean     (n_embd,) or (k, n_embd)       subtracted first; 0 where absent
#     scale    () or (n_embd,) or (k, n_embd) multiplied next; 1 where absent
#     norm     ()                             then each vector is given this length; none where absent or 0
#     weight   (n_embd, n_embd) or (k, n_embd, n_embd)  outputs by inputs, as torch's Linear has it; none where absent
#     bias     (n_embd,) or (k, n_embd)       added last; 0 where absent
#
# y = weight @ normed((x - mean) * scale) + bias, all in float32; k is the method's vectors a definition.

SUFFIX = ".tokens.npz"
VERSION = 1
SAMPLE = 256
"""At every sixteenth of the table of token embeddings, so many are measured: rare ones are longer than common ones."""
MOST = 255
"""Function tokens in a prompt: the paper's two dynamic toolboxes have 37."""


def _scalar(value: float) -> Vectors:
    return np.asarray(value, np.float32)


@dataclass(frozen=True)
class Projector:
    """The map of this module's description; without any field it changes nothing."""

    mean: Vectors = field(default_factory=lambda: _scalar(0.0))
    scale: Vectors = field(default_factory=lambda: _scalar(1.0))
    norm: float = 0.0
    weight: Vectors | None = None
    bias: Vectors = field(default_factory=lambda: _scalar(0.0))
    method: Method = Method.LAST

    @classmethod
    def centred(cls, vectors: Vectors, norm: float, method: Method = Method.LAST) -> Projector:
        """Moves the mean of the given definitions' vectors, (n, k, n_embd), to 0 and gives each vector this norm."""
        return cls(mean=vectors.mean(axis=0), norm=norm, method=method)

    def apply(self, vectors: Vectors) -> Vectors:
        """Output embeddings (n, k, n_embd) to function tokens (n, k, n_embd); ModelError for other dimensions."""
        if vectors.ndim != 3 or vectors.shape[1] != self.method.vectors:
            raise ValueError(f"expected (n, {self.method.vectors}, n_embd), not {vectors.shape}")
        self._check(vectors.shape[2])
        made = (vectors - self.mean) * self.scale
        if self.norm:
            made = made * (self.norm / np.maximum(np.linalg.norm(made, axis=-1, keepdims=True), 1e-12))
        if self.weight is not None:
            made = (self.weight @ made[..., None])[..., 0]
        return np.asarray(made + self.bias, np.float32)

    def mean_with(self, other: Projector) -> Projector:
        """What is learnt (weight and bias) halfway between two projectors of one table of definitions.

        Raises:
            ModelError: what is not learnt differs, so that the mean of what is learnt would mean nothing.
        """
        fixed = all(np.array_equal(getattr(self, key), getattr(other, key)) for key in ("mean", "scale", "norm"))
        if not fixed or self.method != other.method or (self.weight is None) != (other.weight is None):
            raise ModelError("the mean of two projectors needs the same kind, method, mean, scale and norm in both")
        weight = None if self.weight is None or other.weight is None else np.float32(0.5) * (self.weight + other.weight)
        return replace(self, weight=weight, bias=np.float32(0.5) * (self.bias + other.bias))

    def save(self, path: Path) -> None:
        """Write the file that `load` reads; it appears whole or not at all."""
        arrays: dict[str, NDArray[Any]] = {
            "version": np.asarray(VERSION),
            "method": np.asarray(self.method.value),
            "mean": self.mean.astype(np.float32),
            "scale": self.scale.astype(np.float32),
            "norm": _scalar(self.norm),
            "bias": self.bias.astype(np.float32),
        }
        if self.weight is not None:
            arrays["weight"] = self.weight.astype(np.float32)
        partial = path.with_name(path.name + ".partial")
        try:
            with partial.open("wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path) -> Projector:
        """Read the file of this module's description; ModelError where it is missing, damaged or of another version."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in arrays.files}
        except FileNotFoundError:
            raise ModelError(f"{path}: there is no such projector of function tokens") from None
        except (OSError, ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
            raise ModelError(f"{path}: the projector of function tokens cannot be read: {error}") from None
        version = found.get("version")
        if version is None or version.ndim or version != VERSION:
            raise ModelError(f"{path}: expected version {VERSION} of function tokens' projector, not {version}")
        try:
            return cls(
                mean=found.get("mean", _scalar(0.0)).astype(np.float32),
                scale=found.get("scale", _scalar(1.0)).astype(np.float32),
                norm=float(found.get("norm", _scalar(0.0))),
                weight=found["weight"].astype(np.float32) if "weight" in found else None,
                bias=found.get("bias", _scalar(0.0)).astype(np.float32),
                method=Method(str(found.get("method", Method.LAST))),
            )
        except (TypeError, ValueError) as error:
            raise ModelError(f"{path}: a field of the projector has a value that means nothing: {error}") from None

    def _check(self, size: int) -> None:
        rows = {(), (size,), (self.method.vectors, size)}
        fits = {self.mean.shape, self.bias.shape, self.scale.shape} <= rows
        if self.weight is not None:
            fits = fits and self.weight.shape in {(size, size), (self.method.vectors, size, size)}
        if not fits:
            raise ModelError(f"this projector of function tokens is not made for a model of {size} dimensions")


def beside(adapter: Path) -> Path | None:
    """The projector that belongs to an adapter, `STEM.tokens.npz` in its folder, or None where there is none."""
    path = adapter.with_name(adapter.stem + SUFFIX)
    return path if path.is_file() else None


def default(path: Path, method: Method = Method.LAST) -> Projector:
    """Without a file: every vector gets the mean norm of the model's token embeddings.

    Args:
        path: the model's GGUF file, of whose token embeddings some are read.

    Raises:
        ModelError: its embeddings are in a format that is not read here.
    """
    contents = read_contents(path)
    table = contents.tensors.get("token_embd.weight")
    if table is None:
        raise ModelError(f"{path}: the model has no table of token embeddings, so it cannot take function tokens")
    rows, columns = table.shape
    bytes_a_row = table.size // rows
    norms = []
    with path.open("rb") as file:
        for first in range(0, rows, max(1, rows // 16)):
            shape = (min(SAMPLE, rows - first), columns)
            part = read_tensor(file, replace(table, shape=shape, start=table.start + first * bytes_a_row))
            norms.append(np.linalg.norm(part, axis=1))
    return Projector(norm=float(np.concatenate(norms).mean()), method=method)


class FunctionTokens:
    """The function tokens of a prompt's definitions; those of the last prompt are kept.

    Args:
        encoder: opened when the first definition comes. projector: likewise; its method is the encoder's.
    """

    def __init__(self, encoder: Callable[[Method], DefinitionEncoder], projector: Callable[[], Projector]) -> None:
        self._make_encoder, self._make_projector = encoder, projector
        self._parts: tuple[DefinitionEncoder, Projector] | None = None
        self._last: tuple[tuple[str, ...], Vectors] | None = None

    def of(self, definitions: tuple[str, ...]) -> Vectors | None:
        """The vectors in the order in which they stand in the prompt, (n * k, n_embd); None for no definitions.

        Raises:
            ModelError: more than a prompt can have, or they cannot be made. ModelMissing: the base model is not there.
        """
        if not definitions:
            return None
        if self._last is None or self._last[0] != definitions:
            if self._parts is None:
                projector = self._make_projector()
                self._parts = self._make_encoder(projector.method), projector
            encoder, projector = self._parts
            if len(definitions) * projector.method.vectors > MOST:
                raise ModelError(
                    f"{len(definitions)} tools were given as function tokens and a prompt takes "
                    f"{MOST // projector.method.vectors}: install fewer apps, or choose tools by retrieval first"
                )
            vectors = projector.apply(encoder.encode(definitions))
            self._last = definitions, vectors.reshape(-1, vectors.shape[-1])
        return self._last[1]
