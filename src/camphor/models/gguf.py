"""Whether a file is a GGUF file at all, told without llama.cpp."""

from __future__ import annotations

from pathlib import Path

from camphor.errors import ModelMissing


def check_gguf(path: Path, what: str) -> None:
    """ModelMissing unless `path` is a file that begins as GGUF files do."""
    advice = "name a GGUF file, or reinstall camphor to get the one that comes with it"
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise ModelMissing(f"{path}: there is no such {what}: {advice}") from None
    except OSError as error:
        raise ModelMissing(f"{path}: the {what} cannot be read ({error.strerror}): {advice}") from None
    if magic != b"GGUF":
        raise ModelMissing(f"{path}: this is no GGUF file, as it begins with {magic!r}: {advice}")
