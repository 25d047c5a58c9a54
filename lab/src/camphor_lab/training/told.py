"""What a person tells of themselves (`data/facts/told-*.jsonl`) as samples that a language model learns from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from camphor.agents.memory.hearing import hearing_prompt, written
from camphor.agents.prompts import END
from camphor.errors import DatasetError, UsageError
from camphor.types import Segment
from camphor_lab.datasets.files import read_lines
from camphor_lab.training.calling import sample_line

LINES = "told-*.jsonl"


def told_lines(folder: Path) -> Iterator[str]:
    """A line of a samples file (see `data`) for each of what people told.

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
            yield sample_line(f"{path.stem}-{number}", prompt)
