"""What a planner is given of a query, in the five settings of the paper (Context Tuning, section 4.3 and Table 3).

| setting | tools | items | the paper's row |
|---|---|---|---|
| none | none are shown; all can be called | none | Lower Bound: no retrieval, "direct plan generation" |
| tools | the first k for the query's words | none | RAG-based Planner |
| context | the first k for the query and the items | the first k that a ranker finds | Context-tuned RAG Planner |
| oracle-tools | those that fit | none | Upper Bound |
| oracle-both | those that fit | the gold ones | Context-tuned Upper Bound |

For its lower bound the paper says no more than that retrieval is left out. A prompt with all 59 tools would be the
retrieval of everything; here the prompt has none, so that the planner must know from its training what can be called.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from camphor.device.usage_events import ItemRef
from camphor.errors import DatasetError, UsageError
from camphor.retrieval.context.items import DeviceItem, item_of
from camphor.retrieval.context.rankers import ContextRetriever, LambdaMartRrf
from camphor.retrieval.context.relevance import index_of_document, lists_of, situation_of_document
from camphor.retrieval.retrievers import retriever_named
from camphor.tools.tool import Tool, Toolbox
from camphor_lab.context.tools import MOST_ITEMS, ItemWeight, ToolFinder, read_tool_reader
from camphor_lab.datasets.context.samples import ContextSample, device_of
from camphor_lab.datasets.context.toolbox import read_toolbox

Document = Mapping[str, Any]
Rank = Callable[[ContextSample, Document], Sequence[ItemRef]]
"""The items of a device as it was at a query, the most relevant first."""


TOOLBOX = "toolbox.json"
RETRIEVER = "light"
"""What finds tools for a text unless told otherwise: words and word vectors, which come with camphor."""


class PlannerInput(StrEnum):
    """What a planner is given."""

    NONE = "none"
    TOOLS = "tools"
    CONTEXT = "context"
    ORACLE_TOOLS = "oracle-tools"
    ORACLE_BOTH = "oracle-both"


@dataclass(frozen=True)
class Given:
    """What a planner is given of one query.

    Args:
        tools: those that it is shown, the best first; None for none, and all can be called.
        refs: the items, the most relevant first. records: app and record of each of them.
    """

    tools: tuple[Tool, ...] | None
    refs: tuple[ItemRef, ...] = ()
    records: tuple[tuple[str, Mapping[str, Any]], ...] = ()


class Giver:
    """Finds what a planner is given.

    Args:
        folder: of the samples. toolbox: all tools. rank: the context retriever of the setting `context`.
        alone: finds tools for the query alone. together: with the items.
        tools, items: how many of each are given where they are found.

    Raises:
        UsageError: not at least one tool, or fewer than no items.
    """

    def __init__(
        self,
        folder: Path,
        toolbox: Toolbox,
        rank: Rank,
        alone: ToolFinder,
        together: ToolFinder,
        *,
        tools: int = 5,
        items: int = 5,
    ) -> None:
        if tools < 1 or items < 0:
            raise UsageError(f"{tools} tools and {items} items: expected 1 tool or more, and 0 items or more")
        self.folder, self.toolbox = folder, toolbox
        self.rank, self.alone, self.together = rank, alone, together
        self.most_tools, self.most_items = tools, items

    def of(self, sample: ContextSample, setting: PlannerInput) -> Given:
        """What the planner is given of a sample.

        Raises:
            DatasetError: the sample names a tool or an item that there is not.
        """
        if setting is PlannerInput.NONE:
            return Given(None)
        everything = tuple(self.toolbox)
        if setting is PlannerInput.TOOLS:
            return Given(self.alone.find(sample.query, everything, k=self.most_tools))
        if setting is PlannerInput.ORACLE_TOOLS:
            return Given(self._gold_tools(sample))
        document = device_of(sample, self.folder)
        if setting is PlannerInput.ORACLE_BOTH:
            return self._with(document, self._gold_tools(sample), sample.context, sample)
        refs = tuple(self.rank(sample, document))[: self.most_items]
        tools = self.together.find(sample.query, everything, items_given(sample, document, refs), self.most_tools)
        return self._with(document, tools, refs, sample)

    def _with(
        self, document: Document, tools: tuple[Tool, ...], refs: Sequence[ItemRef], sample: ContextSample
    ) -> Given:
        return Given(tools, tuple(refs), tuple((ref.app, record_of(document, ref, sample)) for ref in refs))

    def _gold_tools(self, sample: ContextSample) -> tuple[Tool, ...]:
        """In an order that follows from the sample's id alone: the dataset has the right one first."""
        missing = next((name for name in sample.tools if name not in self.toolbox), None)
        if missing is not None:
            raise DatasetError(str(self.folder), None, f"sample {sample.id}: there is no tool {missing[:80]!r}")
        tools = [self.toolbox.get(name) for name in sample.tools]
        random.Random(f"tools of {sample.id}").shuffle(tools)
        return tuple(tools)


def ranked_by(retriever: ContextRetriever, k: int = MOST_ITEMS) -> Rank:
    """The `k` items that a context retriever finds on the device at the moment of a query."""

    def rank(sample: ContextSample, document: Document) -> tuple[ItemRef, ...]:
        index = index_of_document(document)
        return tuple(hit.ref for hit in retriever.search(sample.query, situation_of_document(document), index, k))

    return rank


def usual_giver(
    folder: Path, rank: Rank | None = None, retriever: str = RETRIEVER, tools: int = 5, *, learnt: bool = True
) -> Giver:
    """What the running assistant would find: items by the ranker that ships, tools by votes of these items.

    Args:
        rank: another context retriever. retriever: what finds tools for a text. tools: how many.
        learnt: whether the reader that ships helps to find tools, for the query alone too, so that settings differ in
            nothing but the items.

    Raises:
        ModelMissing: no ranker, or no reader, ships with this installation. DatasetError: the folder's toolbox cannot
            be read.
    """
    found, reader = retriever_named(retriever), read_tool_reader() if learnt else None
    return Giver(
        folder,
        read_toolbox(folder / TOOLBOX),
        rank or ranked_by(LambdaMartRrf()),
        ToolFinder(found, ItemWeight.NONE, reader=reader),
        ToolFinder(found, ItemWeight.VOTES, reader=reader),
        tools=tools,
    )


def items_given(sample: ContextSample, document: Document, refs: Sequence[ItemRef]) -> tuple[DeviceItem, ...]:
    """The items of these references as retrievers read them. Raises: DatasetError, as `record_of`."""
    return tuple(item_of(ref, record_of(document, ref, sample)) for ref in refs)


def record_of(document: Document, ref: ItemRef, sample: ContextSample) -> Mapping[str, Any]:
    """The record of an item.

    Raises:
        DatasetError: there is none; names the sample.
    """
    records = next((held for app, name, held in lists_of(document) if (app, name) == ref[:2]), [])
    if ref.ordinal >= len(records):
        raise DatasetError(sample.device, None, f"sample {sample.id}: there is no item {ref}")
    return records[ref.ordinal]
