"""Training any model with transformers, peft and accelerate: the same loss as the passes written out by hand, exact
resumption, and what is refused."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from accelerate import Accelerator

from camphor.errors import MissingExtra, ModelMissing, UsageError
from camphor.models.base import Request
from camphor.models.transformers import TransformersModel
from camphor.types import Segment
from camphor_lab.training.build import read_data
from camphor_lab.training.checkpoints import LOG, read_log
from camphor_lab.training.config import TARGETS, DataFile, TrainConfig
from camphor_lab.training.data import Sample, pack
from camphor_lab.training.generic import GenericTrainer, train
from camphor_lab.training.hub_model import HubTokenizer, add_factors, check_quantise, open_base
from camphor_lab.training.padded import bucket, pad
from tests.doubles.lean import lean
from tests.doubles.model_families import make_family
from tests.doubles.tiny_llama import TOKENS, make_llama, write_folder, write_gguf


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny Llama in both forms, two other models, and samples."""
    folder = tmp_path_factory.mktemp("generic")
    write_folder(folder / "llama", make_llama())
    write_gguf(folder / "llama.gguf", make_llama())
    for family in ("gemma", "phi", "gpt"):
        write_folder(folder / family, make_family(family))
    lines = []
    for number in range(10):
        segments = [
            ["<|im_start|>user\n", False, True],
            [f"play song {number} " + "again " * (number % 4), False],
            ["<|im_end|>\n<|im_start|>assistant\n", False, True],
            ["task_completion", True],
            [f' [play_music(title="{number % 3}")]', True],
            ["\n= done\n", False],
            ["<|im_end|>", True, True],
        ]
        lines.append(json.dumps({"id": str(number), "segments": segments}))
    (folder / "samples.jsonl").write_text("\n".join(lines))
    return folder


def settings(place: Path, out: Path, model: str = "llama", **changes: Any) -> TrainConfig:
    values: dict[str, Any] = {
        "out": str(out),
        "data": (DataFile(str(place / "samples.jsonl")),),
        "model": str(place / model),
        "trainer": "transformers",
        "rank": 4,
        "alpha": 8.0,
        "targets": ("all",),
        "learning_rate": 0.02,
        "warmup_steps": 1,
        "batch_samples": 5,
        "micro_tokens": 300,
        "dtype": "float32",
        **changes,
    }
    return TrainConfig(**values)


def trainer_of(config: TrainConfig) -> GenericTrainer:
    accelerator = Accelerator(mixed_precision="no")
    tokenizer, base = open_base(config, accelerator.device)
    data = read_data(config, HubTokenizer(tokenizer, len(TOKENS)))
    return GenericTrainer(config, add_factors(base, config), data, accelerator)


def losses(folder: Path) -> list[float]:
    return [line["loss"] for line in read_log(folder / LOG) if "loss" in line]


@pytest.mark.parametrize("model", ["llama", "llama.gguf", "gemma", "phi", "gpt"])
def test_a_model_of_any_kind_learns_and_runs_with_what_it_learnt(place: Path, tmp_path: Path, model: str) -> None:
    config = settings(place, tmp_path / "out", model, epochs=6.0, held_out=str(place / "samples.jsonl"))
    train(config)
    told = losses(tmp_path / "out")
    assert len(told) == 12
    assert told[-1] < 0.8 * told[0]
    written = json.loads((tmp_path / "out" / "settings.json").read_text())
    assert (written["base"], written["planned_steps"], written["counts"]["samples"]) == (model, 12, 10)
    assert "lm_head" not in written["found_targets"]
    assert (tmp_path / "out" / "loss.png").stat().st_size > 1000
    held = [line["held_out"]["loss"] for line in read_log(tmp_path / "out" / LOG) if "held_out" in line]
    assert held[-1] < held[0]
    with TransformersModel(place / model, tmp_path / "out", device="cpu") as tuned:
        prompt = (Segment("<|im_start|>user\n", special=True), Segment("play song"))
        assert tuned.complete(Request(prompt, max_tokens=3)).timing.sampled_tokens > 0


@pytest.mark.parametrize("decide", [1.0, 3.0])
def test_loss_and_gradients_are_those_of_the_passes_written_by_hand(place: Path, tmp_path: Path, decide: float) -> None:
    config = settings(place, tmp_path, targets=TARGETS, decide_weight=decide)
    trainer = trainer_of(config)
    ours = lean(make_llama())
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for name, factor in ours.factors.items():
            factor.b.copy_(torch.randn(factor.b.shape, generator=generator) * 0.1)
            for letter, value in (("A", factor.a), ("B", factor.b)):
                trainer.factors[f"base_model.model.{name}.lora_{letter}.default.weight"].copy_(value)
    ours.refresh()
    samples = trainer.batches[0]
    batch = pack(samples)
    count = len(batch.positions)
    weights = torch.where(torch.from_numpy(batch.deciding), decide, 1.0)
    places = torch.from_numpy(batch.positions)
    scores = ours.run(
        torch.from_numpy(batch.tokens), batch.lengths, places, weight=1 / float(weights.sum()), weights=weights
    )
    assert int(batch.deciding.sum()) > 0
    assert trainer._gradient(samples) == pytest.approx(scores.loss / count, abs=1e-4)
    for name, factor in ours.factors.items():
        for letter, wanted in (("A", factor.grad_a[0]), ("B", factor.grad_b[0])):
            found = trainer.factors[f"base_model.model.{name}.lora_{letter}.default.weight"].grad
            assert found is not None
            torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-5 * float(wanted.abs().max()) + 1e-8)


def test_how_samples_are_divided_into_passes_changes_nothing(place: Path, tmp_path: Path) -> None:
    whole = trainer_of(settings(place, tmp_path, "gemma", micro_tokens=5000))
    single = trainer_of(settings(place, tmp_path, "gemma", micro_tokens=1, gradient_checkpointing=True))
    samples = whole.batches[0]
    assert (len(bucket(samples, 5000)), len(bucket(samples, 1))) == (1, 5)
    whole.model.train()
    single.model.train()
    assert whole._gradient(samples) == pytest.approx(single._gradient(samples), abs=1e-5)
    for name, parameter in whole.factors.items():
        torch.testing.assert_close(parameter.grad, single.factors[name].grad, rtol=1e-4, atol=1e-6)


def test_only_completions_teach(place: Path, tmp_path: Path) -> None:
    trainer = trainer_of(settings(place, tmp_path))
    sample = trainer.batches[0][0]
    batch = pad([sample], 1.0, torch.device("cpu"))
    taught = bytes_of(batch.tokens[batch.rows, batch.columns].tolist())
    assert re.fullmatch(r'task_completion \[play_music\(title="\d"\)\]<\|im_end\|>', taught)
    before = trainer._gradient([sample])
    changed = sample.tokens.copy()
    changed[-1 - taught_length(sample)] += 1  # the last token of the prompt's own text before the last completion
    assert trainer._gradient([dataclasses.replace(sample, tokens=changed)]) != before  # seen, though not taught


def bytes_of(tokens: list[int]) -> str:
    return "".join(TOKENS[token] for token in tokens).replace("Ġ", " ")


def taught_length(sample: Sample) -> int:
    start, stop = sample.trained[-1]
    return stop - start


def test_a_run_that_goes_on_ends_where_it_would_have(place: Path, tmp_path: Path) -> None:
    config = settings(place, tmp_path / "whole", epochs=4.0, dropout=0.2, data=(data_of(place, 1.5),))
    train(config)
    stopped = dataclasses.replace(config, out=str(tmp_path / "parts"), checkpoint_minutes=1e-9)

    def stop(now: Any) -> None:
        if now.step == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(stopped, stop)
    assert 0 < len(losses(tmp_path / "parts")) < len(losses(tmp_path / "whole"))
    train(stopped)
    assert losses(tmp_path / "parts") == losses(tmp_path / "whole")
    one, two = ((tmp_path / name / "adapter_model.safetensors").read_bytes() for name in ("whole", "parts"))
    assert one == two


def data_of(place: Path, repeat: float) -> DataFile:
    return DataFile(str(place / "samples.jsonl"), repeat)


def test_steps_and_warm_up_as_the_paper_counts_them(place: Path, tmp_path: Path) -> None:
    config = settings(place, tmp_path, steps=20, epochs=1000.0, warmup_ratio=0.25, schedule="linear", final_rate=0.0)
    seen: list[float] = []
    train(config, lambda now: seen.append(now.rate))
    assert len(seen) == 20
    assert max(seen) == seen[4] == pytest.approx(0.02 * 0.8)  # warm after 5 steps, when a fifth of the way is gone
    assert seen[-1] == pytest.approx(0.02 * 0.05)


def test_a_run_starts_from_another_ones_adapter(place: Path, tmp_path: Path) -> None:
    first = settings(place, tmp_path / "first", epochs=5.0)
    train(first)
    train(settings(place, tmp_path / "second", init=str(tmp_path / "first")))
    assert losses(tmp_path / "second")[0] < 0.9 * losses(tmp_path / "first")[0]
    with pytest.raises(UsageError, match="rank"):
        train(settings(place, tmp_path / "third", init=str(tmp_path / "first"), rank=2))
    with pytest.raises(UsageError, match="no adapter to start from"):
        train(settings(place, tmp_path / "third", init=str(place)))


def test_bfloat16_learns_too(place: Path, tmp_path: Path) -> None:
    train(settings(place, tmp_path, dtype="bfloat16", epochs=4.0))
    told = losses(tmp_path)
    assert math.isfinite(told[-1])
    assert told[-1] < told[0]


def test_what_cannot_be_is_said_in_a_sentence(place: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no q_proj, k_proj, v_proj, gate_proj, up_proj: choose of down_proj"):
        train(settings(place, tmp_path / "a", "phi", targets=TARGETS))
    with pytest.raises(ModelMissing, match="no such model"):
        train(settings(place, tmp_path / "b", "nowhere"))
    train(settings(place, tmp_path / "c"))
    with pytest.raises(UsageError, match="learning_rate"):
        train(settings(place, tmp_path / "c", learning_rate=0.5))
    quantised = settings(place, tmp_path / "d", quantise="nf4")
    with pytest.raises(UsageError, match="needs a GPU"):
        check_quantise(quantised, "cpu")


def test_quantising_names_the_part_that_is_missing(place: Path, tmp_path: Path) -> None:
    from importlib.util import find_spec

    if find_spec("bitsandbytes"):
        pytest.skip("bitsandbytes is installed")
    with pytest.raises(MissingExtra, match="qlora"):
        check_quantise(settings(place, tmp_path, quantise="nf4"), "cuda")
