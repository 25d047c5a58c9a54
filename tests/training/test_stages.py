"""Which trainer a recipe gets, and what becomes of its adapter."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch

from camphor.errors import ModelMissing, UsageError
from camphor.models.native import LlamaEngine
from camphor.models.torch_engine import TorchEngine
from camphor_lab.training import run
from camphor_lab.training.config import DataFile, TrainConfig, load_stages, parse_config
from camphor_lab.training.stages import choose_trainer, is_llama
from tests.doubles.tiny_llama import make_llama, write_folder, write_gguf

CONFIGS = Path(__file__).parent.parent.parent / "configs"
RECIPE = """
out = "out"
model = "MODEL"
trainer = "transformers"
rank = 4
alpha = 8.0
learning_rate = 0.05
batch_samples = 4
dtype = "float32"
[[data]]
path = "samples.jsonl"
repeat = 3.0
"""


def config(**changes: object) -> TrainConfig:
    return parse_config({"out": "x", "data": [{"path": "a.jsonl"}], **changes})


def other_file(path: Path, architecture: str = "gemma2", tensor: str = "", **fields: int) -> Path:
    """A GGUF file of another architecture, or of that one with a tensor and fields that are not for every trainer."""
    writer = gguf.GGUFWriter(str(path), architecture)
    for key, value in fields.items():
        writer.add_uint32(f"{architecture}.{key}", value)
    if tensor:
        writer.add_tensor(tensor, np.ones(4, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_the_passes_written_by_hand_take_llamas_in_gguf_files(tmp_path: Path) -> None:
    llama = write_gguf(tmp_path / "llama.gguf", make_llama())
    folder = write_folder(tmp_path / "folder", make_llama())
    other = other_file(tmp_path / "gemma.gguf")
    for model, trainer in (
        ("", "lean"),
        (str(llama), "lean"),
        (str(folder), "transformers"),
        (str(other), "transformers"),
        ("hf:some/name", "transformers"),
    ):
        assert choose_trainer([config(model=model)]) == trainer
    assert choose_trainer([config(trainer="transformers")]) == "transformers"
    assert [is_llama(str(path)) for path in (llama, folder, other)] == [True, True, False]


def test_the_passes_written_by_hand_say_what_they_do_not_take(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder", make_llama())
    for model, kind in (
        ("hf:some/name", "a model on the hub"),
        (str(folder), "a folder"),
        (str(other_file(tmp_path / "gemma.gguf")), "a file of the architecture gemma2"),
        (str(other_file(tmp_path / "experts.gguf", "llama", expert_count=8)), "a mixture of experts"),
        (str(other_file(tmp_path / "biases.gguf", "llama", "blk.0.attn_q.bias")), "one with biases"),
    ):
        told = f'^{model}: trainer = "lean" takes .*, and this is {kind}: set trainer = "transformers"$'
        with pytest.raises(UsageError, match=told):
            choose_trainer([config(model=model, trainer="lean")])
        assert choose_trainer([config(model=model)]) == "transformers"


def test_a_rotation_that_a_file_hides_is_refused_by_every_trainer(tmp_path: Path) -> None:
    model = other_file(tmp_path / "llama-3.gguf", "llama", "rope_freqs.weight")
    for trainer in ("auto", "lean", "transformers"):
        with pytest.raises(
            UsageError, match=r"rotated by factors \(rope_freqs.weight\) .* the folder that the file was"
        ):
            choose_trainer([config(model=str(model), trainer=trainer)])


def test_what_a_trainer_cannot_do_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder", make_llama())
    with pytest.raises(UsageError, match=r"GGUF file of a Llama only"):
        choose_trainer([config(model=str(folder), trainer="lean")])
    with pytest.raises(UsageError, match="dropout is not for"):
        choose_trainer([config(dropout=0.1)])
    with pytest.raises(UsageError, match="different trainers"):
        choose_trainer([config(), config(model=str(folder))])
    with pytest.raises(ModelMissing, match="no such model"):
        choose_trainer([config(model=str(tmp_path / "none"))])


@pytest.mark.parametrize("model", ["folder", "llama.gguf"])
def test_an_adapter_of_a_llama_runs_in_llama_cpp_too(tmp_path: Path, model: str) -> None:
    write_folder(tmp_path / "folder", make_llama())
    write_gguf(tmp_path / "llama.gguf", make_llama())
    segments = [["<|im_start|>", False, True], ["play"], [" the song", True]]
    segments[1].append(False)
    lines = [json.dumps({"id": str(i), "segments": segments}) for i in range(4)]
    (tmp_path / "samples.jsonl").write_text("\n".join(lines))
    (tmp_path / "recipe.toml").write_text(RECIPE.replace("MODEL", model))
    folder = run(tmp_path / "recipe.toml")
    here = TorchEngine(str(tmp_path / "folder"), folder, 64, "cpu", None)
    there = LlamaEngine(tmp_path / "llama.gguf", folder / "adapter.gguf", 64, 1)
    plain = LlamaEngine(tmp_path / "llama.gguf", None, 64, 1)
    told = []
    for engine in (here, there, plain):
        engine.align(engine.tokenise("play it"))
        told.append(engine.advance().copy())
    there.close()
    plain.close()
    assert np.abs(told[0] - told[1]).max() < 0.02 < np.abs(told[0] - told[2]).max()
    assert torch.load(folder / "checkpoint.pt", weights_only=True)["kind"] == "transformers"


@pytest.mark.parametrize(
    ("name", "batch", "steps", "targets"),
    [
        ("phi-3.5-mini", 128, 443, ("qkv_proj", "o_proj", "gate_up_proj", "down_proj")),
        ("gemma-2-2b", 32, 600, ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")),
    ],
)
def test_shipped_settings_are_those_of_table_5(name: str, batch: int, steps: int, targets: tuple[str, ...]) -> None:
    [found] = load_stages(CONFIGS / f"{name}.toml")
    assert (found.steps, found.warmup_ratio, found.learning_rate, found.seed) == (steps, 0.03, 1e-4, 42)
    assert (found.rank, found.alpha, found.dropout, found.targets) == (16, 16.0, 0.05, targets)
    assert (found.quantise, found.dtype, choose_trainer([found])) == ("nf4", "bfloat16", "transformers")
    assert (found.batch_pairs, found.batch_samples) == (batch, 0)
    assert found.data == (DataFile(found.data[0].path, form="instructed"),)
