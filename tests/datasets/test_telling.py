"""Generated questions say what a right answer is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor_lab.datasets.generate import generate
from camphor_lab.datasets.telling import ExpectedAnswer, pointer_to, tell, telling
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.runner import score_run
from camphor_lab.evaluation.values import SentenceBert

DENTIST = {"title": "Dentist", "start": "2026-03-13T16:00:00", "end": "2026-03-13T17:00:00", "location": "Camden St"}
FERRY = {"title": "Ferry", "start": "2026-03-15T11:00:00", "end": "2026-03-15T12:00:00", "location": "Quay 4"}


def test_what_is_asked_of_a_record_must_be_told_and_not_what_another_record_says() -> None:
    told = tell("what time is the dentist?", DENTIST, ["start", "title"], [DENTIST, FERRY])
    assert (told.must, told.must_not) == (("16:00",), ("11:00",))
    assert tell("when is the dentist?", DENTIST, ["start"]).must == ("2026-03-13", "16:00")
    assert tell("where is the dentist?", DENTIST, ["location"]).must == ("Camden St",)
    assert tell("the dentist?", DENTIST, ["location", "end"]).must == ({"any_of": ["17:00", "Camden St"]},)


def test_what_tells_a_text() -> None:
    assert telling("The key is under pot 3.", "where is the key?") == ("3",)
    assert telling("Give it back to Maeve.", "who gets it?") == ("Maeve",)
    (longest,) = telling("behind the washing machine", "where is the stopcock?")
    assert longest == {"any_of": ["machine", "washing", "behind"]}


def test_pointers_name_the_very_record() -> None:
    phone: dict[str, Any] = {"apps": {"calendar": {"events": [dict(FERRY), FERRY]}}, "web": []}
    assert pointer_to(phone, FERRY) == "/apps/calendar/events/1"
    assert pointer_to(phone, dict(FERRY)) == ""
    assert ExpectedAnswer(("x",), (), (FERRY,)).to_json(phone)["records"] == ["/apps/calendar/events/1"]


def test_the_generated_responses_are_right_by_what_the_items_say(tmp_path: Path) -> None:
    generate(tmp_path, split="train", count=150, seed=3)
    dataset = Dataset(tmp_path / "train.jsonl")
    asked = [item for item in dataset.items if item.answer is not None]
    assert len(asked) > 25
    assert {"info_only", "impossible"} <= {tag for item in asked for tag in item.tags}
    results = [Result(item.id, item.query, (), (), response=item.response, tags=item.tags) for item in dataset.items]
    told = score_run(dataset, results, SentenceBert())
    wrong = [
        (each["query"], each["response"], each["score"]["answer"])
        for each in told["items"]
        if each["score"]["answer"] and each["score"]["answer"]["verdict"] != "right"
    ]
    assert len(wrong) <= len(asked) // 10, json.dumps(wrong, indent=1)
