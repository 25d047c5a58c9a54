"""Implicit queries as training samples of the planner: what is shown, and what of the answer is learnt."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from camphor.device.usage_events import ItemRef
from camphor.errors import UsageError
from camphor.models.base import ScriptedModel
from camphor.models.constraint import accepts
from camphor.retrieval.retrievers import Lexical
from camphor.types import Call, Prompt
from camphor_lab.context.planner import Planner
from camphor_lab.context.tools import ItemWeight, ToolFinder
from camphor_lab.datasets.context.given import Given, Giver, PlannerInput
from camphor_lab.datasets.context.samples import ContextSample, write_context_samples
from camphor_lab.datasets.context.toolbox import context_toolbox, manifests
from camphor_lab.training.calling import SHARES, context_lines, drawn_settings, render_sample
from camphor_lab.training.data import count_pairs
from camphor_lab.training.samples import as_samples

TOOLBOX = context_toolbox()
EVENT = {"title": "Guitar class", "start": "2026-03-17T18:00:00", "participants": ["Ana Silva"]}
REF = ItemRef("calendar", "events", 0)
PLAN = (Call("add_reminder", {"content": "Guitar class", "time": "2026-03-17T17:30:00"}),)
SAMPLE = ContextSample(
    "s1", "p1", "devices/p1.device.json", datetime(2026, 3, 16, 21, 5), "home", "", "poke me half an hour before it",
    (REF,), ("add_reminder", "find_reminders"), PLAN, "remind_before", "lesson",
)  # fmt: skip
SHOWN = Given((TOOLBOX.get("find_reminders"), TOOLBOX.get("add_reminder")), (REF,), (("calendar", EVENT),))
ANSWER = 'result0 = add_reminder(content="Guitar class", time="half an hour before Tue 17 Mar 18:00")'


def text_of(prompt: Prompt, *, trained: bool) -> str:
    return "".join(segment.text for segment in prompt if segment.trained is trained)


def giver(folder: Path) -> Giver:
    finder = ToolFinder(Lexical(), ItemWeight.VOTES)
    return Giver(folder, TOOLBOX, lambda sample, document: (REF,), finder, finder)


def dataset(folder: Path) -> Path:
    (folder / "devices").mkdir()
    apps = {app: {**one, "records": {}} for app, one in manifests().items()}
    told = {"format": "camphor.device/1", "id": "p1", "owner": "Ines", "now": "2026-03-18T00:00:00", "apps": apps}
    told["location"] = {"city": "Dublin", "country": "Ireland"}
    apps["calendar"] = {"events": [EVENT]}
    history = {"since": {"calendar": ["2026-03-01T00:00:00"]}, "dues": {}, "places": {}}
    (folder / "devices" / "p1.device.json").write_text(json.dumps({**told, "usage": [], "history": history}))
    (folder / "toolbox.json").write_text(json.dumps(manifests()))
    write_context_samples(folder / "train.jsonl", [SAMPLE])
    return folder / "train.jsonl"


def test_the_prompt_is_that_of_the_planner_and_its_grammar_takes_the_answer() -> None:
    prompt = render_sample(SAMPLE, SHOWN, TOOLBOX)
    model = ScriptedModel([ANSWER])
    planned = Planner(model, TOOLBOX).plan(SAMPLE.query, SAMPLE.now, SHOWN.tools, SHOWN.records)
    (request,) = model.requests
    assert text_of(prompt, trained=False) == "".join(segment.text for segment in request.prompt)
    assert text_of(prompt, trained=True) == f"{ANSWER}<|im_end|>"
    assert accepts(request.grammar or "", ANSWER)
    assert planned.plan == PLAN


def test_what_the_prompt_does_not_say_is_not_learnt() -> None:
    prompt = render_sample(SAMPLE, Given(SHOWN.tools), TOOLBOX)
    learnt = [segment.text for segment in prompt if segment.trained]
    assert learnt == ['result0 = add_reminder(content="', '", time="Tue 17 Mar 17:30")', "<|im_end|>"]
    place = next(at for at, segment in enumerate(prompt) if segment.trained)
    assert prompt[place + 1].text == "Guitar class"
    assert count_pairs(prompt) == 1  # one plan, in pieces
    none = render_sample(SAMPLE, Given(None), TOOLBOX)
    assert "find_reminders" not in text_of(none, trained=False)


def test_a_query_is_shown_in_different_settings_by_their_shares() -> None:
    drawn = [drawn_settings(f"s{number}") for number in range(3000)]
    assert all(len(set(settings)) == len(settings) == 2 for settings in drawn)
    assert drawn[5] == drawn_settings("s5")
    first = Counter(settings[0] for settings in drawn)
    assert all(abs(first[setting] / 3000 - share) < 0.03 for setting, share in SHARES.items())
    assert set(drawn_settings("s", 99)) == set(PlannerInput)


def test_lines_are_samples_of_every_setting_drawn(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in context_lines(dataset(tmp_path), giver(tmp_path))]
    assert [line["id"] for line in lines] == [f"s1 {setting.value}" for setting in drawn_settings("s1")]
    assert all(any(segment[1] for segment in line["segments"]) for line in lines)


def test_implicit_queries_have_one_form(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected one of compact"):
        as_samples(dataset(tmp_path), tmp_path, "json")
