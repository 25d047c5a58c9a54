"""`camphor lab evaluate health`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from camphor_lab.evaluation.health_data import HealthDataset
from tests.doubles.command import Camphor, one_line
from tests.doubles.health_cases import gold_texts, write_cases

LINE = {"id": "a", "text": "my tooth aches", "specialists": ["dentist"], "red_flag": False}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cases(tmp_path / "data", ["general", "soft_sos"])


@pytest.mark.parametrize("flows", [[], ["--flows"]])
def test_cases_are_measured_shown_and_kept(
    camphor: Camphor, script: Callable[[Sequence[str]], str], folder: Path, tmp_path: Path, flows: list[str]
) -> None:
    model = script(gold_texts(HealthDataset(folder, use_cases=["soft_sos"])))
    out = tmp_path / "health-turns.json"
    ran = camphor(
        "evaluate", "health", str(folder), *flows, "--use-case", "soft_sos", "--model", model, "--out", str(out)
    )
    assert ran.status == 0, ran.err
    assert "Soft SOS" in ran.out
    assert "100.0" in ran.out
    report = json.loads(out.read_text())
    assert [item["id"] for item in report["items"]] == ["development-soft_sos-00001"]
    assert str(tmp_path) not in json.dumps(report)
    assert report["run"]["dataset_sha256"]


def test_words_of_people_are_measured(camphor: Camphor, script: Callable[[Sequence[str]], str], tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps(LINE) + "\n")
    search = '[get_available_specialists(symptoms="tooth", specialization="dentist")]'
    model = script(["A tooth.</reason><action>Find a dentist.</action>", search])
    ran = camphor("evaluate", "health", "--specialists", str(path), "--model", model, "--json")
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["clear"]["accepted"] == 1
    ran = camphor("evaluate", "health", "--red-flags", str(path))
    assert ran.status == 0, ran.err
    assert "false alarms" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--specialists"),
        (["FOLDER", "--red-flags", "x.jsonl"], "--red-flags"),
        (["--red-flags", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--red-flags", "nowhere.jsonl", "--flows"], "--flows"),
        (["nowhere"], "nowhere"),
        (["FOLDER", "--use-case", "surgery"], "surgery"),
        (["FOLDER", "--limit", "0"], "--limit"),
        (["FOLDER", "--model", "magic"], "magic"),
        (["FOLDER", "--out", "no/folder/r.json"], "no/folder"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(camphor: Camphor, folder: Path, words: list[str], said: str) -> None:
    ran = camphor("evaluate", "health", *(str(folder) if word == "FOLDER" else word for word in words))
    assert ran.status != 0
    assert said in one_line(ran.err)
