"""GGUF files and their number formats, against the package `gguf`."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from camphor.models import weights
from camphor.models.llama import embedded_model
from camphor.models.weights import MergeFailed, Tensor, decode, encode_q8_0, read_contents, read_tensor
from tests.doubles.tiny_files import numbers, write_base

BLOCKS = arrays(np.float32, (3, 32), elements=st.floats(-1000, 1000, width=32))


@pytest.mark.parametrize("kind", [weights.F32, weights.F16, weights.Q4_1, weights.Q8_0])
def test_numbers_are_decoded_as_elsewhere(kind: int) -> None:
    data = gguf.quants.quantize(numbers(8, 64), gguf.GGMLQuantizationType(kind))
    wanted = gguf.quants.dequantize(data, gguf.GGMLQuantizationType(kind))
    np.testing.assert_allclose(decode(data.tobytes(), kind).reshape(8, 64), wanted, rtol=1e-6)


@given(BLOCKS)
def test_q8_0_is_off_by_half_a_step_at_most(values: NDArray[np.float32]) -> None:
    data = np.frombuffer(encode_q8_0(values), np.uint8).reshape(3, 34)
    read = gguf.quants.dequantize(data, gguf.GGMLQuantizationType.Q8_0)
    step = data[:, :2].copy().view("<f2").astype(np.float32)
    # The stored scale is rounded to 16 bits, so the largest number may lie a little beyond 127 steps.
    limit = step / 2 + np.abs(values).max(axis=1, keepdims=True) * 2.0**-11 + 2.0**-18
    assert (np.abs(read - values) <= limit).all()


def test_the_head_of_the_embedded_model_is_read_as_elsewhere() -> None:
    path = embedded_model()
    contents, wanted = read_contents(path), gguf.GGUFReader(str(path))
    assert contents.fields["llama.rope.freq_base"] == 100_000.0
    assert contents.fields["tokenizer.ggml.tokens"] is None
    assert len(contents.fields) == wanted.fields["GGUF.kv_count"].contents()
    for ours, theirs in zip(contents.tensors.values(), wanted.tensors, strict=True):
        assert (ours.name, ours.shape, ours.format) == (
            theirs.name,
            tuple(theirs.shape.tolist())[::-1],
            theirs.tensor_type,
        )
        assert (ours.start, ours.size) == (theirs.data_offset, theirs.n_bytes)


def test_a_head_cut_anywhere_is_told(tmp_path: Path) -> None:
    whole = write_base(tmp_path / "whole.gguf")
    first = min(tensor.start for tensor in read_contents(whole).tensors.values())
    cut = tmp_path / "cut.gguf"
    for length in range(0, first - 32, 7):
        cut.write_bytes(whole.read_bytes()[:length])
        with pytest.raises(MergeFailed, match=r"cut\.gguf: the file is damaged"):
            read_contents(cut)


@given(st.integers(4, 200), st.integers(0, 255))
def test_a_damaged_head_gives_no_other_error(place: int, value: int) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(MergeFailed):
        path = write_base(Path(folder) / "damaged.gguf")
        data = bytearray(path.read_bytes())
        data[place] = value
        path.write_bytes(data)
        for tensor in read_contents(path).tensors.values():
            with path.open("rb") as file:
                read_tensor(file, tensor)


@pytest.mark.parametrize(("number_format", "columns"), [(12, 256), (weights.Q8_0, 31), (-1, 32)])
def test_other_formats_are_refused(number_format: int, columns: int) -> None:
    with pytest.raises(MergeFailed, match="w is in a number format"):
        _ = Tensor("w", (2, columns), number_format, 0).size
