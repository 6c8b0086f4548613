"""No answer of a function call or of the MCP server shows an unseen or an obeyed character of a name, whatever is wrong."""

import json
import re
from collections.abc import Iterator

import pytest

from ctxkit.core.text.json_value import JsonValue
from tests.conftest import Run

NAME = "a\x1b[2Jb\u202ec\u200bd\U000e0041e\u00ad\x9bf"
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\U000e0000-\U000e0fff]")
ARGUMENTS: dict[str, list[JsonValue]] = {
    "read_file": [{"path": NAME}, {"path": NAME, "lines": NAME}, {NAME: 1}, {"path": {NAME: NAME}}],
    "read_result": [{"ref_id": NAME}, {"ref_id": NAME, "lines": NAME}, {"ref_id": "abcdef", "offset": NAME}],
    "search": [{"query": NAME}, {"pattern": NAME, "path": NAME}, {"query": "x", "ref_id": NAME}],
    "tool_search": [{"query": NAME}, {NAME: NAME}],
    "list_context": [{"range": NAME}, {NAME: 1}],
    "edit_context": [{"operation": NAME, "range": NAME}, {"operation": "remove", "range": NAME}],
    "compact_context": [{NAME: 1}, {"summarizer": NAME}],
    NAME: [{}, {NAME: NAME}],
}
CALLS = [(name, arguments) for name, many in ARGUMENTS.items() for arguments in many]


def list_strings(value: JsonValue) -> Iterator[str]:
    """Yield all texts and keys in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *list_strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from list_strings(inner)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_call_shows_names_escaped(run: Run, name: str, arguments: JsonValue) -> None:
    call = json.dumps({"name": name, "arguments": arguments}).encode()
    done = run("call", "--window", "4000", stdin=call)
    text = done.out.decode() + done.err
    assert text.strip()
    assert not BAD.search(text), text


def test_the_server_shows_names_escaped(run: Run) -> None:
    requests: list[dict[str, JsonValue]] = [
        {"method": "initialize", "params": {"protocolVersion": NAME, "clientInfo": {"name": NAME, "version": NAME}}},
        {"method": NAME, "params": {NAME: NAME}},
        {"method": "resources/read", "params": {"uri": NAME}},
        {"method": "prompts/get", "params": {"name": NAME}},
        {"method": "tools/list", "params": {"cursor": NAME}},
        {"method": "tools/call", "params": NAME},
        {"method": "tools/call", "params": {"name": NAME, "arguments": NAME}},
        *({"method": "tools/call", "params": {"name": name, "arguments": arguments}} for name, arguments in CALLS),
    ]
    rows = [json.dumps({"jsonrpc": "2.0", "id": number, **request}) for number, request in enumerate(requests)]
    done = run("mcp", stdin="\n".join([*rows, '{"\x1b[2J": ', ""]))
    assert not BAD.search(done.err), done.err
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert len(answers) >= len(requests)
    for answer in answers:
        for text in list_strings(answer):
            assert not BAD.search(text), answer
