"""Samples of implicit queries as lines, and the toolbox as a file."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from camphor.device.usage import ItemRef
from camphor.errors import DatasetError
from camphor.types import Call
from camphor_lab.datasets.context.samples import (
    ContextSample,
    device_of,
    read_context_samples,
    sample_from_json,
    write_context_samples,
)
from camphor_lab.datasets.context.toolbox import STORES, context_toolbox, manifest, manifests, read_toolbox

SAMPLE = ContextSample(
    "train-00001", "p1", "devices/p1.device.json", datetime(2026, 3, 12, 8, 45), "commute", "", "the usual",
    (ItemRef("music", "songs", 2),), ("play_song", "queue_song"), (Call("play_song", {"title": "Silver Hours"}),),
    "play_usual", "commute_music",
)  # fmt: skip


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "train.jsonl"
    assert write_context_samples(path, [SAMPLE, SAMPLE]) == 2
    assert list(read_context_samples(path)) == [SAMPLE, SAMPLE]
    assert [each.name for each in path.parent.iterdir()] == ["train.jsonl"]


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("query", None, "query as text"),
        ("context", [{"app": "music", "list": "songs"}], "context"),
        ("context", [{"app": "music", "list": "songs", "item": -1}], "context"),
        ("context", "songs", "context"),
        ("tools", "play_song", "tools"),
        ("plan", [{"arguments": {}}], "name"),
        ("now", "soon", "isoformat"),
    ],
)
def test_what_breaks_the_format_is_named_with_its_line(tmp_path: Path, key: str, value: Any, told: str) -> None:
    data = {**SAMPLE.to_json(), key: value}
    path = tmp_path / "train.jsonl"
    path.write_text(f"{json.dumps(SAMPLE.to_json())}\n\n{json.dumps(data)}\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=f"line 3.*{told}"):
        list(read_context_samples(path))


def test_no_object_is_no_sample() -> None:
    with pytest.raises(ValueError, match="object"):
        sample_from_json([])


def test_missing_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        list(read_context_samples(tmp_path / "none.jsonl"))
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(DatasetError, match="UTF-8"):
        list(read_context_samples(tmp_path / "bytes.jsonl"))


def test_devices_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    outside = sample_from_json({**SAMPLE.to_json(), "device": "../p1.device.json"})
    with pytest.raises(DatasetError, match="outside"):
        device_of(outside, tmp_path)


def test_the_toolbox_is_distributed_as_in_the_paper() -> None:
    counts = {app: len(one["tools"]) for app, one in manifests().items()}
    paper = {"music": 11, "google": 10, "notes": 9, "mail": 8, "phone": 8, "calendar": 7, "reminders": 6}
    assert counts == paper
    assert set(counts) == set(STORES)
    assert len(context_toolbox()) == 59


def test_tools_say_what_they_do_and_read_their_own_list() -> None:
    for tool in context_toolbox():
        assert tool.description.endswith(".")
        assert all(parameter.description or parameter.enum for parameter in tool.parameters)
        assert tool.returns == (STORES[tool.app] if tool.kind == "context" else "")


def test_a_manifest_is_the_callers_own() -> None:
    manifest("mail")["tools"].clear()
    assert len(manifest("mail")["tools"]) == 8
    with pytest.raises(KeyError):
        manifest("fax")


@pytest.mark.parametrize(
    ("text", "told"),
    [("[]", "object of apps"), ("{", "JSON"), ('{"mail": {"tools": [{"kind": "action"}]}}', "name")],
)
def test_wrong_toolboxes_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "toolbox.json").write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match=told):
        read_toolbox(tmp_path / "toolbox.json")
    with pytest.raises(DatasetError, match="cannot be read"):
        read_toolbox(tmp_path / "none.json")
