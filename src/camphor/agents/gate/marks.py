"""Evidence in the gate's words."""

from __future__ import annotations

from typing import Any

from camphor.agents.evidence import Evidence, Origin
from camphor.agents.gate.words import gate_words
from camphor.tools.tool import Parameter


def evidence(parameter: Parameter, value: Any, origin: Origin, source: str, **told: object) -> Evidence:
    """Evidence of a value.

    Args:
        source, told: which sentence of `gate.toml` says where it is from, and what stands in its slots.
    """
    words = gate_words()
    doubt = ""
    if origin is Origin.NOBODY:
        doubt = words.tell("marked", "value", name=parameter.name.replace("_", " "), value=value)
    return Evidence(parameter.name, str(value), origin, words.tell("source", source, **told), doubt)


def doubted(parameter: Parameter, value: Any, doubt: str) -> Evidence:
    """A value that is nobody's, with what only the person can tell of it."""
    return Evidence(parameter.name, str(value), Origin.NOBODY, gate_words().tell("source", "nobody"), doubt)


def in_place_of(parameter: Parameter, value: Any, said: str) -> Evidence:
    """A value that stands where the person said something else."""
    return doubted(parameter, value, gate_words().tell("marked", "other_name", name=value, said=said))
