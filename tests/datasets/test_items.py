"""Dataset lines: what is read is what is written, and faults are told with path and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.errors import DatasetError
from camphor.trajectories.items import Item, read_items, write_items

LINE = {"id": "a", "device": "devices/x.device.json", "query": "call Ana", "calls": [], "mood": "calm"}


def test_a_line_survives_reading_and_writing(tmp_path: Path) -> None:
    item = Item(
        "t-1",
        {"format": "camphor.device/1"},
        "¿y mañana?",
        history=({"query": "hello", "calls": []},),
        steps=({"agent": "task_completion", "calls": []},),
        calls=({"name": "create_notes", "arguments": {"content": {"any_of": ["a", "b"]}}},),
        response="Noted.",
        tags=("single",),
        extra={"situation": "note"},
    )
    path = tmp_path / "d.jsonl"
    assert write_items(path, [item, item]) == 2
    assert list(read_items(path)) == [item, item]


def test_unknown_keys_are_kept_and_absent_calls_are_not_empty_calls(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    bare = {key: value for key, value in LINE.items() if key != "calls"}
    path.write_text(json.dumps(LINE) + "\n\n" + json.dumps(bare) + "\n", encoding="utf-8")
    first, second = read_items(path)
    assert first.extra == {"mood": "calm"}
    assert first.calls == ()
    assert second.calls is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ('{"id": "a", "query": "b"}', "'device' is missing"),
        ('{"id": "a", "device": 3, "query": "b"}', "path or a device object"),
        ('{"id": "a", "device": "d", "query": 3}', "'query' must be text"),
        ('{"id": "a", "device": "d", "query": "b", "steps": [{"agent": "boss"}]}', "'agent' must be one of"),
        ('{"id": "a", "device": "d", "query": "b", "calls": [{"arguments": {}}]}', "'name'"),
        ('{"id": "a", "device": "d", "query": "b", "history": [{"query": null}]}', "'query' must be text"),
        ('{"id": "a", "device": "d", "query": "b", "calls": [{"name": "x", "arguments": []}]}', "'arguments' of x"),
    ],
)
def test_a_fault_is_told_with_path_and_line(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(LINE) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(DatasetError) as caught:
        list(read_items(path))
    assert caught.value.line == 2
    assert str(path) in str(caught.value)
    assert told in str(caught.value)


def test_a_missing_or_binary_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    for name, told in (("none.jsonl", "cannot be read: No such file"), ("b.jsonl", "not UTF-8 text")):
        with pytest.raises(DatasetError) as caught:
            list(read_items(tmp_path / name))
        assert caught.value.line is None
        assert str(caught.value).startswith(f"{tmp_path / name}: {told}")
