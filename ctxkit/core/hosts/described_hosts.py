"""Agent hosts that ctxkit has no setup for: what their users add by hand, from the documentation of each host.

All pages were read on 2026-11-29, some of them in a public copy, which may be older.
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.shell import join_words

INSTRUCTIONS = """\
- Run commands with long output as `ctxkit run -- COMMAND`. The exit status is that of COMMAND.
- If the output is a map, its last line has the command that reads a part: `ctxkit cache get REF --lines A:B`.
- `ctxkit run --focus 'WORDS' -- COMMAND` puts the lines about WORDS first, and `ctxkit cache get REF --focus 'WORDS'`
  finds them later.
- `CTXKIT_DISABLE=1 ctxkit run -- COMMAND` prints everything.
"""
"""What a model needs to know to gate the output of its commands itself."""
GENERIC_SNIPPET = f"""\
# For the instructions of the agent (AGENTS.md):

{INSTRUCTIONS}
# For the environment of the agent (set the model that it uses):

export CTXKIT_MODEL=qwen3-30b
"""
READ = "2026-11-29"
"""The day on which the sources were read."""


class DescribedHost(NamedTuple):
    """A host: its title, its files for instructions and for MCP servers, and the form of an entry in the latter.

    The form is "goose", "crush" or "kilo", or the key of a JSON object of servers. ``hooks`` says what its hooks cannot
    do, as far as its documentation says that.
    """

    title: str
    instructions: str
    servers: str
    form: str
    sources: Sequence[str]
    hooks: str = ""


HOSTS: Mapping[str, DescribedHost] = {
    "amp": DescribedHost(
        *("Amp", "AGENTS.md", "~/.config/amp/settings.json", "amp.mcpServers"),
        ("https://ampcode.com/manual",),
    ),
    "continue": DescribedHost(
        *("Continue", ".continue/rules/ctxkit.md", ".continue/mcpServers/servers.json", "mcpServers"),
        ("https://docs.continue.dev/customize/deep-dives/mcp", "https://docs.continue.dev/customize/deep-dives/rules"),
    ),
    "crush": DescribedHost(
        *("Crush", "AGENTS.md", "~/.config/crush/crushrc", "crush"),
        (
            "https://github.com/charmbracelet/crush/blob/main/docs/config/README.md",
            "https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md",
        ),
        "Its hooks can change a command before it runs, but not a result",
    ),
    "droid": DescribedHost(
        *("Factory Droid", "AGENTS.md", "~/.factory/mcp.json", "mcpServers"),
        ("https://docs.factory.ai/harness/agents-md", "https://docs.factory.ai/factory-cli/configuration/mcp"),
    ),
    "goose": DescribedHost(
        *("Goose", "AGENTS.md or .goosehints", "~/.config/goose/config.yaml", "goose"),
        (
            "https://github.com/aaif-goose/goose/blob/main/documentation/docs/guides/config-files.md",
            "https://github.com/aaif-goose/goose/blob/main/documentation/docs/guides/context-engineering/"
            "using-goosehints.md",
        ),
    ),
    "kilo": DescribedHost(
        *("Kilo Code", "AGENTS.md", "~/.config/kilo/kilo.jsonc", "kilo"),
        ("https://kilo.ai/docs/automate/mcp/using-in-kilo-code", "https://kilo.ai/docs/customize/agents-md"),
    ),
    "kiro": DescribedHost(
        *("Kiro", ".kiro/steering/ctxkit.md", "~/.kiro/settings/mcp.json", "mcpServers"),
        ("https://kiro.dev/docs/mcp/configuration", "https://kiro.dev/docs/steering/"),
    ),
    "roo": DescribedHost(
        *("Roo Code", "AGENTS.md", ".roo/mcp.json", "mcpServers"),
        (
            "https://docs.roocode.com/features/mcp/using-mcp-in-roo",
            "https://docs.roocode.com/features/custom-instructions",
        ),
    ),
    "windsurf": DescribedHost(
        *("Windsurf", "AGENTS.md", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
        ("https://docs.windsurf.com/windsurf/cascade/mcp", "https://docs.windsurf.com/windsurf/cascade/hooks"),
        "Its hooks can block a command, but not change it",
    ),
    "zed": DescribedHost(
        *("Zed", "~/.config/zed/AGENTS.md", "~/.config/zed/settings.json", "context_servers"),
        ("https://zed.dev/docs/ai/mcp", "https://zed.dev/docs/ai/instructions"),
    ),
}
"""The hosts by their names."""


def describe_setup(host: DescribedHost, program: str, *, serves: bool) -> str:
    """Return what a user adds to the files of a host, and what is not possible there.

    ``program`` is the path of ctxkit. If it ``serves``, one more entry starts ctxkit's own server.
    """
    wrapped = make_entry(host.form, "NAME", (program, "mcp", "wrap", "--", "SERVER", "ARG"))
    own = make_entry(host.form, "ctxkit", (program, "mcp"))
    parts = [
        f"# For the instructions of {host.title} ({host.instructions}):\n\n{INSTRUCTIONS}",
        f"# In front of each MCP server in {host.servers}, here SERVER ARG with the name NAME\n"
        f"# (for a server with an address, --url URL in place of -- SERVER ARG):\n\n{wrapped}",
        *([f"# To read stored results, in the same file:\n\n{own}"] if serves else []),
        _describe_limits(host),
    ]
    return "\n".join(parts)


def make_entry(form: str, name: str, argv: Sequence[str]) -> str:
    """Return the entry of an MCP server with a command, in the form of a host."""
    command, *args = argv
    if form == "crush":
        words = [word for argument in args for word in ("--args", argument)]
        return f"{join_words(['mcp', 'add', name, '--command', command, *words])}\n"
    if form == "goose":
        members = {"type": "stdio", "name": name, "enabled": True, "cmd": command, "args": args, "timeout": 300}
        lines = [f"    {key}: {json.dumps(value)}\n" for key, value in members.items()]
        return "".join(["extensions:\n", f"  {name}:\n", *lines])
    server: dict[str, JsonValue] = {"command": command, "args": args}
    if form == "kilo":
        server = {"type": "local", "command": [command, *args], "enabled": True}
    return f"{json.dumps({'mcp' if form == 'kilo' else form: {name: server}}, indent=2)}\n"


def _describe_limits(host: DescribedHost) -> str:
    """Return what is not possible, and the sources, as comments."""
    title = host.title
    lines = [
        f"ctxkit has no setup for the shell of {title}: its output is gated if the model follows the instructions.",
        *([f"{host.hooks}."] if host.hooks else []),
        f"This text follows the documentation, read {READ}; it was not tried in {title}.",
        *host.sources,
    ]
    return "".join(f"# {line}\n" for line in lines)


def make_server_snippet(program: str) -> str:
    """Return the entry for the MCP servers of an agent that reads the usual form."""
    servers = {"mcpServers": {"ctxkit": {"command": program, "args": ["mcp"]}}}
    return f"\n# For the MCP servers of the agent:\n\n{json.dumps(servers, indent=2)}\n"
