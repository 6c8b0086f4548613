"""The schemas of the package are valid, and say what the types and the pages say."""

import json
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

import ctxkit
from tools.json_shapes.table import SHAPES, JsonShape
from tools.schemas import make_schema, make_schemas, read_descriptions

FOLDER = Path(ctxkit.__file__).with_name("schema")


class Part(TypedDict):
    """A part."""

    size: float


class Whole(TypedDict):
    """A whole."""

    name: Literal["a", "b"] | None
    parts: list[Part]
    counts: NotRequired[dict[str, int]]
    free: object


class Unknown(TypedDict):
    """A type that JSON does not have."""

    x: bytes


def test_the_package_has_the_schemas_of_all_shapes() -> None:
    files = {path.name: path.read_text() for path in FOLDER.iterdir()}
    assert files == make_schemas()
    assert len(files) == len(SHAPES)
    for text in files.values():
        Draft202012Validator.check_schema(json.loads(text))


def test_a_schema_has_the_members_of_the_type() -> None:
    schema = make_schema(JsonShape("x", "cache gc", "", "array", (Whole,)))
    assert schema["type"] == "array"
    assert schema["items"] == {
        "type": "object",
        "description": "A whole.",
        "properties": {
            "name": {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
            "parts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "description": "A part.",
                    "properties": {"size": {"type": "number"}},
                    "required": ["size"],
                },
            },
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "free": {},
        },
        "required": ["name", "parts", "free"],
    }


def test_a_type_without_a_schema_is_an_error() -> None:
    with pytest.raises(TypeError, match="no schema for"):
        make_schema(JsonShape("x", "cache gc", "", "object", (Unknown,)))


def test_descriptions_are_those_of_the_page() -> None:
    described = read_descriptions("gate")
    assert described["session"] == "The name of the session, if there is one."
    assert described["reason"] == described["hint"] == "For a refusal: why nothing enters, and how to solve it."
    assert described.keys() <= read_descriptions("run").keys()


def test_the_name_of_a_member_in_a_schema_is_described_unless_the_page_names_it_in_prose() -> None:
    members = json.loads((FOLDER / "turn.json").read_text())["properties"]
    assert [name for name, member in members.items() if not member.get("description")] == []
