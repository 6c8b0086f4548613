"""Edit the settings of Claude Code so that its shell commands run through ctxkit."""

from collections.abc import Mapping, Sequence
from functools import partial

from ctxkit.core.brief.repository.repository_file import is_generated
from ctxkit.core.hosts import host
from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    SERVER_TOOLS,
    Answer,
    ConflictError,
    EventKind,
    HookEvent,
    Host,
    HostTool,
    Programs,
    SettingsPlace,
    make_prompt_addition,
    make_session_start,
    read_session_event,
    read_text,
)
from ctxkit.core.hosts.jsonc import parse_jsonc, remove_value, set_member
from ctxkit.core.hosts.mcp_server import NAME, make_json_settings
from ctxkit.core.hosts.wrap_script import HOOK, make_hook_command, make_hook_script
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.quantity import make_case_pattern
from ctxkit.core.text.shell import quote

VARIABLE = "CLAUDE_CODE_SHELL_PREFIX"
"""The program that Claude Code calls with the script of a tool call, a hook or a server as its one argument."""
PATH = ("env", VARIABLE)
PREFIX = "prefix"
"""Name of the script in the directory of the host, which settings of ctxkit 0.1.0 name."""
SCRIPT = "ctxkit-prefix"
"""Name of the script beside the settings of the user: whoever deletes the data of ctxkit leaves it there."""
OPTION_START = " -"
"""Where Claude Code (2.1.330) ends the path of the program: what follows are options."""

TEXTS: Mapping[str, Sequence[str]] = {
    "Agent": ("content",),
    "Grep": ("content",),
    "Read": ("file", "content"),
    "Task": ("content",),
    "WebFetch": ("result",),
}
"""Where the text of a result of a tool of its own stands (Claude Code 2.1.330): it drops a replacement of another
shape."""
EVENTS = {
    "PreCompact": "",
    "SessionStart": "compact",
    "UserPromptSubmit": "",
    "PostToolUse": "|".join(("mcp__.*", *TEXTS)),
}
"""The events that call the hook, each with its matcher, "" for none."""
KINDS = {
    "PreCompact": EventKind.COMPACTION,
    "SessionStart": EventKind.RESUMPTION,
    "UserPromptSubmit": EventKind.TURN,
}
OWN_TOOLS = f"mcp__{NAME}__"
"""Beginning of the names of the tools of ctxkit itself, whose results fit already."""
TIMEOUT = 10
"""Seconds after which Claude Code goes on without the answer of the hook."""

PREFIX_SCRIPT = """\
#!/bin/sh
# Written by "ctxkit init claude-code". Remove it with "ctxkit init claude-code --remove".
# Claude Code calls it with one argument: the script of a tool call, of a hook, or of an MCP server. Without this
# file, Claude Code runs nothing while its settings name it.
ctxkit={ctxkit}
python={python}
case $1 in
*" && eval '"*" && pwd -P >| "*)
    case ${{CTXKIT_DISABLE:-}} in
    {off}) [ -x "$ctxkit" ] && [ -x "$python" ] && exec "$ctxkit" shell --host claude-code -c "$1" ;;
    esac
    exec "${{SHELL:-bash}}" -c "$1"
    ;;
esac
exec sh -c "$1"
"""


def make_prefix_script(ctxkit: str, python: str) -> str:
    """Return the program for ``VARIABLE``, which runs a script without ctxkit if ctxkit or its Python is gone."""
    return PREFIX_SCRIPT.format(ctxkit=quote(ctxkit), python=quote(python), off=make_case_pattern())


def make_scripts(directory: str, programs: Programs, prefix: str = "") -> dict[str, str]:
    """Return the scripts by path; ``prefix`` is that of the prefix script if it is not in the directory."""
    return {
        prefix or f"{directory}/{PREFIX}": make_prefix_script(*programs),
        f"{directory}/{HOOK}": make_hook_script("claude-code", *programs),
    }


def install(text: str, directory: str, prefix: str = "") -> str:
    """Return the text of settings in which ``VARIABLE`` names the prefix script, and hooks call the other one.

    Raise ConflictError if the variable names another program, or if it cannot name the script; raise ValueError if the
    text is not JSON or of another shape.
    """
    prefix, value = prefix or f"{directory}/{PREFIX}", find_prefix(text)
    if OPTION_START in prefix:
        message = f"cannot name {prefix}, because Claude Code takes what follows a space and a hyphen for options"
        raise ConflictError(message, hint="set CLAUDE_CONFIG_DIR to another directory")
    if value is not None and not _is_own(value, directory):
        message = f"sets {VARIABLE} to {str(value)[:200]!r}"
        raise ConflictError(message, hint=f"remove {VARIABLE} from the file to have ctxkit there")
    text = text if value == prefix else set_member(text, PATH, prefix)
    hook: dict[str, JsonValue] = {"type": "command", "command": make_hook_command(directory), "timeout": TIMEOUT}
    return host.add_hooks(text, hook, EVENTS)


def remove(text: str, directory: str) -> str:
    """Return the text of settings without the two scripts; what names others stays."""
    if is_installed(text, directory):
        text = host.remove_empty(remove_value(text, PATH), PATH[:1])
    return host.remove_hooks(text, make_hook_command(directory), list(EVENTS))


def is_installed(text: str, directory: str) -> bool:
    """Return whether the variable names the prefix script, in this place or in an earlier one."""
    return _is_own(find_prefix(text), directory)


def _is_own(value: JsonValue, directory: str) -> bool:
    return isinstance(value, str) and (value == f"{directory}/{PREFIX}" or value.endswith(f"/{SCRIPT}"))


def find_prefix(text: str) -> JsonValue:
    """Return the value of ``VARIABLE`` in the text of settings, None if it is not set; raise ValueError."""
    if not host.has_content(text):
        return None
    node = parse_jsonc(text).find(*PATH)
    return node.make_value() if node else None


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return an event, None for one that has no answer."""
    if read_text(value, "hook_event_name") == "PostToolUse":
        return _read_result(value)
    return read_session_event(value, KINDS)


def _read_result(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the result of a tool of a server, or of one of ``TEXTS``; a file that may be edited stays as it is."""
    tool, response = read_text(value, "tool_name"), value.get("tool_response")
    content, file = response, ""
    if tool in TEXTS:
        for name in TEXTS[tool]:
            content = content.get(name) if isinstance(content, dict) else None
        file = _find_generated(response) if tool == "Read" else ""
        if tool == "Read" and not file:
            return None
    elif not tool.startswith("mcp__") or tool.startswith(OWN_TOOLS):
        return None
    is_text = tool in TEXTS and isinstance(content, str)
    blocks: JsonValue = [{"type": "text", "text": content}] if is_text else content
    if not isinstance(blocks, list):
        return None
    session = read_text(value, "session_id")
    return HookEvent(EventKind.RESULT, session, tool=tool, file=file, blocks=blocks, response=response)


def _find_generated(response: JsonValue) -> str:
    """Return the path of a file that was read as a whole and that nobody edits, "" for another."""
    file = response.get("file") if isinstance(response, dict) else None
    if not isinstance(file, dict) or file.get("startLine") != 1 or file.get("numLines") != file.get("totalLines"):
        return ""
    path = read_text(file, "filePath")
    return path if is_generated(path, read_text(file, "content")) else ""


def make_result(event: HookEvent, blocks: Sequence[JsonValue]) -> Answer:
    """Return the answer that replaces the blocks of a result, in the shape of the result."""
    output = _put_blocks(event.response, TEXTS.get(event.tool, ()), blocks)
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}


def _put_blocks(value: JsonValue, place: Sequence[str], blocks: Sequence[JsonValue]) -> JsonValue:
    """Return a value with the blocks, or the text of the only one, at a place."""
    if place and isinstance(value, dict):
        return {**value, place[0]: _put_blocks(value.get(place[0]), place[1:], blocks)}
    texts = [read_text(block, "text") for block in blocks if isinstance(block, dict)]
    return texts[0] if isinstance(value, str) else list(blocks)


def make_rewrite(_tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return no answer: the prefix script gets the commands."""
    return {}


WITHOUT_SCRIPTS = "Claude Code runs its commands as before"


def place_script(path: str) -> Host:
    """Return the host whose settings name the prefix script at a path."""
    return HOST._replace(
        make_scripts=partial(make_scripts, prefix=path),
        install=partial(install, prefix=path),
        without_scripts=f"{WITHOUT_SCRIPTS}; it runs none if {path} is deleted",
    )


HOST = Host(
    name="claude-code",
    title="Claude Code",
    program="claude",
    settings={
        "user": SettingsPlace("settings.json", default=".claude", variable="CLAUDE_CONFIG_DIR"),
        "project": SettingsPlace(".claude/settings.local.json"),
    },
    make_scripts=make_scripts,
    install=install,
    remove=remove,
    is_installed=is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_resumption=make_session_start,
    make_addition=make_prompt_addition,
    make_result=make_result,
    without_scripts=WITHOUT_SCRIPTS,
    script_place=SettingsPlace(SCRIPT, default=".claude", variable="CLAUDE_CONFIG_DIR"),
    place_script=place_script,
    mcp=make_json_settings({"user": SettingsPlace(".claude.json", default=".", variable="CLAUDE_CONFIG_DIR")}),
    tools=(
        HostTool("Bash", f"the program in `{VARIABLE}`", seen="2.1.330"),
        HostTool(SERVER_TOOLS, "`updatedToolOutput`", "text blocks; its own server is left alone", "2.1.330"),
        HostTool("Grep", "`updatedToolOutput`", seen="2.1.330"),
        HostTool("Read", "`updatedToolOutput`", "lock files and generated code that are read whole", "2.1.330"),
        HostTool("Agent, Task, WebFetch", "`updatedToolOutput`"),
        HostTool(OTHER_TOOLS, note="their results are not one text, or name what will be edited"),
    ),
)
