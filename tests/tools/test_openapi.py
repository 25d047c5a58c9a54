"""Operations of OpenAPI documents as tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DefinitionError
from camphor.tools.listing import read_tools
from camphor.tools.tool import Kind, Parameter, Role

PET = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string"},
        "born": {"type": "string", "format": "date"},
        "kind": {"$ref": "#/components/schemas/Kind"},
    },
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            "parameters": [{"$ref": "#/components/parameters/Limit"}],
            "get": {"operationId": "listPets", "summary": "List pets."},
            "post": {
                "operationId": "addPet",
                "description": "Add a pet.",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewPet"}}},
                },
            },
        },
        "/pets/{pet-id}": {
            "delete": {
                "parameters": [
                    {"name": "pet-id", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {"name": "X-Trace", "in": "header", "required": True, "schema": {"type": "string"}},
                ]
            },
            "put": {"operationId": "broken", "parameters": [{"$ref": "#/nowhere"}]},
        },
    },
    "components": {
        "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 50}}},
        "schemas": {
            "Kind": {"enum": ["cat", "dog"]},
            "Pet": PET,
            "NewPet": {"allOf": [{"$ref": "#/components/schemas/Pet"}], "properties": {"note": {"type": "string"}}},
        },
    },
}
SWAGGER: dict[str, Any] = {
    "swagger": "2.0",
    "paths": {
        "/beds": {
            "post": {
                "operationId": "add",
                "parameters": [
                    {"name": "wait", "in": "query", "type": "boolean", "required": True},
                    {"name": "bed", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Bed"}},
                ],
            }
        }
    },
    "definitions": {
        "Bed": {"type": "object", "properties": {"plants": {"type": "array", "items": {"type": "string"}}}}
    },
}


def read(tmp_path: Path, document: Any, left_out: list[str] | None = None) -> Any:
    path = tmp_path / "service.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return read_tools(path, left_out=left_out)


def test_parameters_and_members_of_the_body_are_parameters(tmp_path: Path) -> None:
    left: list[str] = []
    listed, added, deleted = read(tmp_path, DOCUMENT, left)
    assert (listed.name, listed.description, listed.kind) == ("listPets", "List pets.", Kind.CONTEXT)
    assert listed.parameters == (Parameter("limit", "integer", required=False, maximum=50),)
    assert (added.name, added.kind) == ("addPet", Kind.ACTION)
    assert added.parameters[1:] == (
        Parameter("name"),
        Parameter("born", required=False, role=Role.DATE),
        Parameter("kind", required=False, enum=("cat", "dog")),
        Parameter("note", required=False),
    )
    assert (deleted.name, deleted.parameters) == ("delete_pets_pet-id", (Parameter("pet-id", "integer"),))
    assert left == ["PUT /pets/{pet-id}: $ref '#/nowhere' leads nowhere within the document"]


def test_a_document_of_the_older_form_is_read_too(tmp_path: Path) -> None:
    (add,) = read(tmp_path, SWAGGER)
    assert add.parameters == (
        Parameter("wait", "boolean"),
        Parameter("plants", "array", required=False, items="string"),
    )


def test_yaml_is_read(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    path = tmp_path / "service.yaml"
    path.write_text(yaml.safe_dump(SWAGGER), encoding="utf-8")
    assert [tool.name for tool in read_tools(path)] == ["add"]
    path.write_text("a: [", encoding="utf-8")
    with pytest.raises(DefinitionError, match="is not YAML"):
        read_tools(path)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({**DOCUMENT, "paths": []}, "expected paths as an object"),
        ({**DOCUMENT, "paths": {}}, "no operation can be read"),
        ({**DOCUMENT, "paths": {"/a": {"get": {"requestBody": {"$ref": "#/b"}}}}}, "GET /a: .*leads nowhere"),
    ],
)
def test_a_document_without_an_operation_is_refused(tmp_path: Path, document: Any, told: str) -> None:
    with pytest.raises(DefinitionError, match=told):
        read(tmp_path, document)
