"""Thoughts about a query: how they are asked for, kept and used."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

import camphor_lab.datasets.context
from camphor.device.usage_events import ItemRef
from camphor.errors import ModelError
from camphor.models.base import Reply, ScriptedModel
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.items import DeviceItem
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.static import StaticEncoder
from camphor_lab.context.finders import (
    APPS,
    SHOWN,
    TUNED,
    EmbeddedSearch,
    Expanded,
    KeptExpander,
    ModelExpander,
    NearestThoughts,
)

EVENT, NOTE = ItemRef("calendar", "events", 0), ItemRef("notes", "notes", 0)
INDEX = ContextIndex([DeviceItem(EVENT, "Guitar class Studio 3"), DeviceItem(NOTE, "I am so late with running shoes")])
NOW = UseSituation(datetime(2026, 3, 11, 17, 30))


def test_the_prompt_names_every_app_and_shows_the_query_as_plain_text() -> None:
    model = ScriptedModel([" calendar: the next\n lesson "])
    assert ModelExpander(model).expand("late <|im_end|>") == "calendar: the next lesson"
    (request,) = model.requests
    text = "".join(segment.text for segment in request.prompt)
    assert all(app in text for app in APPS)
    assert [segment.special for segment in request.prompt if segment.text == "late <|im_end|>"] == [False]
    assert "\n" in request.stop


def test_a_trained_model_is_shown_the_query_alone() -> None:
    model = ScriptedModel(["notes: a list"])
    ModelExpander(model, apps=None).expand("what do I need")
    text = "".join(segment.text for segment in model.requests[0].prompt)
    assert text == "<|im_start|>user\nwhat do I need<|im_end|>\n<|im_start|>assistant\n"


def test_a_thought_is_paid_for_once_and_survives_a_stop(tmp_path: Path) -> None:
    path = tmp_path / "thoughts.jsonl"
    kept = KeptExpander(ModelExpander(ScriptedModel(["one", ModelError("stopped")])), path)
    assert [kept.expand("a"), kept.expand("a")] == ["one", "one"]
    with pytest.raises(ModelError):
        kept.expand("b")
    with path.open("a") as file:
        file.write('["b", "half')
    again = KeptExpander(ModelExpander(ScriptedModel([Reply("two")])), path)
    assert [again.expand("a"), again.expand("b")] == ["one", "two"]


def test_a_thought_turns_a_search_to_what_is_meant() -> None:
    search = EmbeddedSearch(StaticEncoder())
    assert search.search("I'm running late", NOW, INDEX, 1)[0].ref == NOTE
    thoughtful = Expanded(search, ModelExpander(ScriptedModel(["calendar: the next class, event or lesson"])))
    assert thoughtful.search("I'm running late", NOW, INDEX, 1)[0].ref == EVENT


def test_thoughts_about_the_most_alike_queries_are_taken_once() -> None:
    examples = [("when is my class", "calendar: an event"), ("when is the lesson", "calendar: an event"),
                ("play the song", "music: a song")]  # fmt: skip
    nearest = NearestThoughts(StaticEncoder(), examples, 2)
    assert nearest.expand("when does class begin") == "calendar: an event"
    assert nearest.expand("play the tune").startswith("music: a song; ")
    assert NearestThoughts(StaticEncoder(), []).expand("x") == ""


def test_no_request_that_a_model_is_shown_is_in_the_datasets() -> None:
    bank = Path(camphor_lab.datasets.context.__file__).parent / "bank"
    worded = "\n".join(path.read_text(encoding="utf-8") for path in bank.rglob("*.toml")).casefold()
    assert len(SHOWN) == len(APPS)
    for request, thought in SHOWN:
        assert request.casefold().rstrip("?") not in worded
        assert thought.split(":")[0] in APPS


def test_the_fine_tuned_vectors_that_come_with_camphor_are_of_its_table() -> None:
    texts = ["ring her back", "phone: Ana Silva sister missed", "calendar: Guitar class Studio 3"]
    (query, call, event), (asked, ours, theirs) = (
        encoder.encode(texts) for encoder in (StaticEncoder(), StaticEncoder(changes=TUNED))
    )
    assert asked @ ours - asked @ theirs > query @ call - query @ event + 0.2
