"""Add ctxkit to the MCP servers that a host starts, remove it, and list all edits of settings that a setup makes."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from ctxkit.core.hosts.host import (
    INTRODUCTION,
    Answer,
    ConflictError,
    EventKind,
    HookEvent,
    Host,
    McpSettings,
    Programs,
    SettingsPlace,
    has_content,
    make_session_event,
    read_command,
    read_text,
    remove_empty,
)
from ctxkit.core.hosts.jsonc import parse_jsonc, remove_value, set_member
from ctxkit.core.hosts.wrap_script import HOOK
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.shell import quote

PROGRAM = "mcp"
"""Name of the script in the directory of a host."""
NAME = "ctxkit"
"""Name of the server in the settings of a host."""
SCRIPT = """\
#!/bin/sh
# Written by "ctxkit init {host} --mcp". Remove it with "ctxkit init {host} --remove".
exec {ctxkit} mcp --host {host}
"""
_HEADER = re.compile(rf"\s*\[\s*mcp_servers\s*\.\s*{NAME}\s*[.\]]")
"""The head of the server's table in TOML, or of one below it."""
_COMMAND = "{head}[mcp_servers.{name}]{end}command = {program}{end}"


def make_mcp_script(host: str, ctxkit: str) -> str:
    """Return the program that a host starts."""
    return SCRIPT.format(host=host, ctxkit=quote(ctxkit))


def make_json_settings(
    places: Mapping[str, SettingsPlace],
    *,
    key: str = "mcpServers",
    make_command: Callable[[str], JsonValue] = str,
    rest: Mapping[str, JsonValue] | None = None,
) -> McpSettings:
    """Return the settings of a host with an object of servers under a key; ``rest`` has the other members of one."""

    def install(text: str, program: str) -> str:
        """Return the text with the server."""
        command = make_command(program)
        if _check_command(_find_json_command(text, key), command):
            return text
        return set_member(text, (key, NAME), {"command": command, **(rest or {})})

    def remove(text: str, program: str) -> str:
        """Return the text without the server."""
        if _find_json_command(text, key) != make_command(program):
            return text
        return remove_empty(remove_value(text, (key, NAME)), [key])

    return McpSettings(places, install, remove)


def _find_json_command(text: str, key: str) -> JsonValue:
    """Return the command of the server, {} for a server without one, None without a server."""
    root = parse_jsonc(text) if has_content(text) else None
    node = root.find(key, NAME) if root else None
    if node is None:
        return None
    command = node.find("command")
    return command.make_value() if command else {}


def _check_command(command: JsonValue, expected: JsonValue) -> bool:
    """Return whether the server is there; raise ConflictError if it is another one."""
    if command in (None, expected):
        return command is not None
    hint = "rename the server to have ctxkit there"
    raise ConflictError(f"has another server with the name {NAME}: {json.dumps(command)[:200]}", hint=hint)


def install_in_toml(text: str, program: str) -> str:
    """Return the text of Codex's settings with the server."""
    if _check_command(_find_toml_command(text), program):
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else end if text.endswith(("\n", "\r")) else end * 2
    changed = text + _COMMAND.format(head=gap, name=NAME, end=end, program=json.dumps(program))
    _find_toml_command(changed)
    return changed


def remove_from_toml(text: str, program: str) -> str:
    """Return the text of Codex's settings without the server, and without what the user set for it."""
    if _find_toml_command(text) != program:
        return text
    changed, expected = _cut_tables(text), _parse_toml(text)
    del expected["mcp_servers"][NAME]
    expected["mcp_servers"] = expected["mcp_servers"] or None
    with suppress(ValueError):
        if {"mcp_servers": None, **_parse_toml(changed)} == expected:
            return changed
    raise ValueError(f"has the server {NAME} in another form than ctxkit writes: remove it by hand")


def _cut_tables(text: str) -> str:
    """Return the text without the tables of the server, and without the blank line in front of the last one."""
    kept: list[str] = []
    blanks: list[str] = []
    is_inside = False
    for line in text.splitlines(keepends=True):
        is_head = line.lstrip().startswith("[")
        if is_head:
            is_inside = bool(_HEADER.match(line))
        if is_inside:
            is_between = not is_head and line.lstrip()[:1] in ("", "#")  # it may belong to the next table
            if is_between:
                blanks.append(line)
            else:
                blanks.clear()
            continue
        kept += [*blanks, line]
        blanks = []
    if is_inside and not blanks and kept and not kept[-1].strip():
        kept.pop()
    return "".join(kept + blanks)


def _find_toml_command(text: str) -> JsonValue:
    """Return the command of the server, {} for a server without one, None without a server."""
    servers = _parse_toml(text).get("mcp_servers", {})
    if not isinstance(servers, dict):
        raise ValueError("has no table mcp_servers")
    server = servers.get(NAME)
    return server.get("command", {}) if isinstance(server, dict) else None if server is None else {}


def _parse_toml(text: str) -> dict[str, JsonValue]:
    import tomllib  # late: the hook, which edits no settings, loads this module too

    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"is not TOML: {error}") from None


class SettingsEdit(NamedTuple):
    """The edits of one settings file: its setup, and the removal of that. ``scripts`` are texts by path."""

    place: SettingsPlace
    install: Callable[[str], str]
    remove: Callable[[str], str | None]
    scripts: Mapping[str, str]


def list_edits(
    host: Host, scope: str, directory: str, programs: Programs, *, serves: bool = False
) -> list[SettingsEdit]:
    """Return the edits for a scope, with those of the MCP server if ctxkit serves one; a file has one edit."""
    edit = SettingsEdit(
        host.settings[scope],
        lambda text: host.install(text, directory),
        lambda text: host.remove(text, directory),
        host.make_scripts(directory, programs),
    )
    if not serves or host.mcp is None or scope not in host.mcp.places:
        return [edit]
    server_edit = _make_server_edit(host.name, host.mcp, scope, directory, programs)
    return [_join(edit, server_edit)] if server_edit.place == edit.place else [edit, server_edit]


def _make_server_edit(name: str, mcp: McpSettings, scope: str, directory: str, programs: Programs) -> SettingsEdit:
    program = f"{directory}/{PROGRAM}"
    return SettingsEdit(
        mcp.places[scope],
        lambda text: mcp.install(text, program),
        lambda text: mcp.remove(text, program),
        {program: make_mcp_script(name, programs.ctxkit)},
    )


def _join(first: SettingsEdit, second: SettingsEdit) -> SettingsEdit:
    """Return two edits of the same file as one."""

    def remove(text: str) -> str | None:
        """Return the text without both, None if the file goes."""
        rest = first.remove(text)
        return None if rest is None else second.remove(rest)

    scripts = {**first.scripts, **second.scripts}
    return SettingsEdit(first.place, lambda text: second.install(first.install(text)), remove, scripts)


MARK = "Written by ctxkit init "
"""What a file of ctxkit has in its head."""


class OwnedFile(NamedTuple):
    """A file that belongs to ctxkit as a whole.

    For the directory of the scripts, ``make_content`` returns the text of the file, and ``name_hook`` how it names the
    hook.
    """

    make_content: Callable[[str], str]
    name_hook: Callable[[str], str]

    def install(self, text: str, directory: str) -> str:
        """Return the new text of the file; raise ConflictError if it is not a file of ctxkit."""
        if text.strip() and MARK not in text:
            raise ConflictError("is not a file of ctxkit", hint="rename the file to have ctxkit there")
        return self.make_content(directory)

    def remove(self, text: str, directory: str) -> str | None:
        """Return None if the file belongs to ctxkit and names the hook, else its text."""
        return None if MARK in text and self.name_hook(directory) in text else text

    def is_installed(self, text: str, directory: str) -> bool:
        """Return whether the file belongs to ctxkit and names the hook."""
        return self.remove(text, directory) is None


HEAD = """\
// {mark}{host}. Remove it with "ctxkit init {host} --remove".
import {{ spawn }} from "node:child_process"
{imports}
const hook = {hook}

// Return the answer of the hook to an event: an empty one if the hook is gone, fails or takes too long.
const ask = (event, milliseconds) =>
  new Promise((resolve) => {{
    let answer = ""
    const finish = () => {{
      clearTimeout(timer)
      try {{
        resolve(JSON.parse(answer))
      }} catch {{
        resolve({{}})
      }}
    }}
    const child = spawn(hook, [], {{ stdio: ["pipe", "pipe", "ignore"] }})
    const timer = setTimeout(() => {{
      answer = ""
      child.kill("SIGKILL")
      finish()
    }}, milliseconds)
    child.on("error", finish)
    child.stdin.on("error", () => {{}})
    child.stdout.on("data", (data) => {{
      answer += data
    }})
    child.on("close", finish)
    child.stdin.end(JSON.stringify(event))
  }})

// Return the command that runs instead, or the same one.
const rewrite = async (command) => {{
  const answer = await ask({{ tool: "bash", input: {{ command }} }}, 5000)
  return typeof answer?.command === "string" ? answer.command : command
}}

"""


def make_plugin(host: str, directory: str, body: str, imports: str = "") -> str:
    """Return the text of a plugin: ``body`` calls ``rewrite`` with a command, and ``ask`` with another event."""
    return HEAD.format(mark=MARK, host=host, hook=json.dumps(f"{directory}/{HOOK}"), imports=imports) + body


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a command, of a result, of a compaction or of its session; None for anything else."""
    result = value.get(EventKind.RESULT.value)
    if isinstance(result, dict):
        return _read_result(result)
    for kind in (EventKind.COMPACTION, EventKind.RESUMPTION):
        event = value.get(kind.value)
        if isinstance(event, dict):
            return make_session_event(kind, read_text(event, "session"), read_text(event, "transcript"))
    return read_command(value.get("input")) if read_text(value, "tool") == "bash" else None


def _read_result(result: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a result that has blocks."""
    event = make_session_event(EventKind.RESULT, read_text(result, "session"), "")
    tool, blocks = read_text(result, "tool"), result.get("blocks")
    return event._replace(tool=tool, blocks=blocks) if event and tool and isinstance(blocks, list) else None


def make_result(_event: HookEvent, blocks: Sequence[JsonValue]) -> Answer:
    """Return the answer that replaces the blocks of a result."""
    return {"blocks": list(blocks)}


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the command."""
    return dict(tool_input)


def make_summary(page: str) -> Answer:
    """Return the answer that replaces the summary of a host; {} for no page."""
    return {"summary": f"{INTRODUCTION}{page}"} if page else {}


def find_no_rivals(_text: str) -> list[str]:
    """Return no names: the file has no hooks of others."""
    return []
