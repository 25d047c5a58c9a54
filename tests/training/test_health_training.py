"""Cases of the health assistant as training data: one sample a case, teaching both agents or one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.health.prompts import Writer
from camphor.errors import DatasetError, UsageError
from camphor_lab.datasets.health.generate import CaseRecipe, generate
from camphor_lab.datasets.parallel import Here
from camphor_lab.training.config import parse_config
from camphor_lab.training.data import read_samples
from camphor_lab.training.health import dataset_pairs, shuffled_tools, write_pairs
from camphor_lab.training.samples import as_samples


class Letters:
    """One token a character."""

    def encode(self, text: str, special: bool = False) -> list[int]:
        return [ord(letter) for letter in text]

    def bytes_of(self, token: int) -> int:
        return len(chr(token).encode())


PLANNED, CALLED = "</reason><action>", "[get_location()]"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("health")
    generate(folder, CaseRecipe("train", 7, {"hard_sos_start": 2}, devices=False), Here())
    return folder / "train.jsonl"


def trained(path: Path) -> list[list[str]]:
    samples: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [[text for text, learnt, _ in sample["segments"] if learnt] for sample in samples]


@pytest.mark.parametrize(
    ("form", "planned", "called"), [("names", True, True), ("planner", True, False), ("caller", False, True)]
)
def test_a_form_says_whose_words_are_learnt(
    dataset: Path, tmp_path: Path, form: str, planned: bool, called: bool
) -> None:
    samples = trained(as_samples(dataset, tmp_path, form))
    assert len(samples) == 2
    for texts in samples:
        assert any(PLANNED in text for text in texts) == planned
        assert (CALLED in texts) == called
        assert len(texts) == 7 * planned + 6 * called
    counted = [sample.pairs for sample in read_samples(as_samples(dataset, tmp_path, form), Letters())]
    assert counted == [7 * planned + 6 * called] * 2


def test_samples_are_made_once_while_the_dataset_is_unchanged(dataset: Path, tmp_path: Path) -> None:
    made = as_samples(dataset, tmp_path)
    before = made.stat().st_mtime_ns
    assert as_samples(dataset, tmp_path) == made
    assert made.stat().st_mtime_ns == before


def test_a_form_of_another_dataset_is_refused(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected one of planner, caller"):
        as_samples(dataset, tmp_path, "compact")


def test_settings_take_the_forms(tmp_path: Path) -> None:
    config = parse_config({"out": "o", "data": [{"path": "health.jsonl", "form": "caller"}]}, folder=tmp_path)
    assert config.data[0].form == "caller"


def test_each_case_has_its_own_order_of_tools() -> None:
    one, other = shuffled_tools("train-general-00001"), shuffled_tools("train-general-00002")
    assert one == shuffled_tools("train-general-00001")
    assert one != other
    assert {tool.name for tool in one} == {tool.name for tool in other}
    assert len(one) == 14


def test_pairs_are_those_of_both_agents(dataset: Path, tmp_path: Path) -> None:
    pairs = [pair for _, pair in dataset_pairs(dataset)]
    assert [pair.writer for pair in pairs].count(Writer.PLANNER) == 14
    copied = tmp_path / dataset.name
    copied.write_bytes(dataset.read_bytes())
    assert list(write_pairs(copied).values()) == [14, 12]
    line = json.loads((tmp_path / "train-caller.jsonl").read_text(encoding="utf-8").splitlines()[1])
    assert line["prompt"].endswith("<tool>")
    assert line["answer"] == CALLED


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"interaction_trajectory": []}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match="line 1"):
        list(dataset_pairs(broken))
