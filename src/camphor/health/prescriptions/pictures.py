"""Pictures of a prescription that a browser can show beside the reading: the pages of a PDF, or a TIFF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from camphor.health.prescriptions.ocr import MOST_PAGES

if TYPE_CHECKING:
    from PIL import Image

_DPI = 110
_LONG_SIDE = 1400  # pixels: a page may be as large as a poster


def pictures_of(path: Path, pages: Sequence[int] = ()) -> list[bytes]:
    """JPEG pictures of a file that `ocr.read_file` has read; none of one that is shown as it is, or is text.

    Args:
        pages: which pages of a PDF, from 1; all where none are given.
    """
    with path.open("rb") as file:
        start = file.read(1024)
    if b"%PDF-" in start:
        return [_jpeg(each) for each in _pages(path, pages)]
    return [_jpeg(_tiff(path))] if start.startswith((b"II*\x00", b"MM\x00*")) else []


def _pages(path: Path, pages: Sequence[int]) -> Iterator[Image.Image]:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        for number in list(pages or range(1, len(document) + 1))[:MOST_PAGES]:
            page = document[number - 1]
            yield page.render(scale=min(_DPI / 72, _LONG_SIDE / max(*page.get_size(), 1))).to_pil()
    finally:
        document.close()


def _tiff(path: Path) -> Image.Image:
    from PIL import Image

    with Image.open(path) as picture:
        shown = picture.convert("RGB")
    shown.thumbnail((_LONG_SIDE, _LONG_SIDE))
    return shown


def _jpeg(picture: Image.Image) -> bytes:
    made = BytesIO()
    picture.convert("RGB").save(made, "JPEG", quality=80)
    return made.getvalue()
