"""Contrastive training: what is offered to which query, and vectors that learn and are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from camphor.errors import ModelMissing, UsageError
from camphor.retrieval.static import StaticEncoder
from camphor_lab.training.contrastive import ContrastiveExample, Tuning, batches, steps_of
from camphor_lab.training.finetune_encoder import Sums, finetune, write_changes

EXAMPLES = [
    ContrastiveExample("play that again", ("music: Blue Door",), ("calendar: Dentist", "notes: Soup", "mail: Invoice")),
    ContrastiveExample(
        "I'm running late", ("calendar: Dentist", "calendar: Guitar class"), ("music: Green", "notes: Pasta")
    ),
    ContrastiveExample("what do I need to buy", ("notes: Groceries",), ("music: Blue Door", "mail: Offer")),
]


def test_a_query_is_offered_its_gold_those_of_others_and_its_own_device() -> None:
    (batch,) = batches(EXAMPLES, Tuning(epochs=1, batch=3))
    for row, query in enumerate(batch.queries):
        example = next(each for each in EXAMPLES if each.query == query)
        offered = {text for text, hidden in zip(batch.texts, batch.hidden[row], strict=True) if not hidden}
        gold = batch.texts[batch.gold[row]]
        assert gold in example.gold
        assert set(example.others) <= offered
        assert not offered & (set(example.gold) - {gold})
        strange = offered - set(example.others) - {gold}
        assert strange <= {text for each in EXAMPLES if each is not example for text in each.gold}


def test_the_same_seed_gives_the_same_batches_and_steps_end_them() -> None:
    one, other = ([each.texts for each in batches(EXAMPLES, Tuning(epochs=3, batch=2))] for _ in range(2))
    assert one == other
    assert len(one) == steps_of(EXAMPLES, Tuning(epochs=3, batch=2)) == 6
    short = Tuning(epochs=3, batch=2, steps=4)
    assert len(list(batches(EXAMPLES, short))) == steps_of(EXAMPLES, short) == 4


def test_without_examples_nothing_is_trained() -> None:
    with pytest.raises(UsageError, match="no queries"):
        finetune(StaticEncoder(), [])


def test_sums_are_what_the_encoder_makes_of_a_text() -> None:
    texts = ["play that again", "music: Blue Door", ""]
    encoder = StaticEncoder()
    np.testing.assert_allclose(Sums(encoder, texts).encode(texts).detach(), encoder.encode(texts), atol=1e-5)


def test_training_brings_gold_items_near_and_the_file_gives_the_same_encoder(tmp_path: Path) -> None:
    before = StaticEncoder()
    losses: list[float] = []
    tuning = Tuning(epochs=30, batch=3)
    rows, vectors = finetune(before, EXAMPLES, tuning, lambda step, total, loss: losses.append(loss))
    assert losses[-1] < losses[0] / 2
    write_changes(tmp_path / "tuned.npz", before, rows, vectors)
    after = StaticEncoder(changes=tmp_path / "tuned.npz")
    assert after.identity != before.identity
    query, gold, other = after.encode(["play that again", "music: Blue Door", "calendar: Dentist"])
    assert query @ gold > query @ other + 0.3
    np.testing.assert_array_equal(after.encode(["zebra"]), before.encode(["zebra"]))


def test_changes_of_another_table_or_broken_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tuned.npz"
    np.savez(path, table=np.array("static 0"), rows=np.array([1]), vectors=np.zeros((1, 256)), scales=np.ones(1))
    with pytest.raises(ModelMissing, match=r"tuned\.npz"):
        StaticEncoder(changes=path)
    path.write_bytes(b"PK")
    with pytest.raises(ModelMissing, match=r"tuned\.npz"):
        StaticEncoder(changes=path)
    with pytest.raises(ModelMissing, match="missing"):
        StaticEncoder(changes=tmp_path / "missing.npz")
