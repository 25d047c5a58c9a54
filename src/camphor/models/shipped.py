"""Weights that come with camphor, and whether they are what they were when it was made.

`shipped.toml` lists each file with its size, SHA-256, licence and what it was made from; `benchmarks/shipped.py` writes
the sums anew when a file is replaced.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

from camphor.errors import ModelMissing
from camphor.models.facts import CheckedFiles

PACKAGE = Path(__file__).parents[1]
MANIFEST = PACKAGE / "models" / "shipped.toml"


@dataclass(frozen=True)
class Shipped:
    """A file of weights. `path`: below the package camphor; for one of another package with that package's folder."""

    path: str
    bytes: int
    sha256: str
    licence: str
    source: str
    package: str = "camphor"

    @property
    def place(self) -> Path:
        return PACKAGE / self.path


@functools.cache
def listed() -> tuple[Shipped, ...]:
    """What the manifest lists."""
    with MANIFEST.open("rb") as file:
        return tuple(Shipped(**each) for each in tomllib.load(file)["file"])


def check_shipped(path: Path, checked: CheckedFiles, afresh: bool = False) -> None:
    """ModelMissing where a file that the manifest lists is another than it lists; others pass.

    Args:
        checked: remembers what was computed. afresh: compute it again.
    """
    one = next((each for each in listed() if is_it(each, path)), None)
    if one is None:
        return
    force = f"run  pip install --force-reinstall --no-deps --no-cache-dir {one.package}"
    advice = "reinstall camphor" if one.package == "camphor" else force
    try:
        size, found = path.stat().st_size, checked.sha256(path, afresh)
    except OSError as error:
        raise ModelMissing(f"{path}: it cannot be read ({error.strerror}): {advice}") from None
    if found != one.sha256:
        told = f"{size:,} bytes in place of {one.bytes:,}" if size != one.bytes else f"its SHA-256 is {found[:12]}…"
        raise ModelMissing(f"{path}: the file is not the one that was shipped ({told}): {advice}")


def is_it(one: Shipped, path: Path) -> bool:
    """Whether a path is where a listed file is installed."""
    if one.package == "camphor":
        return one.place == path
    return (path.parent.name, path.name) == tuple(Path(one.path).parts[-2:])
