"""An engine whose model wants to say what a test has written down, as far as the grammar lets it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from llguidance import LLTokenizer, TokenizerWrapper
from numpy.typing import NDArray

from camphor.models.chat_template import TemplateSource
from camphor.models.function_tokens import FunctionTokens
from camphor.models.local import LocalModel
from camphor.models.local_chat import LocalChat, conversing
from camphor.models.sequence import CachedSequence

BYTES = 256


class SpokenEngine(CachedSequence):
    """Tokens are bytes, and the control tokens of a template behind them.

    Args:
        texts: what it wants to write after each prompt, control tokens by name; then it ends its turn.
        further_end: the name of another control token that ends a turn, and the one it ends with then.
    """

    dimensions = 8

    def __init__(
        self, source: TemplateSource, texts: Iterable[str], context: int = 8192, further_end: str = ""
    ) -> None:
        super().__init__()
        self.source, self.context = source, context
        self._names = dict(source.controls)
        self.end = self._names[source.eos]
        self.vocabulary_size = BYTES + len(self._names)
        self._further_end = self._names.get(further_end, self.end)
        self._texts = list(texts)
        self._prompt = self._evaluated = self.work = 0
        self._wish: list[int] = []
        self._talks: list[tuple[list[int], list[int]]] = []
        self._open = self.closes = True

    def own_template(self) -> TemplateSource:
        return self.source

    def encode(self, text: str, special: bool, first: bool = False) -> list[int]:
        return self.tokenise(text, special)

    def tokenise(self, text: str, special: bool = False) -> list[int]:
        if not special:
            return list(text.encode(errors="replace"))
        found: list[int] = []
        for part in re.split("(" + "|".join(map(re.escape, self._names)) + ")", text):
            found += [self._names[part]] if part in self._names else list(part.encode(errors="replace"))
        return found

    def piece(self, token: int, special: bool = False) -> bytes:
        if token < BYTES:
            return bytes([token])
        return next(name for name, each in self._names.items() if each == token).encode() if special else b""

    def ends_turn(self, token: int) -> bool:
        return token in (self.end, self._further_end)

    def control_tokens(self) -> list[int]:
        return list(self._names.values())

    def guidance_tokenizer(self) -> LLTokenizer:
        wrapper: Any = type("Words", (), {})()
        names = {token: name.encode() for name, token in self._names.items()}
        wrapper.tokens = [bytes([each]) for each in range(BYTES)] + [
            b"\xff" + names[each] for each in range(BYTES, self.vocabulary_size)
        ]
        wrapper.eos_token_id, wrapper.bos_token_id = self.end, None
        wrapper.special_token_ids = list(names)
        return LLTokenizer(TokenizerWrapper(_Called(wrapper)))

    @property
    def is_open(self) -> bool:
        return self._open

    @property
    def evaluated(self) -> int:
        return self._evaluated

    def _drop(self, length: int) -> bool:
        self._evaluated = length
        return True

    def _empty(self) -> None:
        self._evaluated = 0

    def align(self, tokens: Sequence[int], function_tokens: NDArray[np.float32] | None = None) -> int:
        for prompt, wish in self._talks:
            written = list(tokens[len(prompt) :])
            if list(tokens[: len(prompt)]) == prompt and written and written == wish[: len(written)]:
                break  # it goes on
        else:
            prompt, wish = list(tokens), [*self.tokenise(self._texts.pop(0), special=True), self._further_end]
            self._talks.append((prompt, wish))
        self._prompt, self._wish = len(prompt), wish
        return super().align(tokens, function_tokens)

    def advance(self) -> NDArray[np.float32]:
        self.work += len(self.sequence) - min(self._evaluated, len(self.sequence) - 1)
        self._evaluated = len(self.sequence)
        place = len(self.sequence) - self._prompt
        logits = np.zeros(self.vocabulary_size, np.float32)
        if self.closes:  # where it may not say what it wants, it comes to an end
            logits[BYTES:] = np.linspace(0.01, 0.05, len(self._names))
            logits[[ord("]"), ord(")"), ord("}"), ord('"'), self.end]] = 0.1, 0.1, 0.1, 0.2, 0.3
        if place < len(self._wish):
            logits[self._wish[place]] = 9
        return logits

    def close(self) -> None:
        self._open = False


class _Called:
    """What llguidance asks of a tokeniser: its members, and tokens of bytes."""

    def __init__(self, members: Any) -> None:
        self.__dict__.update(vars(members))

    def __call__(self, data: bytes) -> list[int]:
        return list(data)


def spoken(source: TemplateSource, *texts: str, **how: Any) -> tuple[LocalChat, SpokenEngine]:
    """A chat model that wants to write these, one after each prompt."""
    engine = SpokenEngine(source, texts, **how)

    def none(*_: Any) -> Any:
        raise AssertionError("no function tokens here")

    model = conversing(LocalModel(engine, FunctionTokens(none, none)), engine)
    assert model is not None
    return model, engine
