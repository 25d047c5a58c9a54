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
    assert left == ["PUT /pets/{pet-id}: $ref '#/nowhere' leads nowhere"]


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


def operation(**parts: Any) -> dict[str, Any]:
    shared = {"Kind": {"enum": ["cat", "dog"]}, "Loop": {"allOf": [{"$ref": "#/components/schemas/Loop"}]}}
    paths = {"/a/{id}": {"put": {"operationId": "put", **parts}}}
    return {"openapi": "3.0.0", "paths": paths, "components": {"schemas": shared}}


ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}


def test_what_usual_documents_say_is_kept(tmp_path: Path) -> None:
    members = {
        "id": {"type": "string"},
        "kind": {"allOf": [{"$ref": "#/components/schemas/Kind"}], "description": "which"},
        "note": {"type": "string", "nullable": True},
        "size": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
    }
    schema = {"type": "object", "properties": members, "required": ["kind", "note"]}
    body = {"content": {"application/json": {"schema": schema}}}
    (tool,) = read(tmp_path, operation(parameters=[ID], requestBody=body))
    assert tool.parameters == (
        Parameter("id", "integer"),
        Parameter("body_id", required=False),
        Parameter("kind", description="which", enum=("cat", "dog")),
        Parameter("note", required=False),
        Parameter("size", "integer", required=False, minimum=1),
    )


def test_a_path_may_be_elsewhere(tmp_path: Path) -> None:
    document = operation(parameters=[ID])
    moved = {**document, "paths": {"/b": {"$ref": "#/held/~1a~1{id}"}}, "held": document["paths"]}
    assert [tool.name for tool in read(tmp_path, moved)] == ["put"]


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"parameters": [{"in": "query"}]}, "a parameter has no name"),
        ({"parameters": 3}, "expected parameters as a list"),
        ({"requestBody": {"content": 1}}, "expected content as an object"),
        (
            {"requestBody": {"content": {"a/json": {"schema": {"$ref": "#/components/schemas/Loop"}}}}},
            "nested without end",
        ),
    ],
)
def test_what_is_broken_is_told_in_a_sentence(tmp_path: Path, parts: dict[str, Any], told: str) -> None:
    with pytest.raises(DefinitionError, match=f"PUT /a/.*{told}"):
        read(tmp_path, operation(**parts))


def test_a_hostile_schema_takes_no_time(tmp_path: Path) -> None:
    wide: dict[str, Any] = {"W0": {"type": "string"}}
    for level in range(1, 8):
        lower = {"$ref": f"#/components/schemas/W{level - 1}"}
        wide[f"W{level}"] = {"anyOf": [lower] * 6, "allOf": [lower] * 6}
    many = {name: {"$ref": "#/components/schemas/Self"} for name in "abcdefghijklmnop"}
    document = operation(parameters=[ID, {"name": "x", "in": "query", "schema": {"$ref": "#/components/schemas/Self"}}])
    document["components"]["schemas"]["Self"] = {"type": "object", "properties": many}
    (tool,) = read(tmp_path, document)
    assert len(tool.full_definition()) < 100_000
    deep = operation(parameters=[{"name": "x", "in": "query", "schema": {"$ref": "#/components/schemas/W7"}}])
    deep["components"]["schemas"] |= wide
    with pytest.raises(DefinitionError, match="parts"):
        read(tmp_path, deep)


def test_yaml_becomes_json(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    path = tmp_path / "service.yaml"
    path.write_text(
        "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      operationId: a\n      parameters:\n"
        "      - {name: d, in: query, schema: {type: string, format: date, default: 2020-01-01}}\n",
        encoding="utf-8",
    )
    (tool,) = read_tools(path)
    assert tool.parameters[0].default == "2020-01-01"
    path.write_text("openapi: 3.0.0\npaths: &a\n  x: *a\n", encoding="utf-8")
    with pytest.raises(DefinitionError, match="is not YAML"):
        read_tools(path)
