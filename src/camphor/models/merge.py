"""A model and its LoRA adapter as one file, made once on the machine that uses it.

An adapter beside its base costs two small products in every projection, which slows generation by a third. Added into
the weights, W + alpha / r * B A (LoRA, section 4.1), it costs nothing. The sum is stored in Q8_0: exact enough that
requantising loses next to nothing, and faster for prompts than the base's own Q4_1.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from camphor.models.facts import CheckedFiles
from camphor.models.weights import (
    Q8_0,
    Contents,
    MergeFailed,
    Tensor,
    encode_q8_0,
    head,
    padding,
    read_contents,
    read_tensor,
)

Progress = Callable[[float], None]
"""Told the part of the work that is done, 0 to 1."""

SUFFIX = ".merged.gguf"
SUM = ".sha256"
"""Of the file that holds a merged file's SHA-256, beside it, in the form of the command sha256sum."""
_PARTIAL = ".partial"
FORM = 1
"""Raised when the same two files are to give another merged file."""
KEPT = 2
"""Merged files in a folder; older ones are removed."""
SPARE = 200_000_000
"""Bytes that must stay free on the disk."""
FILE_TYPE_Q8_0 = 7
_SAMPLES, _SAMPLE = 64, 16_384
_CHUNK = 1 << 20


@dataclass(frozen=True)
class _Adapter:
    contents: Contents
    scale: float
    names: frozenset[str]
    """The base's tensors that it changes."""


def merged_path(base: Path, adapter: Path, folder: Path) -> Path:
    """Where the merged file of these two is, or would be; OSError where one cannot be read.

    Named by a hash of both: of all of the adapter, and of the base's size and 64 samples of 16 kB, as reading 100 MB
    at every start would cost more than loading the model does.
    """
    digest = hashlib.sha256(f"{FORM} ".encode())
    update_with_sample(digest, base)
    with adapter.open("rb") as file:
        digest.update(hashlib.file_digest(file, "sha256").digest())
    return folder / f"{adapter.stem[:60]}-{digest.hexdigest()[:20]}{SUFFIX}"


def update_with_sample(digest: hashlib._Hash, path: Path) -> None:
    """Take a file's size and 64 samples of 16 kB from all over it into a hash; OSError where it cannot be read."""
    size = path.stat().st_size
    digest.update(str(size).encode())
    last = max(0, size - _SAMPLE)
    with path.open("rb") as file:
        for number in range(_SAMPLES):
            file.seek(last * number // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE))


def merge(
    base: Path,
    adapter: Path,
    folder: Path,
    progress: Progress | None = None,
    checked: CheckedFiles | None = None,
) -> Path:
    """The merged file of a base and its adapter, made where it is not there yet, or is not what was made.

    It appears whole or not at all, also when the power fails or two processes make it at once. Tensor by tensor, so it
    takes little memory whatever the model's size.

    Args:
        folder: where merged files are kept; made if need be. progress: told how far it is, if anything is to be made.
        checked: remembers which files were read and found to be whole; without it they are read every time.

    Raises:
        MergeFailed: the files do not belong together or are in a form that is not merged, or the folder cannot be
        written or has no room.
    """
    checked = checked or CheckedFiles(None)
    try:
        target = merged_path(base, adapter, folder)
        if is_whole(target, checked):
            return target
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder, kept=KEPT - 1)
        _make(base, adapter, target, progress or (lambda _: None))
        _write_sum(target, checked.sha256(target))
    except OSError as error:
        raise MergeFailed(f"{error.filename or folder}: {error.strerror or error}") from None
    return target


def is_whole(merged: Path, checked: CheckedFiles, afresh: bool = False) -> bool:
    """Whether a merged file is there with the content that was written; OSError where it cannot be read.

    Args:
        afresh: read all of it, also where it seems to be as it was when that was last done.
    """
    try:
        known = sum_path(merged).read_text(encoding="ascii").split()[:1]
    except (OSError, ValueError):
        return False
    return merged.is_file() and known == [checked.sha256(merged, afresh)]


def sum_path(merged: Path) -> Path:
    return merged.with_name(merged.name + SUM)


def _write_sum(merged: Path, digest: str) -> None:
    with _appearing(sum_path(merged)) as file:
        file.write(f"{digest}  {merged.name}\n".encode())


def _make(base: Path, adapter: Path, target: Path, progress: Progress) -> None:
    contents = read_contents(base)
    lora = _read_adapter(adapter, contents)
    first, size = head(_with_file_type(contents), dict.fromkeys(lora.names, Q8_0))
    if shutil.disk_usage(target.parent).free < size + SPARE:
        raise MergeFailed(f"{target.parent}: the disk has no room for {size // 1_000_000} MB more")
    with _appearing(target) as file, base.open("rb") as weights, adapter.open("rb") as factors:
        file.write(first)
        for tensor in contents.tensors.values():
            if tensor.name in lora.names:
                file.write(encode_q8_0(_sum(tensor, lora, weights, factors)))
            else:
                _copy(weights, tensor, file)
            file.write(bytes(padding(file.tell(), contents.alignment)))
            progress(file.tell() / size)


def _sum(tensor: Tensor, lora: _Adapter, weights: BinaryIO, factors: BinaryIO) -> NDArray[np.float32]:
    """W + scale * B A, (outputs, inputs). Adapters in GGUF form have their rows in the order that GGUF models have."""
    a = read_tensor(factors, lora.contents.tensors[f"{tensor.name}.lora_a"])
    b = read_tensor(factors, lora.contents.tensors[f"{tensor.name}.lora_b"])
    change = b @ a
    change *= lora.scale
    change += read_tensor(weights, tensor)
    if not np.isfinite(change).all():
        raise MergeFailed(f"{tensor.name} has values that are no numbers")
    return change


def _copy(source: BinaryIO, tensor: Tensor, out: BinaryIO) -> None:
    source.seek(tensor.start)
    left = tensor.size
    while left:
        data = source.read(min(left, _CHUNK))
        if not data:
            raise MergeFailed(f"the base model's file is damaged: it ends inside {tensor.name}")
        out.write(data)
        left -= len(data)


def _read_adapter(path: Path, base: Contents) -> _Adapter:
    contents = read_contents(path)
    fields = contents.fields
    if (fields.get("general.type"), fields.get("adapter.type")) != ("adapter", "lora"):
        raise MergeFailed(f"{path}: this is no LoRA adapter")
    if fields.get("general.architecture") != base.fields.get("general.architecture"):
        raise MergeFailed(f"{path}: the adapter is for another kind of model")
    if any(key.startswith("adapter.alora") for key in fields):
        raise MergeFailed(f"{path}: an adapter that works on part of the text only cannot be merged")
    names = frozenset(name.removesuffix(".lora_a").removesuffix(".lora_b") for name in contents.tensors)
    ranks = {_rank(name, contents, base, path) for name in names}
    if len(ranks) != 1:
        raise MergeFailed(f"{path}: an adapter of ranks {sorted(ranks)} is not merged")
    alpha = fields.get("adapter.lora.alpha")
    if not isinstance(alpha, float):
        raise MergeFailed(f"{path}: the adapter does not tell its alpha")
    # llama.cpp reads an alpha of 0 as: no scaling.
    return _Adapter(contents, alpha / ranks.pop() if alpha else 1.0, names)


def _rank(name: str, adapter: Contents, base: Contents, path: Path) -> int:
    """The rank of one tensor's change; MergeFailed unless both factors are there and fit."""
    changed = base.tensors.get(name)
    a, b = (adapter.tensors.get(f"{name}.lora_{part}") for part in "ab")
    if not (changed and a and b and len(changed.shape) == len(a.shape) == len(b.shape) == 2):
        raise MergeFailed(f"{path}: the adapter's {name} has no counterpart in the model")
    # An embedding's adapter has its factors transposed: such adapters are left to llama.cpp.
    if (b.shape[0], a.shape[1]) != changed.shape or a.shape[0] != b.shape[1] or name == "token_embd.weight":
        raise MergeFailed(f"{path}: the adapter's {name} does not fit the model's")
    return a.shape[0]


def _with_file_type(contents: Contents) -> Contents:
    """The same, with the file's type told as Q8_0 where it is told at all."""
    place = contents.places.get("general.file_type")
    if place is None:
        return contents
    metadata = bytearray(contents.metadata)
    struct.pack_into("<I", metadata, place, FILE_TYPE_Q8_0)
    return Contents(contents.fields, bytes(metadata), contents.places, contents.tensors, contents.alignment)


@contextlib.contextmanager
def _appearing(target: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when it is whole and on the disk; nothing of it stays after an error."""
    number, name = tempfile.mkstemp(_PARTIAL, f".{target.stem[:40]}-", target.parent)
    partial = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        try:
            partial.replace(target)
        except PermissionError:  # Windows, where another process made it meanwhile and uses it
            if not target.is_file():
                raise
        _sync_folder(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # Windows opens no folders, and some network disks sync none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(folder: Path, kept: int) -> None:
    """Remove all but the latest merged files, and what a killed process left over an hour ago."""
    made: list[tuple[float, Path]] = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):  # gone already, or in use on Windows
            age = path.stat().st_mtime
            if path.name.endswith(SUFFIX):
                made.append((age, path))
            elif path.name.endswith(_PARTIAL) and age < time.time() - 3600:
                path.unlink()
    for _, path in sorted(made, reverse=True)[kept:]:
        with contextlib.suppress(OSError):
            path.unlink()
            sum_path(path).unlink(missing_ok=True)
