"""llama.cpp and transformers compute the same, function tokens included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from camphor.errors import ModelError
from camphor.models import Finish, Request
from camphor.models.function_tokens import FOLDER, LlamaEncoder, Projector
from camphor.models.llama import LlamaModel
from camphor.models.local import LocalModel
from camphor.models.native import LlamaEngine
from camphor.models.torch_engine import TorchEngine
from camphor.models.transformers import TransformersModel
from camphor.types import Prompt, Segment
from tests.doubles.tiny_llama import HIDDEN, make_llama, write_adapter, write_folder, write_gguf

# llama.cpp keeps keys and values in 16 bits, so logits of a standard deviation of 1.3 are off by up to 0.003.
CLOSE = 0.005
TEXT = "the quick brown fox jumped over the lazy dog again and again"
DEFINITIONS = tuple(Segment(f"tool_{name}({name}): Do {name}.", compressed=True) for name in ("mail", "music", "maps"))
HEAD: Prompt = (Segment("<|im_start|>user\n", special=True), Segment("Play é"), Segment("<|im_end|>\n", special=True))
GRAMMAR = 'start: "call [" /[a-z]{3,12}/ "(" /[a-z ]{2,9}/ ")]"'


@pytest.fixture(scope="module")
def llama() -> Any:
    return make_llama()


@pytest.fixture(scope="module")
def gguf_file(llama: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf", llama)


@pytest.fixture(scope="module")
def folder(llama: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("folder"), llama)


@pytest.fixture
def engines(gguf_file: Path, folder: Path) -> Iterator[tuple[LlamaEngine, TorchEngine]]:
    native, other = LlamaEngine(gguf_file, None, 512, 1), TorchEngine(str(folder), None, 512, "cpu", "float32")
    yield native, other
    native.close()
    other.close()


@pytest.fixture(params=["llama.cpp", "transformers"])
def model(request: pytest.FixtureRequest, gguf_file: Path, folder: Path) -> Iterator[LocalModel]:
    opened = (
        LlamaModel(gguf_file, context=512, threads=1)
        if request.param == "llama.cpp"
        else TransformersModel(folder, context=512, device="cpu")
    )
    with opened:
        yield opened


def vectors(count: int) -> NDArray[np.float32]:
    return (np.random.default_rng(count).standard_normal((count, HIDDEN)) * 0.5).astype(np.float32)


def reference(llama: Any, function_tokens: NDArray[np.float32], tokens: list[int], blind: bool) -> NDArray[np.float32]:
    """One pass over everything under a mask written out; `blind`: whether function tokens do not see each other."""
    count, length = len(function_tokens), len(function_tokens) + len(tokens)
    seen = torch.ones(length, length).tril()
    seen[:count, :count] = torch.eye(count) if blind else 1.0
    with torch.no_grad():
        text = llama.get_input_embeddings()(torch.tensor(tokens))
        out = llama(
            inputs_embeds=torch.cat([torch.tensor(function_tokens), text])[None],
            attention_mask=torch.where(seen > 0, 0.0, torch.finfo(torch.float32).min)[None, None],
            position_ids=torch.cat([torch.zeros(count, dtype=torch.long), torch.arange(len(tokens)) + 1])[None],
        )
    return np.asarray(out.logits[0, -1].numpy(), np.float32)


@pytest.mark.parametrize("count", [1, 5, 40])
def test_function_tokens_are_blind_to_each_other_and_seen_by_all_text(
    engines: tuple[LlamaEngine, TorchEngine], llama: Any, count: int
) -> None:
    given, (native, other) = vectors(count), engines
    tokens = native.tokenise(TEXT)
    right = reference(llama, given, tokens, blind=True)
    for engine, limit in ((native, CLOSE), (other, 1e-4)):
        engine.align(tokens, given)
        assert engine.pending == count
        assert np.abs(engine.advance() - right).max() < limit
        assert engine.pending == 0
    if count > 1:  # a wrong mask would show
        assert np.abs(reference(llama, given, tokens, blind=False) - right).max() > 20 * CLOSE


def test_text_alone_begins_at_the_first_position(engines: tuple[LlamaEngine, TorchEngine]) -> None:
    native, other = engines
    tokens = native.tokenise(TEXT)
    for engine in engines:
        engine.align(tokens, vectors(3))
        engine.advance()
        engine.align(tokens)
    assert np.abs(native.advance() - other.advance()).max() < CLOSE


def test_a_sequence_grown_and_cut_after_function_tokens_is_that_of_one_pass(
    engines: tuple[LlamaEngine, TorchEngine], llama: Any
) -> None:
    given = vectors(7)
    for engine, limit in zip(engines, (CLOSE, 1e-4), strict=True):
        tokens = engine.tokenise(TEXT)
        engine.align(tokens[:9], given)
        engine.advance()
        engine.sequence += [5, 6, 7]
        engine.advance()
        assert engine.align(tokens, given.copy()) == 9
        assert np.abs(engine.advance() - reference(llama, given, tokens, blind=True)).max() < limit
        assert engine.align(tokens, vectors(6)) == 0


def test_segments_have_the_same_tokens(engines: tuple[LlamaEngine, TorchEngine]) -> None:
    native, other = engines
    for text in ("<|im_start|>user\nthe <|im_end|>", "the é\n\n 1234 🦜", "", "\udc80 <|endoftext|"):
        for special in (False, True):
            tokens = native.tokenise(text, special)
            assert other.tokenise(text, special) == tokens
            assert b"".join(map(other.piece, tokens)) == b"".join(map(native.piece, tokens))


def test_both_write_the_same(gguf_file: Path, folder: Path) -> None:
    told = []
    with LlamaModel(gguf_file, context=512, threads=1) as one, TransformersModel(folder, device="cpu") as two:
        for model in (one, two):
            prompt: Prompt = (*DEFINITIONS, *HEAD)
            for grammar in (GRAMMAR, None, GRAMMAR):
                reply = model.complete(Request(prompt, grammar, max_tokens=40, stop=("\n",)))
                told.append((reply.text, reply.finish, reply.timing.evaluated_tokens, reply.timing.function_tokens))
                prompt = (*prompt, Segment(reply.text), Segment("\n= found\n"))
    assert told[:3] == told[3:]
    assert any(finish is Finish.GRAMMAR for _, finish, _, _ in told)


def test_nothing_is_evaluated_twice_while_the_definitions_stay(model: LocalModel) -> None:
    first = model.complete(Request((*DEFINITIONS, *HEAD), GRAMMAR, max_tokens=20))
    length = sum(len(model.tokens(segment)) for segment in HEAD)
    assert first.timing.prompt_tokens == len(DEFINITIONS) + length
    assert (first.timing.function_tokens, first.timing.cached_tokens) == (len(DEFINITIONS), 0)
    before = model.evaluated
    second = model.complete(Request((*DEFINITIONS, *HEAD, Segment(first.text), Segment("\n")), max_tokens=1))
    assert second.timing.cached_tokens == len(DEFINITIONS) + before
    changed = model.complete(Request((*DEFINITIONS[:2], *HEAD), max_tokens=1))
    assert (changed.timing.cached_tokens, changed.timing.prompt_tokens) == (0, 2 + length)
    without = model.complete(Request(HEAD, max_tokens=1))
    assert (without.timing.cached_tokens, without.timing.function_tokens) == (0, 0)


def test_definitions_change_what_is_written(model: LocalModel) -> None:
    written = {model.complete(Request((*definitions, *HEAD), max_tokens=8)).text for definitions in ((), DEFINITIONS)}
    assert len(written) == 2


def test_definitions_stand_first(model: LocalModel) -> None:
    with pytest.raises(ValueError, match="before all others"):
        model.complete(Request((*HEAD, *DEFINITIONS)))
    with pytest.raises(ModelError, match="empty"):
        model.complete(Request(DEFINITIONS))
    many = tuple(Segment(f"tool {number}", compressed=True) for number in range(256))
    with pytest.raises(ModelError, match="256 tools"):
        model.complete(Request((*many, *HEAD)))


def test_as_many_as_a_prompt_takes_still_see_nothing_of_each_other(engines: tuple[LlamaEngine, TorchEngine]) -> None:
    native, other = engines
    tokens, given = native.tokenise(TEXT), vectors(255)
    for engine in engines:
        engine.align(tokens, given)
    assert np.abs(native.advance() - other.advance()).max() < 4 * CLOSE


def test_a_merged_file_runs_and_its_base_encodes(gguf_file: Path, tmp_path: Path) -> None:
    adapter = write_adapter(tmp_path / "a.gguf")
    request, texts = Request((*DEFINITIONS, *HEAD), max_tokens=4), [each.text for each in DEFINITIONS]
    with LlamaModel(gguf_file, adapter, 512, 1, merged_folder=tmp_path) as model:
        assert model.merged_path is not None
        first = model.complete(request)
    kept = sorted((tmp_path / FOLDER).iterdir())
    assert len(kept) == len(DEFINITIONS)
    plain, found = LlamaEncoder(gguf_file, threads=1), LlamaEncoder(gguf_file, tmp_path / FOLDER, threads=1)
    assert np.array_equal(plain.encode(texts), found.encode(texts))
    assert sorted((tmp_path / FOLDER).iterdir()) == kept
    with LlamaModel(gguf_file, adapter, 512, 1, merged_folder=tmp_path) as model:
        assert model.complete(request).text == first.text
    Projector(norm=0.01).save(tmp_path / "a.tokens.npz")
    with LlamaModel(gguf_file, adapter, 512, 1, merged_folder=tmp_path) as model:
        assert model.projector_path == tmp_path / "a.tokens.npz"
        assert model.complete(request).text != first.text
