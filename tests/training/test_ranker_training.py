from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camphor.cli.root import run
from camphor.errors import DatasetError, UsageError
from camphor.retrieval.context.features import Features, with_reading
from camphor.retrieval.context.model import EVERY, read_model
from camphor.retrieval.context.query import QueryReader, UseSituation
from camphor.retrieval.context.rankers import LambdaMartRrf
from camphor.retrieval.context.relevance import index_of_document
from camphor.retrieval.static import StaticEncoder
from camphor_lab.datasets.context.present import document_at
from camphor_lab.datasets.context.samples import read_context_samples
from camphor_lab.training.query_pairs import read_pairs
from camphor_lab.training.query_reader import QueryReaderConfig, fit_reader, learn_pairs, scores_of
from camphor_lab.training.ranker import RankerConfig, train_ranker
from camphor_lab.training.ranker_data import RankedQuery, folds_of, phrases_of, read_all, read_examples

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

NOW = datetime(2026, 3, 12, 8, 0)
SONGS, EVENTS = 4, 3
CONFIG = RankerConfig(folds=2, parts=2, rounds=30, every=15, least_items=5, least_queries=5, threads=1)
CONFIG = replace(CONFIG, reader=QueryReaderConfig(rank=4, width=8, hidden=8))
QUICK = replace(CONFIG, reader=replace(CONFIG.reader, epochs=0.2))
WORDINGS = {
    "songs": ["play the usual", "put it on", "music please", "my song for this hour", "I want to hear it", "start it"],
    "events": ["when is it", "what comes next", "do I need to leave", "where must I be", "am I late", "what is on"],
}


def device(person: int, chance: random.Random) -> tuple[dict[str, Any], int, int]:
    """A phone, the song of this hour, and the next event."""
    usual, upcoming = chance.randrange(SONGS), chance.randrange(EVENTS)
    songs = [{"title": f"tune {chance.random():.9f}", "artist": "x", "genre": "y"} for _ in range(SONGS)]
    days = [chance.randint(-9, -1) for _ in range(EVENTS)]
    days[upcoming] = chance.randint(0, 3)
    events = [
        {"title": f"thing {chance.random():.9f}", "start": (NOW + timedelta(days=day, hours=2)).isoformat()}
        for day in days
    ]
    usage = []
    for song in range(SONGS):
        # the usual one was not the last to be played
        for back in range(3 if song == usual else 1, 14):
            at = NOW - timedelta(days=back, hours=0 if song == usual else 4 + song)
            usage.append({"app": "music", "list": "songs", "item": song, "kind": "played", "at": at.isoformat(),
                          "place": "home", "screen": ""})  # fmt: skip
    records = {"music": {"songs": songs}, "calendar": {"events": events}}
    since = {"music": ["2026-01-01T00:00:00"] * SONGS, "calendar": ["2026-01-01T00:00:00"] * EVENTS}
    document = {
        "format": "camphor.device/1", "id": f"p{person}", "owner": "", "now": NOW.isoformat(), "timezone": None,
        "location": {"city": "", "country": ""}, "screen": "", "activity": [], "apps": records,
        "usage": sorted(usage, key=lambda event: str(event["at"])),
        "history": {"since": since, "dues": {}, "places": {}},
    }  # fmt: skip
    return document, usual, upcoming


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("context")
    (folder / "devices").mkdir()
    chance, lines = random.Random(3), []
    for person in range(40):
        document, usual, upcoming = device(person, chance)
        path = f"devices/p{person}.device.json"
        (folder / path).write_text(json.dumps(document))
        for app, name, item in (("music", "songs", usual), ("calendar", "events", upcoming)):
            for query in chance.sample(WORDINGS[name], 2):
                lines.append({
                    "id": f"q{len(lines)}", "persona": f"p{person}", "device": path, "now": NOW.isoformat(),
                    "place": "home", "screen": "", "query": query, "tools": [], "plan": [], "thread": name,
                    "context": [{"app": app, "list": name, "item": item}], "intent": name,
                })  # fmt: skip
    (folder / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_a_ranker_learns_habits_and_what_is_next(folder: Path, tmp_path: Path) -> None:
    out, told = tmp_path / "ranker.npz", []
    about = train_ranker([folder], out, CONFIG, lambda what, done, total: told.append((what, done, total)))
    assert about["held_out"]["recall"]["reciprocal rank fusion"]["3"] > 0.8
    model = read_model(out)
    assert set(model.forests) == {EVERY, "music.songs", "calendar.events"}
    assert model.about == json.loads(json.dumps(about))
    whats = list(dict.fromkeys(what for what, _, _ in told))
    assert whats == ["reading samples", *(f"reading queries, {part} of 3" for part in (1, 2, 3)), "validating",
                     "training on all"]  # fmt: skip
    assert ("reading samples", 160, 160) in told
    ranker, right = LambdaMartRrf(out), 0
    for person in range(12):
        document, usual, upcoming = device(person, random.Random(person + 900))
        index = index_of_document(document_at(document, NOW, "home"))
        for query, meant in (
            ("play the usual", ("music", "songs", usual)),
            ("what is on", ("calendar", "events", upcoming)),
        ):
            found = [hit.ref for hit in ranker.search(query, UseSituation(NOW, "home"), index, 9)]
            right += next(ref for ref in found if ref.app == meant[0]) == meant
    assert right >= 20


def test_the_same_data_and_seed_give_the_same_ranker(folder: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.npz", "two.npz")]
    for file in files:
        train_ranker([folder], file, QUICK, lambda *_: None)
    one, two = (read_model(file) for file in files)
    assert one.about == two.about
    for name, forest in one.forests.items():
        assert forest.value.tolist() == two.forests[name].value.tolist()


def test_what_was_used_just_before_a_query_is_learnt_from(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "devices", tmp_path / "devices")
    line = json.loads((folder / "train.jsonl").read_text().splitlines()[0])
    just = {"app": "music", "list": "songs", "item": 0, "kind": "missed", "place": "home", "screen": ""}
    just["at"] = (NOW - timedelta(minutes=2)).isoformat()
    lines = [{**line, "id": "before"}, {**line, "id": "recent", "recent": [just]}, {**line, "id": "then"}]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    before, recent, then = sorted(
        read_examples(tmp_path, lambda *_: None)[0], key=lambda each: ("before", "recent", "then").index(each.sample.id)
    )
    missed = before.names.index("times_missed")
    assert recent.table[:, missed].sum() > 0
    assert before.table[:, missed].sum() == then.table[:, missed].sum() == 0


PAIRS = (
    ("what do I punch in at the gate?", {"title": "Harrow unit", "content": "keypad 2246"}),
    ("how much flour for gran's loaf?", {"title": "Rye bread", "content": "500 g wholemeal, 10 g salt"}),
    ("which size are his feet now", {"title": "Ben", "content": "shoes 31, coat 116"}),
    ("who else rows on Sunday", {"title": "Crew list", "content": "Ada, Jo, Mim and Kit, boat 4"}),
)


def pairs_file(folder: Path) -> Path:
    shop = {"list": "amazon.orders", "item": {"item": "Lamp", "status": "sent"}}
    lines = [
        {"queries": [query], "place": "", "when": "Thu 15:20", "list": "notes.notes", "item": item, "near": shop}
        for query, item in PAIRS
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "pairs.jsonl"


def test_what_a_query_means_is_learnt_from_pairs(folder: Path, tmp_path: Path) -> None:
    pairs, _ = read_pairs([pairs_file(tmp_path)])
    assert pairs[0].situation.now.strftime("%a %H:%M") == "Thu 15:20"
    assert pairs[0].meant.store.startswith("notes notes ")
    encoder, examples = StaticEncoder(), read_examples(folder, lambda *_: None)[0][:16]
    config = QueryReaderConfig(rank=4, width=8, hidden=8, pair_epochs=40, pair_batch=4, pair_rate=3e-3, others=4)
    config = replace(config, threads=1, epochs=0.01)
    start = learn_pairs(pairs, len(examples[0].names), encoder, config, lambda *_: None)
    vectors = encoder.encode([pair.meant.text for pair in pairs])

    def right(reader: QueryReader) -> int:
        found = [reader.read(pair.queries[0], pair.situation).towards["text"] for pair in pairs]
        return sum(int(np.argmax(vectors @ reader.items["text"].T @ each)) == at for at, each in enumerate(found))

    assert right(fit_reader(examples, config, lambda *_: None, start)) == len(pairs)
    assert right(fit_reader(examples, config, lambda *_: None)) < len(pairs)


def test_a_query_that_names_what_it_is_about_is_heard(folder: Path, tmp_path: Path) -> None:
    sets = tmp_path / "items.jsonl"
    lines = [
        {"id": f"n{number}", "device": f"devices/p{number}.device.json", "query": f"ring Ada Finch at number {number}",
         "steps": [], "calls": [], "response": "", "answer": {}}
        for number in range(40)
    ]  # fmt: skip
    sets.write_text("".join(json.dumps(line) + "\n" for line in lines))
    examples, _ = read_examples(folder, lambda *_: None, [sets])
    assert sum(not example.gold.any() for example in examples) == 40
    reader = fit_reader(examples, CONFIG.reader, lambda *_: None)
    named = [with_sides(reader, each).named for each in examples if not each.gold.any()]
    unsaid = [with_sides(reader, each).named for each in examples if each.gold.any()]
    assert min(named) > max(unsaid)


def with_sides(reader: QueryReader, example: RankedQuery) -> Features:
    base = Features(example.names, example.table.astype(np.float32))
    named = reader.read(example.sample.query, example.situation).named
    return with_reading(base, scores_of(reader, example), example.store, named)


def test_a_pair_that_breaks_the_form_is_told_with_its_line(tmp_path: Path) -> None:
    path = pairs_file(tmp_path)
    path.write_text(path.read_text().replace("Thu 15:20", "at three", 1))
    with pytest.raises(DatasetError, match=r"pairs\.jsonl.*1.*at three"):
        read_pairs([path])


def test_queries_of_several_folders_have_their_weights(folder: Path) -> None:
    examples, digest = read_all([folder, folder], [1.0, 6.0], lambda *_: None)
    assert [example.weight for example in examples] == [1.0] * 160 + [6.0] * 160
    assert not {each.wording for each in examples[:160]} & {each.wording for each in examples[160:]}
    assert digest != read_all([folder, folder], [1.0, 1.0], lambda *_: None)[1]
    assert [example.folder for example in examples] == [0] * 160 + [1] * 160
    with pytest.raises(UsageError, match="2 weights for 1 folders"):
        train_ranker([folder], folder / "x.npz", CONFIG, lambda *_: None, tree_weights=[1.0, 6.0])
    with pytest.raises(UsageError, match="2 weights for 1 folders"):
        train_ranker([folder], folder / "x.npz", CONFIG, lambda *_: None, [1.0, 6.0])


def test_nobody_and_no_wording_is_both_learnt_and_scored(folder: Path) -> None:
    examples, _ = read_examples(folder, lambda *_: None)
    assert all(example.gold.sum() == 1 for example in examples)
    for learnt, scored in folds_of(examples, 3):
        assert scored
        for kind in (lambda example: example.sample.persona, lambda example: example.sample.query):
            assert not {kind(examples[place]) for place in learnt} & {kind(examples[place]) for place in scored}


def test_where_each_wording_is_one_persons_nobody_is_both_learnt_and_scored(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "devices", tmp_path / "devices")
    lines = [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()[:12]]
    for number, line in enumerate(lines):
        line |= {"query": f"{line['persona']} wants number{number}", "again": [f"anything for {number}?"]}
    lines[-1]["query"] = lines[0]["query"]  # by chance
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    examples, _ = read_examples(tmp_path, lambda *_: None)
    assert [each.sample.query for each in examples[:2]] == ["p0 wants number0", "anything for 0?"]
    assert len(examples) == 24
    for learnt, scored in folds_of(examples, 3):
        seen, held = ({examples[place].sample.persona for place in places} for places in (learnt, scored))
        assert not seen & held


def test_variations_of_a_wording_are_one(folder: Path) -> None:
    samples = list(read_context_samples(folder / "train.jsonl"))[:1] * 3
    wordings = ("play the usual", "please play the usual thanks", "music now")
    varied = [type(one)(**{**vars(one), "query": words}) for one, words in zip(samples, wordings, strict=True)]
    assert phrases_of(varied) == [0, 0, 1]


def test_data_that_cannot_be_learnt_from_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        train_ranker([tmp_path], tmp_path / "x.npz", CONFIG, lambda *_: None)
    lines = (folder / "train.jsonl").read_text().splitlines()
    shutil.copytree(folder / "devices", tmp_path / "devices")
    (tmp_path / "train.jsonl").write_text(lines[0] + "\n")
    with pytest.raises(UsageError, match="too few"):
        train_ranker([tmp_path], tmp_path / "x.npz", CONFIG, lambda *_: None)
    gone = {**json.loads(lines[0]), "context": [{"app": "music", "list": "songs", "item": 99}]}
    (tmp_path / "train.jsonl").write_text(json.dumps(gone) + "\n")
    with pytest.raises(DatasetError, match="no sample with a gold item"):
        train_ranker([tmp_path], tmp_path / "x.npz", CONFIG, lambda *_: None)
    assert not (tmp_path / "x.npz").exists()


def test_the_command_says_what_is_wrong_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train-ranker", str(tmp_path), "--out", str(tmp_path / "x.npz")]) == 2
    assert "train.jsonl" in capsys.readouterr().err
