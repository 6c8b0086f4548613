"""Gemini CLI: a hook in settings.json, commands with the wrapping script in front.

Its PreCompress comes before each request, so that a compaction is found in the transcript afterwards.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from zlib import crc32

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    SERVER_TOOLS,
    WRAPPED,
    Answer,
    EventKind,
    HookGroups,
    Host,
    HostCompaction,
    HostTool,
    SettingsPlace,
    read_session_event,
)
from ctxkit.core.hosts.mcp_server import make_json_settings
from ctxkit.core.hosts.wrap_script import make_wrapping_scripts
from ctxkit.core.text.json_value import JsonValue

_ACKNOWLEDGEMENT = "Got it. Thanks for the additional context!"
"""The answer that Gemini CLI puts after the summary of a compaction."""
_OPENING = 3
"""Messages at the start of a conversation among which a summary and its answer are: the first one may be the context of
the session."""
_SET = "$set"
Message = dict[str, JsonValue]
MATCHERS = {"BeforeTool": "run_shell_command", "AfterTool": ".*", "BeforeAgent": ""}
"""The events that call the hook, each with its matcher, "" for none."""
KINDS = {"BeforeTool": EventKind.COMMAND, "AfterTool": EventKind.TURN, "BeforeAgent": EventKind.TURN}
TIMEOUT = 10_000
"""Milliseconds after which Gemini CLI goes on without the answer of the hook."""


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the input of the tool."""
    return {"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": dict(tool_input)}}


def make_addition(text: str) -> Answer:
    """Return the answer that adds a text to a prompt or a tool result."""
    return {"hookSpecificOutput": {"additionalContext": text}}


PLACES = {
    "user": SettingsPlace(".gemini/settings.json", default=".", variable="GEMINI_CLI_HOME"),
    "project": SettingsPlace(".gemini/settings.json"),
}
HOOKS = HookGroups(MATCHERS, {"type": "command", "name": "ctxkit", "command": "", "timeout": TIMEOUT})


def find_compaction(log: bytes) -> HostCompaction | None:
    """Return the last compaction of a log, None if there is none; its first line is where it begins."""
    last: tuple[str, int] | None = None
    for line, start in _find_lines(log, _ACKNOWLEDGEMENT.encode()):
        id_ = _read_summary_id(line)
        if id_ and (last is None or id_ != last[0]):
            last = id_, start
    return HostCompaction(*last, _spread_messages(log[: last[1]])) if last else None


def _find_lines(log: bytes, words: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the lines that have the words, each with its offset."""
    at = log.find(words)
    while at >= 0:
        start, end = log.rfind(b"\n", 0, at) + 1, log.find(b"\n", at)
        end = end if end >= 0 else len(log)
        yield log[start:end], start
        at = log.find(words, end)


def _read_messages(line: bytes) -> list[Message]:
    """Return the messages that a line puts in place of all others, none for another line."""
    try:
        return get_objects(get_object(json.loads(line), _SET), "messages")
    except (ValueError, RecursionError):
        return []


def _read_summary_id(line: bytes) -> str:
    """Return the size and the checksum of the summary that a line puts in place of all messages, "" for another."""
    texts = [(get_text(message, "type"), _join_text(message)) for message in _read_messages(line)[:_OPENING]]
    for (role, summary), answer in pairwise(texts):
        if role == "user" and answer == ("gemini", _ACKNOWLEDGEMENT):
            return f"{len(summary)}-{crc32(summary.encode('utf-8', 'surrogatepass')):08x}"
    return ""


def _join_text(message: Message) -> str:
    return "".join(get_text(part, "text") for part in get_objects(message, "content"))


def _spread_messages(log: bytes) -> bytes:
    """Return a log with the messages of its last replacement on lines of their own, and nothing before them."""
    rows = [row for row in _find_lines(log, f'"{_SET}"'.encode()) if b'"messages"' in row[0]]
    line, start = next(((line, start) for line, start in reversed(rows) if _read_messages(line)), (b"", 0))
    if not line:
        return log
    head, rest = log.partition(b"\n")[0], log[start + len(line) + 1 :]
    messages = _move_calls(_read_messages(line))
    return b"\n".join([head, *(json.dumps(message).encode() for message in messages), rest])


def _move_calls(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield messages whose calls are members with their results, as the log has them when they are made."""
    parts = [part for message in messages for part in get_objects(message, "content")]
    responses = [get_object(part, "functionResponse") for part in parts if "functionResponse" in part]
    results = {get_text(response, "id"): {"functionResponse": response} for response in responses}
    for message in messages:
        content = get_objects(message, "content")
        calls = [get_object(part, "functionCall") for part in content if "functionCall" in part]
        texts: list[JsonValue] = [part for part in content if "text" in part]
        if texts or calls or not content:
            yield {**message, "content": texts, **({"toolCalls": _add_results(calls, results)} if calls else {})}


def _add_results(calls: Sequence[Message], results: dict[str, Message]) -> list[JsonValue]:
    pairs = [(call, results.get(get_text(call, "id"))) for call in calls]
    return [{**call, **({"result": [result]} if result else {})} for call, result in pairs]


HOST = Host(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    settings=PLACES,
    make_scripts=partial(make_wrapping_scripts, "gemini"),
    install=HOOKS.install,
    remove=HOOKS.remove,
    is_installed=HOOKS.is_installed,
    read_event=partial(read_session_event, kinds=KINDS),
    make_rewrite=make_rewrite,
    make_addition=make_addition,
    find_compaction=find_compaction,
    without_scripts="Gemini CLI runs its commands without ctxkit",
    mcp=make_json_settings(PLACES),
    tools=(
        HostTool("run_shell_command", "a script in front of its command", seen="0.61.0"),
        HostTool(SERVER_TOOLS, WRAPPED, seen="0.61.0"),
        HostTool(OTHER_TOOLS, note="a hook could only deny a result, which makes it an error"),
    ),
)
