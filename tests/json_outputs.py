"""Output of --json against its schema, which must name each member: one that is not in the schema is an error."""

import json
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tools.json_shapes.table import SHAPES, JsonShape
from tools.schemas import make_schema

SHAPE_OF_WORDS = {
    "brief-directory": ["."],
    "events-totals": ["--by"],
    "init-list": ["--list"],
}
"""The words that select a shape, if they are not those of its options."""

RECORDS = b'{"text": "few words"}\n{"other": 1}\n'
EACH = ("--each", "--field", "text", "--json")
RECEIPTS = b"".join(b'{"text": "%b", "tokens": %d, "model": "gemini-2.5-pro"}\n' % (b"word " * n, n) for n in range(40, 50))
CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "Fix it."},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "x = 1\n" * 200},
    *[{"role": "assistant", "content": "ok"}, {"role": "user", "content": "on"}] * 3,
]
MODES: dict[str, tuple[tuple[str, ...], bytes]] = {
    "brief-each": (("brief", *EACH), RECORDS),
    "count-calibrate": (("count", "--json", "--calibrate", "-"), RECEIPTS),
    "count-each": (("count", *EACH), RECORDS),
    "edit-list-suggest": (("edit", "list", "--suggest", "--json"), json.dumps(CHAT).encode()),
    "events": (("events", "log", "--json"), b""),
    "gate-each": (("gate", "--window", "9000", *EACH), RECORDS),
}
"""A command line and its input for each shape that tests/test_json_members.py does not call."""


def find_shape(words: list[str]) -> JsonShape:
    """Return the shape of the output of a command: the one with the most options among the words."""
    of_command = [shape for shape in SHAPES if words[: len(shape.command.split())] == shape.command.split()]
    selected = [shape for shape in of_command if set(list_words(shape)) <= set(words)]
    return max(selected, key=lambda shape: len(list_words(shape)))


def list_words(shape: JsonShape) -> list[str]:
    """Return the words of a command line that select a shape of the command."""
    return SHAPE_OF_WORDS.get(shape.name, shape.options.split())


def check_output(shape: JsonShape, text: str) -> None:
    """Raise jsonschema's ValidationError if the output of a command does not have its shape."""
    validator = Draft202012Validator(forbid_others(make_schema(shape)))
    for value in read_values(shape, text):
        validator.validate(value)


def read_values(shape: JsonShape, text: str) -> list[Any]:
    """Return the value of the output, or that of each line; stderr has other lines too."""
    if shape.stream == "stderr":
        text = "".join(line for line in text.splitlines() if line.startswith("{"))
    return [json.loads(line) for line in text.splitlines()] if shape.layout == "lines" else [json.loads(text)]


def forbid_others(schema: Any) -> Any:
    """Return a schema in which no object has members beside those that it names, unless they are free."""
    if isinstance(schema, list):
        return [forbid_others(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: forbid_others(value) for name, value in schema.items()}
    is_event = schema.get("$id") == "urn:ctxkit:schema:events"  # its members depend on the event
    return closed | ({"additionalProperties": False} if isinstance(schema.get("required"), list) and not is_event else {})
