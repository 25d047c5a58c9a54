from __future__ import annotations

import pytest

from camphor.errors import MissingExtra
from camphor_lab.evaluation.values import SentenceBert, ValueMatcher
from tests.doubles.evaluation import TOOLBOX, message


def test_the_real_model_has_its_published_cosines() -> None:
    model = SentenceBert()
    lovely, sunny, stadium = "The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."
    model.prepare([lovely, sunny, stadium])
    # the example in the documentation of sentence-transformers, quickstart
    assert model.cosine(lovely, sunny) == pytest.approx(0.6660, abs=1e-3)
    assert model.cosine(lovely, stadium) == pytest.approx(0.1046, abs=1e-3)
    matcher = ValueMatcher(TOOLBOX, model)
    assert matcher.matches(message("I'll be ten minutes late"), message("I will be 10 minutes late"))
    assert not matcher.matches(message("I'll be ten minutes late"), message("Happy birthday!"))


def test_a_missing_extra_is_named_at_once() -> None:
    with pytest.raises(MissingExtra, match=r"lab\[eval\]"):
        SentenceBert(weights="no_such_package_of_weights")
