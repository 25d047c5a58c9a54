"""Samples that begin alike are computed together: the same loss and gradients, for less work."""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from camphor.models.function_tokens import Method
from camphor.types import Segment
from camphor_lab.training.config import DataFile
from camphor_lab.training.data import (
    LEAST_OPENING,
    Mixture,
    Sample,
    _grouped,
    cut,
    encode_sample,
    families,
    pack,
    share,
    size_of,
)
from camphor_lab.training.functions import FunctionVectors
from camphor_lab.training.lean import LeanLlama
from camphor_lab.training.passes import Workers, shown_of
from tests.doubles.lean import lean, tiny_llama

NAMES = ("a", "b", "c")
OPENINGS = {"short": 20, "long": 140, "none": 4}  # tokens; the long one is two causal blocks


def sample(name: str, opening: str, length: int, definitions: tuple[str, ...] = ()) -> Sample:
    """A sample of `length` tokens after its opening, of which every third is trained from the second on."""
    start = OPENINGS[opening]
    head = np.random.default_rng(len(opening)).integers(0, 300, start)
    rest = np.random.default_rng(sum(name.encode())).integers(0, 300, length)
    spans = tuple((start + i, start + i + 1) for i in range(1, length, 3))
    tokens = np.concatenate([head, rest]).astype(np.int32)
    return Sample(name, tokens, spans, definitions, tuple(a for a, _ in spans[::2]), start)


SAMPLES = [
    sample("one", "long", 30),
    sample("two", "long", 100),
    sample("three", "long", 2),
    sample("four", "short", 25),
    sample("nine", "short", 200),
    sample("five", "short", 31, NAMES),
    sample("six", "short", 40, NAMES),
    sample("seven", "none", 9),
    sample("eight", "none", 8),
]


def apart(samples: Sequence[Sample]) -> list[Sample]:
    return [Sample(s.id, s.tokens, s.trained, s.definitions, s.deciding) for s in samples]


def learnt(samples: Sequence[Sample], function_tokens: bool) -> tuple[float, list[bool], torch.Tensor]:
    """Loss, which targets were hit, and the gradients, of one pass over the samples."""
    raw = np.random.default_rng(3).normal(0.5, 4.0, (len(NAMES), 1, 48)).astype(np.float32)
    functions = FunctionVectors(list(NAMES), raw, Method.LAST, norm=0.6, kind="linear") if function_tokens else None
    model: LeanLlama = lean(tiny_llama(), functions=functions)
    generator = torch.Generator().manual_seed(2)
    model.parameters += torch.randn(model.parameters.shape, generator=generator) * 0.1
    model.refresh()
    batch = pack(samples)
    scores = model.run(
        torch.from_numpy(batch.tokens),
        batch.lengths,
        torch.from_numpy(batch.positions),
        weight=0.01,
        weights=torch.linspace(0.5, 2, len(batch.positions)),
        shown=shown_of(model, batch),
        after=batch.after,
    )
    return scores.loss, scores.right.tolist(), model.gradients[0].clone()


@pytest.mark.parametrize("function_tokens", [False, True])
def test_loss_and_gradients_are_those_of_samples_computed_apart(function_tokens: bool) -> None:
    samples = SAMPLES if function_tokens else [s for s in SAMPLES if not s.definitions]
    loss, right, gradients = learnt(samples, function_tokens)
    wanted, hits, reference = learnt(apart(samples), function_tokens)
    assert loss == pytest.approx(wanted, rel=1e-6)
    assert right == hits
    torch.testing.assert_close(gradients, reference, rtol=1e-3, atol=1e-5 * float(reference.abs().max()))


def test_an_opening_is_laid_out_once_and_places_stay_those_of_the_samples() -> None:
    batch, plain = pack(SAMPLES), pack(apart(SAMPLES))
    assert batch.lengths == (140, 30, 100, 2, 20, 25, 200, 20, 31, 40, 4 + 9, 4 + 8)
    assert batch.after == (None, 0, 0, 0, None, 4, 4, None, 7, 7, None, None)
    assert batch.shown == ((), (), (), (), (), (), (), (0, 1, 2), (0, 1, 2), (0, 1, 2), (), ())
    assert batch.tokens[batch.positions].tolist() == plain.tokens[plain.positions].tolist()
    assert batch.deciding.tolist() == plain.deciding.tolist()
    assert batch.segments == plain.segments
    assert size_of(SAMPLES) == len(batch.tokens)


def test_workers_pass_on_what_goes_on_what() -> None:
    samples = [s for s in SAMPLES if not s.definitions]
    scores = [Workers(1).map(lean(tiny_llama()), [pack(each)], None)[0].loss for each in (samples, apart(samples))]
    assert scores[0] == pytest.approx(scores[1], rel=1e-6)


def test_a_sequence_and_what_it_goes_on_are_too_long_together() -> None:
    batch = pack([sample("one", "long", 117), sample("two", "long", 5)])
    with pytest.raises(ValueError, match="257"):
        lean(tiny_llama()).run(
            torch.from_numpy(batch.tokens),
            batch.lengths,
            torch.from_numpy(batch.positions),
            weight=None,
            after=batch.after,
        )


def test_batches_are_those_of_samples_in_full_unless_openings_are_shared() -> None:
    samples = [sample(str(i), "long", 20) for i in range(40)]
    for together, fewest in (1, 800 // 160), (4, 6):
        batches = Mixture([(DataFile("a"), samples)], 800, 0, together=together).epoch(0)
        assert len(batches[0]) >= fewest
        assert (max(sum(len(s.tokens) for s in batch) for batch in batches) > 800) == (together > 1)


class Letters:
    def encode(self, text: str, special: bool = False) -> list[int]:
        return [ord(c) for c in text]

    def bytes_of(self, token: int) -> int:
        return 1


TOKENS = [Segment("send()", compressed=True), Segment("call()", compressed=True)]
SYSTEM = [Segment("<s>", special=True), Segment("tools"), Segment("clock"), Segment("<e>", special=True)]
ASKED = [Segment("<u>", special=True), Segment("text mum"), Segment("<a>", special=True)]
WRITTEN = [Segment("calls", trained=True), Segment("found"), Segment("done", trained=True)]


@pytest.mark.parametrize(
    ("segments", "opening"),
    [
        ([*SYSTEM, *ASKED, *WRITTEN], len("<s>toolsclock<e><u>")),
        ([*SYSTEM, Segment("<u>", special=True), Segment(""), *ASKED[1:], *WRITTEN], len("<s>toolsclock<e><u>")),
        ([*TOKENS, *SYSTEM, *ASKED, *WRITTEN], len("<s>toolsclock<e><u>")),
        # what was looked up and is not learnt, and an earlier turn, belong to one query
        ([*SYSTEM, *ASKED, Segment("look up"), Segment("<x>", special=True), *WRITTEN], len("<s>toolsclock<e><u>")),
        ([*SYSTEM, *ASKED, *WRITTEN, *ASKED, *WRITTEN], len("<s>toolsclock<e><u>")),
        ([*SYSTEM, Segment("<u>", special=True), Segment("calls", trained=True)], 0),
        ([Segment("a text"), Segment("calls", trained=True)], 0),
        ([*ASKED, *WRITTEN], 0),
    ],
)
def test_an_opening_ends_where_the_person_begins(segments: list[Segment], opening: int) -> None:
    assert encode_sample("a", segments, Letters()).opening == opening


queries = st.lists(st.tuples(st.sampled_from(sorted(OPENINGS)), st.integers(2, 60)), min_size=1, max_size=40)


def made(drawn: Sequence[tuple[str, int]]) -> list[Sample]:
    return [sample(str(i), opening, length) for i, (opening, length) in enumerate(drawn)]


@given(queries, st.integers(1, 900), st.integers(1, 4))
def test_parts_lose_nothing_and_are_even(drawn: list[tuple[str, int]], limit: int, multiple: int) -> None:
    samples = made(drawn)
    parts = share(samples, limit, multiple)
    assert Counter(s.id for part in parts for s in part) == Counter(s.id for s in samples)
    assert all(parts)
    sizes = [size_of(part) for part in parts]
    longest = max(len(s.tokens) for s in samples)
    assert max(sizes) - min(sizes) <= 0.15 * max(sizes) + 2 * longest


@given(queries, st.integers(1, 900))
def test_a_run_is_cut_by_what_it_computes(drawn: list[tuple[str, int]], limit: int) -> None:
    samples = made(drawn)
    runs = list(cut(samples, limit))
    assert [s.id for run in runs for s in run] == [s.id for s in samples]
    assert all(len(run) == 1 or size_of(run) <= limit for run in runs)
    for run, following in itertools.pairwise(runs):
        assert size_of([*run, following[0]]) > limit


def test_dividing_keeps_most_families_whole() -> None:
    samples = made([(opening, 20 + 3 * i) for i in range(12) for opening in ("long", "short")])
    together = [s for opening in ("long", "short") for s in samples if s.opening == OPENINGS[opening]]
    parts = share(together, 400, 2)
    alone = sum(len(s.tokens) for s in samples)
    assert sum(map(size_of, parts)) < 0.6 * alone


@given(queries, st.integers(2, 5), st.integers(0, 3))
def test_an_epoch_puts_some_of_one_opening_side_by_side(drawn: list[tuple[str, int]], most: int, seed: int) -> None:
    samples = made(drawn)
    mixture = Mixture([(DataFile("a"), samples)], 10**6, seed, together=most)
    (order,) = mixture.epoch(2)
    assert all(len(set(map(id, group))) == len(group) <= most for group in _grouped([*samples, *samples], most))
    assert Counter(s.id for s in order) == Counter(s.id for s in samples)
    assert [s.id for s in mixture.epoch(2)[0]] == [s.id for s in order]
    # a family may be several groups that chance put side by side; there are no more families than groups
    counts = Counter(opening for opening, _ in drawn if OPENINGS[opening] >= LEAST_OPENING)
    alone = sum(OPENINGS[opening] < LEAST_OPENING for opening, _ in drawn)
    assert len(families(order)) <= alone + sum(-(-count // most) for count in counts.values())


def test_a_sample_of_more_weight_moves_the_factors_as_much_more() -> None:
    plain = [s for s in SAMPLES if not s.definitions]
    heavy = [replace(s, weight=3.0) if place else s for place, s in enumerate(plain)]
    gradients, losses = [], []
    for samples in (plain, heavy, plain[:1]):
        model = lean(tiny_llama())
        (scores,) = Workers(1).map(model, [pack(samples)], 0.01)
        gradients.append(model.gradients[0].clone())
        losses.append(scores.loss)
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)  # the score is of each word alike
    torch.testing.assert_close(gradients[1], 3 * gradients[0] - 2 * gradients[2], rtol=1e-3, atol=1e-4)
    assert pack(heavy).factors(2.0).max() == 6.0
