"""ChatML as text: ``<|im_start|>``, a role, a line break, what is said, ``<|im_end|>``."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editing.editable_format import ApiRules, ValuePatch
from ctxkit.core.chat.editing.linear import attach_entry as attach_entry
from ctxkit.core.chat.editing.linear import make_id as make_id
from ctxkit.core.chat.editing.linear import patch_parent as patch_parent
from ctxkit.core.chat.formats.openai import ROLES_BY_NAME
from ctxkit.core.chat.model.message import ChatEntry, ChatMessage, MessagePart
from ctxkit.core.chat.model.record import Place, RecordCall, RecordContent, RecordPassage, RecordResult
from ctxkit.core.chat.model.tagged_text import CALL_TAG, RESPONSE_TAG, find_tagged, parse_call, parse_response

NAME, PROVIDER, LINEAR = "chatml", "", True
RULES = ApiRules("near", has_call_ids=False)
START, END = "<|im_start|>", "<|im_end|>"
_OPENING = re.compile(r"<\|im_start\|>([^\n<|]*)\n?")
_BREAK = re.compile(r"\r?\n")
_MARK = re.compile(r"<(?=\|im_(?:start|end)\|>)")


def is_format_of(value: Any) -> bool:
    """Tell whether a text begins as ChatML does, and ends a message."""
    return isinstance(value, str) and value.lstrip().startswith(START) and END in value


def read_entries(value: Any) -> Iterator[ChatEntry]:
    """Yield the messages of a text; raises ValueError where there is none. The opened reply at its end is none."""
    if not isinstance(value, str) or START not in value:
        raise ValueError(f"not a message: there is no {START}")
    for _, _, message in find_messages(value):
        yield from read_messages(message)


def find_messages(text: str) -> list[tuple[int, int, dict[str, str]]]:
    """Return each message with where it begins and ends: its role, its content, and the marks before and after it.

    A message is closed only where the next one, or nothing, follows: content may quote ``<|im_end|>``. The line break
    after a message belongs to it. A reply that is opened at the end is no message.
    """
    messages = []
    at = text.find(START)
    while at >= 0:
        following = text.find(START, at + len(START))
        stop = following if following >= 0 else len(text)
        begin, end, closed = _split_message(text, at, stop)
        role = text[at + len(START) : begin].strip() or "user"
        message = {"role": role, "content": text[begin:end], "opened": text[at:begin], "closed": text[end:closed]}
        if begin < closed or closed < len(text):
            messages.append((at, closed, message))
        at = following
    return messages


def _split_message(text: str, at: int, stop: int) -> tuple[int, int, int]:
    """Return where the content of a message begins and ends, and where the message ends, at ``stop`` at the latest."""
    opening = _OPENING.match(text, at, stop)
    begin = opening.end() if opening else at + len(START)
    written = begin + len(text[begin:stop].rstrip())
    if not text.endswith(END, begin, written):
        return begin, stop, stop
    line_break = _BREAK.match(text, written, stop)
    return begin, written - len(END), line_break.end() if line_break else written


def read_messages(value: dict[str, str]) -> Iterator[ChatMessage]:
    """Yield what a model reads of a message."""
    yield ChatMessage(value["role"], (MessagePart("text", value["content"]),))


def find_entry_list(document: Any) -> Place | None:
    """Return None: the text is no list."""
    del document
    return None


def read_content(value: dict[str, str]) -> RecordContent:
    """Return what a message says, and what it calls and answers between tags."""
    role, words = ROLES_BY_NAME.get(value["role"], "user"), value["content"]
    if role in ("user", "tool"):
        results = tuple(_read_results(words)) or ((RecordResult("", words, ("content",)),) if role == "tool" else ())
        return RecordContent(role, results=results, passages=() if results else _make_passages(words))
    tagged_calls = enumerate(find_tagged(words, CALL_TAG)) if role == "assistant" else ()
    calls = tuple(
        RecordCall("", *parse_call(element.text), (CALL_TAG, at), (CALL_TAG, at)) for at, element in tagged_calls
    )
    return RecordContent(role, calls=calls, passages=() if calls else _make_passages(words))


def _make_passages(words: str) -> tuple[RecordPassage, ...]:
    return (RecordPassage(words, ("content",)),) if words else ()


def _read_results(words: str) -> Iterator[RecordResult]:
    for at, element in enumerate(find_tagged(words, RESPONSE_TAG)):
        name, output = parse_response(element.text)
        yield RecordResult("", output, (RESPONSE_TAG, at), name, unit=(RESPONSE_TAG, at))


def patch_message(value: dict[str, str], patches: Sequence[ValuePatch]) -> str:
    """Return a message as text with patches made: to all that it says, or to what stands between two tags."""
    words = value["content"]
    for begin, end, new in sorted((_find_cut(words, patch) for patch in patches), reverse=True):
        words = words[:begin] + new + words[end:]
    return value["opened"] + words + value["closed"]


def _find_cut(words: str, patch: ValuePatch) -> tuple[int, int, str]:
    """Return which stretch of what is said to replace, and by what."""
    tag, new = patch.place[0], _escape_marks(str(patch.value or ""))
    if tag == "content":
        return 0, len(words), new
    element = list(find_tagged(words, str(tag)))[int(patch.place[1])]
    return (*element.outer, "") if patch.action == "remove" else (element.start, element.end, new)


def dump_message(value: dict[str, str]) -> str:
    """Return a new message as text, without a line break behind it."""
    return f"{START}{value['role']}\n{_escape_marks(value['content'])}{END}"


def _escape_marks(words: str) -> str:
    """Return words in which no mark can be taken for one: a blank parts its first two characters."""
    return _MARK.sub("< ", words)


def make_result_value(result: RecordResult, words: str) -> Any:
    """Return the words of a result."""
    del result
    return words


def make_result(call: RecordCall, words: str) -> Any:
    """Return the message that answers a call: between tags where the call stands between some."""
    content = f"<{RESPONSE_TAG}>\n{words}\n</{RESPONSE_TAG}>" if call.place[:1] == (CALL_TAG,) else words
    return {"role": "user" if content is not words else "tool", "content": content}


def wrap_results(results: Sequence[Any]) -> Any | None:
    """Return nothing: each result is a message."""
    del results
    return None


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: Any) -> Sequence[Any]:
    """Return the message that holds a summary."""
    del key, parent, neighbor
    return ({"role": role, "content": words},)
