"""What can be told of a picture by its pixels alone: how sharp it is, where it is smeared, where words end.

Pictures are arrays (height, width, 3) of bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Pixels = np.ndarray[Any, np.dtype[np.uint8]]

_FAINT, _SOFT = 0.06, 0.12  # shares of the contrast


def sharpness(pixels: Pixels) -> float:
    """The steepest edges of a picture (height, width, 3) as a share of its contrast a pixel, 0 to 1."""
    import numpy as np

    grey = pixels.mean(axis=2)
    low, high = np.percentile(grey, (1, 99))
    steps = np.abs(np.diff(grey, axis=1))
    contrast = max(float(high - low), 24.0)
    return min(1.0, float(np.percentile(steps, 99.8)) / contrast)


def smeared(straight: Pixels) -> bool:
    """Whether part of a piece of text is a smear: something is there, half as wide as it is high, without edges.

    The recogniser makes something of a smear all the same, and is sure of it ("500 mg" became "5 g").
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
    soft = there & (np.maximum(across, down) < _SOFT * contrast)
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
    for gap in gaps:
        between = [abs((kept[number][1] + kept[number + 1][1]) / 2 - gap) for number in range(len(kept) - 1)]
        after.add(min(range(len(between)), key=between.__getitem__))
    # a space that was recognised stays, even where the picture shows no clear gap
    place = -1
    for letter in text:
        if letter != " ":
            place += 1
        elif place >= 0 and not {place - 1, place, place + 1} & after:
            after.add(place)
    return "".join(letter + (" " if number in after else "") for number, (letter, _) in enumerate(kept)).strip()
