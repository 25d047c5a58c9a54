"""The interface against its own OpenAPI document: made-up requests that keep to it, and others that do not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from tests.doubles.web import DEMO, KEY, TEXT, begin, client_on, services_on, wait_for

EXAMPLES = 5
"""Requests to each operation of either sort."""
ANSWERS = {
    "positive_data_acceptance": ["2xx", "404", "409", "415", "422"],  # words and files mean what no schema can say
    "negative_data_rejection": ["400", "404", "409", "413", "415", "422"],
}
"""What may be answered to requests that keep to the document, and to others."""
NOT_ASKED = ("/stream$", "^/api/phones/{phone}$")
"""Streams do not end, and a phone that is deleted is there for no other request."""
TAGS = ("session", "chat", "device", "memory", "health", "alerts", "results", "compare", "teach")


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    services = services_on(tmp_path_factory.mktemp("home"), TEXT)
    client = client_on(services)
    assert client.post("/api/health/demo").is_success
    talk = begin(client)
    client.post(f"{talk}/queries", json={"query": "text Alice that I am late"})
    wait_for(client, talk, "consent")
    known = {"phones": [DEMO, "nadia-bristol"], "talks": [talk.rsplit("/", 1)[1]], "numbers": [1, 2, 3, 5]}
    where = {"phone": "phones", "talk": "talks", "number": "numbers", "item": "numbers", "entry": "numbers"}
    config = schemathesis.Config.from_dict(
        {
            "checks": {name: {"expected-statuses": statuses} for name, statuses in ANSWERS.items()},
            "headers": {"X-Camphor-Key": KEY},
            "dictionaries": {name: {"values": values} for name, values in known.items()},
            "parameters": {f"path.{name}": {"dictionary": kind, "probability": 0.8} for name, kind in where.items()},
        }
    )
    yield schemathesis.openapi.from_asgi("/api/openapi.json", client.app, config=config, headers={"X-Camphor-Key": KEY})
    services.close()


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("mode", schemathesis.GenerationMode)
@pytest.mark.parametrize("tag", TAGS)
def test_it_does_what_its_document_says(
    schema: schemathesis.BaseSchema, subtests: pytest.Subtests, tag: str, mode: schemathesis.GenerationMode
) -> None:
    for found in schema.include(tag=tag).exclude(path_regex="|".join(NOT_ASKED)).get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def asked(case: schemathesis.Case) -> None:
            case.call_and_validate()

        with subtests.test(operation.label), suppress(Unsatisfiable):  # of no parameters none can be wrong
            asked()


def test_every_operation_has_one_of_the_tags(schema: schemathesis.BaseSchema) -> None:
    paths = schema.raw_schema["paths"].values()
    assert {tag for path in paths for each in path.values() for tag in each["tags"]} == set(TAGS)
