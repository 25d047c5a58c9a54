from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor.training.config import load_config, parse_config

GOOD = {"out": "run", "data": [{"path": "a.jsonl"}]}


def test_a_file_gives_settings_with_paths_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('out = "run"\nepochs = 2\n[[data]]\npath = "a.jsonl"\nrepeat = 2\n')
    config = load_config(file)
    assert config.out == str(tmp_path / "run")
    assert config.data[0].path == str(tmp_path / "a.jsonl")
    assert (config.data[0].repeat, config.epochs, config.rank) == (2.0, 2.0, 32)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"learningrate": 1}, "learningrate"),
        ({"rank": "big"}, "rank"),
        ({"rank": True}, "rank"),
        ({"rank": 0}, "rank"),
        ({"targets": ["lm_head"]}, "targets"),
        ({"targets": []}, "targets"),
        ({"schedule": "step"}, "schedule"),
        ({"data": []}, "data"),
        ({"data": [{"path": "a", "weight": 2}]}, "weight"),
        ({"data": [{"path": "a", "repeat": -1}]}, "repeat"),
        ({"data": ["a.jsonl"]}, "data"),
    ],
)
def test_a_wrong_setting_is_named(change: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        parse_config({**GOOD, **change})


def test_what_is_required_is_named() -> None:
    with pytest.raises(UsageError, match="data is missing"):
        parse_config({"out": "run"})


def test_a_file_that_is_missing_or_not_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml"):
        load_config(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(UsageError, match=r"bad\.toml"):
        load_config(tmp_path / "bad.toml")
