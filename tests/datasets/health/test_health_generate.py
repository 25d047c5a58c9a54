"""A split of the health data: as many cases as wanted, the same however it is made, and apart from the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.errors import UsageError
from camphor_lab.datasets.health.cases import TRAJECTORY
from camphor_lab.datasets.health.diseases import FOLDER
from camphor_lab.datasets.health.flows import UseCase
from camphor_lab.datasets.health.generate import TABLE_1, CaseRecipe, generate, training_sizes
from camphor_lab.datasets.parallel import Here

FEW = {"general": 21, "soft_sos": 2, "hard_sos_end": 2}


class Stopping(Here):
    """Ends after some pieces, as a person's Ctrl-C does."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.left = pieces

    def finished(self) -> list[tuple[int, str]]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().finished()


def records(folder: Path, split: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_split_has_what_is_wanted(tmp_path: Path) -> None:
    summary = generate(tmp_path, CaseRecipe("test", 7, FEW), Here())
    assert summary.cases == FEW
    made = records(tmp_path, "test")
    assert len({record["id"] for record in made}) == 25
    assert summary.planner.total() == sum(s["from"] == "planner" for r in made for s in r[TRAJECTORY])
    assert summary.caller.total() == summary.planner.total() - 25
    with Device.from_file(tmp_path / made[0]["device"]) as device:
        assert device.owner == made[0][TRAJECTORY][0]["value"]["user_details"]["name"]
    assert len(json.loads((tmp_path / "tools.json").read_text(encoding="utf-8"))) == 14


def test_a_stopped_run_goes_on_to_the_same_cases(tmp_path: Path) -> None:
    recipe = CaseRecipe("train", 7, FEW, devices=False)
    generate(tmp_path, recipe, Here())
    whole = (tmp_path / "train.jsonl").read_bytes()
    (tmp_path / "train.jsonl").unlink()
    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path, recipe, Stopping(2))
    assert not (tmp_path / "train.jsonl").exists()
    shards = tmp_path / ".shards" / f"train-{recipe.mark}"
    assert sorted(path.suffix for path in shards.iterdir()) == [".jsonl", ".jsonl"]
    generate(tmp_path, recipe, Here())
    assert (tmp_path / "train.jsonl").read_bytes() == whole
    assert not shards.exists()


def test_splits_share_no_person_and_no_words_of_patients(tmp_path: Path) -> None:
    seen: dict[str, tuple[set[str], set[str]]] = {}
    for split in ("train", "test"):
        generate(tmp_path, CaseRecipe(split, 7, {"general": 20, "counter": 10, "dietician": 5}, devices=False), Here())
        made = records(tmp_path, split)
        details = [record[TRAJECTORY][0]["value"]["user_details"] for record in made]
        people = {value for each in details for value in (each["user_id"], each["name"])}
        said = {record[TRAJECTORY][1]["value"] for record in made}
        said |= {
            state["value"]["result"]
            for record in made
            for asked, state in zip(record[TRAJECTORY], record[TRAJECTORY][1:], strict=False)
            if asked["from"] == "caller" and asked["value"]["tool"] == "get_input_from_user"
        }
        seen[split] = people, said
    assert not seen["train"][0] & seen["test"][0]
    assert not seen["train"][1] & seen["test"][1]


def test_training_has_shares_and_a_large_test_the_papers_sizes() -> None:
    sizes = training_sizes(1000)
    assert sum(sizes.values()) == 1000
    assert set(sizes) == {each.value for each in UseCase} == {each.value for each in TABLE_1}


def test_a_use_case_without_a_disease_is_refused(tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    name = "d04.toml"  # none of whose diseases is one for a dietician
    (tmp_path / "few" / name).write_text((FOLDER / name).read_text(encoding="utf-8"), encoding="utf-8")
    recipe = CaseRecipe("train", 7, {"dietician": 1}, diseases=tmp_path / "few")
    with pytest.raises(UsageError, match="no disease there serves the use case dietician"):
        generate(tmp_path, recipe, Here())
