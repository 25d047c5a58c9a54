"""Output embeddings of texts, computed by llama.cpp: the base model alone, each text by itself from position 0."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camphor.errors import ModelError
from camphor.models.cores import default_threads
from camphor.models.native import NO_FLASH_ATTENTION, complaint, cut, llama_cpp, load_model

CONTEXT = 2048
# Every token of a batch has its logits computed and kept too, 0.4 MB each for SmolLM2-135M, and larger batches are no
# faster: 248 tokens/s on one thread with 31 as with 248.
BATCH = 64


def output_embeddings(
    path: Path, texts: Sequence[str], threads: int | None = None, mapped: bool = True
) -> Iterator[NDArray[np.float32]]:
    """For each text the embeddings of its tokens after the final norm, (tokens, n_embd).

    Texts go through the model one by one, so a text's embeddings do not depend on its neighbours.

    Raises:
        ModelMissing: the model cannot be read. ModelError: a text longer than the context, or llama.cpp failed.
    """
    with contextlib.ExitStack() as resources:
        model = load_model(path, mapped)
        resources.callback(llama_cpp.llama_model_free, model)
        size = llama_cpp.llama_model_n_embd(model)
        limit = min(CONTEXT, llama_cpp.llama_model_n_ctx_train(model))
        context = _new_context(model, limit, threads or default_threads())
        resources.callback(llama_cpp.llama_free, context)
        batch = llama_cpp.llama_batch_init(BATCH, 0, 1)
        resources.callback(llama_cpp.llama_batch_free, batch)
        vocab = llama_cpp.llama_model_get_vocab(model)
        for text in texts:
            tokens = cut(vocab, text)
            if len(tokens) > limit:
                raise ModelError(f"a tool's definition has {len(tokens)} tokens, at most {limit} fit: {text[:60]!r}")
            llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), False)
            parts = [tokens[start : start + BATCH] for start in range(0, len(tokens), BATCH)]
            yield np.concatenate(
                [_evaluate(context, batch, part, BATCH * number, size) for number, part in enumerate(parts)]
            )


def _new_context(model: Any, length: int, threads: int) -> Any:
    settings = llama_cpp.llama_context_default_params()
    settings.n_ctx = length
    settings.n_batch = settings.n_ubatch = min(BATCH, length)
    settings.n_threads = settings.n_threads_batch = threads
    settings.embeddings = True
    settings.pooling_type = llama_cpp.LLAMA_POOLING_TYPE_NONE
    settings.no_perf = True
    settings.flash_attn_type = NO_FLASH_ATTENTION
    made = llama_cpp.llama_init_from_model(model, settings)
    if not made:
        raise ModelError(f"the model cannot be opened to encode definitions{complaint()}")
    return made


def _evaluate(context: Any, batch: Any, tokens: list[int], start: int, size: int) -> NDArray[np.float32]:
    for place, token in enumerate(tokens):
        batch.token[place], batch.pos[place] = token, start + place
        batch.n_seq_id[place], batch.seq_id[place][0], batch.logits[place] = 1, 0, 1
    batch.n_tokens = len(tokens)
    if llama_cpp.llama_decode(context, batch):
        raise ModelError(f"llama.cpp failed to encode a definition{complaint()}")
    rows = [llama_cpp.llama_get_embeddings_ith(context, place) for place in range(len(tokens))]
    if not all(rows):
        raise ModelError("llama.cpp gave no embeddings: this model cannot make function tokens")
    return np.stack([np.ctypeslib.as_array(row, shape=(size,)).copy() for row in rows])
