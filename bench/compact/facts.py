"""What an agent must still know after a compaction, found by plain rules in the messages."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench.compact.said import Did, Said

KINDS = ("request", "files", "todo", "failures", "errors", "constraints", "numbers")
"""The last request; files changed; open items of the last todo list; commands that failed last, their error lines;
what the user demanded or forbade; numbers and ids of the last conclusion."""
LAST = 8
"""Failed commands, and constraints, that are asked for: the last ones, of several alike one."""
_SHELLS = ("bash", "shell", "execute_bash", "run", "exec", "exec_command", "local_shell", "run_terminal_cmd")
_EDITS = re.compile(r"edit|write|create|replace|insert|patch|notebook", re.IGNORECASE)
_LOOKS = ("view", "undo_edit", "read", "open", "search", "ls")
_PATHS = ("file_path", "path", "filename", "file", "notebook_path", "target_file", "filePath")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_REDIRECTED = re.compile(r"(?:^|[\s;&|])(?:cat|tee|echo)\b[^\n]*?(?:>>?|tee(?: -a)?)\s+([\w./~-]+\.\w{1,6})\b")
_HERE_DOCUMENT = re.compile(r"(<<-?[ \t]*['\"]?(\w+)['\"]?[^\n]*\n).*?^[ \t]*\2[ \t]*$", re.DOTALL | re.MULTILINE)
_ECHOED = re.compile(r"\becho +(?:-\w+ +)?(?:\"[^\"\n]*\"|'[^'\n]*')")
"""Text that a command writes or prints: a redirection in it changes no file."""
_SED = re.compile(r"\bsed\s+(?:-[a-zA-Z]*i\S*)\s+(?:-e\s+)?(?:'[^'\n]*'|\"[^\"\n]*\")\s+([\w./~-]+)(?=[\s;&|)]|$)")
"""A path that goes on with a glob or a variable names no file."""
_OPENED = re.compile(r"(open|create)\s+([\w./~-]+)")
_EDITED = re.compile(r"(?:edit|insert)\s")
"""Commands of SWE-agent's own shell: a file is opened, then edited by line."""
_BOUND = re.compile(
    r"\b(never|don'?t|do not|must(?: not)?|always|only|make sure|please use|no need to|without|avoid|instead of)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\?$|^\d{3}\b|[{}<>|]{2}|toolu_|tool_use|^\w+Error\b|\bi (?:think|guess|don'?t)\b|must have a", re.IGNORECASE
)
"""A question, a doubt, or a message that a program printed and a person pasted: it demands nothing."""
_WRONG = "error|exception|failed|failure|fatal|cannot|no such|not found|denied|panic"
_ERROR = re.compile(rf"\b\w*(?:{_WRONG})\w*\b|(?-i:\bFAIL\b)", re.IGNORECASE)
"""Words of an error line; go test and unittest write FAIL alone."""
_NUMBER = re.compile(r"(?<![\w.])(?:[0-9a-f]{7,40}|v?\d+\.\d+(?:\.\d+)*|\d{2,})(?![\w])")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
_TODOS = re.compile(r"todo|plan", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """Hold one fact: it is known where one of ``ways`` stands in the text."""

    kind: str
    ways: tuple[str, ...]


def facts(rows: Sequence[Said]) -> list[Fact]:
    """Return the facts of a conversation, of each kind each once."""
    items = [*_request(rows), *_files(rows), *_todo(rows), *_failures(rows), *_constraints(rows), *_numbers(rows)]
    return list(dict.fromkeys(items))


def is_known(fact: Fact, text: str) -> bool:
    """Tell whether a fact stands in a text whose blanks are ``folded``."""
    return any(way in text for way in fact.ways)


def fold(text: str) -> str:
    """Return a text with every run of blanks made one space, and without marks of emphasis."""
    return re.sub(r"[\s`*]+", " ", text).strip()


def _requests(rows: Sequence[Said]) -> list[Said]:
    return [row for row in rows if row.role == "user" and row.spoken and row.text.strip()]


def _request(rows: Sequence[Said]) -> Iterator[Fact]:
    """Yield the last request that says what to do: any whole sentence of it tells which it was."""
    requests = [line for line in _requests(rows) if len(line.text.split()) > 3] or _requests(rows)
    if not requests:
        return
    whole = fold(requests[-1].text)
    parts = [fold(part) for part in _SENTENCE.split(requests[-1].text)]
    long = tuple(part[:200].rstrip(".?!") for part in parts if len(part) >= 25)
    yield Fact("request", long or (whole[:200],))


def _list_names(path: str) -> tuple[str, ...]:
    """Return how a path may be written: whole, or by its last two names."""
    path = path.strip().strip("'\"")
    short = "/".join(path.split("/")[-2:])
    return (path, short) if "/" in path else (path,)


def _files(rows: Sequence[Said]) -> Iterator[Fact]:
    bad = {row.answers for row in rows if row.role == "tool" and row.failed}
    answered = {row.answers for row in rows if row.role == "tool"}
    opened = ""
    for row_value in rows:
        for did in row_value.did:
            if did.id and (did.id in bad or did.id not in answered):
                continue
            command = _command(did)
            if match := _OPENED.match(command):
                opened = match[2]
            if opened and ((match and match[1] == "create") or _EDITED.match(command)):
                yield Fact("files", _list_names(opened))
            for path in find_changes(did):
                yield Fact("files", _list_names(path))


def find_changes(did: Did) -> Iterator[str]:
    """Yield the paths that a call writes."""
    given = did.arguments
    command = _command(did)
    if command:
        shown = _ECHOED.sub("echo x", _HERE_DOCUMENT.sub(r"\1", command))
        yield from (path for path in _REDIRECTED.findall(shown) if not path.startswith("/dev"))
        yield from _SED.findall(command)
        yield from (path.strip() for path in _PATCHED.findall(command))
        return
    text = "\n".join(value for value in given.values() if isinstance(value, str))
    yield from (path.strip() for path in _PATCHED.findall(text))
    if _EDITS.search(did.name) and str(given.get("command", "")) not in _LOOKS:
        yield from (str(given[key]) for key in _PATHS if isinstance(given.get(key), str) and given[key])


def _command(did: Did) -> str:
    """Return the command line of a call of a shell, empty for another tool."""
    if did.name.lower() not in _SHELLS:
        return ""
    given: Any = did.arguments.get("command", did.arguments.get("cmd", did.arguments.get("input", "")))
    return " ".join(map(str, given)) if isinstance(given, list) else str(given)


def _todo(rows: Sequence[Said]) -> Iterator[Fact]:
    for text in find_open_items(did for row in rows for did in row.did):
        yield Fact("todo", (text[:100],))


def find_open_items(calls: Iterable[Did]) -> list[str]:
    """Return what is not done of the last list of to-dos."""
    last: list[dict[str, Any]] = []
    for did in calls:
        items = did.arguments.get("todos") or did.arguments.get("plan") or did.arguments.get("items")
        if _TODOS.search(did.name) and isinstance(items, list):
            last = [item for item in items if isinstance(item, dict)]
    left = [item for item in last if str(item.get("status")) not in ("completed", "done", "cancelled")]
    keys = ("content", "step", "text", "title")
    return [text for item in left if (text := fold(str(next(filter(None, map(item.get, keys)), ""))))]


def first_line_of(did: Did, result: str) -> tuple[str, str]:
    """Return the first line of a call's command, else its name, and the error line of its result, each clipped."""
    lines = _command(did).strip().splitlines()
    return fold(lines[0] if lines else did.name)[:200].strip(), _error_line(result)[:200]


def _failures(rows: Sequence[Said]) -> Iterator[Fact]:
    calls = {did.id: did for row in rows for did in row.did if did.id}
    table: dict[str, str] = {}
    before: Did | None = None
    for row_value in rows:
        if row_value.did:
            before = row_value.did[-1]
        if row_value.role != "tool" or not row_value.failed:
            continue
        did = calls.get(row_value.answers) or before
        command = _command(did) if did else ""
        if command:
            first = fold(command.strip().splitlines()[0] if command.strip() else "")[:60].strip()
            table.pop(first, None)
            table[first] = _error_line(row_value.text)
    for command, line in list(table.items())[-LAST:]:
        yield Fact("failures", (command,))
        if line:
            yield Fact("errors", (line,))


def _error_line(text: str) -> str:
    """Return the last line that speaks of an error, without the rule around it, else the last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if _ERROR.search(line)]
    return fold((wrong or lines or [""])[-1]).strip("= ")[:60].strip()


def _constraints(rows: Sequence[Said]) -> Iterator[Fact]:
    """Yield what a person demanded in a sentence of a message that a person would type."""
    items = []
    for request in _requests(rows):
        if len(request.text) > 4000:
            continue
        for part in _SENTENCE.split(request.text):
            sentence = fold(part).strip("-•> ")
            if 12 <= len(sentence) <= 200 and _BOUND.search(sentence) and not _OTHER.search(sentence):
                items.append(Fact("constraints", (sentence.rstrip(".。")[:100],)))
    yield from list(dict.fromkeys(items))[-LAST:]


def _numbers(rows: Sequence[Said]) -> Iterator[Fact]:
    last = next((row for row in reversed(rows) if row.role == "assistant" and len(row.text) > 40), None)
    if last is None:
        return
    for number in list(dict.fromkeys(_NUMBER.findall(last.text)))[:6]:
        yield Fact("numbers", (number,))
