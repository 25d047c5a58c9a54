"""Functions to make samples for, and a model that answers each prompt by its functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from camphor.tools.readers import from_schema
from camphor.tools.tool import Tool
from tests.doubles.instruct import FUNCTIONS, Writer


@pytest.fixture
def tools() -> tuple[Tool, ...]:
    return tuple(from_schema(schema) for schema in FUNCTIONS)


@pytest.fixture
def writer() -> Callable[..., Writer]:
    return Writer


@pytest.fixture
def said() -> Callable[[Iterable[tuple[str, list[Any]]]], str]:
    """What a model writes for queries and their answers."""
    return lambda samples: json.dumps([{"query": query, "answers": answers} for query, answers in samples])
