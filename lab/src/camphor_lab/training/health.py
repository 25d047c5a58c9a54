"""Cases of the health assistant become training samples, through the renderer that runs (`agents.health.prompts`).

A case is one sample: the words of planner and caller in it are learnt at once, or those of one of them, for an adapter
each. The tools stand in another order in each sample (medical paper, section 6.2); the order follows from its id.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from camphor.agents.health.case import Case
from camphor.agents.health.prompts import BOTH, TurnPair, Writer, as_text, pairs, render
from camphor.device.apps import tools_of
from camphor.device.apps.clinic import Clinic
from camphor.tools.tool import Tool
from camphor_lab.datasets.files import read_lines
from camphor_lab.datasets.health.cases import case_of
from camphor_lab.training.calling import sample_line

TRAJECTORY = "interaction_trajectory"
HEALTH_FORMS = tuple(writer.value for writer in Writer)


def writers_of(form: str) -> frozenset[Writer]:
    """Whose words a form teaches: "planner", "caller", or both for any other."""
    return frozenset({Writer(form)}) if form in HEALTH_FORMS else BOTH


def shuffled_tools(case_id: str) -> tuple[Tool, ...]:
    """The clinic's tools in the order that the case of this id has them."""
    tools = list(tools_of(Clinic.name))
    random.Random(f"tools of {case_id}").shuffle(tools)
    return tuple(tools)


def read_cases(dataset: Path) -> Iterator[tuple[dict[str, Any], Case]]:
    """Records of a dataset with their cases.

    Raises:
        DatasetError: one breaks the format; names its line. UsageError: the dataset cannot be read.
    """
    for number, record in read_lines(dataset):
        yield record, case_of(dataset, number, record)


def health_lines(dataset: Path, learns: frozenset[Writer] = BOTH) -> Iterator[str]:
    """Every case of a dataset as a line of a samples file. Raises: as `read_cases`."""
    for record, case in read_cases(dataset):
        name = str(record.get("id", ""))
        yield sample_line(name, render(case, shuffled_tools(name), learns))


def dataset_pairs(dataset: Path) -> Iterator[tuple[str, TurnPair]]:
    """The id of its case and a pair, for every turn of an agent (section 6.4, interleaving)."""
    for record, case in read_cases(dataset):
        name = str(record.get("id", ""))
        for pair in pairs(case, shuffled_tools(name)):
            yield name, pair


def write_pairs(dataset: Path) -> dict[str, int]:
    """Each agent's pairs beside a dataset, {"id", "prompt", "answer"} a line; how many by file.

    Raises: as `read_cases`.
    """
    files = {writer: dataset.with_name(f"{dataset.stem}-{writer}.jsonl") for writer in Writer}
    counts = dict.fromkeys(Writer, 0)
    with ExitStack() as stack:
        streams = {writer: stack.enter_context(path.open("w", encoding="utf-8")) for writer, path in files.items()}
        for name, pair in dataset_pairs(dataset):
            line = {"id": name, "prompt": as_text(pair.prompt), "answer": pair.answer}
            streams[pair.writer].write(json.dumps(line, ensure_ascii=False) + "\n")
            counts[pair.writer] += 1
    return {str(files[writer]): count for writer, count in counts.items()}
