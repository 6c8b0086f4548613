"""The error of an MCP tool tells its reason."""

import json

from ctxkit.core.context.extract.tool_error import read_tool_error
from tests.core.context.extract.test_task import page_of
from tests.core.context.talk import did, user

CALL = 'MCP tool \'create\' reported tool error for function call: {"name":"create","args":{"private":false}} with response: '
REASON = "failed to create: 422 [{Field:name Message:name already exists on this account}]"
RESPONSE = [{"functionResponse": {"name": "create", "response": {"content": [{"type": "text", "text": REASON}], "isError": True}}}]


def test_the_reason_stands_in_the_bullet() -> None:
    page = page_of(user("Create the repository."), *did("create", {"private": False}, CALL + json.dumps(RESPONSE)))
    assert page.errors == (f"`create`: {REASON}",)


def test_a_response_that_is_no_json_stays_whole() -> None:
    assert read_tool_error(f"{CALL}out of memory") == "out of memory"
    assert read_tool_error(f"{CALL}[]") == f"{CALL}[]"
    assert read_tool_error("Error: no rows with response: x") == "Error: no rows with response: x"


def test_deep_responses_are_read_in_bounded_depth() -> None:
    deep = f"{'[' * 400}{'{'}\"text\": \"x\"{'}'}{']' * 400}"
    assert read_tool_error(f"{CALL}{deep}") == f"{CALL}{deep}"
