"""What an evaluation of context retrieval runs on: implicit queries, and the device of each as it was when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from camphor.errors import DatasetError, UsageError
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.query import Situation
from camphor.retrieval.context.relevance import index_of_document
from camphor.tools.tool import Toolbox
from camphor_lab.datasets.context.samples import ContextSample, device_of, read_context_samples
from camphor_lab.datasets.context.toolbox import read_toolbox
from camphor_lab.evaluation.dataset import check_limit, evenly, fingerprint

TEST, TOOLBOX = "test.jsonl", "toolbox.json"


@dataclass(frozen=True)
class Asked:
    """A query where and when it is asked."""

    sample: ContextSample
    situation: Situation
    index: ContextIndex


class ContextDataset:
    """Implicit queries that can be scored.

    Args:
        path: a folder that `camphor lab data context` made, of which the test split is read, or a file of samples.
        limit: how many queries to take; drawn evenly from the whole, which is in order of persons. None for all.

    Raises:
        DatasetError: a line breaks the format, repeats an id or has no gold items. UsageError: there are no queries.
    """

    def __init__(self, path: Path, limit: int | None = None) -> None:
        check_limit(limit)
        self.path = path / TEST if path.is_dir() else path
        self.folder = self.path.parent
        samples = list(read_context_samples(self.path))
        if not samples:
            raise UsageError(f"{self.path} holds no queries: make some with  camphor lab data context")
        self._check(samples)
        self.samples: Sequence[ContextSample] = evenly(samples, limit)

    def _check(self, samples: Sequence[ContextSample]) -> None:
        seen: set[str] = set()
        for number, sample in enumerate(samples, 1):
            if sample.id in seen:
                raise DatasetError(str(self.path), number, f"the id {sample.id!r} is used before: make it unique")
            if not sample.context:
                raise DatasetError(str(self.path), number, "no gold items: without them it cannot be scored")
            seen.add(sample.id)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the samples and the devices that they name."""
        names = sorted({sample.device for sample in read_context_samples(self.path)})
        return fingerprint([self.path, *(self.folder / name for name in names)])

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools of the dataset. Raises: DatasetError, the file beside the samples cannot be read."""
        return read_toolbox(self.folder / TOOLBOX)

    def asked(self, sample: ContextSample) -> Asked:
        """The query in its situation. Raises: DatasetError, DeviceFileError: the device cannot be read."""
        document = device_of(sample, self.folder)
        activity = tuple(document.get("activity") or ())
        situation = Situation(sample.now, sample.place, sample.screen, activity)
        return Asked(sample, situation, index_of_document(document))
