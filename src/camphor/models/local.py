"""Completing on this machine, whatever computes: the loop that llama.cpp and transformers share.

One growing sequence serves a whole conversation: a request's text that has been through the model is not evaluated
again, forced tokens are appended instead of sampled, and the last token written waits for the next batch.
"""

from __future__ import annotations

import codecs
import functools
import math
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
from llguidance import LLTokenizer
from numpy.typing import NDArray

from camphor.errors import ContextFull, ModelError
from camphor.models.base import Finish, Reply, Request, Timing
from camphor.models.constraint import Constraint, Copying, Grammars, Leaning
from camphor.models.function_tokens import FunctionTokens
from camphor.models.sequence import SegmentCache
from camphor.types import Segment


class Engine(Protocol):
    """A model with its tokeniser and its cache: function tokens, then one sequence of tokens.

    `sequence` is what the cache should hold; tokens are appended to it before they are evaluated.
    `camphor.models.sequence` and `camphor.models.native` describe the members.
    """

    sequence: list[int]
    context: int
    vocabulary_size: int

    @property
    def is_open(self) -> bool: ...

    @property
    def evaluated(self) -> int: ...

    @property
    def pending(self) -> int: ...

    def tokenise(self, text: str, special: bool = False) -> list[int]: ...

    def piece(self, token: int, special: bool = False) -> bytes: ...

    def ends_turn(self, token: int) -> bool: ...

    def control_tokens(self) -> list[int]: ...

    def guidance_tokenizer(self) -> LLTokenizer: ...

    def align(self, tokens: Sequence[int], function_tokens: NDArray[np.float32] | None = None) -> int: ...

    def advance(self) -> NDArray[np.float32]: ...

    def clear(self) -> None: ...

    def close(self) -> object: ...


@dataclass
class _Progress:
    """One completion in progress, with what its timing will tell."""

    draft: Completion
    constraint: Constraint | None
    prompt_length: int
    function_tokens: int
    cached: int
    encoding_seconds: float
    copying: Copying | None = None
    leaning: Leaning | None = None
    ends: Sequence[int] = ()
    sampled: int = 0
    forced: int = 0
    evaluated: int = 0
    prompt_tokens: int = 0
    logprobs: list[float] = field(default_factory=list)


class LocalModel:
    """A model on this machine: greedy, under a grammar where one is given.

    The same requests in the same order give the same replies. Use by several threads is serialised. Keeps one
    conversation in its cache; another conversation evicts what differs.

    Args:
        engine: closed with the model. function_tokens: makes a prompt's definitions into vectors.
    """

    def __init__(self, engine: Engine, function_tokens: FunctionTokens) -> None:
        self._engine = engine
        self._function_tokens = function_tokens
        self._cache = SegmentCache(engine.tokenise)
        self._grammars: Grammars | None = None
        self._free: NDArray[np.bool_] | None = None
        self._lock = threading.Lock()
        self._writing: _Progress | None = None

    def __enter__(self) -> Self:
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
            self._writing = None
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
            grammar, a closed model, or a failure of the runtime. The conversation can go on after each of them.
        """
        with self._lock:
            self._check_open()
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

    def write_on(self, tokens: Sequence[int], grammar: str, max_tokens: int) -> Generator[bytes, None, Reply]:
        """Write what follows the tokens of a prompt, piece by piece; control tokens count as text where the grammar has
        them, and any token that ends a turn may end it. What a request made meanwhile put out of the cache is evaluated
        again; closing breaks off.

        Raises:
            As `complete`, before the first piece or between two.
        """
        with self._lock:
            self._check_open()
            run = self._run_on(tokens, grammar, max_tokens)
            self._writing = run
        told, prompt_seconds, started = 0, 0.0, time.perf_counter()
        while True:
            with self._lock:
                self._check_open()
                self._take_up(run, tokens)
                self._force(run)
                logits = None if run.draft.finish else self._advance(run)
                prompt_seconds = prompt_seconds or time.perf_counter() - started
                if logits is not None:
                    self._sample(run, logits)
            yield from run.draft.pieces[told:]
            told = len(run.draft.pieces)
            if run.draft.finish:
                return _reply(run, prompt_seconds, time.perf_counter() - started - prompt_seconds)

    def _run_on(self, tokens: Sequence[int], grammar: str, max_tokens: int) -> _Progress:
        constraint = self._constrain(grammar)
        room = self._room(len(tokens))
        cached = self._engine.align(tokens)
        draft = Completion(lambda token: self._engine.piece(token, True), (), min(max_tokens, room))
        return _Progress(draft, constraint, len(tokens), 0, cached, 0.0, ends=self._turn_ends)

    @functools.cached_property
    def _turn_ends(self) -> list[int]:
        return [token for token in self._engine.control_tokens() if self._engine.ends_turn(token)]

    def _take_up(self, run: _Progress, tokens: Sequence[int]) -> None:
        """Have the engine hold what a run has written so far, if another run or prompt took its place."""
        if self._writing is not run:
            self._engine.align([*tokens, *run.draft.tokens])
            self._writing = run

    def _check_open(self) -> None:
        if not self._engine.is_open:
            raise ModelError("the language model has been closed: open a new one")

    def _room(self, prompt: int) -> int:
        """How many tokens can be written after so many."""
        if self.context <= prompt:
            raise ContextFull(
                f"the prompt has {prompt} tokens and the model's context holds {self.context}: "
                "begin a new conversation or shorten what it was given"
            )
        return self.context - prompt

    def _begin(self, request: Request) -> _Progress:
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
        room = self._room(count + len(tokens))
        self._cache.keep(layout)
        self._writing = None
        cached = self._engine.align(tokens, vectors) + count - self._engine.pending
        draft = Completion(self._engine.piece, request.stop, min(request.max_tokens, room))
        copying = Copying(request.prompt, self._engine.piece) if request.copies else None
        leaning = Leaning(request.leaning, self._engine.piece) if any(nats for _, nats in request.leaning) else None
        return _Progress(draft, constraint, len(tokens), count, cached, encoded, copying, leaning)

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

    def _advance(self, run: _Progress) -> NDArray[np.float32]:
        before, pending = min(self._engine.evaluated, len(self._engine.sequence) - 1), self._engine.pending
        logits = self._engine.advance()
        run.evaluated += pending + len(self._engine.sequence) - before
        run.prompt_tokens += pending + max(0, run.prompt_length - before)
        return logits

    def _sample(self, run: _Progress, logits: NDArray[np.float32]) -> None:
        allowed = self._text_tokens() if run.constraint is None else run.constraint.allowed()
        if run.ends and run.constraint is not None and run.constraint.may_end:
            allowed[run.ends] = True  # llguidance knows of one
        weighed = logits
        for each in (run.copying, run.leaning):
            weighed = weighed if each is None else each.weigh(run.draft.text, weighed, allowed)
        token = _likeliest(weighed, allowed)
        run.sampled += 1
        run.logprobs.append(_logprob(logits, token))
        if self._engine.ends_turn(token):
            run.draft.finish = Finish.END
            return  # not part of the sequence: a prompt that goes on says itself how the turn ends
        if run.constraint is not None:
            run.constraint.take(token)
        self._write(run, token)

    def _force(self, run: _Progress) -> None:
        """Append what the grammar leaves no choice about; note when it is complete."""
        if run.constraint is None or run.draft.stopped:
            return
        written = [self._write(run, token) for token in run.constraint.forced()]
        run.forced += sum(written)
        if all(written) and run.constraint.complete and not run.draft.stopped:
            run.draft.finish = Finish.GRAMMAR

    def _write(self, run: _Progress, token: int) -> bool:
        """Append a token to the completion, and to the sequence where it belongs to it; whether there was room."""
        taken = run.draft.add(token)
        self._engine.sequence.extend(run.draft.tokens[len(self._engine.sequence) - run.prompt_length :])
        return taken


def _likeliest(logits: NDArray[np.float32], allowed: NDArray[np.bool_]) -> int:
    """The allowed token with the highest logit, the lower number of equals."""
    token = int(np.where(allowed, logits, -np.inf).argmax())
    if not (allowed[token] and math.isfinite(logits[token])):
        raise ModelError("no token can follow: the grammar allows none, or the model's output is not a number")
    return token


def _logprob(logits: NDArray[np.float32], token: int) -> float:
    """The log-probability of a token among all, allowed or not."""
    highest = logits.max()
    return float(logits[token] - highest) - math.log(float(np.exp(logits - highest).sum()))


def _reply(run: _Progress, prompt_seconds: float, generation_seconds: float) -> Reply:
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


class Completion:
    """Collects tokens until a stop string or the limit.

    Args:
        piece: the bytes a token writes. stop: stop strings. limit: the most tokens.
    """

    def __init__(self, piece: Callable[[int], bytes], stop: tuple[str, ...], limit: int) -> None:
        self._piece = piece
        self._stops = tuple(text.encode(errors="replace") for text in stop)
        self._limit = limit
        self._data = bytearray()
        self._end: int | None = None
        self.tokens: list[int] = []
        self.pieces: list[bytes] = []
        self.finish: Finish | None = None

    def add(self, token: int) -> bool:
        """Append a token, unless the completion has ended; whether it was appended.

        A token that goes on after a stop string is not kept: the sequence ends with the stop string or before it.
        """
        if self.finish is not None:
            return False
        piece = self._piece(token)
        searched = len(self._data)
        self._data += piece
        found = self._first_stop(searched)
        if found is not None:
            self._end, stopped_at = found
            self.finish = Finish.STOP
            if stopped_at < len(self._data):
                return True
        elif len(self.tokens) + 1 >= self._limit:
            self.finish = Finish.LENGTH
        self.tokens.append(token)
        self.pieces.append(piece)
        return True

    @property
    def stopped(self) -> bool:
        """Whether it ended by a stop string or by the model's own will."""
        return self.finish in (Finish.STOP, Finish.END)

    @property
    def text(self) -> str:
        """What was written, up to the stop string; half a character at the end is left out, odd bytes are U+FFFD."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(bytes(self._data[: self._end]))

    def _first_stop(self, searched: int) -> tuple[int, int] | None:
        """Where the first stop string begins and ends; only what may have become one since `searched` is looked at."""
        found: tuple[int, int] | None = None
        for stop in self._stops:
            start = self._data.find(stop, max(0, searched - len(stop) + 1))
            if start >= 0 and (found is None or start < found[0]):
                found = (start, start + len(stop))
        return found
