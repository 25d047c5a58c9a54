"""What a person tells of themselves (`data/facts/told-*.jsonl`) as samples that a language model learns from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from camphor.agents.memory.hearing import hearing_prompt, written
from camphor.agents.prompts import END
from camphor.errors import DatasetError, UsageError
from camphor.types import Segment
from camphor_lab.datasets.files import read_lines

LINES = "told-*.jsonl"


def told_samples(folder: Path) -> Iterator[dict[str, Any]]:
    """A sample for each line: {"id", "segments"}, as `camphor_lab.training.data` reads them.

    Raises:
        UsageError: there are no such files. DatasetError: a line breaks the format.
    """
    paths = sorted(folder.glob(LINES))
    if not paths:
        raise UsageError(f"{folder}: there is no {LINES}")
    for path in paths:
        for number, line in read_lines(path):
            try:
                facts = [(fact["effect"], fact["relation"], fact["clause"]) for fact in line["facts"]]
                prompt = (*hearing_prompt(line["text"]), Segment(written(facts), True), Segment(END, True, True))
            except (KeyError, TypeError) as error:
                raise DatasetError(str(path), number, f"expected text and facts: {error!r}") from None
            yield {"id": f"{path.stem}-{number}", "segments": [_marked(segment) for segment in prompt]}


def _marked(segment: Segment) -> list[Any]:
    return [segment.text, segment.trained, segment.special]
