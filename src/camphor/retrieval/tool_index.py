"""An index of tools on the device: their descriptions as vectors, kept in a file, and searched exactly.

What is kept are vectors by the hash of the text they stand for, so a tool that is added or reworded costs its own
embedding and one that comes back costs none. All rows are compared: for as many tools as people have (24 to 100,000)
that is a product of a matrix and a vector, and there is nothing to tune or to rebuild.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from camphor.errors import UsageError
from camphor.models.facts import write_whole
from camphor.retrieval.retrievers import Bm25, Fusion, TextEncoder, by_scores, describe
from camphor.tools.tool import Tool

Vectors = npt.NDArray[np.float32]

FORM = b"camphor.tool-index/1\n"


@dataclass(frozen=True)
class Hit:
    """A tool found, and how well it fits: higher is better, and only comparable within one search."""

    tool: Tool
    score: float


class ToolIndex:
    """Finds the tools that a query needs.

    Args:
        encoder: what embeds. path: the file that vectors are kept in, made when first written to, whole or not at all;
            one that is torn, or of another encoder, counts as missing. None for memory only.
        fusion: what joins the scores of words (BM25) and of vectors; None for vectors alone.
    """

    def __init__(self, encoder: TextEncoder, path: Path | None = None, *, fusion: Fusion | None = by_scores) -> None:
        self._encoder = encoder
        self._path = path
        self._fusion = fusion
        self._tools: dict[str, Tool] = {}
        self._known = _read(path, encoder) if path is not None else {}
        self._matrix = np.zeros((0, encoder.dimensions), np.float32)
        self._words: Bm25 | None = None

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(self._tools.values())

    def replace(self, tools: Iterable[Tool]) -> int:
        """Hold exactly these tools.

        Returns:
            How many descriptions had to be embedded.

        Raises:
            UsageError: two tools of one name.
        """
        given = tuple(tools)
        named: dict[str, Tool] = {}
        for tool in given:
            if tool.name in named:
                raise UsageError(f"the tool {tool.name} is there twice: rename one")
            named[tool.name] = tool
        texts = [describe(tool) for tool in given]
        keys = [_key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            vectors = self._encoder.encode(list(missing.values())).astype(np.float16)
            self._known.update(zip(missing, vectors, strict=True))
        rows = [self._known[key] for key in keys]
        self._matrix = np.stack(rows).astype(np.float32) if rows else np.zeros_like(self._matrix[:0])
        self._tools, self._words = named, None
        kept = dict(zip(keys, rows, strict=True))
        if missing or kept.keys() != self._known.keys():
            self._known = kept
            self._keep()
        return len(missing)

    def add(self, *tools: Tool) -> int:
        """Take these in too; one of a name that is there takes its place. Returns as `replace` does."""
        return self.replace({**self._tools, **{tool.name: tool for tool in tools}}.values())

    def remove(self, *names: str) -> None:
        """Forget the tools of these names; one that is not there is no fault."""
        self.replace(tool for name, tool in self._tools.items() if name not in names)

    def scores(self, query: str) -> Vectors:
        """How well each tool fits, in the order of `tools`, shape (number of tools,)."""
        if not self._tools:
            return np.zeros(0, np.float32)
        cosines = np.asarray(self._matrix @ self._encoder.encode([query])[0], np.float32)
        if self._fusion is None:
            return cosines
        if self._words is None:
            self._words = Bm25(map(describe, self._tools.values()))
        return self._fusion([self._words.scores(query), cosines])

    def search(self, query: str, k: int = 5) -> tuple[Hit, ...]:
        """The `k` tools that fit best, best first; all where there are no more.

        Raises:
            UsageError: `k` is under 1.
        """
        if k < 1:
            raise UsageError(f"{k} tools to find: expected 1 or more")
        scores = self.scores(query)
        best = np.argpartition(-scores, k - 1)[:k] if k < len(scores) else np.arange(len(scores))
        tools = self.tools
        return tuple(Hit(tools[at], float(scores[at])) for at in sorted(best, key=lambda at: (-scores[at], at)))

    def _keep(self) -> None:
        if self._path is None:
            return
        vectors = np.stack(list(self._known.values())) if self._known else self._matrix[:0]
        about = {"encoder": self._encoder.identity, "dimensions": self._encoder.dimensions, "keys": list(self._known)}
        body = json.dumps(about).encode() + b"\n" + vectors.astype("<f2").tobytes()
        with contextlib.suppress(OSError):  # a full disk costs the next start its embeddings, not this one its answer
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, FORM + hashlib.sha256(body).digest() + body)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def _read(path: Path, encoder: TextEncoder) -> dict[str, npt.NDArray[np.float16]]:
    """The vectors of a file by the hashes of their texts; none where the file is not a whole one of this encoder."""
    try:
        data = path.read_bytes()
    except OSError:
        return {}
    start = len(FORM) + hashlib.sha256().digest_size
    body = data[start:]
    if not data.startswith(FORM) or hashlib.sha256(body).digest() != data[len(FORM) : start]:
        return {}
    head, _, numbers = body.partition(b"\n")
    about = json.loads(head)
    if (about["encoder"], about["dimensions"]) != (encoder.identity, encoder.dimensions):
        return {}
    vectors = np.frombuffer(numbers, "<f2").astype(np.float16).reshape(len(about["keys"]), encoder.dimensions)
    return dict(zip(about["keys"], vectors, strict=True))
