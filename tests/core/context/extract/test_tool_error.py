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


def test_the_message_of_an_object_is_told_rather_than_its_status() -> None:
    pushed = "2 files changed\nremote: error: GH013: Repository rule violations\n\nCommand exited with code 1"
    text = json.dumps({"status": "error", "tool": "exec", "error": pushed}, indent=2)
    assert read_tool_error(text) == pushed
    page = page_of(user("Back it up."), *did("exec", {"command": "./backup.py"}, text))
    assert page.errors == ("`./backup.py`: remote: error: GH013: Repository rule violations",)


def test_an_object_within_an_object_is_read_and_one_without_a_message_stays() -> None:
    assert read_tool_error('{"error": {"code": 7, "message": "no rows"}}') == "no rows"
    assert read_tool_error('{"error": "missing_key", "message": "needs a key"}') == "needs a key\nmissing_key"
    assert read_tool_error('{"status": "error"}') == '{"status": "error"}'
    assert read_tool_error('{"error": "a"}\nmake: *** [x] Error 1') == '{"error": "a"}\nmake: *** [x] Error 1'
    assert read_tool_error('{"status": "err') == '{"status": "err'
