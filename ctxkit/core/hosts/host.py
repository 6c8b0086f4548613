"""Describe an agent host: its settings with their hooks, its scripts, the events that it sends, and the answers."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum

from ctxkit.core.hosts.jsonc import append_item, parse_jsonc, remove_value
from ctxkit.core.hosts.wrap_script import make_hook_command
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue

_RIVALS = ("rtk", "headroom", "context-mode", "lean-ctx")
"""Other programs that shorten tool output: two in a row lose twice."""


class HookGroups(NamedTuple):
    """The hooks of ctxkit in the settings of a host: the matcher of each event, and the members of each hook."""

    matchers: Mapping[str, str]
    members: Mapping[str, JsonValue]

    def install(self, text: str, directory: str) -> str:
        """Return the text of settings with the hooks; raise ValueError if it is not JSON or of another shape."""
        return add_hooks(text, {**self.members, "command": make_hook_command(directory)}, self.matchers)

    def remove(self, text: str, directory: str) -> str:
        """Return the text of settings without the hooks."""
        return remove_hooks(text, make_hook_command(directory), list(self.matchers))

    def is_installed(self, text: str, directory: str) -> bool:
        """Return whether the settings have the hook for each event."""
        return has_hooks(text, make_hook_command(directory), list(self.matchers))


Answer = Mapping[str, JsonValue]


class ConflictError(ValueError):
    """The settings already name another program in the place of ctxkit; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class EventKind(Enum):
    """What a host reports: a command before it runs, the result of another tool, a compaction ahead, a session that
    goes on after one, or a turn, which is a prompt or a tool result that takes a context.
    """

    COMMAND = "command"
    RESULT = "result"
    COMPACTION = "compaction"
    RESUMPTION = "resumption"
    TURN = "turn"


def make_no_answer(_page: str) -> Answer:
    """Return no answer, for a host that has no place for a page."""
    return {}


class HookEvent(NamedTuple):
    """An event: its kind, the session and its transcript, or the input of the tool that runs a command.

    A result has the name of its ``tool``, or of the file that the tool read, and its ``blocks``; ``response`` is all of
    it, of which they are the text. A turn may be a prompt of the user.
    """

    kind: EventKind
    session: str = ""
    transcript: str = ""
    tool_input: Mapping[str, JsonValue] = {}
    tool: str = ""
    file: str = ""
    blocks: Sequence[JsonValue] = ()
    response: JsonValue = None
    is_prompt: bool = False


class HostCompaction(NamedTuple):
    """The last compaction in a transcript: a name of its own, and the offset in bytes of its start.

    ``earlier`` is the transcript before it, for a host that does not announce compactions.
    """

    id: str
    start: int
    earlier: bytes = b""


class Programs(NamedTuple):
    """The paths of ctxkit and of its Python."""

    ctxkit: str
    python: str


class SettingsPlace(NamedTuple):
    """The path of a settings file below a directory: the one that ``variable`` names, else ``default`` in the home.

    A place without a default is below the working directory.
    """

    path: str
    default: str = ""
    variable: str = ""


class HostTool(NamedTuple):
    """Tools of a host, named as the host names them, and whether a map replaces what they return.

    ``seam`` is what the host offers for that and ctxkit uses, "" if nothing is replaced. ``note`` says which of their
    results are replaced, or why none is. ``seen`` is the version of the host in which the tests saw it, "" if they did
    not.
    """

    names: str
    seam: str = ""
    note: str = ""
    seen: str = ""


SERVER_TOOLS = "tools of MCP servers"
"""How a table names the tools that a host gets from servers."""
OTHER_TOOLS = "all others"
WRAPPED = "`ctxkit mcp wrap` in front of the server"
"""The seam of a host whose hooks leave the results of servers alone."""


class McpSettings(NamedTuple):
    """Where a host lists its MCP servers, and edits of that text, given the path of the program to start.

    ``install`` and ``remove`` raise ValueError for a text that they cannot read, ``install`` ConflictError if another
    server has the name.
    """

    places: Mapping[str, SettingsPlace]
    install: Callable[[str, str], str]
    remove: Callable[[str, str], str]


def has_content(text: str) -> bool:
    """Return whether a text has more than blanks."""
    return bool(text.strip("\ufeff \t\r\n"))


def find_rivals(text: str) -> list[str]:
    """Return the names of other programs for shorter tool output that hooks in the settings call."""
    if not has_content(text):
        return []
    words = set()
    for command in _list_strings((parse_jsonc(text).find("hooks") or parse_jsonc("{}")).make_value()):
        words |= set(re.split(r"[^\w.-]+", command))
    return [name for name in _RIVALS if name in words]


def _list_strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _list_strings(inner)


class Host(NamedTuple):
    """A host. The functions get the text of a settings file, and the directory of the scripts.

    ``make_scripts`` returns texts by path, ``remove`` the text without ctxkit, or None if the file goes. ``install``
    raises ConflictError if another program is in the place of ctxkit. ``remove``, ``is_installed`` and ``install``
    raise ValueError for a text that they cannot read.
    """

    name: str
    title: str
    program: str
    settings: Mapping[str, SettingsPlace]
    make_scripts: Callable[[str, Programs], dict[str, str]]
    install: Callable[[str, str], str]
    remove: Callable[[str, str], str | None]
    is_installed: Callable[[str, str], bool]
    read_event: Callable[[Mapping[str, JsonValue]], HookEvent | None]
    make_rewrite: Callable[[Mapping[str, JsonValue]], Answer]
    without_scripts: str
    make_resumption: Callable[[str], Answer] = make_no_answer
    """The answer to a session that goes on after a compaction; the page of facts is its argument."""
    make_result: Callable[[HookEvent, Sequence[JsonValue]], Answer] = lambda _event, _blocks: {}
    """The answer that replaces the blocks of a result."""
    make_summary: Callable[[str], Answer] = make_no_answer
    """The answer to a compaction, for a host that takes a summary; the page of facts is its argument."""
    make_addition: Callable[[str], Answer] = make_no_answer
    """The answer that adds a text to a prompt or a tool result."""
    find_compaction: Callable[[bytes], HostCompaction | None] | None = None
    """The last compaction in a transcript, for a host that starts no session after one."""
    script_place: SettingsPlace | None = None
    """Where a script lies without which the host cannot run commands, None if there is none."""
    place_script: Callable[[str], "Host"] | None = None
    """The host whose settings name that script at a path."""
    needs_trust: bool = False
    """Whether the host runs no hook that its user has not trusted."""
    find_rivals: Callable[[str], list[str]] = find_rivals
    names_home: bool = False
    """Whether the host asks about absolute paths outside the project that a command names."""
    uses_login_shell: bool = False
    """Whether commands run in the shell of the user, which may be one that cannot read the script."""
    mcp: McpSettings | None = None
    """Where the host lists its MCP servers, None if it has none."""
    runs_settings: bool = False
    """Whether the settings file is a program."""
    start: str = ""
    """The command that starts the host with ctxkit, "" if each start does; {directory} is that of the settings."""
    is_untested: bool = False
    """Whether the host was never seen with ctxkit: its hooks are those of a published description."""
    tools: Sequence[HostTool] = ()
    """The tools whose output a map may replace, and the others with the reason."""
    instructions: str = ""
    """The file for instructions of a host whose commands ctxkit cannot gate; "" if it gates them."""


def add_hooks(text: str, hook: dict[str, JsonValue], matchers: Mapping[str, str]) -> str:
    """Return the text with a hook in a group of its own for each event; ``matchers`` has the events, "" for no matcher.

    Raise ValueError if the text is not JSON or of another shape.
    """
    for event, matcher in matchers.items():
        if any(_find_matcher(text, event, group) != matcher for group, *_ in _find_hooks(text, event, hook["command"])):
            text = remove_hooks(text, str(hook["command"]), [event])  # of an earlier version
        if not any(_find_hooks(text, event, hook["command"])):
            group: JsonValue = {"matcher": matcher, "hooks": [hook]} if matcher else {"hooks": [hook]}
            text = append_item(text, ["hooks", event], group)
    return text


def remove_hooks(text: str, command: JsonValue, events: Sequence[str]) -> str:
    """Return the text without the hooks that run a command; what others added stays, also if it is empty."""
    for event in events:
        hooks = list(_find_hooks(text, event, command))
        for group, number, is_alone in reversed(hooks):
            path = ["hooks", event] if is_alone else ["hooks", event, str(group), "hooks"]
            text = remove_value(text, path, group if is_alone else number)
        if hooks:
            text = remove_empty(remove_empty(text, ["hooks", event]), ["hooks"])
    return text


def has_hooks(text: str, command: JsonValue, events: Sequence[str]) -> bool:
    """Return whether each of the events has a hook that runs a command."""
    return all(any(_find_hooks(text, event, command)) for event in events)


def _find_hooks(text: str, event: str, command: JsonValue) -> Iterator[tuple[int, int, bool]]:
    """Yield the indexes of groups and hooks that run a command, and whether the hook is alone in its group."""
    groups = parse_jsonc(text).find("hooks", event) if has_content(text) else None
    for group, node in enumerate(groups.items if groups else ()):
        hooks = node.find("hooks")
        values = [hook.make_value() for hook in hooks.items] if hooks else []
        for number, hook in enumerate(values):
            if isinstance(hook, dict) and hook.get("command") == command:
                yield group, number, len(values) == 1


def _find_matcher(text: str, event: str, group: int) -> JsonValue:
    """Return the matcher of a group, "" if it has none."""
    matcher = parse_jsonc(text).find("hooks", event, str(group), "matcher")
    return matcher.make_value() if matcher else ""


def remove_empty(text: str, path: Sequence[str]) -> str:
    """Return the text without the object or array at a path if it is empty; with a comment in it, it stays."""
    node = parse_jsonc(text).find(*path) if has_content(text) else None
    is_empty = node is not None and node.kind != "scalar" and not text[node.start + 1 : node.end - 1].strip()
    return remove_value(text, path) if is_empty else text


MAX_EVENT = 1 << 20
"""Maximum bytes of an event."""
MAX_CONTEXT = 9_000
"""Maximum characters of an answer's context: Claude Code cuts off what is past 10,000."""
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
INTRODUCTION = """\
ctxkit extracted these facts from the session before its compaction. They quote its transcript, tool output included.
The record below them covers the whole session, so part of it may be settled.

"""


def read_session_event(value: Mapping[str, JsonValue], kinds: Mapping[str, EventKind]) -> HookEvent | None:
    """Return an event by its name in the form that Claude Code, Codex and Gemini share, None for any other.

    A start of a session counts only after a compaction.
    """
    kind = kinds.get(read_text(value, "hook_event_name"))
    if kind is EventKind.COMMAND:
        return read_command(value.get("tool_input"))
    if kind is None or (kind is EventKind.RESUMPTION and read_text(value, "source") != "compact"):
        return None
    event = make_session_event(kind, read_text(value, "session_id"), read_text(value, "transcript_path"))
    return event._replace(is_prompt="prompt" in value) if event else None


def make_session_event(kind: EventKind, session: str, transcript: str) -> HookEvent | None:
    """Return an event of a session, None if its name is none: it becomes that of a file."""
    return HookEvent(kind, session, transcript) if _SESSION.fullmatch(session) else None


def read_command(tool_input: JsonValue) -> HookEvent | None:
    """Return the event of a tool that runs ``command``, or a list of ``commands``; None if its input has neither."""
    if not isinstance(tool_input, dict):
        return None
    has_command = isinstance(tool_input.get("command"), str) or isinstance(tool_input.get("commands"), list)
    return HookEvent(EventKind.COMMAND, tool_input=tool_input) if has_command else None


def change_commands(tool_input: Mapping[str, JsonValue], change: Callable[[str], str]) -> dict[str, JsonValue]:
    """Return the input of a tool with each of its commands changed."""
    changed = dict(tool_input)
    if isinstance(changed.get("command"), str):
        changed["command"] = change(changed["command"])
    if isinstance(changed.get("commands"), list):
        changed["commands"] = [change(item) if isinstance(item, str) else item for item in changed["commands"]]
    return changed


def make_context(page: str) -> str:
    """Return the text that brings a page back; "" for no page or one that is too long."""
    return f"{INTRODUCTION}{page}" if page and len(page) <= MAX_CONTEXT else ""


def make_prompt_addition(text: str) -> Answer:
    """Return the answer to UserPromptSubmit that adds a text to the prompt."""
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}}


def make_session_start(page: str) -> Answer:
    """Return the answer to SessionStart that puts a page into the context; {} for no page or one that is too long."""
    context = make_context(page)
    answer = {"hookEventName": "SessionStart", "additionalContext": context}
    return {"hookSpecificOutput": answer} if context else {}


def parse_event(data: bytes) -> Mapping[str, JsonValue]:
    """Return the object of an event, {} for anything else."""
    try:
        value: JsonValue = json.loads(data) if len(data) <= MAX_EVENT else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_text(value: Mapping[str, JsonValue], key: str) -> str:
    """Return a member that is a string, "" for anything else."""
    member = value.get(key)
    return member if isinstance(member, str) else ""
