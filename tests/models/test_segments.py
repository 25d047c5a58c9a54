"""Segments in models of several families: their own control tokens, and no space that nobody wrote."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

from camphor.agents import prompts
from camphor.models import sequence
from camphor.models.sequence import ASSISTANT, END, SYSTEM, USER, Cutter, hub_cutter

ALPHABET = [*(chr(code) for code in range(32, 127)), "▁", "\n"]


def spaced(*controls: str, prefix: bool = True) -> PreTrainedTokenizerFast:
    """Characters, with a space put before a text, as tokenisers of the SentencePiece kind do."""
    names = [*controls, *ALPHABET]
    core = Tokenizer(BPE({name: place for place, name in enumerate(names)}, []))
    scheme = "always" if prefix else "never"
    core.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
    core.decoder = decoders.Metaspace(prepend_scheme=scheme)
    made = PreTrainedTokenizerFast(tokenizer_object=core)
    made.add_special_tokens({"additional_special_tokens": list(controls)})
    return made


def written(tokenizer: PreTrainedTokenizerFast, text: str, special: bool = False) -> str:
    tokens = hub_cutter(tokenizer)(text, special)
    return "".join(tokenizer.convert_ids_to_tokens(tokens)).replace("▁", " ")


def test_the_markers_are_those_that_prompts_are_written_with() -> None:
    assert (SYSTEM, USER, ASSISTANT, END) == (prompts.SYSTEM, prompts.USER, prompts.ASSISTANT, prompts.END)


@pytest.mark.parametrize("controls", [known for known, _ in sequence.FAMILIES], ids=lambda known: known[-1])
def test_each_family_gets_its_own_control_tokens(controls: tuple[str, ...]) -> None:
    tokenizer = spaced(*controls, prefix=False)
    cutter = hub_cutter(tokenizer)
    own = dict(sequence.FAMILIES)[controls]
    end = cutter(END, True)
    assert tokenizer.convert_ids_to_tokens(end) == [own.get(END, END)]
    assert end[0] not in cutter(END)  # text that spells it stays text
    assert written(tokenizer, f"{END}\n{ASSISTANT}", True) == f"{own.get(END, END)}\n{own.get(ASSISTANT, ASSISTANT)}"


def test_a_model_with_none_of_them_reads_plain_text() -> None:
    assert written(spaced(), SYSTEM + END, True) == SYSTEM + END
    assert (hub_cutter(spaced()).controls, hub_cutter(spaced()).marks_roles) == ((), False)


def test_a_model_of_no_known_family_keeps_the_token_that_ends_its_text() -> None:
    tokenizer = spaced("<stop>")
    tokenizer.eos_token = "<stop>"
    assert written(tokenizer, SYSTEM + END, True) == f"{SYSTEM}<stop>"
    assert (hub_cutter(tokenizer).controls, hub_cutter(tokenizer).marks_roles) == (("<stop>",), False)


@pytest.mark.parametrize("controls", [known for known, _ in sequence.FAMILIES], ids=lambda known: known[-1])
def test_a_family_with_no_more_than_ends_of_texts_has_its_roles_in_plain_text(controls: tuple[str, ...]) -> None:
    cutter = hub_cutter(spaced(*controls, prefix=False))
    assert cutter.controls == controls
    assert cutter.marks_roles is not (controls[-1] in ("</s>", "<|endoftext|>"))


@pytest.mark.parametrize("prefix", [True, False])
def test_what_a_model_is_to_write_begins_without_a_space(prefix: bool) -> None:
    tokenizer = spaced(*sequence.FAMILIES[1][0], prefix=prefix)
    for text in ("personal_context", " [call()]", "\n= found\n", "", "\n\n"):
        assert written(tokenizer, text) == text
    assert written(tokenizer, END, True) == "<|end|>"


def test_a_line_feed_that_melts_into_the_text_is_left_out_of_it() -> None:
    def encode(text: str, special: bool) -> list[int]:
        return [99] if text == "\nx" else [1, *map(ord, text)]

    cutter = Cutter(encode)
    assert cutter("y") == [ord("y")]
    assert cutter("x") == [1, ord("x")]
