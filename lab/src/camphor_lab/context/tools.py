"""Tools for a query that leaves unsaid what it means: found by its words and by the items that it is about.

The paper puts the retrieved context into the text that is searched with (Context Tuning, sections 3.2 and 3.3); here
that is `ItemWeight.WORDS`. It has a price: the words of an item say what the item is about, and no tool is about
guitars. What an item does say of tools is where it lies: who means a song wants something of the music app. So in
`ItemWeight.VOTES` items vote for the tools of their own app, and the query's words decide among these.

Of ways to join both, tried on 500 queries of the training split with the gold items and with noisy ones, the sum of
scores in standard deviations with the votes counted twice found most (59.7% of the fitting tools among the first 5);
reciprocal rank fusion of the same three found 59.2%, with single votes 51.8%, the query alone 23.3%, items in words
39.6%. Items' words beside votes took recall away. A reader that has learnt from the training split what is meant by
which words (`ToolReader`) knows more than both; its scores are joined with theirs, which tools that it never saw need.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from camphor.errors import ModelMissing, UsageError
from camphor.models.facts import write_whole
from camphor.retrieval.context.items import DeviceItem
from camphor.retrieval.retrievers import Encoder, Fusion, Retriever, Scores, by_scores
from camphor.retrieval.static import StaticEncoder
from camphor.tools.tool import Tool

Floats = npt.NDArray[np.float32]

FORM = "camphor.tool-reader/1"
SHIPPED_READER = Path(__file__).parent / "tool-reader.npz"


@dataclass(frozen=True)
class ToolReader:
    """A learnt map from queries, and the apps that their items lie in, to tools: "again" beside a song is play_song,
    beside a search search_web. Linear, from a query's embedding, alone and times the votes of its items' apps. The
    paper leaves learning to rank tools to others (Context Tuning, section 3.3).

    Attributes:
        tools: names of those that it knows. apps: those that can vote.
        alone: from `columns` without votes, (dimensions + 1, tools). together: from those with votes,
            ((dimensions + 1) * (apps + 1), tools).
        encoder: identity of the encoder that it was trained with.
        about: settings of the training, the hash of its data, and its scores.
    """

    tools: tuple[str, ...]
    apps: tuple[str, ...]
    alone: Floats
    together: Floats
    encoder: str
    about: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, query: Floats, tools: Sequence[Tool], items: Sequence[DeviceItem] = ()) -> Scores:
        """How well each tool fits, shape (number of tools,); 0 for those that it does not know.

        Args:
            query: the embedding of the query, (dimensions,). items: what it is about, the most relevant first; where
                no app of theirs is known, the query alone counts.
        """
        weights = app_votes(items, self.apps)
        known = columns(query, weights) @ self.together if weights.any() else columns(query) @ self.alone
        places = {name: place for place, name in enumerate(self.tools)}
        return np.array([known[places[each.name]] if each.name in places else 0 for each in tools], np.float32)

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all. Raises OSError: it cannot be written."""
        facts = {
            "form": FORM, "tools": self.tools, "apps": self.apps, "encoder": self.encoder, "about": dict(self.about),
        }  # fmt: skip
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            facts=np.frombuffer(json.dumps(facts).encode(), np.uint8),
            alone=self.alone.astype(np.float16),
            together=self.together.astype(np.float16),
        )
        write_whole(path, stream.getvalue())


def columns(query: Floats, weights: Floats | None = None) -> Floats:
    """What the map reads, one row: the query with a one behind it; with votes also that times the vote of each app."""
    row = np.append(query, np.float32(1))
    return row if weights is None else np.concatenate([row, *(row * weight for weight in weights)])


def app_votes(items: Sequence[DeviceItem], apps: Sequence[str]) -> Floats:
    """The share of the votes that each app has, (apps,): an item at rank r has 1 / r. All 0 where no app is known."""
    found = np.zeros(len(apps), np.float32)
    for rank, item in enumerate(items, 1):
        if item.ref.app in apps:
            found[apps.index(item.ref.app)] += 1 / rank
    total = found.sum()
    return found / total if total else found


@lru_cache(maxsize=4)
def read_tool_reader(path: Path = SHIPPED_READER) -> ToolReader:
    """The reader of a file.

    Raises:
        ModelMissing: there is none, or the file is none of a reader.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            facts = json.loads(file["facts"].tobytes())
            if facts["form"] != FORM:
                raise ValueError("another form")
            alone, together = (file[name].astype(np.float32) for name in ("alone", "together"))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        command = f"python -m camphor_lab.training.tool_reader FOLDER {path.name}"
        raise ModelMissing(f"{path}: no reader of queries for tools: train one with  {command}") from error
    return ToolReader(tuple(facts["tools"]), tuple(facts["apps"]), alone, together, facts["encoder"], facts["about"])


MOST_ITEMS = 5
"""Items that are heard: of the best ranker's five the gold ones are nearly always some."""
VOTES = 2
"""How often the votes count beside the query."""
LEARNT = 2
"""How often what was learnt counts beside query and votes."""
LONGEST_WORDS = 80
"""Characters of an item that are put beside a query, which has some 40."""


class ItemWeight(StrEnum):
    """How the items count."""

    NONE = "none"
    """Not at all: the query alone."""
    WORDS = "words"
    """Their words stand behind the query's, as in the paper."""
    VOTES = "votes"
    """They vote for the tools of their apps. Not in the paper."""


class ToolFinder:
    """Puts tools in order for a query and the items that it is about.

    Args:
        retriever: says how well tools fit a text. use: how items count. fusion: joins the parts.
        reader: what a training split said of queries and apps, heard beside the rest; None for no learning.
        encoder: makes queries into vectors for the reader; that which comes with camphor where None.
    """

    def __init__(
        self,
        retriever: Retriever,
        use: ItemWeight = ItemWeight.VOTES,
        fusion: Fusion = by_scores,
        reader: ToolReader | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self._retriever, self.use, self._fusion = retriever, use, fusion
        self._reader = reader
        self._encoder = encoder or (StaticEncoder() if reader else None)

    def scores(self, query: str, tools: Sequence[Tool], items: Sequence[DeviceItem] = ()) -> Scores:
        """How well each tool fits, shape (number of tools,).

        Args:
            items: what the query is about, the most relevant first; `MOST_ITEMS` of them count.
        """
        heard = items[:MOST_ITEMS] if self.use is not ItemWeight.NONE else ()
        plain = self._plain(query, tools, heard)
        if self._reader is None or self._encoder is None or not tools:
            return plain
        learnt = self._reader.scores(np.asarray(self._encoder.encode([query])[0], np.float32), tools, heard)
        return self._fusion([plain, *[learnt] * LEARNT])

    def _plain(self, query: str, tools: Sequence[Tool], heard: Sequence[DeviceItem]) -> Scores:
        """Without what was learnt."""
        if not heard:
            return self._retriever.scores(query, tools)
        if self.use is ItemWeight.WORDS:
            return self._retriever.scores(in_words(query, heard), tools)
        return self._fusion([self._retriever.scores(query, tools), *[votes(tools, heard)] * VOTES])

    def find(self, query: str, tools: Sequence[Tool], items: Sequence[DeviceItem] = (), k: int = 5) -> tuple[Tool, ...]:
        """The `k` tools that fit best, best first; equal ones in the order given.

        Raises:
            UsageError: `k` is under 1.
        """
        if k < 1:
            raise UsageError(f"{k} tools to find: expected 1 or more")
        order = np.argsort(-self.scores(query, tools, items), kind="stable")[:k]
        return tuple(tools[at] for at in order)


def in_words(query: str, items: Sequence[DeviceItem]) -> str:
    """The query with what the items are and say: `when is it? calendar: Guitar class`."""
    said = [f"{item.ref.app}: {' '.join((item.title or item.text)[:LONGEST_WORDS].split())}" for item in items]
    return "\n".join([query, *said])


def votes(tools: Sequence[Tool], items: Sequence[DeviceItem]) -> Scores:
    """The votes for each tool, shape (number of tools,): an item at rank r gives each tool of its app 1 / r."""
    heard: dict[str, float] = {}
    for rank, item in enumerate(items, 1):
        heard[item.ref.app] = heard.get(item.ref.app, 0.0) + 1 / rank
    return np.array([heard.get(tool.app, 0.0) for tool in tools], np.float32)
