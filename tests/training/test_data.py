import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.errors import DatasetError
from camphor.types import Segment
from camphor_lab.training.base import gguf_path
from camphor_lab.training.config import DataFile
from camphor_lab.training.data import GgufTokenizer, Mixture, Sample, cut, encode_sample, pack, read_samples, share


class Letters:
    """One token a character; the control token <e> is 1000, where it is recognised."""

    def encode(self, text: str, special: bool = False) -> list[int]:
        if special:
            return [part for piece in text.split("<e>") for part in [*map(ord, piece), 1000]][:-1]
        return [ord(c) for c in text]

    def bytes_of(self, token: int) -> int:
        return len(chr(token).encode())


def sample(name: str, length: int) -> Sample:
    return Sample(name, np.arange(length, dtype=np.int32), ((1, 2),) if length > 1 else ())


def test_segments_are_tokenised_one_by_one_and_the_trained_are_marked() -> None:
    segments = [Segment("ab"), Segment("cd", trained=True), Segment("<e>", trained=True, special=True), Segment("x")]
    made = encode_sample("a", segments, Letters())
    assert made.tokens.tolist() == [97, 98, 99, 100, 1000, 120]
    assert made.trained == ((2, 4), (4, 5))


def test_a_control_token_in_ordinary_text_stays_text() -> None:
    assert 1000 not in encode_sample("a", [Segment("<e>")], Letters()).tokens


def test_the_first_token_of_all_is_never_trained() -> None:
    assert encode_sample("a", [Segment("ab", trained=True)], Letters()).trained == ((1, 2),)
    assert encode_sample("a", [Segment("a", trained=True)], Letters()).trained == ()


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"id": 1}', '{"id": "a", "segments": [["x"]]}', '{"id": "a", "segments": [["x", 1]]}']
)
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"id": "a", "segments": [["x", False]]}) + "\n" + line + "\n")
    with pytest.raises(DatasetError, match=r"s\.jsonl, line 2"):
        read_samples(file, Letters())


def test_a_missing_or_binary_file_is_named_without_a_line(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name, told in (("none", "cannot be read: No such file"), ("binary", "not UTF-8 text")):
        with pytest.raises(DatasetError) as caught:
            read_samples(tmp_path / name, Letters())
        assert str(caught.value).startswith(f"{tmp_path / name}: {told}")


def test_definitions_in_front_are_kept_apart_and_packed_once_each() -> None:
    shown = [Segment(text, compressed=True) for text in ("f()", "g()", "f()")]
    text = [Segment("a"), Segment("b", trained=True)]
    one, two = encode_sample("a", [*shown, *text], Letters()), encode_sample("b", text, Letters())
    three = encode_sample("c", [Segment("h()", compressed=True), shown[1], *text], Letters())
    assert (one.definitions, one.tokens.tolist(), one.trained) == (("f()", "g()", "f()"), [97, 98], ((1, 2),))
    batch = pack([one, two, three])
    assert batch.definitions == ("f()", "g()", "h()")
    assert batch.shown == ((0, 1, 0), (), (2, 1))
    assert batch.positions.tolist() == [1, 3, 5]


@pytest.mark.parametrize("segment", [["f()", False, False, True], ["f()", True, False, True]])
def test_a_definition_behind_text_or_trained_is_refused(tmp_path: Path, segment: list[object]) -> None:
    file = tmp_path / "s.jsonl"
    first = [] if segment[1] else [["x", False]]
    file.write_text(json.dumps({"id": "a", "segments": [*first, segment]}))
    with pytest.raises(DatasetError, match="come first"):
        read_samples(file, Letters())


def test_tokens_that_name_an_agent_or_a_tool_are_told() -> None:
    segments = [
        Segment("task_completion"),
        Segment("task_completion", trained=True),
        Segment(' [é.send(to="call(é)"); b()]', trained=True),
        Segment("call(me)", trained=True),
    ]
    batch = pack([encode_sample("x", [Segment("q")], Letters()), encode_sample("a", segments, Letters())])
    told = "".join(chr(t) for t in batch.tokens[batch.positions[batch.deciding]])
    assert told == "task_completioné.sendb"


def test_packing_lays_samples_end_to_end() -> None:
    one = encode_sample("a", [Segment("ab"), Segment("c", trained=True)], Letters())
    two = encode_sample("b", [Segment("d"), Segment("ef", trained=True)], Letters())
    batch = pack([one, two])
    assert batch.tokens.tolist() == [ord(c) for c in "abcdef"]
    assert (batch.lengths, batch.positions.tolist(), batch.segments) == ((3, 3), [2, 4, 5], (1, 2))


sizes = st.lists(st.integers(1, 50), min_size=1, max_size=40)


@given(sizes, st.integers(1, 120))
def test_cutting_keeps_order_and_limit(lengths: list[int], limit: int) -> None:
    samples = [sample(str(i), n) for i, n in enumerate(lengths)]
    runs = list(cut(samples, limit))
    assert [s for run in runs for s in run] == samples
    assert all(len(run) == 1 or sum(len(s.tokens) for s in run) <= limit for run in runs)


@given(sizes, st.integers(1, 120), st.integers(1, 4))
def test_sharing_loses_nothing_and_balances(lengths: list[int], limit: int, multiple: int) -> None:
    samples = [sample(str(i), n) for i, n in enumerate(lengths)]
    parts = share(samples, limit, multiple)
    assert sorted(s.id for part in parts for s in part) == sorted(s.id for s in samples)
    assert all(parts)
    totals = [sum(len(s.tokens) for s in part) for part in parts]
    assert max(totals) - min(totals) <= max(lengths)


@given(st.integers(0, 5), st.floats(0, 3))
def test_epochs_repeat_files_and_depend_on_seed_and_number_alone(seed: int, repeat: float) -> None:
    samples = [sample(str(i), 5) for i in range(20)]
    mixture = Mixture([(DataFile("a", repeat), samples), (DataFile("b"), [sample("b", 5)])], 20, seed)
    first = mixture.epoch(1)
    mixture.epoch(0)
    assert mixture.epoch(1) == first
    flat = [s.id for batch in first for s in batch]
    assert len(flat) == 20 * int(repeat) + round(repeat % 1 * 20) + 1
    assert all(flat.count(str(i)) - int(repeat) in (0, 1) for i in range(20))


def test_a_batch_told_in_pairs_has_as_many_samples_as_have_them_in_the_mean() -> None:
    few = [replace(sample(str(i), 5), pairs=2) for i in range(30)]
    many = [replace(sample(f"m{i}", 5), pairs=8) for i in range(5)]
    files = [(DataFile("a"), few), (DataFile("b", 2.0), many)]
    mixture = Mixture(files, 20, 0, batch_pairs=28)
    assert (mixture.size, mixture.pairs) == (40, 140)  # 3.5 a sample
    assert mixture.batch_samples == 8
    assert [len(batch) for batch in mixture.epoch(0)] == [8] * 5
    assert Mixture(files, 20, 0, batch_pairs=1).batch_samples == 1


def test_epochs_differ() -> None:
    mixture = Mixture([(DataFile("a"), [sample(str(i), 5) for i in range(50)])], 20, 0)
    assert [s.id for b in mixture.epoch(0) for s in b] != [s.id for b in mixture.epoch(1) for s in b]


ODD = [
    "",
    " ",
    "  two",
    "\n\n= x",
    "naïve café ☕ 東京",
    "a" * 300,
    "\t\x01",
    "<|im_end|>",
    "555-123-4567",
    'a(x="1\\n")',
    "👩‍👩‍👧",
]


def test_tokens_are_those_of_llama_cpp() -> None:
    import llama_cpp

    path = gguf_path()
    ours = GgufTokenizer(path)
    theirs = llama_cpp.Llama(model_path=str(path), vocab_only=True, verbose=False)
    for text in ODD:
        for special in (False, True):
            tokens = ours.encode(text, special)
            assert tokens == list(theirs.tokenize(text.encode(), add_bos=False, special=special)), text
            assert ours.decode(tokens) == text
    theirs.close()
    assert len(ours.encode("<|im_end|>", special=True)) == 1
    assert len(ours.encode("<|im_end|>")) > 1
