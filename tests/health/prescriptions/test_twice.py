"""Two readings of a picture compared."""

from __future__ import annotations

import numpy as np

from camphor.health.prescriptions.pixels import smeared
from camphor.health.prescriptions.twice import Box, checked


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
