"""Prescriptions as photos and PDFs: clean, turned, blurred, without text, far too long, read twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from camphor.errors import UsageError
from camphor.health.prescriptions.lines import NOT_READ, TextLine
from camphor.health.prescriptions.ocr import read_file, read_picture
from camphor.health.prescriptions.parse import parse
from camphor.health.prescriptions.pixels import sharpness, smeared, with_spaces
from camphor.health.prescriptions.spaces import Box, checked
from tests.doubles.pictures import LINES, cat, page


def test_a_clean_photo_is_read_with_its_spaces_and_understood(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    page().save(path)
    lines = read_file(path)
    assert [line.text for line in lines] == [" ".join(line.split()) for line in LINES]
    assert all(line.seen > 0.85 for line in lines)
    found = parse(lines).medicines
    assert [each.name for each in found] == ["Paracetamol", "Metformin", "Atorvastatin"]
    assert not any(each.doubts for each in found)
    assert found[1].plan is not None
    assert found[1].plan.to_json() == {"times": ["08:00", "20:00"], "days": 90}


@pytest.mark.parametrize("turned", [4, 90])  # turned back, the second stands on its head, too
def test_a_turned_photo_is_read_all_the_same(turned: int) -> None:
    picture = page(LINES[2:4])
    lines = read_picture(picture.rotate(turned, expand=True, fillcolor="white", resample=Image.Resampling.BICUBIC))
    assert [each.name for each in parse(lines).medicines] == ["Paracetamol", "Metformin"]


def test_a_blurred_photo_is_said_to_be_one() -> None:
    with pytest.raises(UsageError, match="too blurred to be read: take the photo again"):
        read_picture(page().filter(ImageFilter.GaussianBlur(6)))


def test_what_a_slightly_blurred_photo_leaves_open_is_a_doubt_and_no_value_is_wrong() -> None:
    try:
        found = parse(read_picture(page().filter(ImageFilter.GaussianBlur(2.2)))).medicines
    except UsageError:
        return
    right = {"1 g", "850 mg", "1 tablet", "20 mg", "Paracetamol", "Metformin", "Atorvastatin", "", None}
    for each in found:
        for name in ("name", "strength", "dose"):
            assert each.fields[name].value in right


def test_a_picture_of_a_cat_has_no_text() -> None:
    with pytest.raises(UsageError, match="no text in the picture"):
        read_picture(cat())


def test_a_dose_that_is_smeared_in_a_photo_is_in_doubt_whatever_was_read() -> None:
    picture = page(("Amoxicillin 500 mg tds 5/7",))
    place = (150, 20, 215, 60)
    picture.paste(picture.crop(place).filter(ImageFilter.GaussianBlur(7)), place)
    (medicine,) = parse(read_picture(picture)).medicines
    assert {"name", "dose"} <= medicine.doubts.keys()


@pytest.mark.parametrize("size", [16, 24, 32])
def test_a_smear_is_told_from_print_shadow_and_a_slight_blur(size: int) -> None:
    import numpy as np

    line = page(("Metformin 850 mg tab 1 tab BD with meals",), size).crop((20, 20, 700, 25 + round(1.3 * size)))
    place = (7 * size, 0, 10 * size, line.height)
    smear = line.copy()
    smear.paste(line.crop(place).filter(ImageFilter.GaussianBlur(5)), place)
    shadow = np.asarray(line).copy()
    shadow[:, 200:] = shadow[:, 200:] // 2
    assert smeared(np.asarray(smear))
    assert not smeared(np.asarray(line))
    assert not smeared(np.asarray(line.filter(ImageFilter.GaussianBlur(1.5))))
    assert not smeared(shadow)


def test_a_page_of_200_is_not_read_and_one_of_them_is(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    _pdf(path, 200)
    with pytest.raises(UsageError, match="has 200 pages and at most 4 are read at once"):
        read_file(path)
    lines = read_file(path, [137])
    assert "Metformin 850 mg tab 1 tab BD with meals for page 137" in [line.text for line in lines]
    with pytest.raises(UsageError, match="no page 201"):
        read_file(path, [201])


def test_a_scanned_pdf_is_read_as_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    page(("Metformin 850 mg 1 tab BD", "Atorvastatin 20 mg nocte")).save(path)
    assert [each.name for each in parse(read_file(path)).medicines] == ["Metformin", "Atorvastatin"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.png", b"", "is empty"),
        ("words.png", b"these are no pixels", "is no picture"),
        ("half.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no picture|damaged"),
        ("broken.pdf", b"%PDF-1.7\nnothing follows", "cannot be opened as a PDF"),
        ("huge.jpg", b"\0" * 25_000_001, "at most 25 MB"),
    ],
)
def test_files_that_are_no_prescription(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UsageError, match=told):
        read_file(path)


def test_a_picture_of_too_many_pixels_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wall.png"
    Image.new("1", (9000, 9000)).save(path)
    with pytest.raises(UsageError, match="at most 50 million"):
        read_file(path)
    with pytest.raises(UsageError, match="There is no file"):
        read_file(tmp_path / "none.png")


def test_spaces_are_put_where_the_picture_has_gaps() -> None:
    assert with_spaces("1tabBD", [5, 25, 35, 45, 65, 75], [15, 55]) == "1 tab BD"
    assert with_spaces("a b", [5, 15, 25], []) == "a b"
    assert with_spaces("x", [5], []) == "x"


def test_what_was_seen_and_not_read_is_shown() -> None:
    read = parse([TextLine("Metformin 850 mg bd"), TextLine(""), TextLine(NOT_READ, 0.0)])
    assert [line.text for line in read.not_understood] == [NOT_READ]
    assert not read.medicines[0].doubts
    beside = parse([TextLine("Metformin 850 mg bd"), TextLine(NOT_READ, 0.0)])
    assert beside.medicines[0].doubts


def test_sharpness_falls_with_blur() -> None:
    import numpy as np

    found = [sharpness(np.asarray(page().filter(ImageFilter.GaussianBlur(radius)))) for radius in (0, 2, 6)]
    assert found[0] > 0.5 > found[1] > found[2]
    assert found[2] < 0.08


def _pdf(path: Path, pages: int) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path))
    for number in range(1, pages + 1):
        canvas.drawString(72, 700, f"Metformin 850 mg tab 1 tab BD with meals for page {number}")
        canvas.showPage()
    canvas.save()


def box(text: str, seen: float = 0.7) -> Box:
    return Box((), 100, 20, 200, 20, 0.0, text, seen, seen, letters=seen)


def test_what_two_readings_agree_in_is_clearer_than_in_either() -> None:
    (found,) = checked([box("Take lO ml daily")], [box("Take 1O ml daily")])
    assert found.text == found.other == "Take 10 ml daily"
    assert found.seen > 0.9 < found.letters


def test_a_sign_that_each_reading_has_as_another_letter_is_no_difference() -> None:
    (found,) = checked([box("P Ciprofloxacin 500 mg")], [box("R Ciprofloxacin 500 mg")])
    assert found.text == found.other == "Ciprofloxacin 500 mg"
    assert not checked([box("P")], [box("B")])
    (other,) = checked([box("5 Ciprofloxacin 500 mg")], [box("8 Ciprofloxacin 500 mg")])
    assert other.text != other.other


def test_what_one_reading_alone_has_is_unclear() -> None:
    (found,) = checked([box("Take 1 daily", 0.99)], [])
    assert found.seen <= 0.6 >= found.letters


def test_a_smear_is_softer_than_the_rest_of_the_picture() -> None:
    across = 60 * np.exp(-(((np.arange(400) - 200) / 30) ** 2))
    down = np.exp(-(((np.arange(20) - 10) / 5) ** 2))
    picture = 230 - down[:, None] * across[None, :]
    picture[:, 10:60:6] = 20
    straight = np.repeat(picture[:, :, None], 3, axis=2).astype(np.uint8)
    assert smeared(straight)
    assert not smeared(straight, 0.1)  # of a picture that is blurred all over
