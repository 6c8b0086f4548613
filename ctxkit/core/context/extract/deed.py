"""What an agent did: each call beside what came back, whatever the format or the protocol says it in."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.chat.record import Call, Record, Result
from ctxkit.core.context.extract.elements import Element, find_elements, replace_elements, without_line_ends

_FENCED = re.compile(
    r"^[ \t]*```[ \t]*+([\w+.-]*+)[^\n`]*+\n(.*?)\n?(?<![ \t])[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE
)
_FENCE_END = re.compile(r"```[ \t]*$", re.MULTILINE)
_TAGS = ("command", "execute_bash", "execute_ipython")
"""Elements that hold a command where they end a message."""
_FUNCTION = re.compile(r"<function=([\w.-]+)>")
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>")
_INVOKED = re.compile(r"<invoke name=\"([\w.-]+)\">")
_VALUED = re.compile(r"<parameter name=\"([\w.-]+)\"[^<>]*>")
_CLINE = re.compile(
    r"<(execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_files|list_files"
    r"|update_todo_list|search_and_replace)>"
)
_CHILD = re.compile(r"<(\w+)>")
_CALLS = (
    (_FUNCTION, "function", _PARAMETER, "parameter"),
    (_INVOKED, "invoke", _VALUED, "parameter"),
    (_CLINE, "{}", _CHILD, "{}"),
)
"""How calls and their arguments are written: opening tags, with the names of the closing ones."""
_SHELLS = ("", "bash", "sh", "shell", "zsh", "console", "mswea_bash_command", "powershell", "python", "python3", "py")
_OBSERVED = re.compile(
    r"\s*(?:<returncode>|<output>|<function_results?>|<tool_(?:result|response)s?>|OBSERVATION:|Observation:"
    r"|EXECUTION RESULT"
    r"|exitcode: \d|\[(?:Command|execute_command|read_file|write_to_file|replace_in_file"
    r"|apply_diff)\b[^\n]*\] Result:"
    r"|Your command ran|There is no code from the last)|.*\nbash-\$\s*\Z",
    re.DOTALL,
)
_EXECUTED = re.compile(r"\s*exitcode: -?\d+ \(execution ")
MOST_OF = 0.6
"""Share of the turns of a conversation without calls that must end in a command for commands to be its protocol."""


class Deed(NamedTuple):
    """Hold a call of the agent, and its result where one came back.

    ``at`` counts the entries of the path up to the call, ``answered`` to its result.
    """

    at: int
    name: str
    arguments: Any
    text: str = ""
    failed: bool = False
    answered: int = -1
    said: str = ""

    @property
    def given(self) -> Mapping[str, Any]:
        """Return the arguments as a mapping; text alone is the ``input``."""
        if isinstance(self.arguments, Mapping):
            return self.arguments
        return {"input": self.arguments} if isinstance(self.arguments, str) else {}

    def string(self, *keys: str) -> str:
        """Return the first argument among some that is text."""
        given = self.given
        return next((held for key in keys if isinstance(held := given.get(key), str) and held), "")


def deeds(records: Sequence[Record]) -> tuple[Deed, ...]:
    """Return what was done in a conversation, in order."""
    if any(record.calls for record in records):
        return tuple(_paired(records))
    return tuple(_spoken(records)) or tuple(_executed(records))


def observed(records: Sequence[Record]) -> frozenset[int]:
    """Return the places of messages that have the user's role, but say what a tool returned."""
    begun = next((at for at, record in enumerate(records) if record.role == "assistant"), len(records))
    seen = {
        at
        for at, record in enumerate(records)
        if record.role == "user" and (_shown(record) or (at > begun and _sees(record)))
    }
    if not any(record.calls for record in records):
        seen |= {deed.answered for deed in _spoken(records)} - {-1}
        seen |= {place for deed in _executed(records) for place in (deed.at, deed.answered) if place > begun}
    return frozenset(seen)


def _shown(record: Record) -> bool:
    """Tell whether a message only shows a model how to work."""
    return isinstance(record.value, Mapping) and bool(record.value.get("is_demo"))


def _sees(record: Record) -> bool:
    return bool(_OBSERVED.match(record.words))


def _paired(records: Sequence[Record]) -> Iterator[Deed]:
    """Yield calls with their results: by id, else the first of that name, or of any, that is not taken.

    Of several calls with one id, as some servers give out, each has the result that comes next.
    """
    answers: dict[str, list[tuple[int, Result]]] = {}
    nameless: list[tuple[int, Result]] = []
    for at, record in enumerate(records):
        for result in record.results:
            if result.id:
                answers.setdefault(result.id, []).append((at, result))
            else:
                nameless.append((at, result))
    for at, record in enumerate(records):
        for call in record.calls:
            found = _next(answers.get(call.id, []), at) if call.id else _taken(nameless, at, call)
            yield _deed(at, record, call, found)


def _next(found: list[tuple[int, Result]], at: int) -> tuple[int, Result] | None:
    """Take the first result that comes after a call; where all come before it, the last of them is its."""
    place = next((place for place, (where, _) in enumerate(found) if where >= at), len(found) - 1)
    return found.pop(place) if found else None


def _taken(nameless: list[tuple[int, Result]], at: int, call: Call) -> tuple[int, Result] | None:
    for place, (where, result) in enumerate(nameless):
        if where >= at and result.name in ("", call.name):
            return nameless.pop(place)
    return None


def _deed(at: int, record: Record, call: Call, found: tuple[int, Result] | None) -> Deed:
    if found is None:
        return Deed(at, call.name, call.arguments, answered=at if call.settled else -1, said=record.words)
    where, result = found
    return Deed(at, call.name, call.arguments, result.text, result.failed, where, record.words)


def words_beside(words: str) -> str:
    """Return what a model says beside the commands in its words."""
    if "</" not in words:
        return words
    for opening, closing, _, _ in _CALLS:
        words = replace_elements(opening, words, "\n", closing)
    last = _last_element(words)
    return f"{words[: last.start]}\n" if last else words


def _last_element(words: str) -> Element | None:
    """Return the command that stands in the element in which words end, as far from the end as its name opens."""
    end = len(words.rstrip())
    for tag in _TAGS:
        start, stop = words.find(f"<{tag}>"), end - len(tag) - 3
        if start >= 0 and start + len(tag) + 2 <= stop and words.endswith(f"</{tag}>", 0, end):
            return Element(tag, words[start + len(tag) + 2 : stop].strip(), start, len(words))
    return None


def _spoken(records: Sequence[Record]) -> Iterator[Deed]:
    """Yield commands that stand in the words of a model, where that is how the conversation works."""
    turns = [at for at, record in enumerate(records) if record.role == "assistant" and record.words.strip()]
    followers = {at: _follower(records, at) for at in turns}
    found = {at: command for at in turns if (command := _command(records[at], _seen_at(records, followers[at])))}
    if not found or len(found) < MOST_OF * len(turns) or not _answered(records, found, followers):
        return
    for at, (name, arguments) in found.items():
        following = followers[at]
        words = records[following].words if following >= 0 else ""
        yield Deed(at, name, arguments, words, False, following, records[at].words)


def _executed(records: Sequence[Record]) -> Iterator[Deed]:
    """Yield the code of messages, whoever says them, that the next one tells to have been executed, as AutoGen does."""
    for at, (record, following) in enumerate(itertools.pairwise(records)):
        if _EXECUTED.match(following.words) and (blocks := _code_blocks(record.words)):
            yield Deed(at, "python", {"code": blocks[-1][2]}, following.words, False, at + 1, record.words)


def _follower(records: Sequence[Record], at: int) -> int:
    """Return the place of the message that answers the one at ``at``, -1 where the agent goes on itself."""
    for following in range(at + 1, len(records)):
        if records[following].role in ("user", "tool") and records[following].kind == "message":
            return following
        if records[following].words.strip():
            break
    return -1


def _seen_at(records: Sequence[Record], at: int) -> bool:
    return at >= 0 and _sees(records[at])


def _answered(records: Sequence[Record], found: Mapping[int, Any], followers: Mapping[int, int]) -> bool:
    """Tell whether commands are run: half of what follows them reads like output, or the file says so."""
    answers = [followers[at] for at in found if followers[at] >= 0]
    seen = sum(1 for at in answers if _sees(records[at]))
    told = sum(1 for at in found if isinstance(records[at].value, Mapping) and records[at].value.get("action"))
    return 2 * seen >= len(answers) > 0 or 2 * told >= len(found)


def _command(record: Record, seen: bool) -> tuple[str, Any] | None:
    """Return the name and arguments of the command that a message ends in, anywhere in it if its output is seen."""
    value = record.value if isinstance(record.value, Mapping) else {}
    if isinstance(action := value.get("action"), str) and action.strip():
        return "bash", {"command": action.strip()}
    words = record.words
    for opening, closing, parameter, ending in _CALLS if "</" in words else ():
        if call := next(find_elements(opening, words, closing), None):
            return call.name, _parameters(call.content, parameter, ending)
    if last := _last_element(words):
        return ("python" if last.name == "execute_ipython" else "bash"), {"command": last.content}
    blocks = [found for found in _code_blocks(words) if found[1].lower() in _SHELLS]
    if not blocks or not (seen or words[blocks[-1].end() :].strip() == ""):
        return None
    if blocks[-1][1].lower().startswith("py"):
        return "python", {"code": blocks[-1][2]}
    return "bash", {"command": blocks[-1][2].strip()}


def _parameters(content: str, opening: re.Pattern[str], closing: str) -> dict[str, str]:
    return {one.name: without_line_ends(one.content) for one in find_elements(opening, content, closing)}


def _code_blocks(words: str) -> list[re.Match[str]]:
    """Return the code blocks of words. Behind the last fence that may end one no beginning is looked at: none ends."""
    end = max((found.end() for found in _FENCE_END.finditer(words)), default=0)
    return list(_FENCED.finditer(words, 0, end))
