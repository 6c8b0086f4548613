"""Qwen Code: an MCP server. Its hooks (0.24.4) cannot change a command or replace a result, so nothing is gated."""

from collections.abc import Mapping

from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    SERVER_TOOLS,
    WRAPPED,
    Answer,
    HookEvent,
    Host,
    HostTool,
    Programs,
    SettingsPlace,
)
from ctxkit.core.hosts.mcp_server import PROGRAM, make_json_settings, make_mcp_script
from ctxkit.core.text.json_value import JsonValue

MCP = make_json_settings(
    {
        "user": SettingsPlace(".qwen/settings.json", default="."),
        "project": SettingsPlace(".qwen/settings.json"),
    }
)


def make_scripts(directory: str, programs: Programs) -> dict[str, str]:
    """Return the script by its path."""
    return {f"{directory}/{PROGRAM}": make_mcp_script("qwen", programs.ctxkit)}


def install(text: str, directory: str) -> str:
    """Return the text of settings with the server; raise ValueError if it is not JSON or of another shape."""
    return MCP.install(text, f"{directory}/{PROGRAM}")


def remove(text: str, directory: str) -> str:
    """Return the text of settings without the server."""
    return MCP.remove(text, f"{directory}/{PROGRAM}")


def is_installed(text: str, directory: str) -> bool:
    """Return whether the settings have the server."""
    return remove(text, directory) != text


def read_event(_value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return None: no event has an answer."""
    return None


def make_rewrite(_tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return no answer."""
    return {}


HOST = Host(
    name="qwen",
    title="Qwen Code",
    program="qwen",
    settings=MCP.places,
    make_scripts=make_scripts,
    install=install,
    remove=remove,
    is_installed=is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    without_scripts="Qwen Code starts without the server of ctxkit",
    mcp=MCP,
    instructions="QWEN.md",
    tools=(
        HostTool("run_shell_command", note="its hooks cannot change a command", seen="0.24.4"),
        HostTool(SERVER_TOOLS, WRAPPED, seen="0.24.4"),
        HostTool(OTHER_TOOLS, note="its hooks cannot replace a result", seen="0.24.4"),
    ),
)
