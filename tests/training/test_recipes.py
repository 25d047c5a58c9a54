"""The recipes for models of other families, from the committed files to scored queries, by the commands that people
give, on a tiny model of each: only what is a matter of size is another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from camphor.agents.bounds import NAME_TOKENS
from camphor.agents.prompts import open_turn
from camphor.models.base import Request
from camphor.models.sequence import FAMILIES as CONTROLS
from camphor.models.sequence import SYSTEM
from camphor.models.transformers import TransformersModel
from camphor.tools.grammar import agent_grammar
from camphor.types import Agent, Segment
from camphor_lab.cli.root import app
from camphor_lab.training import run
from camphor_lab.training.checkpoints import LOG, SETTINGS, read_log
from camphor_lab.training.config import TARGETS, load_stages
from camphor_lab.training.samples import write_samples
from tests.doubles.checkpoints import FAMILIES, write_checkpoint

CONFIGS = Path(__file__).parent.parent.parent / "configs"
# A GPU's, and what would take a day; a rate that a model of 30,000 numbers learns at in a few steps.
OF_SIZE = {
    "quantise": '""',
    "dtype": '"float32"',
    "steps": "3",
    "learning_rate": "0.1",
}
RECIPES = {"phi-3.5-mini": "phi-3.5", "gemma-2-2b": "gemma-2"}


def lab(*words: str | Path) -> None:
    app([str(word) for word in words], standalone_mode=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a recipe finds its data, as the command at its head makes them, and what they say as text."""
    folder = tmp_path_factory.mktemp("recipes")
    for split, count in (("test", "1"), ("train", "3")):
        lab("data", "generate", folder / "runs" / "paper", "--split", split, "--count", count, "--processes", "1")
    write_samples(folder / "runs" / "paper" / "train.jsonl", folder / "samples.jsonl")
    return folder


@pytest.fixture(scope="module")
def checkpoint(place: Path) -> Callable[[str], Path]:
    texts = [
        text
        for line in (place / "samples.jsonl").read_text(encoding="utf-8").splitlines()
        for text, *_ in json.loads(line)["segments"]
    ]

    def make(family: str) -> Path:
        folder = place / "models" / family
        return folder if folder.exists() else write_checkpoint(folder, family, texts)

    return make


def recipe(place: Path, name: str, **changes: str) -> Path:
    """The committed file with other values for some of its keys, beside which its data lie as they do here."""
    text = (CONFIGS / f"{name}.toml").read_text(encoding="utf-8")
    for key, value in changes.items():
        line = f"{key} = {value}"
        text, count = re.subn(rf"(?m)^{key} = \S+", line.replace("\\", r"\\"), text)
        text = text if count else f"{line}\n{text}"
    file = place / "configs" / f"{name}.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def losses(folder: Path) -> list[float]:
    return [line["loss"] for line in read_log(folder / LOG) if "loss" in line]


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_of_the_paper_trains_stops_goes_on_and_is_scored(
    place: Path, checkpoint: Callable[[str], Path], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = checkpoint(RECIPES[name])
    file = recipe(place, name, **OF_SIZE, model=f'"{model}"', checkpoint_minutes="1e-9")
    [config] = load_stages(file)
    folder = Path(config.out)

    def stop(now: object) -> None:
        if len(losses(folder)) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(file, progress=stop)
    assert len(losses(folder)) == 1
    assert not (folder / "adapter_model.safetensors").exists()
    lab("train", "--config", file)
    told = capsys.readouterr()
    assert f"Adapter: {folder}" in told.out
    learnt = losses(folder)
    assert len(learnt) == config.steps
    assert learnt[-1] < 0.98 * learnt[0]
    written = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    assert tuple(written["found_targets"]) == tuple(sorted(config.targets))
    counts = written["counts"]
    assert (counts["samples"], counts["left_out"]) == (3, 0)  # none is too long for the settings' context
    assert written["samples_of_a_step"] == round(config.batch_pairs * counts["samples"] / counts["pairs"])
    assert f"3 samples with {counts['pairs']} prompt-completion pairs" in told.err
    assert f"turns are told by {' '.join(own_controls(RECIPES[name]))}" in told.err
    test, out = place / "runs" / "paper" / "test.jsonl", place / f"{name}.json"
    form = ("--form", config.data[0].form)
    lab("evaluate", test, "--model", model, "--adapter", folder, *form, "--limit", "1", "--out", out)
    items = json.loads(out.read_text(encoding="utf-8"))["items"]
    assert [(item["error"], bool(item["steps"])) for item in items] == [(None, True)]


def own_controls(family: str) -> tuple[str, ...]:
    """The control tokens that the sentence about a run names: those that its tokeniser has."""
    return next(known for known, _ in CONTROLS if set(known) <= set(FAMILIES[family].controls))


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in RECIPES.values()])
def test_a_model_of_ones_own_becomes_an_assistant_by_one_command(
    place: Path, checkpoint: Callable[[str], Path], family: str
) -> None:
    model, out = checkpoint(family), place / "runs" / family
    file = recipe(place, "own-model", epochs="3.0", learning_rate="0.1")
    lab("train", "--config", file, "--model", model, "--out", out)
    learnt = losses(out)
    assert len(learnt) == 3
    assert learnt[-1] < 0.98 * learnt[0]
    written = json.loads((out / SETTINGS).read_text(encoding="utf-8"))
    assert written["found_targets"] == sorted(TARGETS)
    assert (out / "adapter.gguf").exists() is (family == "llama-3")
    query = (Segment(SYSTEM, special=True), Segment("Now: Mon"), *open_turn("play something"))
    with TransformersModel(model, out, device="cpu") as tuned:  # its tokeniser can write under a grammar
        reply = tuned.complete(Request(query, agent_grammar([agent.value for agent in Agent]), NAME_TOKENS))
    assert reply.text in set(Agent)
