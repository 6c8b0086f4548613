"""The notes on a conversation: lists from its calls and quotations of its users, the most important first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, islice, takewhile
from typing import Literal, NamedTuple

from ctxkit.core.chat.model.message import SYSTEM_ROLES, ChatMessage, Record, Role
from ctxkit.core.summary.call_kind import command_of, path_of, read_todo_items, split_name
from ctxkit.core.summary.files import find_changed_files, make_list_forms
from ctxkit.core.summary.frame import unframe_page
from ctxkit.core.summary.outcome import (
    CUT,
    ClassifiedCall,
    FailedCall,
    classify_calls,
    describe_attempt,
    find_failures,
    find_key,
    shows_content,
    strip_rules,
    unwrap_output,
)
from ctxkit.core.summary.sentences import (
    begins_as_demand,
    clip_line,
    clip_middle,
    find_demands,
    is_binding,
    is_output,
    join_parts,
    split_sentences,
)
from ctxkit.core.summary.template import Section, normalize_line
from ctxkit.core.summary.tool_call import ToolCall, find_tool_calls, strip_commands
from ctxkit.core.summary.user_words import ANSWER_LABEL, UserMessage, find_open_request, find_user_words, is_reply
from ctxkit.core.text.json_value import JsonValue

Group = Literal[
    "Instructions",
    "Failed commands",
    "Changed files",
    "Open items",
    "Demands",
    "Earlier summary",
    "User messages",
    "Latest answer",
    "Earlier work",
]
QUOTING: tuple[Group, ...] = ("Instructions", "Earlier summary", "User messages")
"""Groups whose notes quote several lines."""
MAX_TASK, _MAX_LATEST, _MAX_ANSWER, _MAX_CALL, MAX_LINE = 400, 1_600, 600, 160, 300
"""Characters of a task, of the last answer, of an earlier one, of a call and of an error line."""
_MAX_REQUEST_SENTENCES, MIN_WORDS, _MAX_LEADS = 6, 4, 4
"""Sentences of the open request that stand beside its first one, words of each, and sentences that announce others."""
_LEAD = re.compile(
    r":\W*$|\bfollowing\b|^(?:I|[Ww]e)(?:['’](?:ve|m|re)| have| am| are)\b(?!.*\b(?:want|need|like|try)\w*\b)"
)
"""A sentence that announces what comes behind it, or only says how things are with who asks."""
_POINTING = re.compile(r"\b(?:it|this|that|these|those|them|there)\b", re.IGNORECASE)
_MAX_POINTING, _MAX_TYPED = 80, 1_000
"""Words that point back, the characters up to which a request with one does not stand alone, and those from which a
message is a document, whose prose describes more than it demands.
"""
_FILES_IN_LINE = 20
_RESULT = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|passing|failed|failing|skipped|examples?|errors?)\b|^\d+ (?:pass|fail)$"
    r"|^(?:ok|OK|PASS)$|^(?:test result:|Tests?:|Test Files|BUILD|Found \d+ error)\b|\bbuilt in \d"
    r"|^\[[\w./-]+ [0-9a-f]{7,}\]"
)
"""The line with which a check says how it ended, and git's line about a commit."""
_RESULT_LINES, _QUOTED_LINES, _MAX_CHECKS = 8, 3, 4
"""Lines at the end of an output that may be one, those that are quoted, and checks that are named."""


class Note(NamedTuple):
    """A note: its group in the record, its section on the page ("" for none), ever shorter forms, and its evidence.

    The note is superfluous beside a text that contains all of its ``evidence``.
    """

    group: Group
    section: Section | Literal[""]
    forms: tuple[str, ...]
    evidence: tuple[str, ...]


class Conversation(NamedTuple):
    """The parts of a conversation: its entries, what users said, the calls, and the agent's messages with positions.

    ``replaced`` are the indices of entries that hold messages of an earlier compaction by the host.
    """

    records: Sequence[Record]
    words: Sequence[UserMessage]
    calls: Sequence[ClassifiedCall]
    answers: Sequence[tuple[int, str]]
    replaced: frozenset[int] = frozenset()


def read_conversation(records: Sequence[Record]) -> Conversation:
    """Return the parts of a conversation."""
    replaced = frozenset(record.at for record in records if record.kind == "summary")
    records = tuple(expand_histories(records))
    calls = classify_calls(find_tool_calls(records))
    answers = [
        (at, words)
        for at, record in enumerate(records)
        if record.role == "assistant" and record.kind == "message" and (words := strip_commands(record.words).strip())
    ]
    return Conversation(records, find_user_words(records), calls, answers, replaced)


def find_task(parts: Conversation) -> Iterator[Note]:
    """Yield the first sentence of the open request, marked if the agent answered it; then its other sentences.

    Sentences before it that only agree or thank are left out. One that announces the request goes on with what it
    announces, and a short one that points back follows the request before it. Other sentences are told up to the first
    line that is none, such as a heading or a pasted log.
    """
    request = find_open_request(parts.words)
    sentences = _list_sentences(request)
    if request is None or not sentences:
        return
    last_call = max((item.call.at for item in parts.calls), default=-1)
    answered = any(at > max(parts.words[-1].at, last_call) for at, _ in parts.answers)
    leads = _count_leads(sentences)
    first = clip_line(" ".join(sentences[: leads + 1]), MAX_TASK)
    if len(first) <= _MAX_POINTING and _POINTING.search(first):
        before = _list_sentences(_find_request_before(parts))
        pointed = clip_line(" ".join(before[: _count_leads(before) + 1]), MAX_LINE)
        first = " / ".join(filter(None, (pointed, first)))
    yield _make_note("User messages", "Task", f"{first} (answered)" if answered else first, first)
    others = () if leads else takewhile(_is_prose, sentences[1:])
    for sentence in reversed(list(islice(others, _MAX_REQUEST_SENTENCES))):
        yield _make_note("User messages", "Decisions", clip_line(sentence, MAX_LINE), sentence)


def _list_sentences(message: UserMessage | None) -> list[str]:
    """Return the sentences of a message from the first that is more than a reply."""
    sentences = list(split_sentences(message.text)) if message else []
    return list(dropwhile(is_reply, sentences)) or sentences


def _count_leads(sentences: Sequence[str]) -> int:
    """Return the number of first sentences that only announce what comes behind them."""
    return len(list(takewhile(_LEAD.search, sentences[:_MAX_LEADS])))


def _find_request_before(parts: Conversation) -> UserMessage | None:
    """Return the request before the open one."""
    request = find_open_request(parts.words)
    return find_open_request([message for message in parts.words if request and message.at < request.at])


def _is_prose(sentence: str) -> bool:
    return sentence[-1] in ".!?" and len(sentence.split()) >= MIN_WORDS and not is_output(sentence)


def find_lists(parts: Conversation) -> Iterator[Note]:
    """Yield failures that nothing resolved, changed files, open to-dos, and the other failures.

    On a page stand the failures since the request before the open one.
    """
    before = _find_request_before(parts)
    since = next((at for at, item in enumerate(parts.calls) if before is None or item.call.at > before.at), 0)
    failures = [failed._replace(is_told=failed.is_told and failed.at >= since) for failed in find_failures(parts.calls)]
    yield from _make_failures([failed for failed in failures if not failed.resolution and not failed.is_look])
    changed, removed = find_changed_files(parts.calls)
    yield from _make_file_lists(changed)
    todo = find_todo_list([item.call for item in parts.calls])
    for item in (*todo.active, *todo.open):
        yield _make_note("Open items", "Pending", clip_line(item, MAX_LINE), item)
    yield from _list_files("Removed", removed)
    yield from _make_failures([failed for failed in failures if failed.resolution])
    yield from _make_failures([failed for failed in failures if not failed.resolution and failed.is_look])


def _make_failures(failures: Sequence[FailedCall]) -> Iterator[Note]:
    """Yield failures, the newest first: what was tried, and the lines that say why."""
    for failed in reversed(failures):
        lines = [clip_line(line, MAX_LINE) for line in failed.lines]
        why = f": {' / '.join(lines)}" if lines else " failed"
        end = f"; {failed.resolution}" if failed.resolution else ""
        forms = dict.fromkeys(
            (f"`{failed.attempt}`{why}{end}", f"`{failed.attempt}`: {lines[0]}{end}" if lines else "")
        )
        section: Section | Literal[""] = "Errors" if failed.is_told else ""
        yield Note("Failed commands", section, tuple(filter(None, forms)), (failed.attempt.removesuffix(CUT), *lines))


def _make_file_lists(paths: Sequence[str]) -> Iterator[Note]:
    """Yield the changed files: as many as fit in a bullet of a page, and all of them for the record."""
    if paths:
        yield Note("Changed files", "Facts", tuple(make_list_forms("Changed", paths)), tuple(paths[:1]))
    yield from _list_files("Changed", paths)


def _list_files(label: str, paths: Sequence[str]) -> Iterator[Note]:
    """Yield lists of files for the record."""
    for start in range(0, len(paths), _FILES_IN_LINE):
        some = paths[start : start + _FILES_IN_LINE]
        names = tuple("/".join(path.split("/")[-2:]) for path in some)  # a list names the folder above once
        yield Note("Changed files", "", (next(make_list_forms(label, some)),), names)


def find_demand_notes(parts: Conversation, cut: int = -1) -> Iterator[Note]:
    """Yield what the users demanded, forbade and chose, verbatim, the newest first.

    What they said before position ``cut``, which leaves the conversation, comes before what stays in it. Of earlier
    requests than the open one, a page tells what binds; of a document, the sentences that begin as demands.
    """
    request = find_open_request(parts.words)
    typed = [message for message in parts.words if message.typed]
    leaving = [message for message in typed if message.at < cut]
    for message in (*reversed(leaving), *(message for message in reversed(typed) if message not in leaving)):
        if message.text.startswith(ANSWER_LABEL):
            answers = message.text.removeprefix(ANSWER_LABEL)
            yield _make_note("Demands", "Decisions", clip_line(message.text, _MAX_ANSWER), answers)
            continue
        for sentence in reversed(list(find_demands(message.text))):
            is_told = is_binding(sentence) if message != request else True
            is_told = is_told and (len(message.text) <= _MAX_TYPED or begins_as_demand(sentence))
            section: Section | Literal[""] = "Decisions" if is_told else ""
            yield _make_note("Demands", section, sentence, sentence)


def find_checks(parts: Conversation) -> Iterator[Note]:
    """Yield the last results of checks, the newest first: the command, and the line that says how it ended."""
    seen: set[tuple[str, str]] = set()
    for call, kind, outcome in reversed(parts.calls):
        attempt = describe_attempt(call, kind) if kind == "run" else ""
        key = find_key(call, kind, attempt)
        if not attempt or outcome.failed or key in seen or shows_content(command_of(call)):
            continue
        lines = [strip_rules(" ".join(line.split())) for line in unwrap_output(call.text)[0].splitlines()]
        last = [*filter(None, lines)][-_RESULT_LINES:]
        results = [line for line in dict.fromkeys(last) if _RESULT.search(line)][-_QUOTED_LINES:]
        if results:
            seen.add(key)
            result = clip_line(" / ".join(results), MAX_LINE)
            yield Note("Earlier work", "Facts", (f"`{attempt}`: {result}",), tuple(results))
        if len(seen) == _MAX_CHECKS:
            return


def find_earlier_summary(parts: Conversation) -> Iterator[Note]:
    """Yield the newest summary that a host made, whole; ours is merged instead."""
    for record in reversed(parts.records):
        words = record.words.strip()
        if record.kind == "summary" and words and unframe_page(record.words) is None:
            yield Note("Earlier summary", "", tuple(_quote_forms(words, (12_000, 6_000, 3_000, 1_500))), (words,))
            return


def find_instructions(parts: Conversation) -> Iterator[Note]:
    """Yield the instructions that an entry with replaced history holds: they leave with it."""
    for record in parts.records:
        if record.kind == "message" and record.role == "system" and record.at in parts.replaced:
            text = record.words.strip()
            yield Note("Instructions", "", tuple(_quote_forms(text, (6_000, 3_000))), (text,))


def quote_words(parts: Conversation) -> Iterator[Note]:
    """Yield what the users said, the newest first: whole, else with its middle left out."""
    for message in reversed(parts.words):
        text = message.text.strip()
        yield Note("User messages", "", tuple(_quote_forms(text, (1_500, 400))), (text.removeprefix(ANSWER_LABEL),))


def _quote_forms(text: str, sizes: Sequence[int]) -> Iterator[str]:
    """Yield a text as a quotation, whole and then ever shorter."""
    for size in (len(text), *(size for size in sizes if size < len(text))):
        clipped = join_parts(text, clip_middle(text, size), "\n")
        yield "\n".join(f"> {line}".rstrip() for line in clipped.split("\n")) + "\n"


def find_latest_answer(parts: Conversation) -> Iterator[Note]:
    """Yield the last message of the agent, most of it verbatim."""
    for _, words in parts.answers[-1:]:
        line = " ".join(words.split())
        pieces = clip_middle(line, _MAX_LATEST)
        yield Note("Latest answer", "", (join_parts(line, pieces), clip_line(line, _MAX_ANSWER)), pieces)


def find_work(parts: Conversation) -> Iterator[Note]:
    """Yield the agent's other messages, then the calls with their arguments, each clipped, the newest first."""
    for _, words in reversed(parts.answers[:-1]):
        line = clip_line(words, _MAX_ANSWER)
        yield Note("Earlier work", "", (line,), (line,))
    for call, kind, outcome in reversed(parts.calls):
        attempt = describe_attempt(call, kind).removesuffix(CUT)[:_MAX_CALL]
        if kind != "todo" and attempt and not outcome.failed:
            yield Note("Earlier work", "", (f"`{attempt}`",), ((kind != "run" and path_of(call)) or attempt,))


def _make_note(group: Group, section: Section | Literal[""], form: str, evidence: str) -> Note:
    line = normalize_line(form)
    return Note(group, section, (line,), (normalize_line(evidence).rstrip("."),))


_LINE = re.compile(r"^[ \t]*+(?:[-*+]|\d{1,3}[.)])?[ \t]*+\[([ xX✓✔~>-]?)\][ \t]++(.*[^ \t\n])[ \t]*$", re.MULTILINE)
_BOXES = {**dict.fromkeys("xX✓✔", "completed"), **dict.fromkeys("~>-", "in_progress")}
"""The states of marks in a box; any other is open."""
_WORDS = ("content", "step", "subject", "title", "task", "text", "name", "description", "activeForm")
_DONE = ("completed", "complete", "done", "finished", "closed", "resolved", "x")
_GONE = ("cancelled", "canceled", "deleted", "skipped", "dropped", "removed")
_ACTIVE = ("in_progress", "in-progress", "inprogress", "doing", "active", "started")


class TodoList(NamedTuple):
    """A to-do list with open, active and finished items, verbatim."""

    open: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    at: int = -1


def find_todo_list(calls: Sequence[ToolCall]) -> TodoList:
    """Return the last to-do list that calls wrote."""
    single = _collect_tasks(calls)
    for call in reversed(calls):
        items = read_todo_items(call)
        if items is not None and not (call.failed and call.answered_at >= 0):
            todo_list = _parse_items(items, call.at)
            return single if single.at > call.at else todo_list
    return single


def _parse_items(items: list[JsonValue] | str, at: int) -> TodoList:
    if isinstance(items, str):
        return _group_by_state(_parse_boxes(items), at)
    return _group_by_state([pair for item in items if (pair := _parse_item(item))], at)


def _parse_boxes(text: str) -> list[tuple[str, str]]:
    """Return the words and the state of each line with a box."""
    return [(normalize_line(words), _BOXES.get(mark, "pending")) for mark, words in _LINE.findall(text)]


def _parse_item(item: JsonValue) -> tuple[str, str] | None:
    if isinstance(item, str):
        return next(iter(_parse_boxes(item)), (normalize_line(item), "pending"))
    if not isinstance(item, Mapping):
        return None
    words = next((value for key in _WORDS if isinstance(value := item.get(key), str) and value.strip()), "")
    status = item.get("status", item.get("state"))
    if not isinstance(status, str):
        finished = item.get("done", item.get("completed", item.get("checked")))
        status = "completed" if finished is True else "pending"
    return (normalize_line(words), status.lower().replace(" ", "_")) if words else None


def _group_by_state(pairs: Sequence[tuple[str, str]], at: int) -> TodoList:
    kept = [(words, state) for words, state in pairs if words and state not in _GONE]
    finished = tuple(words for words, state in kept if state in _DONE)
    active = tuple(words for words, state in kept if state in _ACTIVE)
    return TodoList(
        tuple(words for words, state in kept if state not in _DONE and state not in _ACTIVE), active, finished, at
    )


_NUMBER = re.compile(r"(?:#|id\W{0,4}|[Tt]ask )(\d+)")


def _change_task(task: tuple[str, str], call: ToolCall) -> tuple[str, str]:
    """Return the text and the state of a task after a call that changes them."""
    status = call.first_string("status", "state").strip("\"' ").lower()
    status = status or ("completed" if "complete" in split_name(call.name) else "")
    return normalize_line(call.first_string("subject", "content", "title")) or task[0], status or task[1]


def _collect_tasks(calls: Sequence[ToolCall]) -> TodoList:
    """Return the list built by tools that change one task per call, such as TaskCreate and TaskUpdate."""
    tasks: dict[str, tuple[str, str]] = {}
    last = -1
    for call in calls:
        words = split_name(call.name)
        if not words & {"task", "todo"} or not words & {"create", "add", "update", "complete", "delete"}:
            continue
        if words & {"create", "add"} and (pair := _parse_item(call.argument_map)):
            match = _NUMBER.search(call.text)
            tasks[match[1] if match else str(len(tasks) + 1)] = pair
            last = call.at
        elif task := tasks.get(key := _find_task_id(call)):
            tasks[key] = _change_task(task, call)
            last = call.at
    return _group_by_state(list(tasks.values()), last)


def _find_task_id(call: ToolCall) -> str:
    values = (call.argument_map.get(name) for name in ("taskId", "task_id", "id", "todo_id", "todoId"))
    return next((str(value) for value in values if isinstance(value, str | int) and str(value)), "")


SUMMARY_START = "Another language model started to solve this problem"
"""The beginning of the message with which Codex hands over a summary, among the messages that it keeps."""


def expand_histories(records: Sequence[Record]) -> Sequence[Record]:
    """Return records in which the messages of a compaction stand alone; only its hand-over remains a summary.

    Codex writes the messages that it keeps, and its summary, into one entry. What the users and the agent said in them
    is no statement of a summary.
    """
    if not any(map(_is_history, records)):
        return records
    return [part for record in records for part in (_expand(record) if _is_history(record) else (record,))]


def _is_history(record: Record) -> bool:
    return record.kind == "summary" and len(record.messages) > 1


def _expand(record: Record) -> Iterator[Record]:
    """Yield a record for each message with text, then one with the calls and results."""
    payload = record.value.get("payload") if isinstance(record.value, Mapping) else None
    handover = payload.get("message") if isinstance(payload, Mapping) else None
    handover = handover.strip() if isinstance(handover, str) else ""
    bare = record._replace(calls=(), results=(), passages=(), kind="message")
    for message in record.messages:
        part = bare._replace(entries=(message,), role=_read_role(message))
        if words := part.words.strip():
            is_handover = words.startswith(SUMMARY_START) or (bool(handover) and handover in words)
            yield part._replace(kind="summary") if is_handover else part
    if record.calls or record.results:
        yield record._replace(kind="message", entries=(), passages=())


def _read_role(message: ChatMessage) -> Role:
    if message.role in SYSTEM_ROLES:
        return "system"
    return "user" if message.role == "user" else "assistant"
