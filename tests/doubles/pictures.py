"""Pictures drawn for the tests of reading prescriptions."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

LINES = (
    "Dr. A. Mensah, Harbour Clinic",
    "Patient: Ines Marques   12/03/2026",
    "1. Paracetamol 1 g PO qid prn",
    "2. Metformin 850 mg tab 1 tab BD with meals for 3 months",
    "3. Atorvastatin 20 mg nocte",
)


def page(lines: Sequence[str] = LINES, size: int = 22, width: int = 760) -> Image.Image:
    """A printed page."""
    picture = Image.new("RGB", (width, 60 + 2 * size * len(lines)), "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size)
    for number, line in enumerate(lines):
        draw.text((25, 25 + 2 * size * number), line, fill="black", font=font)
    return picture


def cat() -> Image.Image:
    """A cat that sits before a wall, with a shadow and no writing."""
    picture = Image.new("RGB", (480, 400), "#88aacc")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 300, 480, 400), fill="#7a5a3a")
    draw.ellipse((110, 110, 350, 360), fill="#aa6633")
    for ear in ([(130, 160), (150, 60), (220, 125)], [(330, 160), (310, 60), (240, 125)]):
        draw.polygon(ear, fill="#aa6633")
    for eye in (180, 280):
        draw.ellipse((eye - 20, 170, eye + 20, 220), fill="#eedd22")
        draw.ellipse((eye - 6, 174, eye + 6, 216), fill="black")
    draw.polygon([(220, 240), (240, 240), (230, 252)], fill="pink")
    for y in (250, 262):
        draw.line((215, y, 90, y - 15), fill="black", width=2)
        draw.line((245, y, 370, y - 15), fill="black", width=2)
    return picture
