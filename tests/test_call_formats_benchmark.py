"""benchmarks/call_formats.py over a tiny dataset: figures are those of the renderer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import call_formats
from camphor.agents.calling.prompts import CallForm, render_query
from camphor.device.android.toolbox import android_toolbox
from camphor.errors import UsageError
from camphor.tools.listing import to_listing
from camphor.trajectories.call_samples import CallSample, write_call_samples
from camphor.types import Call, Segment

BOX = android_toolbox()
SAMPLES = (
    CallSample("a", "Ring me at 7", (Call("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0}),)),
    CallSample("b", "call 555", (Call("dial", {"phone_number": "555"}),)),
)


def words(segment: Segment) -> int:
    return len(segment.text.split())


def test_figures_are_means_over_the_samples() -> None:
    told = call_formats.measure(SAMPLES, BOX, 0, words)
    (first, second) = (
        sum(map(words, render_query(sample.query, [BOX.get(sample.answers[0].name)], CallForm.CODE)))
        for sample in SAMPLES
    )
    assert told["code"]["prompt_tokens"] == round((first + second) / 2, 1)
    assert told["json"]["ratio"] == 1
    assert told["json"]["prompt_tokens"] > told["json_short"]["prompt_tokens"] > told["compact"]["prompt_tokens"]


def test_other_functions_fill_the_prompt_up() -> None:
    shown = call_formats.shown_tools(SAMPLES[1], BOX, 4)
    assert len(shown) == 4
    assert "dial" in [tool.name for tool in shown]
    assert shown == call_formats.shown_tools(SAMPLES[1], BOX, 4)
    assert len(call_formats.shown_tools(SAMPLES[1], BOX, 99)) == len(BOX)


def test_it_runs_over_files_with_the_embedded_tokenizer(tmp_path: Path) -> None:
    dataset, tools, out = tmp_path / "test.jsonl", tmp_path / "tools.json", tmp_path / "out.json"
    write_call_samples(dataset, SAMPLES)
    tools.write_text(json.dumps([to_listing(tool) for tool in BOX]), encoding="utf-8")
    call_formats.main([str(dataset), str(tools), "--out", str(out)])
    told = json.loads(out.read_text(encoding="utf-8"))
    assert told["samples"] == 2
    assert told["command"].startswith("python benchmarks/call_formats.py ")
    assert set(told["forms"]) == set(CallForm)
    assert 0 < told["forms"]["compact"]["ratio"] < told["forms"]["code_short"]["ratio"] < 1


def test_an_empty_dataset_is_refused() -> None:
    with pytest.raises(UsageError, match="no samples"):
        call_formats.measure((), BOX, 0, words)
