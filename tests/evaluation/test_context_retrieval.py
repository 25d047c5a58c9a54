"""What is measured of context and tool retrieval, on a small dataset."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from camphor.device.usage_events import ItemRef
from camphor.errors import DatasetError, UsageError
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.rankers import LexicalRanker, ScoredItem
from camphor.retrieval.static import StaticEncoder
from camphor_lab.context.finders import EmbeddedSearch, Fused, LatestOfApp, Unasked
from camphor_lab.evaluation.context_retrieval import LIGHT, METHODS, RankerParts, chosen, measure_context
from camphor_lab.evaluation.dataset import ContextDataset
from tests.doubles.context_dataset import write_folder


@dataclass
class Always:
    """Finds the same items for every query, and notes what it was told."""

    refs: tuple[ItemRef, ...]
    told: list[UseSituation]

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        self.told.append(situation)
        return tuple(ScoredItem(ref, 1.0) for ref in self.refs if ref in index)[:k]


CLASS = ItemRef("calendar", "events", 0)
SONG = ItemRef("music", "songs", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "data")


def test_every_method_is_scored_on_every_query(folder: Path) -> None:
    always = Always((SONG, CLASS), [])
    report = measure_context(
        ContextDataset(folder), {"lexical": LexicalRanker(), "always": always}, about={"command": "x"}
    )
    assert [each["ranks"]["always"] for each in report["items"]] == [[2], [1], [2, None]]
    assert [each["ranks"]["lexical"] for each in report["items"]] == [[None], [None], [1, 2]] or [
        each["ranks"]["lexical"] for each in report["items"]
    ] == [[None], [None], [2, 1]]
    assert report["methods"]["always"]["recall"]["3"] == 0.8333
    assert report["methods"]["lexical"]["recall"]["3"] == 0.3333
    assert report["methods"]["always"]["clusters"] == 2
    assert report["ahead"]["method"] == "always"
    assert report["ahead"]["of"]["lexical"]["recall"]["3"] == 0.5
    assert report["by_intent"]["play_song"] == {"queries": 1, "lexical": 0.0, "always": 1.0}
    assert (report["run"]["queries"], report["run"]["among"], report["run"]["command"]) == (3, 5.0, "x")
    assert "query" not in report["items"][0]


def test_a_query_is_asked_at_its_moment_and_place(folder: Path) -> None:
    always = Always((SONG,), [])
    measure_context(ContextDataset(folder, 1), {"always": always})
    (situation,) = always.told
    assert (situation.now.isoformat(), situation.place) == ("2026-03-11T17:30:00", "work")


def test_a_limit_draws_evenly(folder: Path) -> None:
    assert [sample.id for sample in ContextDataset(folder / "test.jsonl", 2).samples] == ["q1", "q2"]
    assert [sample.id for sample in ContextDataset(folder, 5).samples] == ["q1", "q2", "q3"]
    with pytest.raises(UsageError, match="--limit 0"):
        ContextDataset(folder, 0)


def test_datasets_that_cannot_be_scored_are_refused(folder: Path) -> None:
    lines = (folder / "test.jsonl").read_text().splitlines()
    (folder / "twice.jsonl").write_text(f"{lines[0]}\n{lines[0]}\n")
    with pytest.raises(DatasetError, match=r"line 2.*q1"):
        ContextDataset(folder / "twice.jsonl")
    (folder / "none.jsonl").write_text(json.dumps({**json.loads(lines[0]), "context": []}))
    with pytest.raises(DatasetError, match="gold"):
        ContextDataset(folder / "none.jsonl")
    (folder / "empty.jsonl").write_text("")
    with pytest.raises(UsageError, match="no queries"):
        ContextDataset(folder / "empty.jsonl")


def test_a_changed_device_changes_the_fingerprint(folder: Path) -> None:
    before = ContextDataset(folder).fingerprint
    path = folder / "devices" / "p2.device.json"
    path.write_text(path.read_text().replace("Leek", "Onion"))
    assert ContextDataset(folder).fingerprint != before


def test_semantic_search_reads_an_item_s_app(folder: Path) -> None:
    dataset = ContextDataset(folder)
    asked = dataset.asked(dataset.samples[1])
    for app in ("calendar", "notes", "mail"):
        first, *others = EmbeddedSearch(StaticEncoder()).search(app, asked.situation, asked.index, 5)
        assert (first.ref.app, len(others)) == (app, 4)
    assert EmbeddedSearch(StaticEncoder()).search("music", asked.situation, ContextIndex(), 5) == ()


def test_fusion_joins_ranks(folder: Path) -> None:
    dataset = ContextDataset(folder)
    asked = dataset.asked(dataset.samples[0])
    mail = ItemRef("mail", "messages", 0)
    fused = Fused(Always((mail, CLASS), []), Always((SONG, CLASS), []))
    hits = fused.search("x", asked.situation, asked.index, 2)
    assert hits[0] == ScoredItem(CLASS, pytest.approx(2 / 62))
    assert len(hits) == 2
    assert Fused(Always((), [])).search("x", asked.situation, asked.index, 2) == ()


def test_the_app_alone_and_no_query_at_all_are_to_compare_with(folder: Path) -> None:
    dataset = ContextDataset(folder)
    report = measure_context(
        dataset, {"unasked": Unasked(LexicalRanker()), "latest-of-app": LatestOfApp(), "lexical": LexicalRanker()}
    )
    assert report["methods"]["unasked"]["recall"]["10"] == 0
    asked, latest = dataset.asked(dataset.samples[1]), LatestOfApp()
    for app in ("music", "calendar", "notes"):
        latest.app = app
        found = latest.search("whatever", asked.situation, asked.index, 5)
        assert found
        assert {hit.ref.app for hit in found} == {app}
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_methods_are_named() -> None:
    assert set(LIGHT) <= set(METHODS)
    assert list(chosen(["semantic", "lexical"], RankerParts())) == ["lexical", "semantic"]
    for name, said in (("magic", "magic"), ("cot", "--model"), ("minilm-finetuned", "--encoder")):
        with pytest.raises(UsageError, match=said):
            chosen([name], RankerParts())
