"""Texts of exports as records hold them."""

from __future__ import annotations

from camphor.device.text import without_unseen

LONGEST = 100_000
"""Characters of a text of a record."""


def tidy(text: str, longest: int = LONGEST) -> str:
    """A text without what is not seen and without space around it, cut where it is too long."""
    if not text.isprintable():  # the usual text is, and this takes long
        text = without_unseen(text[: longest * 2])
    text = text.strip()
    return text if len(text) <= longest else text[:longest].rstrip()
