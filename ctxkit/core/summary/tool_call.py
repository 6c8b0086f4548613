"""The agent's tool calls with their results, in any format or protocol."""

import itertools
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import islice
from typing import NamedTuple, TypeVar

from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value

PlacedAnswer = tuple[int, int, RecordResult]
"""A result, the position of its message, and its number among all results."""


def _queue_answers(records: Sequence[Record]) -> tuple[dict[str, deque[PlacedAnswer]], dict[str, deque[PlacedAnswer]]]:
    """Return the results of calls with ids by these, and the other results by the names of their tools."""
    by_id: dict[str, deque[PlacedAnswer]] = {}
    by_name: dict[str, deque[PlacedAnswer]] = {}
    call_ids = {call.id for record in records for call in record.calls if call.id}
    results = [(at, result) for at, record in enumerate(records) for result in record.results]
    for number, (at, result) in enumerate(results):
        queues, key = (by_id, result.id) if result.id in call_ids else (by_name, result.name)
        queues.setdefault(key, deque()).append((at, number, result))
    return by_id, by_name


def find_answers(records: Sequence[Record]) -> Iterator[tuple[int, RecordCall, PlacedAnswer | None]]:
    """Yield each call with the position of its message and its result.

    If several calls share an id, as some servers produce, each gets the next result.
    """
    by_id, by_name = _queue_answers(records)
    for at, record in enumerate(records):
        for call in record.calls:
            if call.id:
                queue = by_id.get(call.id, deque())
                earlier = _drop_earlier(queue, at)
                yield at, call, queue.popleft() if queue else earlier
                continue
            named = [by_name[name] for name in {"", call.name} if name in by_name]
            for queue in named:
                _drop_earlier(queue, at)
            first = min(filter(None, named), key=lambda queue: queue[0][1], default=None)
            yield at, call, first.popleft() if first else None


def _drop_earlier(queue: deque[PlacedAnswer], at: int) -> PlacedAnswer | None:
    """Remove the results in front of message ``at``; return the last of them."""
    last = None
    while queue and queue[0][0] < at:
        last = queue.popleft()
    return last


_CODE_BLOCK = re.compile(
    r"^[ \t]*```[ \t]*+([\w+.-]*+)[^\n`]*+\n(.*?)\n?(?<![ \t])[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE
)
_FENCE_END = re.compile(r"```[ \t]*$", re.MULTILINE)
_TAGS = ("command", "execute_bash", "execute_ipython")
"""Elements that contain a command if they end a message."""
_FUNCTION = re.compile(r"<function=([\w.-]+)>")
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>")
_INVOKE = re.compile(r"<invoke name=\"([\w.-]+)\">")
_INVOKE_PARAMETER = re.compile(r"<parameter name=\"([\w.-]+)\"[^<>]*>")
_CLINE = re.compile(
    r"<(execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_files|list_files"
    r"|update_todo_list|search_and_replace)>"
)
_CHILD = re.compile(r"<(\w+)>")
_CALLS = (
    (_FUNCTION, "function", _PARAMETER, "parameter"),
    (_INVOKE, "invoke", _INVOKE_PARAMETER, "parameter"),
    (_CLINE, "{}", _CHILD, "{}"),
)
"""Notations of calls and arguments: the opening tags, and the names of the closing tags."""
_SHELLS = ("", "bash", "sh", "shell", "zsh", "console", "mswea_bash_command", "powershell", "python", "python3", "py")
_OBSERVATION = re.compile(
    r"\s*(?:<returncode>|<output>|<function_results?>|<tool_(?:result|response)s?>|OBSERVATION:|Observation:"
    r"|EXECUTION RESULT|exitcode: \d|\[(?:Command|execute_command|read_file|write_to_file|replace_in_file"
    r"|apply_diff)\b[^\n]*\] Result:"
    r"|Your command ran|There is no code from the last|The last command <command>|diff --git a/)"
)
_EXECUTION = re.compile(r"\s*exitcode: -?\d+ \(execution ")
_MIN_COMMAND_SHARE = 0.6
"""Minimum share of agent turns that end in a command for a conversation without calls to use commands as its protocol.
"""
_MIN_FRAMED_SHARE = 0.7
"""Minimum share of messages after commands that look like tool output for the others to be a person's."""


class ToolCall(NamedTuple):
    """A tool call with its result, if it has one.

    ``at`` is the position of the call in the path, ``answered_at`` that of its result, -1 for none.
    """

    at: int
    name: str
    arguments: JsonValue
    text: str = ""
    failed: bool = False
    answered_at: int = -1
    words: str = ""

    @property
    def argument_map(self) -> Mapping[str, JsonValue]:
        """Return the arguments as a mapping; a text becomes the ``input``."""
        if isinstance(self.arguments, Mapping):
            return self.arguments
        return {"input": self.arguments} if isinstance(self.arguments, str) else {}

    def first_string(self, *keys: str) -> str:
        """Return the first non-empty text argument among ``keys``."""
        arguments = self.argument_map
        for key in keys if arguments else ():
            value = arguments.get(key)
            if isinstance(value, str) and value:
                return value
        return ""


Item = TypeVar("Item")
Result = TypeVar("Result")


def keep_last_result(function: Callable[[Sequence[Item]], Result]) -> Callable[[Sequence[Item]], Result]:
    """Return a function that computes nothing if it gets the same tuple as before; comparing items is not needed."""
    last: list[tuple[Sequence[Item], Result]] = []

    @wraps(function)
    def answer(items: Sequence[Item]) -> Result:
        """Return the last result for the same tuple, else a new one."""
        if last and last[0][0] is items:
            return last[0][1]
        result = function(items)
        if isinstance(items, tuple):
            last[:] = [(items, result)]
        return result

    return answer


@keep_last_result
def find_tool_calls(records: Sequence[Record]) -> tuple[ToolCall, ...]:
    """Return the tool calls of a conversation in order."""
    if any(record.calls for record in records):
        return tuple(make_tool_call(at, records[at].words, call, answer) for at, call, answer in find_answers(records))
    return _find_spoken_commands(records) or tuple(_find_executed_code(records))


@keep_last_result
def find_observations(records: Sequence[Record]) -> frozenset[int]:
    """Return the positions of messages with the user role that contain tool output."""
    begun = next((at for at, record in enumerate(records) if record.role == "assistant"), len(records))
    seen = {
        at
        for at, record in enumerate(records)
        if record.role == "user" and at > begun and _is_observation(record)
    }
    if not any(record.calls for record in records):
        seen |= {call.answered_at for call in _find_spoken_commands(records)} - {-1}
        seen |= {
            place for call in _find_executed_code(records) for place in (call.at, call.answered_at) if place > begun
        }
    return frozenset(seen)


def _is_observation(record: Record) -> bool:
    return _OBSERVATION.match(record.words) is not None


def make_tool_call(at: int, words: str, call: RecordCall, answer: PlacedAnswer | None) -> ToolCall:
    """Return a call with its result; the name and the arguments are those of the script that it runs, if any."""
    name, arguments = read_script_call(call.name, call.arguments)
    if answer is None:
        return ToolCall(at, name, arguments, answered_at=at if call.needs_no_result else -1, words=words)
    where, _, result = answer
    return ToolCall(at, name, arguments, result.text, result.failed, where, words)


def strip_commands(words: str) -> str:
    """Return a model's text without the commands in it."""
    if "</" not in words:
        return words
    for opening, closing, _, _ in _CALLS:
        words = replace_elements(opening, words, "\n", closing)
    last = _find_last_element(words)
    return f"{words[: last.start]}\n" if last else words


class TagElement(NamedTuple):
    """An element: the first group of its opening tag, its content, its start and its end."""

    name: str
    content: str
    start: int
    end: int


def _find_last_element(words: str) -> TagElement | None:
    """Return the command element at the end of a text, which begins at the first opening tag of its name."""
    end = len(words.rstrip())
    for tag in _TAGS:
        start, stop = words.find(f"<{tag}>"), end - len(tag) - 3
        if start >= 0 and start + len(tag) + 2 <= stop and words.endswith(f"</{tag}>", 0, end):
            return TagElement(tag, words[start + len(tag) + 2 : stop].strip(), start, len(words))
    return None


@keep_last_result
def _find_spoken_commands(records: Sequence[Record]) -> tuple[ToolCall, ...]:
    """Return the commands in the text of a model, if commands are the protocol of the conversation."""
    turns = [at for at, record in enumerate(records) if record.role == "assistant" and record.words.strip()]
    followers = {at: _find_follower(records, at) for at in turns}
    ends = ((at, _find_command(records[at], _is_observation_at(records, followers[at]))) for at in turns)
    commands = {at: command for at, command in ends if command}
    if len(commands) < max(1, _MIN_COMMAND_SHARE * len(turns)):
        return ()
    if not _has_outputs(records, commands, followers):
        return ()
    spoken = _find_people(records, [followers[at] for at in commands if followers[at] >= 0])
    answers = {at: -1 if followers[at] in spoken else followers[at] for at in commands}
    return tuple(
        ToolCall(at, name, given, _get_words(records, answer), False, answer, records[at].words)
        for (at, (name, given)), answer in zip(commands.items(), answers.values(), strict=True)
    )


def _find_people(records: Sequence[Record], places: Sequence[int]) -> frozenset[int]:
    """Return the messages after commands that a person wrote: those without the frame that nearly all others have."""
    unframed = [at for at in places if not (_is_observation(records[at]) or records[at].role == "tool")]
    is_framed = len(places) - len(unframed) >= _MIN_FRAMED_SHARE * len(places)
    return frozenset(unframed if is_framed else ())


def _find_executed_code(records: Sequence[Record]) -> Iterator[ToolCall]:
    """Yield code in messages that the next message reports as executed, as AutoGen does."""
    for at, (record, following) in enumerate(itertools.pairwise(records)):
        if _EXECUTION.match(following.words) and (blocks := _find_code_blocks(record.words)):
            yield ToolCall(at, "python", {"code": blocks[-1][2]}, following.words, False, at + 1, record.words)


def _find_follower(records: Sequence[Record], at: int) -> int:
    """Return the index of the message that answers the one at ``at``, -1 if the agent continues."""
    for following in range(at + 1, len(records)):
        if records[following].role in ("user", "tool") and records[following].kind == "message":
            return following
        if records[following].words.strip():
            break
    return -1


def _is_observation_at(records: Sequence[Record], at: int) -> bool:
    return at >= 0 and _is_observation(records[at])


def _has_outputs(records: Sequence[Record], commands: Mapping[int, JsonValue], followers: Mapping[int, int]) -> bool:
    """Return whether commands are executed: half of the next messages look like output, or the file records them."""
    answers = [followers[at] for at in commands if followers[at] >= 0]
    seen = sum(1 for at in answers if _is_observation(records[at]))
    recorded = sum(1 for at in commands if isinstance(records[at].value, Mapping) and records[at].value.get("action"))
    return 2 * seen >= len(answers) > 0 or 2 * recorded >= len(commands)


def _get_words(records: Sequence[Record], at: int) -> str:
    return records[at].words if at >= 0 else ""


def _find_command(record: Record, seen: bool) -> tuple[str, JsonValue] | None:
    """Return the name and arguments of the command at the end of a message, or anywhere if its output is ``seen``."""
    value = record.value if isinstance(record.value, Mapping) else {}
    if isinstance(action := value.get("action"), str) and action.strip():
        return "bash", {"command": action.strip()}
    words = record.words
    if "</" not in words and "```" not in words:
        return None
    for opening, closing, parameter, ending in _CALLS if "</" in words else ():
        if call := next(find_elements(opening, words, closing), None):
            return call.name, _read_parameters(call.content, parameter, ending)
    if last := _find_last_element(words):
        return ("python" if last.name == "execute_ipython" else "bash"), {"command": last.content}
    return _find_block_command(words, seen)


def _find_block_command(words: str, seen: bool) -> tuple[str, JsonValue] | None:
    """Return the command in the last block of code for a shell or Python."""
    blocks = [block for block in _find_code_blocks(words) if block[1].lower() in _SHELLS]
    if not blocks or not (seen or words[blocks[-1].end() :].strip() == ""):
        return None
    if blocks[-1][1].lower().startswith("py"):
        return "python", {"code": blocks[-1][2]}
    return "bash", {"command": blocks[-1][2].strip()}


def _read_parameters(content: str, opening: re.Pattern[str], closing: str) -> dict[str, str]:
    return {element.name: strip_line_ends(element.content) for element in find_elements(opening, content, closing)}


def _find_code_blocks(words: str) -> list[re.Match[str]]:
    """Return the code blocks of a text; blocks after the last possible closing fence cannot end and are skipped."""
    end = max((match.end() for match in _FENCE_END.finditer(words)), default=0)
    return list(_CODE_BLOCK.finditer(words, 0, end))


_CLOSING = re.compile(r"</([\w: -]+)>")


def find_elements(opening: re.Pattern[str], text: str, closing: str = "{}") -> Iterator[TagElement]:
    """Yield the elements whose opening tag matches a pattern, in order; skip tags without a closing tag.

    ``closing`` is the name in the closing tag; {} in it stands for the first group of the opening tag.
    """
    places: dict[str, list[int]] = {}
    for match in _CLOSING.finditer(text):
        places.setdefault(match[1], []).append(match.start())
    at = 0
    while places and (tag := opening.search(text, at)):
        at = tag.end()
        name = closing.format(tag[1])
        ends = places.get(name, [])
        place = bisect_left(ends, at)
        if place < len(ends):
            end = ends[place] + len(name) + 3
            yield TagElement(tag[1], text[at : ends[place]], tag.start(), end)
            at = end


def replace_elements(opening: re.Pattern[str], text: str, replacement: str, closing: str = "{}") -> str:
    """Return a text with each element replaced."""
    parts, at = [], 0
    for element in find_elements(opening, text, closing):
        parts += [text[at : element.start], replacement]
        at = element.end
    return "".join([*parts, text[at:]])


def strip_line_ends(content: str) -> str:
    """Return the content of an element without the newline after its opening tag and before its closing tag."""
    return content.removeprefix("\n").removesuffix("\n")


_CALL = re.compile(r"\btools\.(\w{1,60})\(")
_PATCH = '"*** Begin Patch'
_MAX_CALLS = 40
"""Maximum number of commands of one script that are read."""


class EmbeddedCall(NamedTuple):
    """The name of a tool and its arguments."""

    name: str
    arguments: JsonValue


def read_script_call(name: str, arguments: JsonValue) -> EmbeddedCall:
    """Return the call in a script of Codex's tool exec: its commands, its patch or its plan; any other call as it is.

    A script that calls several tools, or builds its arguments, stays a script.

    >>> read_script_call("exec", 'const r = await tools.exec_command({"cmd":"ls"}); text(r.output);')
    EmbeddedCall(name='exec_command', arguments={'cmd': 'ls'})
    """
    script = arguments if isinstance(arguments, str) and is_script(name, arguments) else ""
    names = set(_CALL.findall(script)) if "tools." in script else set()
    call = _read_single(names.pop(), script) if len(names) == 1 else None
    return call or EmbeddedCall(name, arguments)


def is_script(name: str, arguments: JsonValue) -> bool:
    """Return whether a call is a script of Codex's tool exec: its text is JavaScript, no shell command."""
    return name == "exec" and isinstance(arguments, str)


def _read_single(tool: str, script: str) -> EmbeddedCall | None:
    if tool == "apply_patch":
        patch = _decode(script, script.find(_PATCH)) if _PATCH in script else None
        return EmbeddedCall(tool, {"input": patch}) if isinstance(patch, str) else None
    values = [_decode(script, match.end()) for match in islice(_CALL.finditer(script), _MAX_CALLS)]
    maps = [value for value in values if isinstance(value, Mapping)]
    if not maps or len(maps) < len(values):
        return None
    if tool == "exec_command":
        commands = [command for value in maps if isinstance(command := value.get("cmd"), str)]
        return EmbeddedCall(tool, {**maps[0], "cmd": "\n".join(commands)}) if commands else None
    return EmbeddedCall(tool, maps[-1]) if tool == "update_plan" else None


def _decode(script: str, at: int) -> JsonValue:
    """Return the JSON value at a position, None if there is none."""
    try:
        return decode_value(script, at)[0]
    except (InvalidJsonError, JsonTooDeepError):
        return None
