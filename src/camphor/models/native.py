"""llama.cpp through its low-level functions: one model, one context, one sequence of tokens.

Each function token is evaluated in a llama.cpp sequence of its own, where it sees nothing but itself, and is then made
part of ours. llama.cpp itself is asked how much of ours has been evaluated.

Importing this module loads the llama.cpp libraries (0.2 s): whoever composes a model imports it when one is opened.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import time
import weakref
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from llguidance import LLTokenizer
from numpy.typing import NDArray

from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models.chat_template import TOOL_USE, TemplateSource
from camphor.models.cores import Crew, brief_spinning
from camphor.models.sequence import CachedSequence, Cutter, Vectors
from camphor.models.weights import check_gguf

with brief_spinning():
    import llama_cpp

__all__ = ["llama_cpp", "model_parameters"]


def model_parameters(mapped: bool = True) -> Any:
    """llama.cpp's parameters of a model that run on every processor.

    No extra buffers: llama.cpp's path for Intel's AMX, compiled by GCC 12, loads a tile configuration that was never
    stored and ends in a segmentation fault. On other x86 processors nothing is lost: weights in Q8_0 and Q4_1, which
    camphor uses, have no other layout there, and both rates are the same (docs/start.md).

    Args:
        mapped: whether the file is mapped into memory, which shares it between processes; False to read it instead.
    """
    parameters = llama_cpp.llama_model_default_params()
    parameters.use_extra_bufts = False
    parameters.use_mmap = mapped
    parameters.n_gpu_layers = 0  # a 135M model gains nothing, and results stay the same from machine to machine
    return parameters


# Tokens in one call to llama_decode. 256 runs at 96% of the prompt rate of 512, and Ctrl-C, which waits for the call
# to end, waits for half a second on two cores.
BATCH = 256
SEQUENCE = 0
# llama.cpp's sequences are numbered from 0 to one below; ours is 0, and function tokens are evaluated in the others, 31
# at a time. Each reserves logits, 0.2 MB for SmolLM2-135M: the 256 that are possible would take 50 MB.
SEQUENCES = 32
NO_SLOT = 1
LARGE_CONTEXT = 16_384
"""Tokens: a talk with a phone's tools (49 take 3,800) and what they find. Llama 3.1 of 8B needs 2 GB to hold them."""
ERROR_LEVEL = 3
# Flash attention sums a token's attention in as many parts as there are threads, so its logits change with their number
# (by 0.4 for two); without it they are the same bits, prompts as fast, and tokens after 1,500 others 10% faster.
NO_FLASH_ATTENTION = 0

_complaints: deque[str] = deque(maxlen=8)


def _keep_complaint(level: int, text: bytes, _: Any) -> None:
    if level == ERROR_LEVEL:
        _complaints.append(text.decode(errors="replace").strip())


@functools.cache
def _close_null_files_at_exit() -> None:
    """llama_cpp opens two null devices when imported and closes neither, of which Python warns at exit."""
    for name in ("outnull_file", "errnull_file"):
        file = getattr(llama_cpp._utils, name, None)
        if file is not None:
            atexit.register(file.close)


# llama.cpp keeps a bare pointer to it for the life of the process, so it must never be collected.
_log_callback = llama_cpp.llama_log_callback(_keep_complaint)


class LlamaEngine(CachedSequence):
    """A GGUF model in llama.cpp, with or without a LoRA adapter, and in its cache function tokens and one sequence.

    Args:
        model_path: the GGUF file. adapter: a LoRA adapter GGUF made for it. context: tokens the cache holds, 23 kB
        each for SmolLM2-135M; None for as many as it was trained for, at most
        `LARGE_CONTEXT`. threads: the most, for prompt and generation alike; fewer run while other work keeps
        them waiting. mapped: whether the file is mapped into memory.

    Raises:
        ModelMissing: a file is not there, or llama.cpp cannot read it. ModelError: the context cannot be made.
    """

    def __init__(
        self, model_path: Path, adapter: Path | None, context: int | None, threads: int, mapped: bool = True
    ) -> None:
        super().__init__()
        self._resources = contextlib.ExitStack()
        # Also at interpreter exit, while the log callback is still alive.
        self.close = weakref.finalize(self, self._resources.close)
        try:
            self._open(model_path, adapter, context, threads, mapped)
        except BaseException:
            self.close()
            raise

    def _open(self, model_path: Path, adapter: Path | None, context: int | None, threads: int, mapped: bool) -> None:
        self._model = load_model(model_path, mapped)
        self._resources.callback(llama_cpp.llama_model_free, self._model)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self._cut = Cutter(functools.partial(cut, self._vocab), self._text_end())
        self.vocabulary_size = llama_cpp.llama_vocab_n_tokens(self._vocab)
        self.dimensions = int(llama_cpp.llama_model_n_embd(self._model))
        self.trained_context = llama_cpp.llama_model_n_ctx_train(self._model)
        # An adapter is counted into the size of the compute graph: it has to be there before the context.
        lora = _load_adapter(self._model, adapter) if adapter else None
        self._crew = Crew(threads)
        size = min(LARGE_CONTEXT, self.trained_context) if context is None else context
        self._context = self._new_context(size, self._crew.count)
        self._resources.callback(llama_cpp.llama_free, self._context)
        self._memory = llama_cpp.llama_get_memory(self._context)
        if lora is not None:
            self._apply(lora, adapter)
        self.context = int(llama_cpp.llama_n_ctx(self._context))
        self._batch = self._new_batch()
        self._resources.callback(llama_cpp.llama_batch_free, self._batch)
        self._buffer = ctypes.create_string_buffer(512)

    def _new_context(self, context: int, threads: int) -> Any:
        if not 1 <= context <= self.trained_context:
            raise ModelError(
                f"a context of {context} tokens is not possible: this model was trained for 1 to {self.trained_context}"
            )
        settings = llama_cpp.llama_context_default_params()
        settings.n_ctx = context
        settings.n_batch = settings.n_ubatch = min(BATCH, context)
        settings.n_threads = settings.n_threads_batch = threads
        settings.no_perf = True
        settings.flash_attn_type = NO_FLASH_ATTENTION
        settings.n_seq_max = SEQUENCES
        settings.kv_unified = True  # all sequences share the cells, so that ours can take over what another evaluated
        made = llama_cpp.llama_init_from_model(self._model, settings)
        if not made:
            raise ModelError(f"a context of {context} tokens cannot be made{complaint()}: ask for a smaller one")
        return made

    def _apply(self, lora: Any, path: Path | None) -> None:
        adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(lora)
        if llama_cpp.llama_set_adapters_lora(self._context, adapters, 1, (ctypes.c_float * 1)(1.0)):
            raise ModelError(f"{path}: the adapter cannot be applied{complaint()}")

    def _new_batch(self) -> Any:
        batch = llama_cpp.llama_batch_init(BATCH, 0, 1)
        for place in range(BATCH):
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = SEQUENCE
            batch.logits[place] = 0
        return batch

    @property
    def is_open(self) -> bool:
        return bool(self.close.alive)

    # Tokens

    def tokenise(self, text: str, special: bool = False) -> list[int]:
        """Tokens of a text on its own, control tokens among them only when `special`; a lone surrogate reads as `?`."""
        return self._cut(text, special)

    def _text_end(self) -> str | None:
        """How the token is written that ends a text; None where the file names none."""
        token = llama_cpp.llama_vocab_eos(self._vocab)
        return None if token < 0 else llama_cpp.llama_vocab_get_text(self._vocab, token).decode(errors="replace")

    def encode(self, text: str, special: bool, first: bool = False) -> list[int]:
        """As `tokenise`, with the control tokens that the text has and none in place of ChatML's; `first`: as the
        tokeniser begins a text."""
        return self._cut.as_it_is(text, special, first)

    def own_template(self) -> TemplateSource | None:
        """The chat template that came with the file; None where none did."""
        told = [llama_cpp.llama_model_chat_template(self._model, name) for name in (None, TOOL_USE.encode())]
        default, for_tools = (text.decode(errors="replace") if text else "" for text in told)
        if not (default or for_tools):
            return None
        bos, eos = llama_cpp.llama_vocab_bos(self._vocab), llama_cpp.llama_vocab_eos(self._vocab)
        user_defined = llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
        attribute = llama_cpp.llama_vocab_get_attr
        return TemplateSource(
            default or for_tools,
            for_tools or default,
            bos=self._name(bos),
            eos=self._name(eos),
            controls={self._name(token): token for token in self.control_tokens()},
            added=frozenset(
                self._name(token)
                for token in range(self.vocabulary_size)
                if attribute(self._vocab, token) & user_defined
            ),
            begins_with=bos if llama_cpp.llama_vocab_get_add_bos(self._vocab) else None,
        )

    def _name(self, token: int) -> str:
        return "" if token < 0 else self.piece(token, special=True).decode(errors="replace")

    def piece(self, token: int, special: bool = False) -> bytes:
        """The bytes a token writes; a control token's name when `special`, else none."""
        size = llama_cpp.llama_token_to_piece(self._vocab, token, self._buffer, len(self._buffer), 0, special)
        return self._buffer.raw[: max(size, 0)]

    def ends_turn(self, token: int) -> bool:
        return bool(llama_cpp.llama_vocab_is_eog(self._vocab, token))

    def control_tokens(self) -> list[int]:
        """Tokens that are no text, such as `<|im_start|>`."""
        kinds = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
        attribute = llama_cpp.llama_vocab_get_attr
        return [token for token in range(self.vocabulary_size) if attribute(self._vocab, token) & kinds]

    def guidance_tokenizer(self) -> LLTokenizer:
        """llguidance's view of the vocabulary (0.1 s for 49,152 tokens); good until the engine is closed.

        Its one slice, plain text of up to 30 characters, makes masks inside quoted strings five times cheaper;
        llguidance's own four make them no cheaper and take 0.08 s longer to prepare.
        """
        pieces = [self.piece(token, special=True) for token in range(self.vocabulary_size)]
        for token in self.control_tokens():
            pieces[token] = b"\xff" + pieces[token]  # how llguidance marks what is no text
        function = ctypes.cast(llama_cpp.llama_cpp._lib.llama_tokenize, ctypes.c_void_p).value
        made: LLTokenizer = LLTokenizer.from_llamacpp(  # type: ignore[attr-defined]
            tokens=pieces,
            vocab_ptr=self._vocab,
            tokenize_fptr=function,
            eos_token=llama_cpp.llama_vocab_eos(self._vocab),
            slices=[r'[^"\\\x00-\x1F\x7F]{1,30}'],
        )
        return made

    # The sequence

    @property
    def evaluated(self) -> int:
        return int(llama_cpp.llama_memory_seq_pos_max(self._memory, SEQUENCE)) + 1 - self._first

    def _drop(self, length: int) -> bool:
        return bool(llama_cpp.llama_memory_seq_rm(self._memory, SEQUENCE, self._first + length, -1))

    def _empty(self) -> None:
        llama_cpp.llama_memory_clear(self._memory, False)

    def advance(self) -> NDArray[np.float32]:
        """Evaluate what of the sequence is not in the cache yet; logits for the next token, (vocabulary_size,).

        The array is llama.cpp's own memory, good until the next call. A sequence evaluated to its end has its last
        token evaluated again: there is no other way to its logits.

        Raises:
            ContextFull: no room in the cache. ModelError: llama.cpp failed.
        """
        self._truncate(len(self.sequence) - 1)
        if self.pending:
            self._evaluate_function_tokens()
        start = self.evaluated
        while start < len(self.sequence):
            stop = min(start + BATCH, len(self.sequence))
            self._decode(start, stop)
            start = stop
        pointer = llama_cpp.llama_get_logits_ith(self._context, -1)
        if not pointer:
            raise ModelError("llama.cpp gave no logits")
        return np.ctypeslib.as_array(pointer, shape=(self.vocabulary_size,))

    def _evaluate_function_tokens(self) -> None:
        """Bring the wanted function tokens into an empty cache.

        One that were evaluated in two sequences at once would see the others in ours: it joins ours afterwards.
        """
        self._held = None
        for start in range(0, len(self._wanted), SEQUENCES - 1):
            part = np.ascontiguousarray(self._wanted[start : start + SEQUENCES - 1], np.float32)
            self._decode_vectors(part)
            for own in range(1, len(part) + 1):
                llama_cpp.llama_memory_seq_cp(self._memory, own, SEQUENCE, -1, -1)
                llama_cpp.llama_memory_seq_rm(self._memory, own, -1, -1)
        self._held = self._wanted

    def _decode_vectors(self, vectors: Vectors) -> None:
        batch = llama_cpp.llama_batch_init(len(vectors), self.dimensions, 1)
        try:
            ctypes.memmove(batch.embd, vectors.ctypes.data, vectors.nbytes)
            for place in range(len(vectors)):
                batch.pos[place], batch.n_seq_id[place], batch.logits[place] = 0, 1, 0
                batch.seq_id[place][0] = place + 1
            batch.n_tokens = len(vectors)
            self._check(self._run(batch))
        finally:
            llama_cpp.llama_batch_free(batch)

    def _decode(self, start: int, stop: int) -> None:
        batch = self._batch
        count, first = stop - start, self._first
        for place, token in enumerate(self.sequence[start:stop]):
            batch.token[place] = token
            batch.pos[place] = first + start + place
        batch.logits[count - 1] = 1
        batch.n_tokens = count
        status = self._run(batch)
        batch.logits[count - 1] = 0
        self._check(status)

    def _check(self, status: int) -> None:
        if status == NO_SLOT:
            count = len(self._wanted) + len(self.sequence)
            raise ContextFull(f"{count} tokens do not fit the model's context of {self.context}")
        if status:
            raise ModelError(f"llama.cpp failed with status {status}{complaint()}")

    def _run(self, batch: Any) -> int:
        _complaints.clear()
        started, used, threads = time.perf_counter(), time.process_time(), self._crew.count
        status = int(llama_cpp.llama_decode(self._context, batch))
        now = time.perf_counter()
        self._crew.worked(now - started, time.process_time() - used, now)
        if self._crew.count != threads:
            self.use_threads(self._crew.count)
        return status

    def use_threads(self, count: int) -> None:
        """Compute with so many threads from now on, until other work on the machine calls for another number."""
        llama_cpp.llama_set_n_threads(self._context, count, count)


def cut(vocab: Any, text: str, special: bool = False) -> list[int]:
    """A text's tokens on its own, control tokens among them only when `special`; a lone surrogate reads as `?`."""
    data = text.encode(errors="replace")
    room = len(data) + 1
    tokens = (llama_cpp.llama_token * room)()
    count = llama_cpp.llama_tokenize(vocab, data, len(data), tokens, room, False, special)
    if count < 0:
        raise ModelError(f"a text of {len(text)} characters cannot be cut into tokens")
    return list(tokens[:count])


def hush() -> None:
    """Have llama.cpp keep its complaints for `complaint`, and the rest to itself."""
    llama_cpp.llama_log_set(_log_callback, ctypes.c_void_p(0))


def load_model(path: Path, mapped: bool = True) -> Any:
    """llama.cpp's handle of a GGUF file, for the caller to free; ModelMissing where it cannot be read."""
    _close_null_files_at_exit()
    hush()
    llama_cpp.llama_backend_init()
    check_gguf(path, "language model")
    _complaints.clear()
    name = str(path).encode(errors="surrogateescape")
    model = llama_cpp.llama_model_load_from_file(name, model_parameters(mapped))
    if not model:
        raise ModelMissing(
            f"{path}: llama.cpp cannot read this model{complaint()}: the file may be damaged, get it again"
        )
    return model


def _load_adapter(model: Any, path: Path) -> Any:
    check_gguf(path, "LoRA adapter")
    _complaints.clear()
    lora = llama_cpp.llama_adapter_lora_init(model, str(path).encode(errors="surrogateescape"))
    if not lora:
        raise ModelMissing(
            f"{path}: llama.cpp cannot use this adapter{complaint()}: it may be damaged or made for another model"
        )
    return lora


def complaint() -> str:
    """The first thing llama.cpp complained of, in brackets, on one line; empty where it said nothing."""
    said = next((" ".join(text.split()) for text in _complaints if text), "")
    return f" ({said[:200]})" if said else ""
