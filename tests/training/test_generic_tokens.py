"""Function tokens in models of any kind, against the passes written out by hand and the runtime; and a step that
several processes share."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from camphor.models.function_tokens import Projector
from camphor.models.torch_engine import TorchEncoder, TorchEngine
from camphor.models.transformers import TransformersModel
from camphor_lab.training.base import load_transformer, number_format
from camphor_lab.training.build import build, function_vectors, read_data
from camphor_lab.training.checkpoints import LOG, read_log
from camphor_lab.training.config import TARGETS, DataFile, TrainConfig
from camphor_lab.training.data import GgufTokenizer, pack, read_samples
from camphor_lab.training.functions import BatchedEncoder
from camphor_lab.training.generic import GenericTrainer, train
from camphor_lab.training.hub_model import HubTokenizer, add_factors, encoder_of, open_base
from camphor_lab.training.passes import shown_of
from tests.doubles.model_families import make_family
from tests.doubles.tiny_llama import TOKENS, make_llama, write_folder, write_gguf

TOOLS = ("mail(to): Send a mail.", "music(title): Play music.", "maps(place): Show a place.")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tokens")
    write_folder(folder / "llama", make_llama())
    write_gguf(folder / "llama.gguf", make_llama())
    write_folder(folder / "gemma", make_family("gemma"))
    for name, most in (("showing", 3), ("plain", 0)):
        lines = []
        for i in range(8):
            shown = [[TOOLS[(i + j) % 3], False, False, True] for j in range(min(most, 1 + i % 3))]
            text = [
                ["<|im_start|>", False, True],
                [f"do {i} " + "now " * (i % 3), False],
                [f" [{TOOLS[i % 3][:4]}(x)]", True],
            ]
            lines.append(json.dumps({"id": str(i), "segments": [*shown, *text]}))
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    return folder


def settings(place: Path, out: Path, model: str, **changes: Any) -> TrainConfig:
    values: dict[str, Any] = {
        "out": str(out),
        "data": (DataFile(str(place / "showing.jsonl")), DataFile(str(place / "plain.jsonl"))),
        "model": str(place / model),
        "trainer": "transformers",
        "rank": 4,
        "alpha": 8.0,
        "targets": TARGETS,
        "learning_rate": 0.02,
        "warmup_steps": 1,
        "batch_samples": 16,
        "micro_tokens": 150,
        "max_sample_tokens": 100,
        "dtype": "float32",
        "compile": "no",
        "workers": 1,
        **changes,
    }
    return TrainConfig(**values)


def trainer_of(config: TrainConfig, accelerator: Any = None, encoder: Any = None) -> GenericTrainer:
    accelerator = accelerator or Accelerator(mixed_precision="no")
    tokenizer, base = open_base(config, accelerator.device)
    data = read_data(config, HubTokenizer(tokenizer, len(TOKENS)))
    encoder = encoder or partial(encoder_of, config, tokenizer, base, Path(config.out) / "vectors")
    functions = function_vectors(config, base, data.definitions, encoder, "cpu", None)
    return GenericTrainer(config, add_factors(base, config), data, accelerator, functions)


@pytest.mark.parametrize("projector", ["linear", "scale", "rescale"])
def test_loss_and_every_gradient_are_those_of_the_passes_written_by_hand(
    place: Path, tmp_path: Path, projector: str
) -> None:
    config = settings(place, tmp_path, "llama.gguf", projector=projector, vectors_per_tool=2)
    file = place / "llama.gguf"  # both see the same vectors
    made = partial(BatchedEncoder, file, load_transformer(file, torch.float32), GgufTokenizer(file).encode, None)
    trainer = trainer_of(config, encoder=lambda method: made(method, number_format(config.dtype)))
    lean = dataclasses.replace(config, batch_samples=0, batch_tokens=10_000, micro_tokens=10_000)
    ours = build(lean, tmp_path / "vectors").model
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for name, factor in ours.factors.items():
            factor.b.copy_(torch.randn(factor.b.shape, generator=generator) * 0.1)
            for letter, value in (("A", factor.a), ("B", factor.b)):
                trainer.factors[f"base_model.model.{name}.lora_{letter}.default.weight"].copy_(value)
        ours.refresh()
    samples = trainer.batches[0]
    batch = pack(samples)
    scores = ours.run(
        torch.from_numpy(batch.tokens),
        batch.lengths,
        torch.from_numpy(batch.positions),
        weight=1 / len(batch.positions),
        shown=shown_of(ours, batch),
    )
    assert trainer._gradient(samples) == pytest.approx(scores.loss / scores.tokens, abs=1e-4)
    for name, factor in ours.factors.items():
        found = trainer.factors[f"base_model.model.{name}.lora_B.default.weight"].grad
        assert found is not None
        wanted = factor.grad_b[0]
        torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-5 * float(wanted.abs().max()) + 1e-8)
    wanted = ours.gradients[0, ours.factor_size :]
    assert len(wanted) == {"linear": 2 * 64 * 65, "scale": 2 * 64 * 2, "rescale": 0}[projector]
    if trainer.projector is not None:
        found = trainer.projector.grad
        assert found is not None
        torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-5 * float(wanted.abs().max()) + 1e-8)


@pytest.mark.parametrize("model", ["llama", "gemma"])
def test_what_was_trained_is_what_runs(place: Path, tmp_path: Path, model: str) -> None:
    config = settings(place, tmp_path / "out", model, epochs=6.0)
    train(config)
    told = [line["loss"] for line in read_log(tmp_path / "out" / LOG) if "loss" in line]
    assert told[-1] < told[0]
    trainer = trainer_of(config)
    trainer.load(tmp_path / "out" / "checkpoint.pt")
    tokenizer = HubTokenizer(open_base(config, torch.device("cpu"))[0], len(TOKENS))
    sample = next(s for s in read_samples(place / "showing.jsonl", tokenizer) if len(s.definitions) > 1)
    trainer.model.train(False)
    wanted = trainer._gradient([sample])
    assert TransformersModel(place / model, tmp_path / "out", device="cpu").projector_path is not None
    engine = TorchEngine(str(place / model), tmp_path / "out", 256, "cpu", None)
    projector = Projector.load(tmp_path / "out" / "tokens.npz")
    vectors = projector.apply(TorchEncoder(engine, None, projector.method).encode(sample.definitions))
    lost = []
    for stop in range(*sample.trained[0]):
        engine.align(sample.tokens[:stop].tolist(), vectors.reshape(-1, vectors.shape[2]))
        logits = torch.from_numpy(engine.advance().astype(np.float64))
        lost.append(float(-logits.log_softmax(0)[sample.tokens[stop]]))
    assert sum(lost) / len(lost) == pytest.approx(wanted, abs=1e-3)
    blind = dataclasses.replace(sample, definitions=sample.definitions[:1])
    assert abs(trainer._gradient([blind]) - wanted) > 1e-3  # that they were seen matters


def test_a_run_with_function_tokens_goes_on_exactly(place: Path, tmp_path: Path) -> None:
    config = settings(place, tmp_path / "whole", "llama", epochs=3.0, batch_samples=6)
    train(config)

    def stop(now: Any) -> None:
        if now.step == 4:
            raise KeyboardInterrupt

    parts = dataclasses.replace(config, out=str(tmp_path / "parts"), checkpoint_minutes=1e-9)
    with pytest.raises(KeyboardInterrupt):
        train(parts, stop)
    train(parts)
    for name in ("adapter_model.safetensors", "tokens.npz"):
        one, two = ((tmp_path / run / name).read_bytes() for run in ("whole", "parts"))
        if name.endswith("npz"):  # a zip holds the time of writing
            projectors = [Projector.load(tmp_path / run / name) for run in ("whole", "parts")]
            weights = [p.weight for p in projectors if p.weight is not None]
            assert len(weights) == 2
            np.testing.assert_array_equal(*weights)
        else:
            assert one == two


class OneOf:
    """Stands for one of two processes: what the other would add is added by the test."""

    num_processes = 2
    device = torch.device("cpu")
    is_main_process = False

    def __init__(self, index: int) -> None:
        self.process_index = index

    def prepare_model(self, model: Any) -> Any:
        return model

    def unwrap_model(self, model: Any) -> Any:
        return model

    def no_sync(self, model: Any) -> Any:
        return contextlib.nullcontext()

    def backward(self, loss: Any) -> None:
        loss.backward()

    def reduce(self, value: Any, how: str) -> Any:
        return value


@pytest.mark.parametrize("count", [16, 1])
def test_two_processes_make_the_step_of_one(place: Path, tmp_path: Path, count: int) -> None:
    config = settings(place, tmp_path, "llama", decide_weight=2.0)
    alone, *both = trainer_of(config), trainer_of(config, OneOf(0)), trainer_of(config, OneOf(1))
    samples = alone.batches[0][:count]
    assert sum(trainer._gradient(samples) for trainer in both) == pytest.approx(alone._gradient(samples), rel=1e-5)
    pairs = [(alone.factors[name], [t.factors[name] for t in both]) for name in alone.factors]
    pairs.append((alone.projector, [t.projector for t in both]))
    for whole, halves in pairs:
        mean = sum(half.grad for half in halves) / 2
        torch.testing.assert_close(mean, whole.grad, rtol=1e-4, atol=1e-6)
