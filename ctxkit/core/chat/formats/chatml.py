"""ChatML text: ``<|im_start|>``, a role, a line break, the content, ``<|im_end|>``."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules, ValuePatch
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import find_entry_list as find_entry_list
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import make_result_value as make_result_value
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.formats.openai import ROLES_BY_NAME
from ctxkit.core.chat.model.calls_and_results import CALL_TAG, RESPONSE_TAG, find_tagged, parse_call, parse_response
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    MessagePart,
    RecordCall,
    RecordContent,
    RecordPassage,
    RecordResult,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "chatml", "", True
RULES = ApiRules("near", has_call_ids=False)
START, END = "<|im_start|>", "<|im_end|>"
_OPENING = re.compile(r"<\|im_start\|>([^\n<|]*)\n?")
_BREAK = re.compile(r"\r?\n")
_MARK = re.compile(r"<(?=\|im_(?:start|end)\|>)")


def is_format_of(value: JsonValue) -> bool:
    """Return whether a text begins with a ChatML message and contains an end mark."""
    return isinstance(value, str) and value.lstrip().startswith(START) and END in value


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of a text, without the unfinished reply at its end; raise ValueError if there is none."""
    if not isinstance(value, str) or START not in value:
        raise ValueError(f"not a message: there is no {START}")
    for _, _, message in find_messages(value):
        yield from read_messages(message)


def find_messages(text: str) -> list[tuple[int, int, dict[str, str]]]:
    """Return the start and end of each message, with its role, content and marks.

    A message ends only before the next message or the end of the text, since content may quote ``<|im_end|>``. It
    includes the line break after it. An unfinished reply at the end is not a message.
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
    """Return the start and end of a message's content, and the end of the message, at most ``stop``."""
    opening = _OPENING.match(text, at, stop)
    begin = opening.end() if opening else at + len(START)
    written = begin + len(text[begin:stop].rstrip())
    if not text.endswith(END, begin, written):
        return begin, stop, stop
    line_break = _BREAK.match(text, written, stop)
    return begin, written - len(END), line_break.end() if line_break else written


def read_messages(value: dict[str, str]) -> Iterator[ChatMessage]:
    """Yield the message as a model receives it."""
    yield ChatMessage(value["role"], (MessagePart("text", value["content"]),))


def read_content(value: dict[str, str]) -> RecordContent:
    """Return the role, passages, and the calls and results between tags of a message."""
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
    """Return the text of a message after patches to its content or to the text between two tags."""
    words = value["content"]
    for begin, end, new in sorted((_find_cut(words, patch) for patch in patches), reverse=True):
        words = words[:begin] + new + words[end:]
    return value["opened"] + words + value["closed"]


def _find_cut(words: str, patch: ValuePatch) -> tuple[int, int, str]:
    """Return the start and end of the text to replace, and its replacement."""
    tag, new = patch.place[0], _escape_marks(str(patch.value or ""))
    if tag == "content":
        return 0, len(words), new
    element = list(find_tagged(words, str(tag)))[int(patch.place[1])]
    return (*element.outer, "") if patch.action == "remove" else (element.start, element.end, new)


def dump_message(value: dict[str, str]) -> str:
    """Return a new message as text, without a line break at its end."""
    return f"{START}{value['role']}\n{_escape_marks(value['content'])}{END}"


def _escape_marks(words: str) -> str:
    """Return the text with a space inside each mark, so that no mark is recognized."""
    return _MARK.sub("< ", words)


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result message of a call, with tags if the call has tags."""
    content = f"<{RESPONSE_TAG}>\n{words}\n</{RESPONSE_TAG}>" if call.place[:1] == (CALL_TAG,) else words
    return {"role": "user" if content is not words else "tool", "content": content}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message."""
    del key, parent, neighbor
    return ({"role": role, "content": words},)
