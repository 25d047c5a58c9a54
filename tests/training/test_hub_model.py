"""Which models the trainer for any of them takes, in which layers it learns, and what it says of their turns."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import (
    BertConfig,
    BertLMHeadModel,
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    Gemma3TextConfig,
    Llama4ForCausalLM,
    Llama4TextConfig,
    Phi3Config,
)

from camphor.errors import ModelMissing, UsageError
from camphor.models.sequence import hub_cutter
from camphor_lab.training.config import TARGETS, DataFile, TrainConfig
from camphor_lab.training.hub_model import (
    add_factors,
    check_window,
    factors_of,
    find_targets,
    note_on_turns,
    open_base,
)
from tests.doubles.checkpoints import SIZES
from tests.doubles.tiny_llama import TOKENS, make_tokenizer, write_folder

TEXT = {**SIZES, "vocab_size": len(TOKENS), "head_dim": 16, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def settings(model: Path | str = "", **changes: Any) -> TrainConfig:
    values = {"model": str(model), "rank": 2, "dtype": "float32", **changes}
    return TrainConfig("out", (DataFile("a.jsonl"),), **values)


def test_an_encoder_is_refused_though_transformers_opens_it(tmp_path: Path) -> None:
    sizes = {key: value for key, value in SIZES.items() if key != "num_key_value_heads"}
    model = BertLMHeadModel(BertConfig(vocab_size=len(TOKENS), **sizes))
    generator = torch.Generator().manual_seed(1)
    for name, weight in model.named_parameters():
        if "LayerNorm" not in name:
            weight.data = 0.15 * torch.randn(weight.shape, generator=generator)
    write_folder(tmp_path / "bert", model)
    with pytest.raises(UsageError, match=r"^bert: a BertLMHeadModel that cannot write, .* such as a Llama"):
        open_base(settings(tmp_path / "bert"), torch.device("cpu"))


def test_a_model_that_reads_and_writes_in_two_parts_cannot_be_opened(tmp_path: Path) -> None:
    make_tokenizer().save_pretrained(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "t5"}', encoding="utf-8")
    with pytest.raises(ModelMissing, match="transformers cannot open this model"):
        open_base(settings(tmp_path), torch.device("cpu"))


@pytest.mark.parametrize("targets", [("all",), TARGETS])
def test_nothing_is_learnt_in_the_layers_for_pictures(targets: tuple[str, ...]) -> None:
    eye = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = Gemma3ForConditionalGeneration(
        Gemma3Config(text_config=TEXT, vision_config={**eye, "image_size": 28, "patch_size": 14})
    )
    config = settings(targets=targets)
    assert sorted(find_targets(model, config)) == sorted(TARGETS)
    learnt = factors_of(add_factors(model, config))
    assert len(learnt) == 2 * 2 * len(TARGETS)  # two factors, two layers
    assert all("language_model.layers." in name for name in learnt)


def test_function_tokens_are_refused_where_a_layer_does_not_look_back_to_them() -> None:
    for settings, fails in (
        (Gemma3TextConfig(**TEXT, sliding_window=64, layer_types=["sliding_attention", "full_attention"]), True),
        (Gemma3TextConfig(**TEXT, sliding_window=64, layer_types=["full_attention"] * 2), False),
        (Phi3Config(**{**TEXT, "sliding_window": 64}), True),
        (Phi3Config(**TEXT), False),
    ):
        model = SimpleNamespace(config=settings)
        check_window(model, 64, "x")
        with (
            pytest.raises(UsageError, match=r"^x: .* over 64 tokens, .* of up to 65: set form")
            if fails
            else nullcontext()
        ):
            check_window(model, 65, "x")


def test_what_chooses_experts_is_no_linear_layer() -> None:
    model = Llama4ForCausalLM(Llama4TextConfig(num_local_experts=2, intermediate_size_mlp=48, **TEXT))
    assert "router" not in find_targets(model, settings())


def test_a_model_says_how_its_turns_are_told() -> None:
    tokenizer = make_tokenizer()
    assert note_on_turns(hub_cutter(tokenizer), "x") == "turns are told by <|im_start|> <|im_end|>"

    def without(name: str | None) -> Any:
        def encode(text: str, *, split_special_tokens: bool, **_: Any) -> list[int]:
            return [-1] if text == name and not split_special_tokens else list(map(ord, text))

        made = type("Tokenizer", (), {"eos_token": name, "encode": staticmethod(encode)})
        return hub_cutter(made())

    told = note_on_turns(without("<stop>"), "x")
    assert told == "roles stand as plain text, for which the model has no control tokens; <stop> ends a turn"
    with pytest.raises(
        UsageError, match=r"^x: its tokenizer has no control token that ends a turn: give it an eos_token"
    ):
        note_on_turns(without(None), "x")
