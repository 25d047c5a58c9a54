"""Other finders of items: a sentence encoder, and thoughts about a query that are put behind it.

The first is the semantic search of the Context Tuning paper, by cosine alone. An item's text begins with the app that
it is in: a person who means a song may say nothing about it but that it is to be played, and thoughts about a query
(expansion) name apps before all else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from camphor.device.usage_events import ItemRef
from camphor.models.base import LanguageModel, Request
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.items import DeviceItem
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.rankers import ContextRetriever, ScoredItem, best
from camphor.retrieval.retrievers import CONSTANT, Encoder
from camphor.types import Prompt, Segment

TUNED = Path(__file__).parent / "search-tuned.npz"
"""What fine-tuning changed in the table of word vectors (`camphor_lab.training.finetune_encoder`)."""
LONGEST = 600
"""Characters of an item that are embedded: a mean over more words says less of each."""


def text_of(item: DeviceItem) -> str:
    """An item in words: its app, then what it says."""
    return f"{item.ref.app}: {' '.join(item.text[:LONGEST].split())}"


class EmbeddedSearch:
    """The cosine between the embeddings of the query and of each item with its app; each text is embedded once.

    Args:
        encoder: what embeds.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, npt.NDArray[np.float16]] = {}

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """The `k` items that are nearest in meaning, best first."""
        rows = index.rows()
        if not len(rows):
            return ()
        texts = [text_of(item) for row in rows if (item := index.item(index.ref(int(row))))]
        matrix = self._embed(texts)
        return best(query, index, rows, matrix @ self._encoder.encode([query])[0], k)

    def _embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._encoder.encode(new).astype(np.float16), strict=True))
        return np.stack([self._vectors[text] for text in texts]).astype(np.float32)


class Fused:
    """Several retrievers joined by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).

    Args:
        parts: an item counts 1 / (60 + rank) for each that has it among its first.
        depth: how many items of each part are heard, at least as many as are asked for.
    """

    def __init__(self, *parts: ContextRetriever, depth: int = 50) -> None:
        self._parts, self._depth = parts, depth

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """At most `k` items, best first. Raises: as the parts."""
        total: dict[ItemRef, float] = {}
        for part in self._parts:
            for rank, hit in enumerate(part.search(query, situation, index, max(k, self._depth)), 1):
                total[hit.ref] = total.get(hit.ref, 0.0) + 1 / (CONSTANT + rank)
        rows = [(row, score) for ref, score in total.items() if (row := index.row_of(ref)) is not None]
        places, scores = (np.array(each) for each in zip(*rows, strict=True)) if rows else (np.zeros(0), np.zeros(0))
        return best(query, index, places.astype(np.intp), scores, k)


class Unasked:
    """A retriever that is not told the query: what time, place and habit alone say. Args: retriever: the one."""

    def __init__(self, retriever: ContextRetriever) -> None:
        self._retriever = retriever

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """As the retriever does for an empty query."""
        return self._retriever.search("", situation, index, k)


class LatestOfApp:
    """The items of one app, that of the latest use or date first: what knowing the app alone is worth.

    Attributes:
        app: the right one, which the evaluation tells: no retriever that ships can know it.
    """

    app = ""

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """At most `k` items of the app, the latest first."""
        columns, signals = index.columns, index.signals()
        stores = [number for number, store in enumerate(index.stores) if store[0] == self.app]
        rows = index.rows()
        rows = rows[np.isin(columns.store[rows], stores)]
        begun, use = columns.begin[rows], index.uses(signals)[0][rows]
        latest = np.where(np.nan_to_num(begun, nan=np.inf) <= situation.seconds, begun, 0.0)
        used = np.flatnonzero(use >= 0)
        latest[used] = np.maximum(latest[used], signals.last[use[used]])
        return best(query, index, rows, latest, k)


# Thoughts about a query, put behind it before it is searched with (Context Tuning, section 3.2, "CoT augmentation").
#
# "I'm running late" shares no word with the meeting that it is about; "the calendar event that begins next, and who
# takes part" shares some. A language model writes such a thought once a query, without seeing anything of the device,
# and semantic search then reads query and thought as one text.

APPS: Mapping[str, str] = {
    "mail": "letters received and sent",
    "calendar": "events, lessons, meetings and appointments with their times, places and people",
    "google": "what was searched for on the web",
    "music": "songs, albums and artists that were played",
    "reminders": "things to do and when they are due",
    "notes": "notes and lists written down",
    "phone": "calls made, received and missed",
}
"""What there is to think of: the seven apps of the paper, and what each holds."""

MOST_TOKENS = 48
"""Of a thought: two short sentences. More would drown the query."""

_TASK = (
    "People often leave out what they mean. Think about what the request below needs to know, and say in one or two "
    "short sentences which app of the phone holds it and what such an entry would be about. Name the app first. Do "
    "not answer the request and do not invent names or times.\nThe apps:\n"
)
SHOWN = (
    ("How long would I need to get there?", "calendar: the next event and its location."),
    ("Put it on again", "music: the song that was played last, or is usually played at this time."),
    ("Have they answered me?", "mail: the newest message from somebody who was written to."),
    ("Anything I have forgotten?", "reminders: what is due today and not done."),
    ("Where did I write it down?", "notes: the note that was opened or changed last."),
    ("What was that page called?", "google: what was searched for lately."),
    ("Whose number was that?", "phone: the missed call and who made it."),
)
"""Examples that show the form, one for each app; none of the requests is in the datasets of this project."""


class Expander(Protocol):
    """Writes what a query leaves out, so far as it can be guessed."""

    def expand(self, query: str) -> str:
        """A thought of a sentence or two; empty where there is none.

        Raises:
            ModelError, ModelMissing: the language model cannot answer.
        """


def thinking_prompt(query: str, apps: Mapping[str, str] | None = None) -> Prompt:
    """The prompt whose completion is the thought, in ChatML.

    Args:
        apps: what there is to think of; None leaves task, apps and examples out, for a model that was trained to think.
    """
    turns = []
    if apps:
        turns.append(("system", _TASK + "\n".join(f"{app}: {held}" for app, held in apps.items())))
        turns += [turn for asked, thought in SHOWN for turn in (("user", asked), ("assistant", thought))]
    return in_chatml((*turns, ("user", query)))


def in_chatml(turns: Sequence[tuple[str, str]]) -> Prompt:
    """Turns, each a role and its text, in ChatML, up to where the assistant's next text begins."""
    segments: list[Segment] = []
    for role, text in turns:
        segments += [Segment(f"<|im_start|>{role}\n", special=True), Segment(text)]
        segments.append(Segment("<|im_end|>\n", special=True))
    return (*segments, Segment("<|im_start|>assistant\n", special=True))


@dataclass(frozen=True)
class ModelExpander:
    """Thoughts of a language model, the embedded one or any other.

    Args:
        model: completes the prompt. apps: as in `thinking_prompt`.
    """

    model: LanguageModel
    apps: Mapping[str, str] | None = field(default_factory=lambda: APPS)

    def expand(self, query: str) -> str:
        """The model's thought on one line, cut at its end of turn. Raises: ModelError, ModelMissing."""
        reply = self.model.complete(
            Request(thinking_prompt(query, self.apps), max_tokens=MOST_TOKENS, stop=("\n", "<|im_end|>"))
        )
        return " ".join(reply.text.split())


class KeptExpander:
    """An expander whose thoughts are kept, so that none is paid for twice.

    Args:
        expander: what thinks. path: a file that thoughts are appended to and read from at the start, a JSON line each;
            a line that was cut off by a crash is passed over. None for memory only.
    """

    def __init__(self, expander: Expander, path: Path | None = None) -> None:
        self._expander, self._path = expander, path
        self._thoughts: dict[str, str] = {}
        if path is not None and path.exists():
            self._thoughts = _read(path)

    def expand(self, query: str) -> str:
        """The kept thought, or a new one. Raises: as the expander; OSError, the file cannot be written."""
        if query not in self._thoughts:
            self._thoughts[query] = self._expander.expand(query)
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([query, self._thoughts[query]]) + "\n")
        return self._thoughts[query]


def _read(path: Path) -> dict[str, str]:
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            query, thought = json.loads(line)
        except ValueError:
            continue
        found[query] = thought
    return found


class NearestThoughts:
    """Thoughts about the queries that are most alike, by embeddings: no language model, but examples.

    Args:
        encoder: what embeds. examples: queries with their thoughts. count: how many thoughts are taken.
    """

    def __init__(self, encoder: Encoder, examples: Sequence[tuple[str, str]], count: int = 5) -> None:
        self._encoder, self._count = encoder, count
        self._thoughts = [thought for _, thought in examples]
        self._vectors = encoder.encode([query for query, _ in examples])

    def expand(self, query: str) -> str:
        """The thoughts of the nearest examples, each once, the nearest first; empty where there are no examples."""
        if not self._thoughts:
            return ""
        nearest = np.argsort(-(self._vectors @ self._encoder.encode([query])[0]), kind="stable")[: self._count]
        return "; ".join(dict.fromkeys(self._thoughts[at] for at in nearest))


@dataclass(frozen=True)
class Expanded:
    """A retriever that is given the query with a thought behind it.

    Args:
        retriever: what searches. expander: what thinks.
    """

    retriever: ContextRetriever
    expander: Expander

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """At most `k` items, best first. Raises: as the expander."""
        return self.retriever.search(f"{query} {self.expander.expand(query)}".strip(), situation, index, k)
