"""A run that starts from a GGUF adapter has the factors that were exported into it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from camphor.errors import ModelError, UsageError
from camphor.models.llama import shipped_adapter
from camphor_lab.training import run
from camphor_lab.training.base import FOLDER_TOKENS, TOKENS, WEIGHTS
from camphor_lab.training.build import build
from camphor_lab.training.config import TrainConfig, load_stages, parse_config
from camphor_lab.training.export import import_adapter, in_halves, interleave, start_folder
from camphor_lab.training.lora import Trainer
from tests.doubles.tiny_llama import make_llama, write_gguf

SETTINGS = """
out = "out"
model = "tiny.gguf"
rank = 4
alpha = 8.0
batch_tokens = 300
micro_tokens = 150
warmup_steps = 1
learning_rate = 0.02
epochs = 3
dtype = "float32"
compile = "no"
workers = 1
data = [{ path = "samples.jsonl" }]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> TrainConfig:
    folder = tmp_path_factory.mktemp("inherit")
    write_gguf(folder / "tiny.gguf", make_llama())
    lines = [{"id": str(i), "segments": [[f"do {i}", False], [f" it {i % 3}", True]]} for i in range(24)]
    (folder / "samples.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "settings.toml").write_text(SETTINGS)
    run(folder / "settings.toml")
    return load_stages(folder / "settings.toml")[0]


def test_pairs_go_back_to_halves() -> None:
    rows = np.random.default_rng(0).normal(size=(48, 3)).astype(np.float32)
    assert (in_halves(interleave(rows, 6), 6) == rows).all()


def test_a_gguf_adapter_becomes_the_folder_that_it_was_made_from(made: TrainConfig, tmp_path: Path) -> None:
    import_adapter(Path(made.out) / "adapter.gguf", tmp_path / "same", made)
    before, after = (load_file(str(folder / WEIGHTS)) for folder in (Path(made.out), tmp_path / "same"))
    assert before.keys() == after.keys()
    assert all(np.allclose(before[name], after[name], rtol=1e-3, atol=1e-6) for name in before)
    assert any(np.abs(value).max() > 0.001 for name, value in after.items() if "lora_B" in name)
    import_adapter(Path(made.out) / "adapter.gguf", tmp_path / "other", replace(made, alpha=16.0))
    name = next(name for name in before if "lora_B" in name and "q_proj" in name)
    assert np.allclose(load_file(str(tmp_path / "other" / WEIGHTS))[name], before[name] / 2, rtol=1e-3, atol=1e-6)


def test_a_run_starts_with_its_factors(made: TrainConfig, tmp_path: Path) -> None:
    config = replace(made, out=str(tmp_path / "next"), init=str(Path(made.out) / "adapter.gguf"))
    parts = build(config, tmp_path)
    fresh = Trainer(config, parts.model, parts.mixture, [], parts.workers)
    fresh.start_from(start_folder(config))
    inherited = fresh.model.parameters.clone()
    fresh.start_from(Path(made.out))
    assert torch.allclose(inherited, fresh.model.parameters, rtol=1e-3, atol=1e-6)


def test_what_cannot_be_a_start_is_named(made: TrainConfig, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.gguf"):
        start_folder(replace(made, init=str(tmp_path / "none.gguf")))
    (tmp_path / "broken.gguf").write_bytes(b"no adapter")
    with pytest.raises(ModelError, match=r"broken\.gguf"):
        start_folder(replace(made, out=str(tmp_path), init=str(tmp_path / "broken.gguf")))
    config = replace(made, rank=2, out=str(tmp_path), init=str(Path(made.out) / "adapter.gguf"))
    parts = build(config, tmp_path)
    with pytest.raises(UsageError, match="another rank"):
        Trainer(config, parts.model, parts.mixture, [], parts.workers).start_from(start_folder(config))


def test_the_adapter_that_ships_has_a_name_that_is_no_path(tmp_path: Path) -> None:
    raw = {"out": "run", "data": [{"path": "a"}], "init": "assistant"}
    assert parse_config(raw, folder=tmp_path).init == "assistant"
    config = parse_config({**raw, "rank": 32, "alpha": 64.0}, folder=tmp_path)
    tensors = load_file(str(start_folder(config) / WEIGHTS))
    assert len(tensors) == 420
    assert tensors["base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"].shape == (32, 576)
    projector = Path(str(shipped_adapter())).with_suffix(".tokens.npz").read_bytes()
    assert all((Path(config.out) / "init" / name).read_bytes() == projector for name in (TOKENS, FOLDER_TOKENS))


def test_the_settings_that_come_along_can_be_read() -> None:
    configs = Path(__file__).parents[2] / "configs"
    paper = load_stages(configs / "droidcall-paper.toml")[0]
    ours = load_stages(configs / "droidcall.toml")[0]
    assert (paper.rank, paper.alpha, paper.schedule, paper.learning_rate) == (8, 16.0, "linear", 1.41e-5)
    assert (paper.warmup_ratio, paper.epochs, paper.data[0].form) == (0.1, 24.0, "code_short")
    assert (ours.rank, ours.init, ours.data[0].form) == (32, "assistant", "compact")
    assert 0 < ours.data[0].distractors < 1
    own = load_stages(configs.parent / "lab/src/camphor_lab/training/own_functions.toml")[0]
    assert (own.init, own.rank, own.max_minutes <= 10) == ("assistant", 32, True)
