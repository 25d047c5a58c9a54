"""A recipe from its file to what runs, on a tiny model."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from camphor.errors import ModelError, UsageError
from camphor.models.function_tokens import LlamaEncoder, Projector, beside
from camphor.models.native import LlamaEngine
from camphor.models.transformers import TransformersModel
from camphor_lab.training import run
from camphor_lab.training.base import FOLDER_TOKENS, TOKENS, WEIGHTS
from camphor_lab.training.build import build
from camphor_lab.training.checkpoints import CHECKPOINT
from camphor_lab.training.config import load_stages
from camphor_lab.training.data import GgufTokenizer, pack, read_samples
from camphor_lab.training.loop import Progress
from camphor_lab.training.lora import Trainer
from camphor_lab.training.stages import average
from tests.doubles.tiny_llama import make_llama, write_gguf

RECIPE = """
out = "out"
model = "tiny.gguf"
rank = 4
alpha = 8.0
batch_tokens = 300
micro_tokens = 150
max_sample_tokens = 100
warmup_steps = 1
learning_rate = 0.01
dtype = "float32"
compile = "no"
workers = 1
[[stage]]
data = [{ path = "plain.jsonl" }]
[[stage]]
data = [{ path = "showing.jsonl", repeat = 2.0 }, { path = "plain.jsonl" }]
epochs = 2
"""
TOOLS = ("mail(to): Send a mail.", "music(title): Play music.", "maps(place): Show a place.")


def recipe(folder: Path) -> Path:
    write_gguf(folder / "tiny.gguf", make_llama())
    for name, tools in (("plain", ()), ("showing", TOOLS)):
        lines = []
        for i in range(12):
            shown = [[tools[(i + j) % 3], False, False, True] for j in range(2)] if tools else []
            segments = [*shown, ["<|im_start|>", False, True], [f"do {i}", False], [f" [{TOOLS[i % 3][:4]}(x)]", True]]
            lines.append(json.dumps({"id": str(i), "segments": segments}))
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    (folder / "recipe.toml").write_text(RECIPE)
    return folder / "recipe.toml"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    run(recipe(folder))
    return folder


def test_what_was_trained_is_what_llama_cpp_runs(made: Path) -> None:
    config = load_stages(made / "recipe.toml")[-1]
    parts = build(config, made / "out" / "vectors")
    trainer = Trainer(config, parts.model, parts.mixture, [], parts.workers)
    trainer.load(made / "out" / CHECKPOINT)
    adapter = made / "out" / "adapter.gguf"
    file = beside(adapter)
    assert TransformersModel(made / "tiny.gguf", made / "out", device="cpu").projector_path is not None
    assert file is not None
    engine = LlamaEngine(made / "tiny.gguf", adapter, 256, 1)
    sample = read_samples(made / "showing.jsonl", GgufTokenizer(made / "tiny.gguf"))[0]
    projector = Projector.load(file)
    vectors = projector.apply(LlamaEncoder(made / "tiny.gguf", None, projector.method).encode(sample.definitions))
    losses = []
    for stop in range(*sample.trained[0]):
        engine.align(sample.tokens[:stop].tolist(), vectors.reshape(-1, vectors.shape[2]))
        logits = torch.from_numpy(engine.advance().astype(np.float64))
        losses.append(float(-logits.log_softmax(0)[sample.tokens[stop]]))
    engine.close()
    [scores] = parts.workers.map(parts.model, [pack([sample])], None)
    assert sum(losses) / len(losses) == pytest.approx(scores.loss / scores.tokens, abs=0.01)
    parts.model.functions = None
    [blind] = parts.workers.map(parts.model, [pack([sample])], None)
    assert abs(blind.loss - scores.loss) / scores.tokens > 0.05  # that they were seen matters


def test_stages_are_trained_in_turn_and_finished_ones_are_left(made: Path) -> None:
    first = made / "out" / "stage-1" / CHECKPOINT
    assert torch.load(first, weights_only=True)["state"]["epoch"] == 1
    assert not (made / "out" / "stage-1" / "adapter.tokens.npz").exists()
    seen: list[Progress] = []
    before = first.stat().st_mtime_ns
    run(made / "recipe.toml", progress=seen.append)
    assert (seen, first.stat().st_mtime_ns) == ([], before)


def test_what_a_finished_stage_was_begun_from_need_not_be_there(tmp_path: Path) -> None:
    file = recipe(tmp_path)
    file.write_text(RECIPE + '[[stage]]\ndata = [{ path = "showing.jsonl" }]\n', encoding="utf-8")
    run(file)
    (tmp_path / "out" / "stage-1" / WEIGHTS).unlink()
    (tmp_path / "plain.jsonl").unlink()  # which the first two stages learnt from
    seen: list[Progress] = []
    run(file, progress=seen.append)
    assert seen == []


def test_a_stage_whose_settings_changed_is_refused_unless_all_begins_anew(tmp_path: Path) -> None:
    file = recipe(tmp_path)
    run(file)
    file.write_text(RECIPE.replace("learning_rate = 0.01", "learning_rate = 0.02"))
    with pytest.raises(UsageError, match="learning_rate"):
        run(file)
    seen: list[Progress] = []
    run(file, resume=False, progress=seen.append)
    assert {(p.stage, p.stages) for p in seen} == {(1, 2), (2, 2)}
    assert all(math.isfinite(p.loss) for p in seen)


def test_what_ships_may_be_the_mean_of_two_stages(tmp_path: Path) -> None:
    file = recipe(tmp_path)
    run(file)
    first, learnt = (load_file(tmp_path / "out" / part / WEIGHTS) for part in ("stage-1", ""))
    file.write_text(f'{RECIPE}mean_with = "init"\n')
    run(file, resume=False)
    for _ in range(2):  # what is finished is averaged once, however often it is run
        mean = load_file(tmp_path / "out" / WEIGHTS)
        for name, rows in mean.items():
            np.testing.assert_allclose(rows, (first[name] + learnt[name]) / 2, atol=1e-6)
        run(file)
    third = f'{RECIPE}mean_with = "init"\n[[stage]]\ndata = [{{ path = "showing.jsonl" }}]\nlearning_rate = 1e-9\n'
    file.write_text(third)
    run(file, resume=False)
    after = load_file(tmp_path / "out" / WEIGHTS)
    for name, rows in load_file(tmp_path / "out" / "stage-2" / WEIGHTS).items():  # the next stage starts from the mean
        np.testing.assert_allclose(rows, after[name], atol=1e-5)
        np.testing.assert_allclose(rows, mean[name], atol=1e-5)
    for wrong, told in (("init", "an init or a stage before"), ("stage-1", "an earlier stage"), ("away", "no adapter")):
        file.write_text(RECIPE.replace("[[stage]]\n", f'mean_with = "{wrong}"\n[[stage]]\n', 1))
        with pytest.raises(UsageError, match=told):
            run(file)


def test_the_mean_may_be_with_a_stage_further_back(tmp_path: Path) -> None:
    file = recipe(tmp_path)
    learning = '[[stage]]\ndata = [{ path = "showing.jsonl" }]\n'
    file.write_text(f"{RECIPE}{learning}")
    run(file)
    first, learnt = (load_file(tmp_path / "out" / part / WEIGHTS) for part in ("stage-1", ""))
    file.write_text(f'{RECIPE}{learning}mean_with = "stage-1"\n')
    run(file, resume=False)
    for name, rows in load_file(tmp_path / "out" / WEIGHTS).items():
        np.testing.assert_allclose(rows, (first[name] + learnt[name]) / 2, atol=1e-6)


def test_the_mean_holds_for_the_projector_too(tmp_path: Path) -> None:
    for name, weight in (("mine", 1.0), ("theirs", 3.0)):
        (tmp_path / name).mkdir()
        save_file({"factor": np.full((2, 2), weight, np.float32)}, tmp_path / name / WEIGHTS)
        made = Projector(weight=np.full((1, 4, 4), weight, np.float32), bias=np.full((1, 4), -weight, np.float32))
        for file in (FOLDER_TOKENS, TOKENS):
            made.save(tmp_path / name / file)
    average(tmp_path / "mine", tmp_path / "theirs")
    mean = Projector.load(tmp_path / "mine" / FOLDER_TOKENS)
    assert mean.weight is not None
    assert (float(mean.weight.min()), float(mean.weight.max()), float(mean.bias.max())) == (2.0, 2.0, -2.0)
    Projector(mean=np.ones(4, np.float32)).save(tmp_path / "theirs" / TOKENS)
    with pytest.raises(ModelError, match="same kind"):
        average(tmp_path / "mine", tmp_path / "theirs")
