"""Keys for programs, each in a file that only its owner may read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def kept_key(file: Path) -> str:
    """The key in that file, made when it is first needed."""
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
            out.write(secrets.token_urlsafe(32))
    file.chmod(0o600)  # whatever a copy or a backup made of it
    return file.read_text(encoding="ascii")
