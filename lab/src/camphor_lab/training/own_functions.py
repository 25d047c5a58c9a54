"""From a file of functions and a file of examples to samples and settings of a training run, in a folder."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from camphor.agents.calling.prompts import CallForm
from camphor.agents.calling.shown import shown
from camphor.tools.listing import read_tools
from camphor.tools.tool import Tool, Toolbox
from camphor.trajectories.call_samples import CallSample, FunctionChooser
from camphor_lab.datasets.calling.examples import read_examples, varied
from camphor_lab.training.calling import call_line

SETTINGS, SAMPLES = "train.toml", "samples.jsonl"
_TEMPLATE = Path(__file__).with_name("own_functions.toml")
_MADE = 900
_DECLINED = 0.18  # of samples call nothing, where the examples have such
_MIXED = 0.5  # of samples show the functions in another order than the file has, so that places are not learnt


def prepare(tools: Path, examples: Path, out: Path, seed: int = 1) -> tuple[Path, bool]:
    """Write samples and settings of a run into its folder.

    Returns:
        The settings' file, and whether a run that was stopped there had the same samples, so that it can go on.

    Raises:
        DefinitionError: the functions cannot be read. DatasetError, UsageError: the examples are not right.
    """
    known = read_tools(tools)
    samples = _balanced(varied(read_examples(examples, known), known, _MADE, seed))
    lines = "".join(_lines(samples, known, examples, seed))
    file, settings = out / SAMPLES, out / SETTINGS
    same = file.is_file() and settings.is_file() and file.read_text(encoding="utf-8") == lines
    if not same:
        out.mkdir(parents=True, exist_ok=True)
        file.write_text(lines, encoding="utf-8")
        settings.write_text(_TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
    return settings, same


def _balanced(samples: Sequence[CallSample]) -> list[CallSample]:
    """With those that call nothing as often as they are asked for."""
    declined = [sample for sample in samples if not sample.answers]
    wanted = round((len(samples) - len(declined)) * _DECLINED / (1 - _DECLINED))
    again = range(max(0, wanted - len(declined)) if declined else 0)
    return [*samples, *(replace(declined[n % len(declined)], id=f"declined-{n}") for n in again)]


def _lines(samples: Sequence[CallSample], tools: Sequence[Tool], path: Path, seed: int) -> Iterator[str]:
    chosen = shown(Toolbox(tools))
    chooser = FunctionChooser(tools, 1.0)
    for sample in samples:
        chance = random.Random(f"{seed} {sample.id}")
        if callable(chosen):
            functions = list(chooser.of(sample, path))
        else:
            functions = list(chosen)
            if chance.random() < _MIXED:
                chance.shuffle(functions)
        yield call_line(sample, functions, CallForm.COMPACT, path)
