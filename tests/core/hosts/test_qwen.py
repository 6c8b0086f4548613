import json

from ctxkit.core.hosts.qwen import HOST


def test_only_a_server_is_added() -> None:
    assert json.loads(HOST.install("", "/d")) == {"mcpServers": {"ctxkit": {"command": "/d/mcp"}}}
    assert HOST.instructions == "QWEN.md"


def test_no_event_has_an_answer() -> None:
    assert HOST.read_event({"hook_event_name": "PreToolUse", "tool_input": {"command": "ls"}}) is None
    assert HOST.make_rewrite({"command": "ls"}) == {}
