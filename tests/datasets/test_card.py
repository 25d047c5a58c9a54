"""The card says what the files hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor.trajectories.items import Item, read_items, write_items
from camphor_lab.datasets.card import write_card
from camphor_lab.datasets.diversity import SAMPLE, count_alike, diversity, nearest_rouge_l, read_splits
from camphor_lab.datasets.generate import free_texts, generate
from camphor_lab.datasets.similarity import rouge_l


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("card")
    for split, count in (("test", 60), ("train", 240)):
        generate(folder, split=split, count=count, seed=6)
    return folder


def test_diversity_by_hand() -> None:
    found = diversity(["call ana", "call bo", "ring bo now"], [("call {p}",), ("call {p}",), ("ring {p}", "call {p}")])
    assert (found["distinct_1"], found["distinct_2"], found["distinct_3"]) == (0.7143, 1.0, 1.0)
    assert found["nearest_rouge_l"] == round((0.5 + 0.5 + 0.4) / 3, 4)
    assert found["nearest_rouge_l_max"] == 0.5
    assert (found["skeletons"], found["new_skeletons"], found["new_combinations"]) == (2, 0.6667, 0.6667)
    assert diversity([], [])["nearest_sample"] == 0
    assert count_alike(["a b c d", "a b c x", "a b", "a y z b"]) == 1


def test_the_nearest_is_the_nearest_and_a_sample_is_small(made: Path) -> None:
    queries = [item.query for item in read_items(made / "test.jsonl")]
    slow = [
        max(rouge_l(query, other) for at, other in enumerate(queries) if at != n) for n, query in enumerate(queries)
    ]
    assert nearest_rouge_l(queries).tolist() == pytest.approx(slow)
    assert nearest_rouge_l(queries, queries).tolist() == pytest.approx([1.0] * len(queries))
    assert len(nearest_rouge_l(["a", "b"] * SAMPLE)) == SAMPLE


def test_the_splits_share_nothing(made: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install ./lab[data]")
    figures = write_card(made)
    assert figures["alike"] == 0
    for what in ("personas", "phones", "skeletons", "own_apps", "free_texts", "queries"):
        counts = figures["share"][what]
        assert counts["shared"] == 0, (what, counts)
        assert counts["train"], what
        assert counts["test"], what
    train, test = ({t for i in read_items(made / f"{s}.jsonl") for t in free_texts(i)} for s in ("train", "test"))
    assert len(train) > len(test) > 20
    assert not train & test


def test_the_card_and_its_plots(made: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install ./lab[data]")
    figures = write_card(made)
    text = (made / "README.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    assert "path: train.jsonl" in front
    assert "n<1K" in front
    assert "| queries | 240 | 60 | 3,410 (2,728 train, 682 test) |" in body
    assert "10.39" in body
    for line in body.splitlines():
        if line.startswith("!["):
            picture = made / line.rpartition("(")[2].rstrip(")")
            assert picture.read_bytes().startswith(b"\x89PNG")
    assert json.loads((made / "statistics.json").read_text(encoding="utf-8")) == figures
    items = list(read_items(made / "train.jsonl"))
    train = figures["splits"]["train"]
    assert train["calls_per_query"] == round(sum(len(item.calls or ()) for item in items) / 240, 2)
    assert sum(train["calls"].values()) == train["queries"] == len(items)
    assert sum(train["actions"].values()) == sum(len(item.calls or ()) for item in items)
    write_card(made)
    assert (made / "README.md").read_text(encoding="utf-8") == text


def test_a_folder_without_a_dataset(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="camphor lab data generate"):
        read_splits(tmp_path)


def test_other_files_are_counted_too(made: Path, tmp_path: Path) -> None:
    phone = json.loads(next((made / "devices").iterdir()).read_text(encoding="utf-8"))
    calls = [{"name": "create_notes", "arguments": {"content": {"any_of": ["Buy Milk!", "milk"]}}}]
    item = Item("a", phone, "note milk", calls=tuple(calls), history=({"query": "hi", "calls": calls},))
    write_items(tmp_path / "mine.jsonl", [item])
    (split,) = read_splits(tmp_path)
    assert (split.name, split.values, split.calls, split.pairs) == ("mine", {"buy milk", "milk"}, [1], [4])
    assert split.owners == {phone["owner"]}
