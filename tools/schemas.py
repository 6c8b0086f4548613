"""Write the JSON Schemas of the shapes of --json: ``python -m tools.schemas ctxkit/schema``.

The types come from tools/json_shapes, and the descriptions from the man pages. With --check, write nothing, and exit
with 1 if a schema is stale.
"""

import json
import re
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from tools.json_shapes.table import SHAPES, JsonShape
from tools.pages.publish import publisher
from tools.pages.text import FOLDER

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SECTIONS = {"run": ("How it runs",), "compact": ("Report", "Redaction", "Check")}
"""Sections of a page that describe members, if they are not in one called JSON."""
_OTHER_PAGE = re.compile(r"(?:that|as)\s+ctxkit-([a-z-]+)\(1\)\s+(?:describes|does)")
_SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
_LAYOUTS = {
    "object": "one object on {stream}",
    "lines": "an object on each line of {stream}",
    "array": "an array of objects on {stream}",
}


def read_page(command: str) -> str:
    """Return the text of a command's page that describes members, with that of the page it refers to."""
    page = (FOLDER / f"ctxkit-{command.replace(' ', '-')}.md").read_text()
    sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n?)*)", page, re.MULTILINE))
    text = "\n".join(sections.get(name, "") for name in SECTIONS.get(command, ("JSON",)))
    other = None if command == "compact" else _OTHER_PAGE.search(text)
    return text + (read_page(other[1].replace("-", " ", 1)) if other else "")


def read_descriptions(command: str) -> dict[str, str]:
    """Return what the page of a command says of each member at the head of an item."""
    items = re.findall(r"^- ((?:`\w+`(?:, )?)+): ((?:.+\n)(?:  .*\n)*)", read_page(command), re.MULTILINE)
    texts = ((name, " ".join(text.split())) for head, text in reversed(items) for name in re.findall(r"\w+", head))
    return {name: re.sub(r"(?<=\s)`([^`]*)`|^`([^`]*)`", r"\1\2", text) for name, text in texts}


def make_schemas() -> dict[str, str]:
    """Return the text of each schema by the name of its file."""
    return {f"{shape.name}.json": json.dumps(make_schema(shape), indent=1) + "\n" for shape in SHAPES}


def make_schema(shape: JsonShape) -> dict[str, Any]:
    """Return the schema of a shape; that of lines describes each line."""
    options = f" {shape.options}" if shape.options else ""
    first, *others = map(_make_object, shape.types)
    first = _describe_members(first, read_descriptions(shape.command))
    item = {"oneOf": [first, *others]} if others else first
    printed = f"The command prints {_LAYOUTS[shape.layout].format(stream=shape.stream)}."
    head = {
        "$schema": DIALECT,
        "$id": f"urn:ctxkit:schema:{shape.name}",
        "title": f"ctxkit {shape.command} --json{options}",
        "description": printed,
    }
    return {**head, "type": "array", "items": item} if shape.layout == "array" else {**head, **item, **head}


def _describe_members(schema: dict[str, Any], descriptions: dict[str, str]) -> dict[str, Any]:
    members = {
        name: {**member, **({"description": descriptions[name]} if name in descriptions else {})}
        for name, member in schema["properties"].items()
    }
    return {**schema, "properties": members}


def _make_object(shape: type[Any]) -> dict[str, Any]:
    """Return the schema of a typed dictionary."""
    hints = get_type_hints(shape, include_extras=True)
    required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
    members = {name: _make_type(hint) for name, hint in hints.items()}
    text = (shape.__doc__ or "").strip()
    about = {} if text.startswith("dict(") else {"description": " ".join(text.split())}
    return {**about, "type": "object", "properties": members, "required": required}


def _make_type(hint: Any) -> dict[str, Any]:
    """Return the schema of a type; raise TypeError for one that no shape needs."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (NotRequired, Required):
        return _make_type(arguments[0])
    if is_typeddict(hint):
        return _make_object(hint)
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _make_type(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _make_type(arguments[1])}
    if origin in (Union, UnionType):
        return _make_union([_make_type(each) for each in arguments])
    if hint is object:
        return {}
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    raise TypeError(f"no schema for {hint!r}")


def _make_union(types: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of several types, as a list of their names if they have nothing else."""
    if all({*each} == {"type"} for each in types):
        return {"type": [each["type"] for each in types]}
    return {"anyOf": types}


command = publisher(make_schemas, "*.json")

if __name__ == "__main__":
    command()
