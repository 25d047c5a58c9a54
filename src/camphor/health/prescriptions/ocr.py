"""The lines of text in a photo or a PDF of a prescription, each with how clear it was.

Text is found and recognised on this machine by RapidOCR (PP-OCRv4 models under ONNX Runtime). Its recogniser leaves out
many spaces between Latin words, so they are put back where the picture has gaps. A PDF that has text is read as text.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from camphor.errors import MissingExtra, UsageError
from camphor.health.prescriptions.layout import lines_of, rows_of, straight
from camphor.health.prescriptions.lines import NOT_READ, Piece, TextLine
from camphor.health.prescriptions.pixels import (
    FAINT,
    flattened,
    scaled,
    sharpness,
    smeared,
    spots,
    straightened,
    with_spaces,
    word_gaps,
    written,
)
from camphor.health.prescriptions.spaces import Box, checked, parted

if TYPE_CHECKING:
    from PIL import Image

    from camphor.health.prescriptions.pixels import Pixels

MOST_PAGES = 4
MOST_BYTES = 25_000_000
MOST_PIXELS = 50_000_000
_LONG_SIDE = 2000  # pixels; more only costs time
_SHORT_SIDE = 400  # smaller pictures are enlarged: small letters are read badly
_DPI = 200
_LEAST_PAGE_TEXT = 20  # characters of a PDF page that has text and is no scan
_CLEAR = 0.80  # mean confidence below which the whole picture counts as not readable
_READ = 0.5  # confidence of a piece of text below which it counts as seen and not read
_LEAST_TEXT = 8  # characters
_AGAIN = 1.4  # size of the second reading
_FOUND = 0.3  # how sure it is that there is text; lines that are bent are found with less than is usual
_SMEAR = 0.5  # how clear a piece with a smear counts
_SMEARED_GAP = 8  # heights between two pieces of a row that may be one that is smeared
_SHARP = 0.08
"""Steepest edges of a picture as a share of its contrast a pixel: a pen stroke in focus has 0.2 and more, one blurred
over 8 pixels 0.06 and less (measured on the pictures of the tests)."""


def read_file(path: Path, pages: Sequence[int] = ()) -> list[TextLine]:
    """The lines of text of a photo, a PDF or a text file, from top to bottom.

    Args:
        pages: which pages of a PDF, from 1; all where none are given.

    Raises:
        UsageError: there is no such file, it is too large or of no known kind, has too many pages, no text or is too
        blurred to read. MissingExtra: what reads pictures is not installed.
    """
    if not path.is_file():
        raise UsageError(f"There is no file {path}: name a photo (JPEG, PNG, WebP, TIFF), a PDF or a text file")
    size = path.stat().st_size
    if not size:
        raise UsageError(f"{path} is empty: take the photo again")
    if size > MOST_BYTES:
        raise UsageError(
            f"{path} has {size / 1e6:.0f} MB and at most {MOST_BYTES / 1e6:.0f} MB are read: make it smaller"
        )
    with path.open("rb") as file:
        start = file.read(1024)
    if b"%PDF-" in start:
        return _pdf(path, pages)
    if path.suffix.lower() in (".txt", ".md"):
        return [TextLine(each) for each in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    return read_picture(_opened(path), str(path))


def read_picture(picture: Image.Image, name: str = "the picture") -> list[TextLine]:
    """The lines of text of one picture. Raises: as `read_file`."""
    import numpy as np

    pixels = _pixels(picture)
    boxes = _boxes(pixels)
    if _lies_on_its_side(boxes):
        pixels = np.ascontiguousarray(np.rot90(pixels))
        boxes = _boxes(pixels)
    if _upside_down(pixels, boxes):
        pixels = np.ascontiguousarray(pixels[::-1, ::-1])
        boxes = _boxes(pixels)
    boxes = checked(boxes, _again(pixels))
    lines = _lines(pixels, boxes)
    told = sum(len(box.text) for box in boxes if box.mean >= _READ)
    if told >= _LEAST_TEXT and _clearness(boxes) >= _CLEAR:
        return lines
    if sharpness(pixels) < _SHARP or told >= _LEAST_TEXT:
        raise UsageError(
            f"{name} is too blurred to be read: take the photo again in good light, with the page flat and in focus, "
            "or type what it says"
        )
    raise UsageError(f"There is no text in {name}: take a photo of the prescription, or type what it says")


# files


def _opened(path: Path) -> Image.Image:
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError as error:
        raise MissingExtra("Pillow, which opens pictures,", "health") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise UsageError(
                        f"{path} has {picture.width} x {picture.height} pixels and at most {MOST_PIXELS / 1e6:.0f} "
                        "million are read: make it smaller"
                    )
                picture.load()
                return ImageOps.exif_transpose(picture)
    except UnidentifiedImageError as error:
        raise UsageError(f"{path} is no picture that can be opened: save it as JPEG, PNG or PDF") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UsageError(f"{path} has more pixels than are read: make it smaller") from error
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(f"{path} is damaged ({error}): take the photo again") from error


def _pdf(path: Path, pages: Sequence[int]) -> list[TextLine]:
    try:
        import pypdfium2
    except ImportError as error:
        raise MissingExtra("pypdfium2, which opens PDF files,", "health") from error
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise UsageError(
            f"{path} cannot be opened as a PDF (it is damaged, or a password protects it): save it anew without one"
        ) from error
    try:
        return [
            line for number in _chosen(path, len(document), pages) for line in _page(document[number], path, number)
        ]
    finally:
        document.close()


def _chosen(path: Path, count: int, pages: Sequence[int]) -> list[int]:
    wrong = [page for page in pages if not 1 <= page <= count]
    if wrong:
        raise UsageError(f"{path} has {count} pages and no page {wrong[0]}")
    chosen = [page - 1 for page in pages] or list(range(count))
    if len(chosen) > MOST_PAGES:
        raise UsageError(
            f"{path} has {count} pages and at most {MOST_PAGES} are read at once: name those of the prescription, as  "
            "--pages 1-2"
        )
    return chosen


def _page(page: Any, path: Path, number: int) -> list[TextLine]:
    text = page.get_textpage().get_text_range()
    if len(text.split()) and len("".join(text.split())) >= _LEAST_PAGE_TEXT:
        return [TextLine(each) for each in text.splitlines()]
    # a page may be as large as a poster
    width, height = page.get_size()
    scale = min(_DPI / 72, _LONG_SIDE / max(width, height, 1))
    return read_picture(page.render(scale=scale).to_pil(), f"page {number + 1} of {path}")


def _pixels(picture: Image.Image) -> Pixels:
    """Red, green and blue of each pixel, on white where it is transparent, in a size that is read well."""
    import numpy as np
    from PIL import Image

    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
    pixels: Pixels = np.asarray(picture.convert("RGB"))
    long, short = max(picture.size), min(picture.size)
    scale = _LONG_SIDE / long if long > _LONG_SIDE else min(3.0, max(1.0, _SHORT_SIDE / short), _LONG_SIDE / long)
    return scaled(pixels, scale)


# text


@cache
def _engine() -> Any:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError as error:
        raise MissingExtra("RapidOCR, which reads pictures,", "health") from error
    return RapidOCR(intra_op_num_threads=2, inter_op_num_threads=1)


def _boxes(pixels: Pixels) -> list[Box]:
    # the models were trained on blue, green, red
    # and nothing is left out for a low score: what was seen and not read is told
    # no line is turned for itself: which way up the page is, is found of its longest lines
    bgr = pixels[:, :, ::-1].copy()
    found, _ = _engine()(bgr, use_cls=False, return_word_box=True, text_score=0.0, box_thresh=_FOUND)
    return [_box(pixels, *each) for each in found or ()]


def _box(
    pixels: Pixels,
    corners: Any,
    text: str,
    seen: float,
    characters: Any = (),
    letters: Sequence[str] = (),
    sure: Sequence[float] = (),
) -> Box:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    slope = math.atan2(y1 - y0, x1 - x0)
    width, height = math.hypot(x1 - x0, y1 - y0), math.hypot(x3 - x0, y3 - y0)
    centres = [sum(point[0] for point in each) / len(each) for each in characters]
    straight = straightened(pixels, corners)
    if len(centres) == len(letters) and "".join(letters) == text:
        gaps = [x0 + share * (x1 - x0) for share in word_gaps(straight)]
        text = with_spaces(text, centres, gaps)
    text = parted(text)
    digits = [each for letter, each in zip(letters, sure, strict=False) if letter.isdigit()]
    return Box(
        corners,
        (x0 + x2) / 2,
        (y0 + y2) / 2,
        width,
        height,
        slope,
        text,
        float(seen),
        min([float(seen), *digits]),
        letters=float(seen),
    )


def _again(pixels: Pixels) -> list[Box]:
    """A second reading: of the picture in another size and evenly lit."""
    return [
        replace(
            box,
            corners=[(x / _AGAIN, y / _AGAIN) for x, y in box.corners],
            x=box.x / _AGAIN,
            y=box.y / _AGAIN,
            width=box.width / _AGAIN,
            height=box.height / _AGAIN,
        )
        for box in _boxes(flattened(scaled(pixels, _AGAIN)))
    ]


def _passed_over(boxes: Sequence[Box], letters: Sequence[tuple[int, int, int, int]], usual: float) -> Iterator[Box]:
    """Where something is written in letters of the size of the others, and no reading has found a line."""
    for left, top, right, bottom in written(letters, usual):
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        middle = (left + right) / 2, (top + bottom) / 2
        yield Box(corners, *middle, right - left, usual, boxes[0].slope, "", 0.0, 0.0)


def _mark(left: int, top: int, width: int, height: int) -> Piece:
    """A spot of the size of a letter that no reading has found: a figure in a cell may be one."""
    return Piece(left + width / 2, top + height / 2, width, height, "", 0.0)


def _lies_on_its_side(boxes: Sequence[Box]) -> bool:
    words = [box for box in boxes if len(box.text) > 3]
    return 2 * sum(box.height > 1.5 * box.width for box in words) > len(words)


def _upside_down(pixels: Pixels, boxes: Sequence[Box]) -> bool:
    """What most of the longest pieces of text say, by the model that OCR turns single pieces with."""
    longest = sorted(boxes, key=lambda box: -box.width)[:5]
    if not longest:
        return False
    _, told, _ = _engine().text_cls([straightened(pixels, box.corners)[:, :, ::-1] for box in longest])
    return 2 * sum(bool("180" in label and score > 0.9) for label, score in told) > len(longest)


def _clearness(boxes: Sequence[Box]) -> float:
    """Mean confidence by character of what was read."""
    boxes = [box for box in boxes if box.mean >= _READ]
    letters = sum(len(box.text) for box in boxes)
    return sum(box.mean * len(box.text) for box in boxes) / letters if letters else 0.0


def _lines(pixels: Pixels, boxes: Sequence[Box]) -> list[TextLine]:
    heights = sorted(box.height for box in boxes)
    usual = heights[len(heights) // 2] if heights else 0.0
    even, corners = flattened(pixels), [box.corners for box in boxes]
    passed = _passed_over(boxes, spots(even, corners, usual), usual) if boxes else ()
    faint = spots(even, corners, usual, FAINT)
    pieces = straight(
        [*((box.slope, _piece(box)) for box in (*boxes, *passed)), *((0.0, _mark(*each)) for each in faint)]
    )
    marks = [each for each in pieces if not each.text]
    pieces = [each for each in pieces if each.text]
    sharp = sharpness(pixels)
    smears = {id(each) for row in rows_of(pieces) for each in _smeared(pixels, row, sharp)}
    return lines_of([_unclear(each) if id(each) in smears else each for each in pieces], marks)


def _unclear(piece: Piece) -> Piece:
    return replace(piece, seen=min(piece.seen, _SMEAR), letters=min(piece.letters, _SMEAR))


_DASH = re.compile(r"[-–—―_一ー\s]*")
"""A dash, for which the recogniser has Chinese letters, too."""


def _piece(box: Box) -> Piece:
    if (box.text + box.other).strip() and _DASH.fullmatch(box.text + box.other):
        return Piece(box.x, box.y, box.width, box.height, "-", 1.0, box.corners, "-")
    seen = box.seen if box.mean >= _READ and box.text.strip() else 0.0
    text, letters = (box.text, box.letters) if seen else (NOT_READ, 0.0)
    return Piece(box.x, box.y, box.width, box.height, text, seen, box.corners, box.other, letters)


def _smeared(pixels: Pixels, row: Sequence[Piece], sharp: float) -> Iterator[Piece]:
    """The pieces that are smeared, or beside a smear: it was found to be no text, and may be text all the same."""
    for place, each in enumerate(row):
        after = row[place + 1] if place + 1 < len(row) else each
        near = after if after.left - each.right < _SMEARED_GAP * each.height else each
        if smeared(straightened(pixels, (each.corners[0], near.corners[1], near.corners[2], each.corners[3])), sharp):
            yield each
            yield near


# pictures that a browser can show


_SHOWN_DPI = 110
_SHOWN_LONG_SIDE = 1400  # pixels: a page may be as large as a poster


def pictures_of(path: Path, pages: Sequence[int] = ()) -> list[bytes]:
    """JPEG pictures of a file that `ocr.read_file` has read; none of one that is shown as it is, or is text.

    Args:
        pages: which pages of a PDF, from 1; all where none are given.
    """
    with path.open("rb") as file:
        start = file.read(1024)
    if b"%PDF-" in start:
        return [_jpeg(each) for each in _shown_pages(path, pages)]
    return [_jpeg(_tiff(path))] if start.startswith((b"II*\x00", b"MM\x00*")) else []


def _shown_pages(path: Path, pages: Sequence[int]) -> Iterator[Image.Image]:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        for number in list(pages or range(1, len(document) + 1))[:MOST_PAGES]:
            page = document[number - 1]
            yield page.render(scale=min(_SHOWN_DPI / 72, _SHOWN_LONG_SIDE / max(*page.get_size(), 1))).to_pil()
    finally:
        document.close()


def _tiff(path: Path) -> Image.Image:
    from PIL import Image

    with Image.open(path) as picture:
        shown = picture.convert("RGB")
    shown.thumbnail((_SHOWN_LONG_SIDE, _SHOWN_LONG_SIDE))
    return shown


def _jpeg(picture: Image.Image) -> bytes:
    made = BytesIO()
    picture.convert("RGB").save(made, "JPEG", quality=80)
    return made.getvalue()
