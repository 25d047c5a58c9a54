import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from camphor.errors import ModelMissing, UsageError
from camphor.types import Segment
from camphor_lab.training.base import DESCRIPTION, WEIGHTS, gguf_path
from camphor_lab.training.export import export_adapter, interleave, prove_export

PROMPTS = [
    (
        Segment("<|im_start|>user\n", special=True),
        Segment(text),
        Segment("<|im_end|>\n<|im_start|>assistant\n", special=True),
    )
    for text in ("What is the capital of Portugal?", "Count from one to five.", "Say hello.")
]


def adapter(folder: Path, scale: float) -> Path:
    """A random rank-2 adapter on every projection of the embedded model; `scale` makes it matter."""
    generator = torch.Generator().manual_seed(0)
    shapes = {
        "self_attn.q_proj": (576, 576),
        "self_attn.k_proj": (192, 576),
        "self_attn.v_proj": (192, 576),
        "self_attn.o_proj": (576, 576),
        "mlp.gate_proj": (1536, 576),
        "mlp.up_proj": (1536, 576),
        "mlp.down_proj": (576, 1536),
    }
    tensors = {}
    for layer in range(30):
        for name, (n, k) in shapes.items():
            key = f"base_model.model.model.layers.{layer}.{name}"
            tensors[f"{key}.lora_A.weight"] = torch.randn(2, k, generator=generator) / k**0.5
            tensors[f"{key}.lora_B.weight"] = torch.randn(n, 2, generator=generator) * scale
    folder.mkdir()
    save_file(tensors, str(folder / WEIGHTS))
    modules = [name.split(".")[1] for name in shapes]
    described = {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": modules, "task_type": "CAUSAL_LM"}
    (folder / DESCRIPTION).write_text(json.dumps(described))
    return folder


def test_rows_of_a_head_become_neighbouring_pairs() -> None:
    rows = np.arange(8).reshape(8, 1)
    assert interleave(rows, 2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_both_runtimes_compute_the_same_with_an_adapter_that_matters(tmp_path: Path) -> None:
    folder = adapter(tmp_path / "a", 0.05)
    size = export_adapter(folder, tmp_path / "a.gguf")
    assert size == (tmp_path / "a.gguf").stat().st_size < 2_000_000
    proofs, again = prove_export(folder, tmp_path / "a.gguf", PROMPTS, [gguf_path(), gguf_path()], tokens=8)
    assert proofs == again
    assert all(proof.correlation > 0.99 for proof in proofs)
    assert all(proof.equal or (proof.gap or 0.0) < 0.5 for proof in proofs)
    assert sum(len(proof.tokens) for proof in proofs) >= 8


def test_an_adapter_above_the_limit_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    folder = adapter(tmp_path / "a", 0.05)
    with pytest.raises(UsageError, match="smaller rank"):
        export_adapter(folder, tmp_path / "a.gguf", limit=1000)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a"]


def test_a_folder_without_an_adapter_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=str(tmp_path)):
        export_adapter(tmp_path, tmp_path / "a.gguf")
