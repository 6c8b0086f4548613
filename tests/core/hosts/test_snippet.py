import json

from ctxkit.core.hosts.snippet import GENERIC_SNIPPET, make_server_snippet


def test_the_text_names_commands_of_ctxkit() -> None:
    assert "`ctxkit run -- COMMAND`" in GENERIC_SNIPPET
    assert "ctxkit cache get REF --lines A:B" in GENERIC_SNIPPET


def test_the_entry_of_a_server_is_json_behind_its_heading() -> None:
    value = json.loads(make_server_snippet('/opt/a "b"/ctxkit').partition(":\n\n")[2])
    assert value["mcpServers"]["ctxkit"] == {"command": '/opt/a "b"/ctxkit', "args": ["mcp"]}
