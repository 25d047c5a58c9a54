"""The file of a small trained model: arrays, and facts about them as JSON, in NumPy's .npz."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from camphor.errors import ModelMissing
from camphor.models.facts import write_whole

M = TypeVar("M")
Arrays = Mapping[str, npt.NDArray[Any]]


def coarse(values: npt.NDArray[np.floating[Any]], bits: int) -> npt.NDArray[np.float16]:
    """Values as float16 without the last bits of their fractions, rounded to the nearest: a file of these is smaller.

    Args:
        bits: how many go, of ten; 6 change a value by at most one in 32.
    """
    whole = np.ascontiguousarray(values, np.float16).view(np.uint16)
    kept = (whole + np.uint16(1 << (bits - 1))) & np.uint16(0x10000 - (1 << bits))
    return np.asarray(kept, np.uint16).view(np.float16)


def write_model_file(path: Path, form: str, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a model, whole or not at all. Raises OSError: it cannot be written."""
    told = np.frombuffer(json.dumps({"form": form, **facts}).encode(), np.uint8)
    stream = io.BytesIO()
    np.savez_compressed(stream, facts=told, **arrays)  # type: ignore[arg-type]
    write_whole(path, stream.getvalue())


def read_model_file(
    path: Path, form: str, model: Callable[[Mapping[str, Any], Arrays], M], *, name: str, command: str
) -> M:
    """What `model` makes of a file's facts and arrays; it may raise ValueError or KeyError where they are none of its.

    Args:
        name: what the model is called in an error. command: trains it.

    Raises:
        ModelMissing: there is none, or it is none of this form.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {each: file[each] for each in file.files}
        facts = json.loads(arrays["facts"].tobytes())
        if facts["form"] != form:
            raise ValueError("another form")
        return model(facts, arrays)
    except (OSError, ValueError, TypeError, KeyError, EOFError, BadZipFile) as error:
        raise ModelMissing(
            f"{path}: {name} cannot be read: reinstall camphor, or train it with  camphor {command} FOLDER --out "
            f"{path.name}"
        ) from error
