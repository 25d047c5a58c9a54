"""Files of datasets: what is read says where it is wrong, and what is written is there as a whole or not at all."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from camphor.errors import DatasetError


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        DatasetError: it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DatasetError(str(path), None, f"not TOML: {error}") from None
    except OSError as error:
        raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from None


@cache
def tables_beside(module: str, name: str) -> Mapping[str, Any]:
    """The tables of a TOML file of this package, read once: `tables_beside(__file__, "words.toml")`."""
    return read_toml(Path(module).parent / name)


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The number and the value of each line of JSON that is not empty.

    Raises:
        DatasetError: the file cannot be read, or a line is no JSON; names it.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        value = json.loads(line)
                    except (ValueError, RecursionError) as error:
                        raise DatasetError(str(path), number, f"not JSON: {error}") from None
                    yield number, value
    except OSError as error:
        raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DatasetError(str(path), None, "not UTF-8 text: save it as UTF-8") from None


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Another name to write under first, so that a file with the right name is whole."""
    part = path.with_name(path.name + ".part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with whole(path) as part:
        part.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any, indent: int | None = None) -> None:
    write_text(path, json.dumps(value, ensure_ascii=False, indent=indent) + "\n")


def line_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def write_lines(path: Path, values: Iterable[Any]) -> int:
    """JSON, a value a line; returns how many."""
    count = 0
    with whole(path) as part, part.open("w", encoding="utf-8") as stream:
        for value in values:
            stream.write(line_of(value))
            count += 1
    return count
