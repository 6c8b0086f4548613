"""Text in the messages of a user that the user did not write: documents, answers of the agent, and announcements."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ctxkit.core.chat.model.record import Record

_DOCUMENT_TAG = re.compile(r"<(/?)doc(?:ument)?(?:\s[^<>]*)?>")
_EXAMPLE_END = re.compile(r"^-{5,} ?NEW TASK DESCRIPTION ?-{5,}[ \t]*$", re.MULTILINE)
_TASK_END = re.compile(r"^-{5,} ?END OF NEW TASK DESCRIPTION ?-{5,}[ \t]*$", re.MULTILINE)
"""The marks around the task in a prompt of OpenHands for models without tools, which begins with an example."""
_TERMINAL_PROMPT = re.compile(r"\s*You are an AI assistant tasked with solving command-line tasks\b")
_TERMINAL_TASK = re.compile(r"^(?:Task Description|Instruction):[ \t]*$", re.MULTILINE)
_TERMINAL_STATE = re.compile(r"^(?:Current terminal state:|The current terminal state is:)[ \t]*$", re.MULTILINE)
"""The prompt of Terminus, and the lines before and after the task in it."""
_ISSUE_TASK = re.compile(r"\s*Please solve this issue:[ \t]*\S")
_ISSUE_WORKFLOW = re.compile(
    r"^You can execute bash commands and edit files to implement the necessary changes\.", re.MULTILINE
)
"""The prompt of mini-swe-agent, and the line after the issue in it, above its workflow and its examples."""
_ANNOUNCEMENT = re.compile(r"^(?:# Announcement lines from when this session of aider|Aider v\d)", re.MULTILINE)
"""The beginning of what aider says of itself, at the end of a question about it."""
_REFERENCED_FILES = re.compile(
    r"^--- Content from referenced files ---[ \t]*$.*?(?:^--- End of content ---[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
"""The files that Gemini CLI and Qwen Code append to a message with their names after @."""
_CURSOR_COMMAND = re.compile(
    r"^--- Cursor Command: [^\n]{1,200} ---[ \t]*$.*?(?:^--- End Command ---[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
"""The text of a command that Cursor appends to a message with its name."""
_READ_FILES = re.compile(r"^Called the \w{2,20} tool with the following input: \{\"", re.MULTILINE)
"""The beginning of the files that opencode appends to a message with their names after @."""
_DOCUMENT_LABEL = re.compile(r"^# Relevant docs:[ \t]*$", re.MULTILINE)
_OPTION_COMMENT = re.compile(r"^#{1,2}[ \t]+\S[^\n]*\n(?:[ \t]*\n)?(?=#[ \t]?[A-Za-z][\w.-]*[ \t]*[:=])", re.MULTILINE)
"""The comment above an option in a sample configuration, in which every option is commented out."""
MIN_ECHO = 200
"""Minimum characters of a message that counts as a copy of what the agent said: a shorter one may choose an option."""


def drop_pasted(text: str) -> str:
    """Return a message without the documents, files, examples and announcements that a host puts beside the request.

    >>> drop_pasted("/help map\\n# Relevant docs:\\n<doc>Use it.</doc>")
    '/help map'
    """
    if task := _EXAMPLE_END.search(text):
        end = _TASK_END.search(text, task.end())
        text = text[task.end() : end.start() if end else len(text)]
    if _TERMINAL_PROMPT.match(text) and (task := _TERMINAL_TASK.search(text)):
        states = list(_TERMINAL_STATE.finditer(text, task.end()))
        text = text[task.end() : states[-1].start() if states else len(text)]
    if _ISSUE_TASK.match(text) and (workflow := _ISSUE_WORKFLOW.search(text)):
        text = text[: workflow.start()]
    if announcement := _ANNOUNCEMENT.search(text):
        text = text[: announcement.start()]
    if "--- Content from" in text:
        text = _REFERENCED_FILES.sub("", text)
    if "--- Cursor Command: " in text:
        text = _CURSOR_COMMAND.sub("", text)
    if "Called the " in text and (files := _READ_FILES.search(text)):
        text = text[: files.start()].rstrip() or text
    if "<doc" in text:
        text = _drop_documents(text)
    return _DOCUMENT_LABEL.sub("", text).strip()


def _drop_documents(text: str) -> str:
    """Return a text without its closed documents, unless nothing else is there."""
    kept, at, opened = [], 0, -1
    for tag in _DOCUMENT_TAG.finditer(text):
        if not tag[1] and opened < 0:
            opened = tag.start()
        elif tag[1] and opened >= 0:
            kept.append(text[at:opened])
            at, opened = tag.end(), -1
    bare = "\n".join([*kept, text[at:]])
    return bare if _DOCUMENT_LABEL.sub("", bare).strip() else text


def drop_option_comments(text: str) -> str:
    """Return a text without the comments that explain the options of a sample configuration.

    >>> drop_option_comments("## Always say yes\\n#yes: false")
    '#yes: false'
    """
    return _OPTION_COMMENT.sub("", text) if "#" in text else text


def find_document_parts(records: Sequence[Record]) -> frozenset[int]:
    """Return the positions of the user messages that are parts of a document, from its opening tag to its closing one.

    A history that was split at blank lines has such documents.
    """
    tags = [
        (at, bool(tag[1]))
        for at, record in enumerate(records)
        if record.role == "user" and "doc" in record.words
        for tag in _DOCUMENT_TAG.finditer(record.words)
    ]
    parts: set[int] = set()
    for (start, closes), (end, ends) in pairwise(tags):
        if not closes and ends and (start < end or _is_document(records[start].words)):
            parts.update(range(start, end + 1))
    return frozenset(parts)


def _is_document(text: str) -> bool:
    text = text.strip()
    return text.startswith("<doc>") and text.endswith("</doc>")


def find_echoes(records: Iterable[Record]) -> frozenset[int]:
    """Return the positions of the user messages that repeat what the agent said just before.

    The architect mode of aider passes the plan of one model to another in this way.
    """
    echoes: set[int] = set()
    answer = ""
    for at, record in enumerate(records):
        if record.role == "assistant" and record.words.strip():
            answer = record.words
        elif record.role == "user" and MIN_ECHO <= len(record.words.strip()) <= len(answer):
            if _fold(record.words) in _fold(answer):
                echoes.add(at)
            answer = ""
    return frozenset(echoes)


def _fold(text: str) -> str:
    return " ".join(text.split())
