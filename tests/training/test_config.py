import re
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor_lab.training.config import check_data_is_there, load_stages, parse_config, parse_stages

GOOD = {"out": "run", "data": [{"path": "a.jsonl"}]}


def test_a_file_gives_settings_with_paths_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('out = "run"\nepochs = 2\n[[data]]\npath = "a.jsonl"\nrepeat = 2\n')
    (config,) = load_stages(file)
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
        ({"data": [{"path": "a", "wait": 2}]}, "wait"),
        ({"data": [{"path": "a", "weight": 0}]}, "weight"),
        ({"data": [{"path": "a", "repeat": -1}]}, "repeat"),
        ({"data": ["a.jsonl"]}, "data"),
        ({"data": [{"path": "a", "form": "short"}]}, "form"),
        ({"projector": "cubic"}, "projector"),
        ({"vectors_per_tool": 3}, "vectors_per_tool"),
        ({"decide_weight": 0}, "decide_weight"),
        ({"batch_pairs": 8, "batch_samples": 2}, "batch_pairs"),
    ],
)
def test_a_wrong_setting_is_named(change: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        parse_config({**GOOD, **change})


def test_model_and_folder_may_be_given_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "configs" / "c.toml"
    file.parent.mkdir()
    file.write_text('out = "run"\nmodel = "there"\n[[data]]\npath = "a.jsonl"\n')
    monkeypatch.chdir(tmp_path)
    (found,) = load_stages(file, "mine", "runs/mine")
    assert (found.model, found.out) == (str(tmp_path / "mine"), str(tmp_path / "runs" / "mine"))
    assert found.data[0].path == str(file.parent / "a.jsonl")
    assert load_stages(file, "hf:some/name")[0].model == "hf:some/name"
    assert load_stages(file)[0].model == str(file.parent / "there")


def test_what_is_required_is_named() -> None:
    with pytest.raises(UsageError, match="data is missing"):
        parse_config({"out": "run"})


def test_a_file_that_is_missing_or_not_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml"):
        load_stages(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(UsageError, match=r"bad\.toml"):
        load_stages(tmp_path / "bad.toml")


RECIPE = """
out = "run"
init = "before"
rank = 8
[[stage]]
learning_rate = 1e-3
data = [{ path = "a.jsonl" }]
[[stage]]
data = [{ path = "b.jsonl", form = "compressed" }]
[[stage]]
rank = 8
data = [{ path = "c.jsonl" }]
"""


def test_stages_share_the_top_and_follow_one_another(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(RECIPE)
    one, two, three = load_stages(file)
    assert [c.out for c in (one, two, three)] == [str(tmp_path / f) for f in ("run/stage-1", "run/stage-2", "run")]
    assert [c.init for c in (one, two, three)] == [str(tmp_path / "before"), one.out, two.out]
    assert [(c.rank, c.learning_rate) for c in (one, two)] == [(8, 1e-3), (8, 1e-3)]
    assert (two.data[0].path, two.data[0].form) == (str(tmp_path / "b.jsonl"), "compressed")


@pytest.mark.parametrize(
    ("stage", "named"),
    [
        ([{"out": "x"}], "out"),
        ([{"init": "x"}], "init"),
        ([{"rang": 3}], "stage 1: .*rang"),
        ([], "stage"),
        (3, "stage"),
    ],
)
def test_a_wrong_stage_is_named(stage: object, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        parse_stages({**GOOD, "stage": stage})


def test_data_that_is_missing_is_told_with_the_command_that_makes_it(tmp_path: Path) -> None:
    settings = tmp_path / "configs" / "mine.toml"
    settings.parent.mkdir()
    made = "camphor lab data generate runs/mine --count 5"
    table = 'out = "../runs/out"\n[[data]]\npath = "../runs/{}/train.jsonl"\n'
    for head, folder, told in (
        (f"#   camphor lab data calls runs/other\n#   {made}\n", "mine", f"make it with  {made}"),
        ("#   camphor lab data generate runs/mine \\\n#      --count 5\n", "mine", f"make it with  {made}"),
        (f"# Settings.\n#   {made}\n", "third", f"stand at the head of {settings}"),
        ("", "mine", "make it, or name another"),
    ):
        settings.write_text(head + table.format(folder), encoding="utf-8")
        with pytest.raises(UsageError, match=f"train.jsonl: there is no such file: .*{re.escape(told)}$"):
            check_data_is_there(load_stages(settings), settings)
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "train.jsonl").touch()
    check_data_is_there(load_stages(settings), settings)
