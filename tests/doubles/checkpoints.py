"""Small random checkpoints of the families that people have, each with its own architecture, kind of tokeniser, control
tokens and chat template: a folder as the hub gives one, of a thousandth of the size."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import PreTrainedTokenizerFast

WORDS = 4000  # of a vocabulary: a prompt with instructions is then about as long as in a real one
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 8192,
}


@dataclass(frozen=True)
class Family:
    """`config` and `model` are transformers' classes, `special` what only this family's settings have.

    `turn` is what opens a turn, with {role}, and `ends` what closes it; `first` stands before all text. `assistant` is
    the model's role. `spaces`: a tokeniser of the SentencePiece kind, which writes a space as a letter.
    """

    config: str
    model: str
    controls: tuple[str, ...]
    turn: str
    ends: str
    first: str = ""
    assistant: str = "assistant"
    spaces: bool = False
    special: tuple[tuple[str, Any], ...] = ()


CHATML = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
GEMMA = ("<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>")
PHI = ("<unk>", "<s>", "</s>", "<|endoftext|>", "<|assistant|>", "<|end|>", "<|system|>", "<|user|>")
LLAMA = ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
SLIDING = {"sliding_window": 64, "layer_types": ["sliding_attention", "full_attention"]}
_GEMMA = (GEMMA, "<start_of_turn>{role}\n", "<end_of_turn>", "<bos>", "model", True)
_CHATML = (CHATML, "<|im_start|>{role}\n", "<|im_end|>")
FAMILIES = {
    "phi-3.5": Family("Phi3Config", "Phi3ForCausalLM", PHI, "<|{role}|>\n", "<|end|>", spaces=True),
    "gemma-2": Family("Gemma2Config", "Gemma2ForCausalLM", *_GEMMA, (*SLIDING.items(), ("query_pre_attn_scalar", 16))),
    "gemma-3": Family("Gemma3TextConfig", "Gemma3ForCausalLM", *_GEMMA, tuple(SLIDING.items())),
    "llama-3": Family(
        "LlamaConfig",
        "LlamaForCausalLM",
        LLAMA,
        "<|start_header_id|>{role}<|end_header_id|>\n\n",
        "<|eot_id|>",
        "<|begin_of_text|>",
        special=(("tie_word_embeddings", True),),
    ),
    "qwen-2": Family("Qwen2Config", "Qwen2ForCausalLM", *_CHATML),
    "qwen-3": Family("Qwen3Config", "Qwen3ForCausalLM", *_CHATML),
}


def write_checkpoint(folder: Path, name: str, texts: Iterable[str]) -> Path:
    """A checkpoint of that family, its tokeniser learnt from the texts."""
    family = FAMILIES[name]
    tokenizer = _tokenizer(family, list(texts))
    tokenizer.save_pretrained(str(folder))
    ids = {f"{part}_token_id": tokenizer.convert_tokens_to_ids(token) for part, token in _roles(family).items()}
    heads = {} if name in ("phi-3.5", "qwen-2") else {"head_dim": 16}
    settings = getattr(transformers, family.config)(
        vocab_size=len(tokenizer) + 8, **SIZES, **ids, **heads, **dict(family.special)
    )
    model = getattr(transformers, family.model)(settings)
    generator = torch.Generator().manual_seed(1)
    for key, weight in model.named_parameters():
        if "norm" not in key:
            weight.data = 0.15 * torch.randn(weight.shape, generator=generator)
    model.save_pretrained(str(folder))
    return folder


def _roles(family: Family) -> dict[str, str]:
    """The tokens that fill up, begin and end a text."""
    known = [name for name in ("<pad>", "<|endoftext|>", "<|end_of_text|>") if name in family.controls]
    ends = next(name for name in ("<eos>", "<|endoftext|>", "<|end_of_text|>") if name in family.controls)
    begins = {"bos": family.first} if family.first else {"bos": "<s>"} if "<s>" in family.controls else {}
    return {"pad": known[0], "eos": ends, **begins}


def _tokenizer(family: Family, texts: list[str]) -> PreTrainedTokenizerFast:
    core = _spaced(family, texts) if family.spaces else _of_bytes(family, texts)
    made = PreTrainedTokenizerFast(
        tokenizer_object=core, **{f"{part}_token": token for part, token in _roles(family).items()}
    )
    swallows = family.controls is PHI  # Phi's take the white space behind them along
    marks = [AddedToken(name, special=True, normalized=False, rstrip=swallows) for name in family.controls]
    made.add_special_tokens({"additional_special_tokens": marks})
    made.chat_template = (
        f"{family.first}{{% for message in messages %}}"
        f"{{% set role = '{family.assistant}' if message.role == 'assistant' else message.role %}}"
        + family.turn.replace("{role}", "{{ role }}")
        + f"{{{{ message.content }}}}{family.ends}\n{{% endfor %}}"
        + "{% if add_generation_prompt %}"
        + family.turn.replace("{role}", family.assistant)
        + "{% endif %}"
    )
    return made


def _of_bytes(family: Family, texts: list[str]) -> Tokenizer:
    core = Tokenizer(BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = BpeTrainer(
        vocab_size=WORDS, special_tokens=list(family.controls), initial_alphabet=letters, show_progress=False
    )
    core.train_from_iterator(texts, trainer)
    return core


def _spaced(family: Family, texts: list[str]) -> Tokenizer:
    """Phi's puts a space before a text, Gemma's does not; letters that it does not know are told byte by byte."""
    scheme = "first" if family.controls is PHI else "never"
    learnt = Tokenizer(BPE(unk_token="<unk>"))
    learnt.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    learnt.train_from_iterator(texts, BpeTrainer(vocab_size=WORDS, special_tokens=["<unk>"], show_progress=False))
    found = json.loads(learnt.to_str())["model"]
    names = dict.fromkeys((*family.controls, *(f"<0x{byte:02X}>" for byte in range(256)), *found["vocab"]))
    merges = [tuple(pair) for pair in found["merges"]]
    core = Tokenizer(BPE({name: n for n, name in enumerate(names)}, merges, unk_token="<unk>", byte_fallback=True))
    core.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    strips = [decoders.Strip(" ", 1, 0)] if scheme == "first" else []
    core.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *strips])
    return core
