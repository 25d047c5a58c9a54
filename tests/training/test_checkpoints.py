"""The file that a stopped run goes on from: its form, which no later version may change, and what refuses it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from camphor.errors import UsageError
from camphor.models.function_tokens import Projector
from camphor_lab.training.base import WEIGHTS
from camphor_lab.training.checkpoints import (
    CHECKPOINT,
    SETTINGS,
    State,
    changed,
    forget,
    is_finished,
    read_checkpoint,
    write_checkpoint,
)
from camphor_lab.training.config import TARGETS, DataFile, TrainConfig
from tests.doubles.lean import vectors
from tests.doubles.trainer import settings, trainer


def test_a_checkpoint_has_the_form_that_runs_under_way_were_written_in(tmp_path: Path) -> None:
    made = trainer(settings(tmp_path), functions=vectors("linear"))
    made.advance()
    made.save(tmp_path / CHECKPOINT)
    saved = torch.load(tmp_path / CHECKPOINT, weights_only=True)  # no classes: it outlives the code that wrote it
    assert set(saved) == {"config", "state", "parameters", "factor_size", "projector", "optimizer"}
    assert set(saved["state"]) == {"step", "epoch", "batch", "tokens", "seconds"}
    assert set(saved["projector"]) == {"mean", "scale", "norm"}
    assert [set(moments) for moments in saved["optimizer"]["state"].values()] == [{"step", "exp_avg", "exp_avg_sq"}] * 2
    assert [group["params"] for group in saved["optimizer"]["param_groups"]] == [[0], [1]]


def test_a_run_goes_on_from_a_file_written_in_that_form(tmp_path: Path) -> None:
    config = settings(tmp_path)
    functions = vectors("linear")
    made = trainer(config, functions=functions)
    size, count = made.model.factor_size, len(made.model.parameters)
    numbers = torch.linspace(-0.1, 0.1, count)

    def moments(part: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"step": torch.tensor(7.0), "exp_avg": part * 0.1, "exp_avg_sq": part.square()}

    optimizer = made.optimizer.state_dict()
    optimizer["state"] = {0: moments(numbers[:size]), 1: moments(numbers[size:])}
    older = {
        "config": {key: value for key, value in config.to_json().items() if key != "held_out_form"},
        "state": {"step": 7, "epoch": 0, "batch": 3, "tokens": 490, "seconds": 12.5},
        "parameters": numbers,
        "factor_size": size,
        "projector": {"mean": torch.ones(1, 48), "scale": torch.full((1, 48), 2.0), "norm": 0.5},
        "optimizer": optimizer,
    }
    torch.save(older, tmp_path / CHECKPOINT)
    made.load(tmp_path / CHECKPOINT)
    assert made.state == State(7, 0, 3, 490, 12.5)
    assert torch.equal(made.model.parameters, numbers)
    assert (made.optimizer.state_dict()["state"][1]["exp_avg"] == numbers[size:] * 0.1).all()
    expected = Projector(torch.ones(1, 48).numpy(), torch.full((1, 48), 2.0).numpy(), 0.5, method=functions.method)
    assert (functions.fixed.apply(functions._raw) == expected.apply(functions._raw)).all()
    made.advance()
    assert made.state.step == 8


def write(folder: Path, config: TrainConfig, kind: str = "", **learnt: Any) -> Path:
    write_checkpoint(config, State(3, 1, 2, 40, 1.5), learnt, folder / CHECKPOINT, kind)
    return folder / CHECKPOINT


def test_what_was_written_is_read(tmp_path: Path) -> None:
    config = settings(tmp_path)
    path = write(tmp_path, config, "other", numbers=torch.arange(3), nothing=None)
    state, saved = read_checkpoint(settings(tmp_path, max_minutes=3.0), path, "cpu", "other")
    assert state == State(3, 1, 2, 40, 1.5)
    assert (saved["numbers"].tolist(), saved["nothing"], saved["kind"]) == ([0, 1, 2], None, "other")
    assert [file.name for file in tmp_path.iterdir()] == [CHECKPOINT]


def test_another_trainer_or_other_settings_are_refused(tmp_path: Path) -> None:
    config = settings(tmp_path)
    path = write(tmp_path, config)
    with pytest.raises(UsageError, match="another trainer"):
        read_checkpoint(config, path, "cpu", "transformers")
    with pytest.raises(UsageError, match="another rank, alpha"):
        read_checkpoint(settings(tmp_path, rank=3, alpha=5.0), path, "cpu")


def test_a_finished_stage_is_known_until_its_settings_change_or_it_is_forgotten(tmp_path: Path) -> None:
    config = settings(tmp_path)
    assert not is_finished(config)
    (tmp_path / SETTINGS).write_text(json.dumps({**config.to_json(), "base": "x"}))
    assert not is_finished(config)
    (tmp_path / WEIGHTS).write_bytes(b"x")
    assert is_finished(config)
    assert not is_finished(settings(tmp_path, rank=3))
    forget(tmp_path)
    assert not is_finished(config)


def test_a_setting_younger_than_the_checkpoint_had_its_default(tmp_path: Path) -> None:
    new = settings(tmp_path).to_json()
    old = {key: value for key, value in new.items() if key not in ("projector", "decide_weight")}
    old["data"] = [{"path": "x", "repeat": 1.0}]
    assert not changed(old, new)
    assert changed(old, {**new, "decide_weight": 2.0}) == "decide_weight"


def test_a_llamas_layers_by_name_are_all_of_them(tmp_path: Path) -> None:
    new = settings(tmp_path, targets=("all",)).to_json()
    assert not changed({**new, "targets": list(TARGETS)}, new)
    assert changed({**new, "targets": ["q_proj"]}, new) == "targets"


def test_a_finished_run_is_known_on_another_machine_where_its_data_lie_as_they_did(tmp_path: Path) -> None:
    config = settings(tmp_path / "here" / "kept")
    (tmp_path / "here" / "kept").mkdir(parents=True)
    config = replace(config, data=(DataFile(str(tmp_path / "here" / "data" / "a.jsonl")),))
    (tmp_path / "here" / "kept" / WEIGHTS).touch()
    (tmp_path / "here" / "kept" / SETTINGS).write_text(json.dumps(config.to_json()))
    (tmp_path / "here").rename(tmp_path / "there")
    moved = replace(
        config,
        out=str(tmp_path / "there" / "kept"),
        data=(DataFile(str(tmp_path / "there" / "data" / "a.jsonl")),),
    )
    assert is_finished(moved)
    assert not is_finished(replace(moved, data=(DataFile(str(tmp_path / "there" / "data" / "b.jsonl")),)))
    assert not is_finished(replace(moved, data=(replace(moved.data[0], repeat=2.0),)))
