"""A dataset of many items becomes samples on every core, as it would on one."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from camphor.errors import AmbiguousValue, DatasetError, DeviceFileError, MissingExtra
from camphor_lab.training.samples import write_samples

SET = Path(__file__).parents[2] / "data" / "handwritten-development"


def _many(folder: Path, times: int) -> Path:
    """The development set so many times, beside its devices."""
    folder.joinpath("devices").symlink_to(SET / "devices")
    lines = (SET / "items.jsonl").read_text(encoding="utf-8").splitlines()
    many = folder / "many.jsonl"
    many.write_text("".join(f"{line}\n" for _ in range(times) for line in lines), encoding="utf-8")
    return many


def test_many_items_are_written_in_their_order(tmp_path: Path) -> None:
    few = write_samples(SET / "items.jsonl", tmp_path / "few")
    many = write_samples(_many(tmp_path, 3), tmp_path / "samples")
    assert few["written"] > 100
    assert many == {reason: 3 * count for reason, count in few.items()}
    assert (tmp_path / "samples").read_text(encoding="utf-8") == 3 * (tmp_path / "few").read_text(encoding="utf-8")


def test_a_broken_device_among_many_items_is_told(tmp_path: Path) -> None:
    many = _many(tmp_path, 3)
    (tmp_path / "broken.json").write_text('{"apps": 3}', encoding="utf-8")
    broken = json.loads((SET / "items.jsonl").read_text(encoding="utf-8").splitlines()[0]) | {"device": "broken.json"}
    with many.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(broken) + "\n")
    with pytest.raises(DeviceFileError):
        write_samples(many, tmp_path / "samples")


@pytest.mark.parametrize(
    "error",
    [
        DeviceFileError("a.json", "/apps", "an object"),
        DatasetError("a.jsonl", 3, "no query"),
        MissingExtra("Ray", "ray", "camphor-lab"),
        AmbiguousValue("call", "receiver", "Ann", ["Ann Lee", "Ann Poe"]),
    ],
)
def test_an_error_is_the_same_in_another_process(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
