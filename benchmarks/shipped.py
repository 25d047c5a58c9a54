"""Write the sizes and SHA-256 of the files in both `shipped.toml` anew, after one was replaced."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import camphor_lab
from camphor.models.llama import embedded_model
from camphor.models.weights import MANIFEST, OF_LAB, listed


def rewritten(manifest: Path) -> str:
    """The manifest with the sums of the files as they lie there now; its order and words stay."""
    text = manifest.read_text(encoding="utf-8")
    for one in listed():
        if f'"{one.path}"' not in text:
            continue
        path = one.place or embedded_model()
        data = path.read_bytes()
        entry = rf'(path = "{re.escape(one.path)}"\n)bytes = \d+\nsha256 = "\w+"'
        told = rf'\g<1>bytes = {len(data)}\nsha256 = "{hashlib.sha256(data).hexdigest()}"'
        text, changed = re.subn(entry, told, text)
        if changed != 1:
            raise SystemExit(f"{manifest}: {one.path}: expected its bytes and sha256 below its path")
    return text


def main() -> None:
    for manifest in (MANIFEST, Path(camphor_lab.__file__).with_name(OF_LAB)):
        manifest.write_text(rewritten(manifest), encoding="utf-8")


if __name__ == "__main__":
    main()
