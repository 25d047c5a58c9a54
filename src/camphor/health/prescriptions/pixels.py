"""What can be told of a picture by its pixels alone: how sharp it is, where it is smeared, where words end.

Pictures are arrays (height, width, 3) of bytes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Pixels = np.ndarray[Any, np.dtype[np.uint8]]

_FAINT, _SOFT = 0.06, 0.12  # shares of the contrast
_SHARE = 0.25  # of the steepest edges of the picture
_DARK = 128
FAINT = 170
"""Grey below which a thin stroke that is out of focus may be a figure in a cell."""
_LETTERS = 6
"""Spots side by side from which they are a row of letters."""
_SPACED = 1.45
"""From one figure to the next where a space is between them, in steps from letter to letter."""


def sharpness(pixels: Pixels) -> float:
    """The steepest edges of a picture (height, width, 3) as a share of its contrast a pixel, 0 to 1."""
    import numpy as np

    grey = pixels.mean(axis=2)
    low, high = np.percentile(grey, (1, 99))
    steps = np.abs(np.diff(grey, axis=1))
    contrast = max(float(high - low), 24.0)
    return min(1.0, float(np.percentile(steps, 99.8)) / contrast)


def smeared(straight: Pixels, sharp: float = 1.0) -> bool:
    """Whether part of a piece of text is a smear: something is there, half as wide as it is high, without edges.

    The recogniser makes something of a smear all the same, and is sure of it ("500 mg" became "5 g").

    Args:
        sharp: how sharp the picture is (`sharpness`): the edges of one that is blurred are all soft.
    """
    import numpy as np

    grey = straight.mean(axis=2)
    height, width = grey.shape
    if height < 4 or width < 4:
        return False
    contrast = max(float(np.percentile(grey, 99) - np.percentile(grey, 1)), 24.0)
    # beside the middle of its own column, so that a shadow on the paper is nothing
    there = np.abs(grey - np.median(grey, axis=0)).max(axis=0) > _FAINT * contrast
    across = np.abs(np.diff(grey, axis=1, prepend=grey[:, :1])).max(axis=0)
    down = np.abs(np.diff(grey, axis=0)).max(axis=0)
    soft = there & (np.maximum(across, down) < min(_SOFT, _SHARE * sharp) * contrast)
    longest = run = 0
    for column in soft:
        run = run + 1 if column else 0
        longest = max(longest, run)
    return bool(longest > height / 2)


def straightened(pixels: Pixels, corners: Any) -> Pixels:
    """The part of the picture between four corners, as an upright picture."""
    import numpy as np
    from PIL import Image

    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    size = (max(1, round(math.hypot(x1 - x0, y1 - y0))), max(1, round(math.hypot(x3 - x0, y3 - y0))))
    quad = (x0, y0, x3, y3, x2, y2, x1, y1)
    return np.asarray(Image.fromarray(pixels).transform(size, Image.Transform.QUAD, quad, Image.Resampling.BILINEAR))


def scaled(pixels: Pixels, scale: float) -> Pixels:
    import numpy as np
    from PIL import Image

    if scale == 1.0:
        return pixels
    size = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS))


def flattened(pixels: Pixels) -> Pixels:
    """The picture in grey as if lit evenly and printed boldly: shadow, glare and pale print are less in the way."""
    import numpy as np
    from PIL import Image, ImageFilter

    grey = Image.fromarray(pixels).convert("L")
    small = grey.resize((max(1, grey.width // 8), max(1, grey.height // 8)))
    # the paper is the lightest nearby
    paper = small.filter(ImageFilter.MaxFilter(5)).filter(ImageFilter.GaussianBlur(4)).resize(grey.size)
    share = np.asarray(grey, dtype=float) / np.maximum(np.asarray(paper, dtype=float), 1.0)
    low, high = np.percentile(share, (0.5, 95))
    even = np.clip((share - low) / max(float(high - low), 0.1), 0, 1)
    return np.repeat((255 * even).astype(np.uint8)[:, :, None], 3, axis=2)


def spots(even: Pixels, read: Sequence[Any], height: float, dark: int = _DARK) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height of dark spots of the size of a letter beside what was read.

    Args:
        even: a picture from `flattened`. read: the corners of each piece that was read. height: of a line of text.
        dark: grey below which a spot is.
    """
    import cv2
    import numpy as np

    ink = (even[:, :, 0] < dark).astype(np.uint8)
    for corners in read:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
        cv2.fillPoly(ink, [np.array([(x0, y0 - 2), (x1, y1 - 2), (x2, y2 + 2), (x3, y3 + 2)], dtype=np.int32)], 0)
    _, _, found, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    return [
        (x, y, wide, high)
        for x, y, wide, high, area in found[1:].tolist()
        if 0.3 * height < high < 1.1 * height and 0.1 * height < wide < 1.5 * height and area > 0.15 * wide * high
    ]


def written(letters: Sequence[tuple[int, int, int, int]], height: float) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of rows of letters, of which at least six of a size stand side by side.

    A stroke of a pen and a rule are none.
    """
    rows: list[list[tuple[int, int, int, int]]] = []
    for each in sorted(letters):
        near = [
            row
            for row in rows
            if each[0] - (row[-1][0] + row[-1][2]) < height and abs(each[1] - row[-1][1]) < 0.5 * height
        ]
        if near:
            near[0].append(each)
        else:
            rows.append([each])
    return [
        (row[0][0], min(y for _, y, _, _ in row), row[-1][0] + row[-1][2], max(y + high for _, y, _, high in row))
        for row in rows
        if len(row) >= _LETTERS
    ]


def word_gaps(straight: Pixels) -> list[float]:
    """Where, across a piece of text, there is white between words: the middle of each gap, as a share of the width."""
    import numpy as np

    grey = straight.mean(axis=2)
    height, width = grey.shape
    dark, paper = np.percentile(grey, 2), np.median(grey)
    ink = (np.abs(grey - paper) > 0.35 * max(abs(paper - dark), 1.0)).any(axis=0)
    columns = np.flatnonzero(ink)
    if len(columns) < 2:
        return []
    spaces = np.diff(columns) - 1
    least = max(2.0, _word_gap(spaces, height))
    return [float(columns[place] + 1 + gap / 2) / width for place, gap in enumerate(spaces) if gap > least]


def _word_gap(spaces: Any, height: int) -> float:
    """The width from which white separates words: where the widths between letters and between words lie apart."""
    import numpy as np

    widths = np.sort(spaces[spaces > 0])
    least, most = 0.12 * height, 0.34 * height
    between = widths[(widths >= least) & (widths <= most)]
    if not len(between):
        return (least + most) / 2
    steps = np.diff(np.concatenate(([least], between, [most])))
    place = int(np.argmax(steps))
    edges = np.concatenate(([least], between, [most]))
    return float((edges[place] + edges[place + 1]) / 2)


def with_spaces(text: str, centres: Sequence[float], gaps: Sequence[float]) -> str:
    """The text with a space at each gap that lies between two of its characters.

    Args:
        centres: x of the middle of each character of the text; gaps: x of each gap, both from left to right.
    """
    kept = [(letter, centre) for letter, centre in zip(text, centres, strict=True) if letter != " "]
    if len(kept) < 2:
        return text
    after = set()
    steps = sorted(other[1] - one[1] for one, other in itertools.pairwise(kept))
    step = steps[len(steps) // 2]
    for gap in gaps:
        between = [abs((kept[number][1] + kept[number + 1][1]) / 2 - gap) for number in range(len(kept) - 1)]
        place = min(range(len(between)), key=between.__getitem__)
        one, other = kept[place], kept[place + 1]
        # a 1 or a point is narrow, and stands in white within a figure: 2.5, 10/11
        within = one[0] + other[0]
        figure = any(each.isdigit() for each in within) and all(each.isdigit() or each in ".,/:-" for each in within)
        if not figure or other[1] - one[1] > _SPACED * step:
            after.add(place)
    # a space that was recognised stays, even where the picture shows no clear gap
    place = -1
    for letter in text:
        if letter != " ":
            place += 1
        elif place >= 0 and not {place - 1, place, place + 1} & after:
            after.add(place)
    return "".join(letter + (" " if number in after else "") for number, (letter, _) in enumerate(kept)).strip()
