"""Definitions as vectors: computed once, kept on disk, projected."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from camphor.errors import ModelError, ModelMissing
from camphor.models.function_tokens import (
    MOST,
    DefinitionEncoder,
    FunctionTokens,
    LlamaEncoder,
    Method,
    Projector,
    beside,
    default,
)

MAIL = ["send_mail(receiver, content): Send a mail.", "get_mail_event(theme): Find a mail."]
SIZE = 6


class Counting(DefinitionEncoder):
    """A text's token i is its character i, written in six dimensions; `asked` are the texts that were computed."""

    def __init__(self, folder: Path | None, method: Method = Method.LAST, name: str = "a") -> None:
        super().__init__(folder, method)
        self.name = name
        self.asked: list[str] = []

    def _identity(self) -> str:
        return self.name

    def _output_embeddings(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        for text in texts:
            self.asked.append(text)
            yield np.array([[ord(letter)] * SIZE for letter in text], np.float32)


def test_the_last_token_stands_for_a_definition() -> None:
    assert Counting(None).encode(["ab", "c"])[:, :, 0].tolist() == [[98], [99]]
    assert Counting(None, Method.LAST_AND_MEAN).encode(["ab"])[:, :, 0].tolist() == [[98, 97.5]]


def test_an_app_that_is_added_costs_its_own_tools_only(tmp_path: Path) -> None:
    Counting(tmp_path).encode(MAIL)
    later = Counting(tmp_path)
    assert later.encode([MAIL[0], "new", MAIL[1], "new"]).shape == (4, 1, SIZE)
    assert later.asked == ["new"]
    other = [Counting(tmp_path, name="b"), Counting(tmp_path, Method.LAST_AND_MEAN)]
    for encoder in other:
        encoder.encode(MAIL)
        assert encoder.asked == MAIL


@pytest.mark.parametrize("damage", [b"", b"x", bytes(32), bytes(56)])
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: bytes) -> None:
    right = Counting(tmp_path).encode(MAIL)
    for path in tmp_path.iterdir():
        path.write_bytes(damage)
    again = Counting(tmp_path)
    assert np.array_equal(again.encode(MAIL), right)
    assert again.asked == MAIL
    assert Counting(tmp_path).encode(MAIL).tolist() == right.tolist()


@given(st.integers(0, 55), st.integers(1, 255))
def test_no_changed_byte_goes_unnoticed(place: int, change: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Counting(Path(folder)).encode(["a"])
        (path,) = Path(folder).iterdir()
        data = bytearray(path.read_bytes())
        data[place] ^= change
        path.write_bytes(data)
        again = Counting(Path(folder))
        again.encode(["a"])
        assert again.asked == ["a"]


def test_a_folder_that_cannot_be_written_is_gone_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    encoder = Counting(tmp_path / "file" / "folder")
    encoder.encode(MAIL)
    encoder.encode(MAIL)
    assert encoder.asked == MAIL


def test_what_is_computed_before_an_interruption_is_kept(tmp_path: Path) -> None:
    def stop(part: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Counting(tmp_path).encode(MAIL, stop)
    later = Counting(tmp_path)
    later.encode(MAIL)
    assert later.asked == MAIL[1:]


def test_nothing_stands_for_an_empty_definition() -> None:
    with pytest.raises(ModelError, match="empty"):
        Counting(None).encode(["a", ""])


def test_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        LlamaEncoder(tmp_path / "missing.gguf").encode(MAIL)
    (tmp_path / "odd.gguf").write_bytes(b"GGUFodd")
    with pytest.raises(ModelMissing, match=r"odd\.gguf"):
        LlamaEncoder(tmp_path / "odd.gguf").encode(MAIL)


def vectors(count: int, each: int = 1) -> NDArray[np.float32]:
    return np.random.default_rng(count).standard_normal((count, each, SIZE)).astype(np.float32)


def test_a_centred_projector_centres_and_scales() -> None:
    known = vectors(9) + 5
    made = Projector.centred(known, norm=3.2).apply(known)
    np.testing.assert_allclose(np.linalg.norm(made, axis=-1), 3.2, rtol=1e-5)
    assert np.linalg.norm(made.mean(axis=0)) < 2.0


@pytest.mark.parametrize("method", list(Method))
def test_a_projector_comes_back_from_its_file(tmp_path: Path, method: Method) -> None:
    k = method.vectors
    weight = np.random.default_rng(1).standard_normal((k, SIZE, SIZE)).astype(np.float32)
    projector = Projector(vectors(k)[:, 0], np.float32(2) + vectors(1)[0, 0], 3.0, weight, vectors(k)[:, 0], method)
    projector.save(tmp_path / "a.tokens.npz")
    assert beside(tmp_path / "a.gguf") == tmp_path / "a.tokens.npz"
    assert beside(tmp_path / "b.gguf") is None
    read = Projector.load(tmp_path / "a.tokens.npz")
    given = vectors(7, k)
    assert np.array_equal(read.apply(given), projector.apply(given))
    assert [path.name for path in tmp_path.iterdir()] == ["a.tokens.npz"]


def test_a_projector_is_the_affine_map_of_its_description() -> None:
    weight, given = vectors(SIZE)[:, 0], vectors(1)
    made = Projector(weight=weight, mean=given[0, 0] - 1, bias=np.arange(SIZE, dtype=np.float32)).apply(given)
    np.testing.assert_allclose(made[0, 0], weight @ np.ones(SIZE) + np.arange(SIZE), rtol=1e-5)


def test_projectors_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tokens.npz"
    with pytest.raises(ModelError, match="no such projector"):
        Projector.load(path)
    for data in (b"", b"PK\x03\x04 damaged", b"text"):
        path.write_bytes(data)
        with pytest.raises(ModelError, match="cannot be read"):
            Projector.load(path)
    for version in (np.asarray(2), np.asarray([1, 1]), np.asarray("one")):
        np.savez(path, version=version)
        with pytest.raises(ModelError, match="expected version 1"):
            Projector.load(path)
    np.savez(path, version=np.asarray(1), method=np.asarray("best"))
    with pytest.raises(ModelError, match="means nothing"):
        Projector.load(path)
    with pytest.raises(ModelError, match="6 dimensions"):
        Projector(mean=np.zeros(5, np.float32)).apply(vectors(2))


def test_more_function_tokens_than_a_prompt_takes_are_refused() -> None:
    made = FunctionTokens(lambda method: Counting(None, method), Projector)
    assert made.of(()) is None
    most = made.of(tuple(f"tool {number}" for number in range(MOST)))
    assert most is not None
    assert most.shape == (MOST, SIZE)
    with pytest.raises(ModelError, match="256 tools"):
        made.of(tuple(f"tool {number}" for number in range(MOST + 1)))


def test_the_default_gives_every_vector_the_length_of_token_embeddings() -> None:
    from camphor.models.llama import embedded_model

    assert default(embedded_model()).norm == pytest.approx(3.2, abs=0.1)
