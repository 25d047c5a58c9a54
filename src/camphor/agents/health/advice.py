"""What the assistant never does: name a disease, or say how to treat one (medical paper, section 3).

Code sees to it on both sides: a person who asks is told so in plain words, and what a model wrote for the person is
kept from saying it. Food and appointments may be spoken of.
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from importlib.resources import files

from camphor.agents.health.spelling import normal, sentences


class Topic(StrEnum):
    """What is asked for and not given."""

    DIAGNOSIS = "diagnosis"
    TREATMENT = "treatment"


_TOLD = tomllib.loads(files(__package__).joinpath("advice.toml").read_text(encoding="utf-8"))
REFUSALS = {topic: str(_TOLD["refusals"][topic]) for topic in Topic}


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("".join(_TOLD[name]).replace("<medicine>", "".join(_TOLD["medicine"])))


_WHAT_IT_IS, _HOW_TO_TREAT = _pattern("what_it_is"), _pattern("how_to_treat")
_SAYS_DISEASE, _SAYS_TREATMENT = _pattern("says_disease"), _pattern("says_treatment")
_QUESTION = _pattern("question")


def asked_for(text: str) -> Topic | None:
    """What a person asks for that is not given; None where they ask for neither."""
    told = normal(text)
    if _HOW_TO_TREAT.search(told):
        return Topic.TREATMENT
    return Topic.DIAGNOSIS if _WHAT_IT_IS.search(told) else None


def is_advice(text: str) -> bool:
    """Whether a text for the person names what they have, or says how to treat it."""
    return any(_advises(sentence) for sentence in sentences(normal(text)))


def without_advice(text: str) -> str:
    """What is left of a model's text without such sentences; a refusal where nothing is."""
    if not is_advice(text):
        return text
    kept = [each for each in re.split(r"(?<=[.!?])\s+", text) if not _advises(normal(each))]
    return " ".join(kept) or REFUSALS[Topic.DIAGNOSIS]


def _advises(sentence: str) -> bool:
    if sentence.endswith("?") and _QUESTION.match(sentence):
        return False
    return bool(_SAYS_DISEASE.search(sentence) or _SAYS_TREATMENT.search(sentence))
