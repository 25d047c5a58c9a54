"""How sure a language model is of a verdict that it writes as one of two words."""

from __future__ import annotations

import math

from camphor.errors import ModelError
from camphor.models.base import LanguageModel, Reply, Request
from camphor.types import Prompt

MOST = 6.0
"""Log-odds beyond which a verdict is no surer: a model that was tuned on few lines is too sure of itself."""


def log_odds(verdict: Reply, yes: str, no: str) -> float | None:
    """How sure a model was of the beginning of its verdict: above 0 where that is `yes`, below where it is `no`, within
    `MOST`; None where it is neither."""
    said = verdict.text.strip()
    if not said or verdict.mean_logprob is None or not any(word.startswith(said) for word in (yes, no)):
        return None
    against = -math.expm1(verdict.mean_logprob)  # the chance of all else
    odds = MOST if against <= 0 else min(max(verdict.mean_logprob - math.log(against), 0.0), MOST)
    return odds if yes.startswith(said) else -odds


def verdict_of(model: LanguageModel, prompt: Prompt, yes: str, no: str) -> float | None:
    """How sure a model is of one of two words behind a prompt, as log-odds; None where it writes neither, or fails:
    whoever thinks next says what is the matter."""
    try:
        return log_odds(model.complete(Request(prompt, max_tokens=1)), yes, no)
    except ModelError:
        return None
