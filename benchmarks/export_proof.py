"""Proof that an exported adapter is the trained one: greedy outputs of llama.cpp and transformers on the same prompts.

    python benchmarks/export_proof.py runs/embedded        writes results/export.json

Twice: with the base file's weights in float32, where both runtimes compute alike and must write the same, and with
the quantised file as it runs, where activations are quantised and near ties may fall the other way.

transformers writes once, with a cache, and llama.cpp follows it twice: 36 CPU seconds for `--prompts 6 --tokens 10`, of
which 14 are transformers' loading of the base file.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from camphor.trajectories.items import read_items
from camphor.types import Prompt
from camphor_lab.evaluation.results import write_report
from camphor_lab.training.base import gguf_path
from camphor_lab.training.export import Proof, float32_copy, prove_export
from camphor_lab.training.samples import render_item


def prompts_of(dataset: Path, count: int) -> list[Prompt]:
    """Real prompts: samples cut before their first and before their last trained segment, in turn."""
    found: list[Prompt] = []
    for item in read_items(dataset):
        device = json.loads((dataset.parent / str(item.device)).read_text(encoding="utf-8"))
        whole = render_item(item, device)
        places = [place for place, segment in enumerate(whole) if segment.trained]
        found.append(whole[: places[0 if len(found) % 2 else -1]])
        if len(found) == count:
            break
    return found


def told(proofs: list[Proof]) -> dict[str, object]:
    gaps = [proof.gap for proof in proofs if proof.gap is not None]
    return {
        "prompts": len(proofs),
        "equal_greedy_outputs": sum(proof.equal for proof in proofs),
        "tokens_compared": sum(len(proof.tokens) for proof in proofs),
        "lowest_correlation": round(min(proof.correlation for proof in proofs), 6),
        "largest_gap_where_they_part": round(max(gaps), 4) if gaps else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("run", type=Path, help="the folder of a training run, with adapter.gguf")
    parser.add_argument("--dataset", type=Path, default=Path("data/handwritten/t1/items.jsonl"))
    parser.add_argument("--prompts", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--out", type=Path, default=Path("results/export.json"))
    options = parser.parse_args()
    prompts = prompts_of(options.dataset, options.prompts)
    adapter = options.run / "adapter.gguf"
    with tempfile.TemporaryDirectory() as folder:
        files = [float32_copy(gguf_path(), Path(folder) / "float32.gguf"), gguf_path()]
        in_float, as_it_runs = prove_export(options.run, adapter, prompts, files, tokens=options.tokens)
    report = {
        "float32": told(in_float),
        "as_it_runs": told(as_it_runs),
        "command": " ".join(["python benchmarks/export_proof.py", *sys.argv[1:]]),
    }
    write_report(options.out, report, ("models", "training"))
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
