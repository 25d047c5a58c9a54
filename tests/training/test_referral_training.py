from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.agents.health.referral import read_referral
from camphor.errors import DatasetError, UsageError
from camphor_lab.training.referral import ReferralConfig, complaints, read_described, train_referral

LINES = [
    *(("my back tooth aches when I chew on the left", "dentist"), ("the gum bleeds when I brush", "dentist")),
    *(
        ("the page is blurred though I wear glasses", "ophthalmologist"),
        ("my left eye waters outdoors", "ophthalmologist"),
    ),
]


def write(folder: Path, lines: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def described(styles: tuple[str, ...] = ("terse", "chatty")) -> list[dict[str, object]]:
    return [
        {"text": text, "specialists": [name], "style": styles[n % len(styles)]} for n, (text, name) in enumerate(LINES)
    ]


def test_what_is_trained_finds_what_it_saw_and_says_what_it_is(tmp_path: Path) -> None:
    told: list[str] = []
    out = tmp_path / "referral.npz"
    data = write(tmp_path / "data", described())
    about = train_referral(data, out, ReferralConfig(classes=50), lambda what, done, total: told.append(what))
    model = read_referral(out)
    for text, name in LINES:
        assert model.names[int(model.scores(text).argmax())] == name
    assert about["held_out"]["descriptions"] == len(LINES)
    assert about["texts"] == len(LINES) + len(complaints())
    assert model.about["data"] == about["data"]
    assert set(told) == {"texts", "held out"}


def test_broken_data_are_told_with_their_line_and_nothing_is_written(tmp_path: Path) -> None:
    lines = [*described(), {"text": "my ear rings", "specialists": ["wizard"], "style": "terse"}]
    with pytest.raises(DatasetError, match="wizard") as told:
        read_described(write(tmp_path / "data", lines))
    assert ":5" in str(told.value) or "line 5" in str(told.value)


def test_one_style_alone_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two styles"):
        read_described(write(tmp_path / "data", described(("terse",))))
