"""What queries and the apps of their items say of tools, learnt from a dataset of implicit queries.

A linear map from a query's embedding, alone and times the votes of its items' apps, to a score for each tool that the
dataset knows: "again" beside a song is play_song, beside a search search_web. The paper searches for tools with a
pre-trained encoder alone and leaves learning to rank them to others (Context Tuning, section 3.3). Running it is a
product with a small matrix.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from camphor.errors import ModelMissing
from camphor.models.facts import write_whole
from camphor.retrieval.context.items import Item
from camphor.retrieval.retrievers import Scores
from camphor.tools.tool import Tool

Floats = npt.NDArray[np.float32]

FORM = "camphor.tool-reader/1"
SHIPPED = Path(__file__).parent / "tool-reader.npz"


@dataclass(frozen=True)
class ToolReader:
    """A learnt map from queries, and the apps that their items lie in, to tools.

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

    def scores(self, query: Floats, tools: Sequence[Tool], items: Sequence[Item] = ()) -> Scores:
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


def app_votes(items: Sequence[Item], apps: Sequence[str]) -> Floats:
    """The share of the votes that each app has, (apps,): an item at rank r has 1 / r. All 0 where no app is known."""
    found = np.zeros(len(apps), np.float32)
    for rank, item in enumerate(items, 1):
        if item.ref.app in apps:
            found[apps.index(item.ref.app)] += 1 / rank
    total = found.sum()
    return found / total if total else found


@lru_cache(maxsize=4)
def read_tool_reader(path: Path = SHIPPED) -> ToolReader:
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
