"""From a definition's output embedding to a function token: a small affine map, kept beside the adapter it belongs to.

The file is NumPy's .npz (`camphor-smollm2-135m.tokens.npz` beside `camphor-smollm2-135m.gguf`) with these arrays:

    version  ()                             1
    method   ()  text                       which embeddings are taken, a `Method`: "last" where absent
    mean     (n_embd,) or (k, n_embd)       subtracted first; 0 where absent
    scale    () or (n_embd,) or (k, n_embd) multiplied next; 1 where absent
    norm     ()                             then each vector is given this length; none where absent or 0
    weight   (n_embd, n_embd) or (k, n_embd, n_embd)  outputs by inputs, as torch's Linear has it; none where absent
    bias     (n_embd,) or (k, n_embd)       added last; 0 where absent

y = weight @ normed((x - mean) * scale) + bias, all in float32; k is the method's vectors a definition.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camphor.errors import ModelError
from camphor.models.function_tokens import DefinitionEncoder, Method
from camphor.models.sequence import Vectors
from camphor.models.weights import read_contents, read_tensor

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
