"""Every row of the table: what a user pastes is in the form that the host reads, and has its source."""

import json
import shlex
from typing import Any

import pytest
import yaml

from ctxkit.core.hosts.described_hosts import (
    GENERIC_SNIPPET,
    HOSTS,
    INSTRUCTIONS,
    READ,
    DescribedHost,
    describe_setup,
    make_entry,
    make_server_snippet,
)
from ctxkit.core.hosts.profiles import MODULES

ARGV = ("/opt/a b/ctxkit", "mcp", "wrap", "--", "npx", "a 'b' \"c\"")


def read_entry(form: str, text: str) -> tuple[str, list[str]]:
    """Return the name and the command of an entry, read as its host reads it."""
    if form == "crush":
        words = shlex.split(text)
        assert words[:2] == ["mcp", "add"]
        assert words[3] == "--command"
        assert set(words[5::2]) <= {"--args"}
        return words[2], [words[4], *words[6::2]]
    value: Any = yaml.safe_load(text) if form == "goose" else json.loads(text)
    ((key, servers),) = value.items()
    ((name, server),) = servers.items()
    assert key == {"goose": "extensions", "kilo": "mcp"}.get(form, form)
    if form == "goose":
        assert (server["type"], server["name"], server["enabled"]) == ("stdio", name, True)
        return name, [server["cmd"], *server["args"]]
    if form == "kilo":
        assert (server["type"], server["enabled"]) == ("local", True)
        return name, server["command"]
    return name, [server["command"], *server["args"]]


@pytest.mark.parametrize(("name", "host"), HOSTS.items())
def test_each_host_gets_what_it_reads(name: str, host: DescribedHost) -> None:
    assert name not in MODULES
    assert read_entry(host.form, make_entry(host.form, "files", ARGV)) == ("files", list(ARGV))
    text = describe_setup(host, "/opt/ctxkit", serves=False)
    instructions, entry, limits = text.split("# For ")[1], text.split(":\n\n")[2], text.rpartition("\n\n")[2]
    assert host.instructions in instructions
    assert INSTRUCTIONS in instructions
    assert host.servers in text
    entry = entry.partition("\n# ctxkit")[0]
    assert read_entry(host.form, entry) == ("NAME", ["/opt/ctxkit", "mcp", "wrap", "--", "SERVER", "ARG"])
    assert READ in limits
    assert host.hooks in limits
    assert host.sources
    assert all(source.startswith("https://") and source in limits for source in host.sources)
    assert all(len(line) <= 120 for line in text.splitlines() if "https://" not in line)
    served = describe_setup(host, "/opt/ctxkit", serves=True)
    own = served.split("# To read stored results, in the same file:\n\n")[1].partition("\n# ctxkit")[0]
    assert read_entry(host.form, own) == ("ctxkit", ["/opt/ctxkit", "mcp"])


def test_the_text_names_commands_of_ctxkit() -> None:
    assert "`ctxkit run -- COMMAND`" in GENERIC_SNIPPET
    assert "ctxkit cache get REF --lines A:B" in GENERIC_SNIPPET


def test_the_entry_of_a_server_is_json_behind_its_heading() -> None:
    value = json.loads(make_server_snippet('/opt/a "b"/ctxkit').partition(":\n\n")[2])
    assert value["mcpServers"]["ctxkit"] == {"command": '/opt/a "b"/ctxkit', "args": ["mcp"]}
