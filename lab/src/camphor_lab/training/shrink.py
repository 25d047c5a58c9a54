"""A LoRA adapter in GGUF form brought to Q8_0: half its size, and what is merged from it differs by roundings.

python -m camphor_lab.training.shrink ADAPTER.gguf OUT.gguf [LEARNT...]

LEARNT are words for what it learnt beside the assistant's own work: hearing, where told.jsonl was among its data.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from camphor.models.weights import LEARNT

BLOCK = 32


def shrink(adapter: Path, out: Path, learnt: Sequence[str] = ()) -> int:
    """Write the adapter with its factors in Q8_0, those whose rows are no multiple of 32 as they are; gives its bytes.

    Args:
        learnt: what it learnt beside the assistant's own work (`camphor.models.weights.learnt`).

    Raises:
        OSError: one cannot be read or written. ValueError: it is no GGUF file.
    """
    import gguf

    reader = gguf.GGUFReader(str(adapter))
    partial = out.with_name(out.name + ".part")
    writer = gguf.GGUFWriter(str(partial), "llama")
    kinds = gguf.GGUFValueType
    add: dict[Any, Any] = {
        kinds.STRING: writer.add_string,
        kinds.FLOAT32: writer.add_float32,
        kinds.UINT32: writer.add_uint32,
    }
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name not in ("general.architecture", LEARNT):
            add[field.types[0]](field.name, field.contents())
    if learnt:
        writer.add_string(LEARNT, " ".join(learnt))
    kept = gguf.GGMLQuantizationType.Q8_0
    for tensor in reader.tensors:
        values = np.array(gguf.dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
        if values.shape[-1] % BLOCK:
            writer.add_tensor(tensor.name, values.astype(np.float16))
        else:
            writer.add_tensor(tensor.name, gguf.quants.quantize(values, kept), raw_dtype=kept)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(out)
    return out.stat().st_size


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(f"{sys.argv[2]}: {shrink(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]):,} bytes")
