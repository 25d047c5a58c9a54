"""How a segment becomes tokens in a model of any family: one rule for both runtimes and for training.

Prompts are written with ChatML's control tokens (`agents.prompts`). A model that has them gets them; a model with
others gets its own in their place; one with none of them reads the roles as plain text and keeps the token that ends
its text. So a turn ends where the model's own turns ended before it was tuned, and its vocabulary stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

SYSTEM, USER, ASSISTANT, END = "<|im_start|>system\n", "<|im_start|>user\n", "<|im_start|>assistant\n", "<|im_end|>"
Encode = Callable[[str, bool], list[int]]

FAMILIES: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...] = (
    (("<|im_start|>", "<|im_end|>"), {}),
    (  # Phi-3
        ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
        {SYSTEM: "<|system|>\n", USER: "<|user|>\n", ASSISTANT: "<|assistant|>\n", END: "<|end|>"},
    ),
    (  # Gemma, which expects its first token before all text
        ("<bos>", "<start_of_turn>", "<end_of_turn>"),
        {
            SYSTEM: "<bos><start_of_turn>system\n",
            USER: "<start_of_turn>user\n",
            ASSISTANT: "<start_of_turn>model\n",
            END: "<end_of_turn>",
        },
    ),
    (  # Llama 3
        ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
        {
            SYSTEM: "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n",
            USER: "<|start_header_id|>user<|end_header_id|>\n\n",
            ASSISTANT: "<|start_header_id|>assistant<|end_header_id|>\n\n",
            END: "<|eot_id|>",
        },
    ),
    (("<s>", "</s>"), {SYSTEM: f"<s>{SYSTEM}", END: "</s>"}),
    (("<|endoftext|>",), {END: "<|endoftext|>"}),
)
"""Control tokens of a family, and what it has in place of ChatML's; the first fits whose tokens are all there."""


class Cutter:
    """Cuts segments into tokens.

    Args:
        encode: tokens of a text on its own; control tokens among them only where the second argument says so.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._markers = next((own for known, own in FAMILIES if all(self._is_token(name) for name in known)), {})
        self._lead = self._line_feed()

    def __call__(self, text: str, special: bool = False) -> list[int]:
        """Tokens of one segment: what stands before and behind it changes none of them."""
        if special:
            for marker, own in self._markers.items():
                text = text.replace(marker, own)
        if not self._lead or not text:
            return self._encode(text, special)
        tokens = self._encode("\n" + text, special)
        count = len(self._lead)
        return tokens[count:] if tokens[:count] == self._lead else self._encode(text, special)

    def _is_token(self, name: str) -> bool:
        return len(self._encode(name, True)) == 1 != len(self._encode(name, False))

    def _line_feed(self) -> list[int]:
        """The tokens of a line feed, if a text at the beginning would get a space that nobody wrote.

        Tokenisers of the SentencePiece kind put one before the first word. A name that the model is to write directly
        behind a control token would be learnt with it, and a grammar would never allow it.
        """
        lead, apart, together = (self._encode(text, False) for text in ("\n", "a", "\na"))
        return lead if together[: len(lead)] == lead and together[len(lead) :] != apart else []


def hub_cutter(tokenizer: Any) -> Cutter:
    """The cutter for a tokeniser of transformers."""

    def encode(text: str, special: bool) -> list[int]:
        text = text.encode(errors="replace").decode()  # a lone surrogate reads as `?`
        return list(tokenizer.encode(text, add_special_tokens=False, split_special_tokens=not special))

    return Cutter(encode)
