"""Requests to small sets of functions that no phone has (`data/modules-train`), as samples of function calling.

Which functions stand in a prompt beside those of a request's own module is drawn anew with each seed: none, or those of
other modules, in any order, so that what must be read is what stands there and nothing is known by heart.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from camphor.agents.calling.prompts import CallForm
from camphor.tools.tool import Tool
from camphor_lab.datasets.modules import REQUESTS, Module, read_modules, without_clash
from camphor_lab.training.calling import call_line

OTHERS = (0, 0, 0, 1, 1, 2, 3)
"""How many other modules' functions are shown: drawn from these."""
FORM = CallForm.COMPACT


def module_lines(folder: Path, seed: int) -> Iterator[str]:
    """A line of a samples file (see `data`) for each request.

    Raises:
        As `read_modules`; DatasetError: an answer that cannot be written.
    """
    modules = read_modules(folder)
    for module in modules:
        chance = random.Random(f"{seed} {module.folder.name}")
        shown = _shown(module, modules, chance)
        for sample in module.samples:
            yield call_line(sample, shown, FORM, module.folder / REQUESTS)


def _shown(module: Module, modules: Sequence[Module], chance: random.Random) -> tuple[Tool, ...]:
    """The module's functions among those of others."""
    drawn = chance.sample(modules, min(chance.choice(OTHERS), len(modules)))
    groups = [module.tools, *(other.tools for other in without_clash(module, drawn))]
    chance.shuffle(groups)
    return tuple(tool for group in groups for tool in group)
