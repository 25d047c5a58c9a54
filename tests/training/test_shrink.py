"""An adapter in Q8_0 is half as large, and says nearly the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from camphor.models.weights import HEARING, learnt, read_contents, read_tensor

gguf = pytest.importorskip("gguf")


def test_an_adapter_is_halved_and_keeps_its_facts(tmp_path: Path) -> None:
    from camphor_lab.training.shrink import shrink

    before, after = tmp_path / "before.gguf", tmp_path / "after.gguf"
    writer = gguf.GGUFWriter(str(before), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 64.0)
    draw = np.random.default_rng(1)
    factors = {f"blk.0.attn_q.weight.lora_{part}": draw.normal(size=(128, 64)).astype(np.float16) for part in "ab"}
    for name, values in factors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert shrink(before, after) == after.stat().st_size < 0.6 * before.stat().st_size
    contents = read_contents(after)
    assert contents.fields == read_contents(before).fields
    with after.open("rb") as file:
        for name, values in factors.items():
            kept = read_tensor(file, contents.tensors[name])
            assert np.abs(kept - values.astype(np.float32)).max() < np.abs(values).max() / 127
    assert not list(tmp_path.glob("*.part"))
    hearing = tmp_path / "hearing.gguf"
    shrink(after, hearing, [HEARING])
    assert (learnt(after), learnt(hearing)) == (frozenset(), {HEARING})
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    assert learnt(broken) == frozenset()
