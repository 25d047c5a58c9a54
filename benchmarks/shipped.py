"""Write the sizes and SHA-256 of the files in `src/camphor/models/shipped.toml` anew, after one was replaced."""

from __future__ import annotations

import hashlib
import re

from camphor.models.llama import embedded_model
from camphor.models.shipped import MANIFEST, listed


def rewritten(text: str) -> str:
    """The manifest with the sums of the files as they lie there now; its order and words stay."""
    for one in listed():
        path = one.place if one.package == "camphor" else embedded_model()
        data = path.read_bytes()
        entry = rf'(path = "{re.escape(one.path)}"\n)bytes = \d+\nsha256 = "\w+"'
        told = rf'\g<1>bytes = {len(data)}\nsha256 = "{hashlib.sha256(data).hexdigest()}"'
        text, changed = re.subn(entry, told, text)
        if changed != 1:
            raise SystemExit(f"{MANIFEST}: {one.path}: expected its bytes and sha256 below its path")
    return text


def main() -> None:
    MANIFEST.write_text(rewritten(MANIFEST.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
