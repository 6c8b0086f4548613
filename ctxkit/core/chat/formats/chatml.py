"""ChatML as text: ``<|im_start|>``, a role, a line break, what is said, ``<|im_end|>``."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editor import Patch, Rules
from ctxkit.core.chat.formats.openai import SPEAKERS
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Part
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Result
from ctxkit.core.chat.tagged import CALL, RESPONSE, call_of, response_of, tagged

NAME, PROVIDER, LINEAR = "chatml", "", True
RULES = Rules("near", identified=False)
START, END = "<|im_start|>", "<|im_end|>"
_OPENED = re.compile(r"<\|im_start\|>([^\n<|]*)\n?")
_BREAK = re.compile(r"\r?\n")
_MARK = re.compile(r"<(?=\|im_(?:start|end)\|>)")


def claims(value: Any) -> bool:
    """Tell whether a text begins as ChatML does, and ends a message."""
    return isinstance(value, str) and value.lstrip().startswith(START) and END in value


def entries(value: Any) -> Iterator[Entry]:
    """Yield the messages of a text; raises ValueError where there is none. The opened reply at its end is none."""
    if not isinstance(value, str) or START not in value:
        raise ValueError(f"no message: there is no {START}")
    for _, _, held in spans(value):
        yield from messages(held)


def spans(text: str) -> list[tuple[int, int, dict[str, str]]]:
    """Return each message with where it begins and ends: its role, its content, and the marks before and after it.

    A message is closed only where the next one, or nothing, follows: content may quote ``<|im_end|>``. The line break
    after a message belongs to it. A reply that is opened at the end is no message.
    """
    found = []
    at = text.find(START)
    while at >= 0:
        following = text.find(START, at + len(START))
        stop = following if following >= 0 else len(text)
        begin, end, closed = _parts(text, at, stop)
        role = text[at + len(START) : begin].strip() or "user"
        held = {"role": role, "content": text[begin:end], "opened": text[at:begin], "closed": text[end:closed]}
        if begin < closed or closed < len(text):
            found.append((at, closed, held))
        at = following
    return found


def _parts(text: str, at: int, stop: int) -> tuple[int, int, int]:
    """Return where the content of a message begins and ends, and where the message ends, at ``stop`` at the latest."""
    opened = _OPENED.match(text, at, stop)
    begin = opened.end() if opened else at + len(START)
    written = begin + len(text[begin:stop].rstrip())
    if not text.endswith(END, begin, written):
        return begin, stop, stop
    broken = _BREAK.match(text, written, stop)
    return begin, written - len(END), broken.end() if broken else written


def messages(value: dict[str, str]) -> Iterator[Message]:
    """Yield what a model reads of a message."""
    yield Message(value["role"], (Part("text", value["content"]),))


def where(document: Any) -> Place | None:
    """Return None: the text is no list."""
    del document
    return None


def anatomy(value: dict[str, str]) -> Anatomy:
    """Return what a message says, and what it calls and answers between tags."""
    role, words = SPEAKERS.get(value["role"], "user"), value["content"]
    if role in ("user", "tool"):
        results = tuple(_results(words)) or ((Result("", words, ("content",)),) if role == "tool" else ())
        return Anatomy(role, results=results, passages=() if results else _passages(words))
    asked = enumerate(tagged(words, CALL)) if role == "assistant" else ()
    calls = tuple(Call("", *call_of(one.text), (CALL, at), (CALL, at)) for at, one in asked)
    return Anatomy(role, calls=calls, passages=() if calls else _passages(words))


def _passages(words: str) -> tuple[Passage, ...]:
    return (Passage(words, ("content",)),) if words else ()


def _results(words: str) -> Iterator[Result]:
    for at, one in enumerate(tagged(words, RESPONSE)):
        name, said = response_of(one.text)
        yield Result("", said, (RESPONSE, at), name, unit=(RESPONSE, at))


def patched(value: dict[str, str], patches: Sequence[Patch]) -> str:
    """Return a message as text with patches made: to all that it says, or to what stands between two tags."""
    words = value["content"]
    for begin, end, new in sorted((_cut(words, patch) for patch in patches), reverse=True):
        words = words[:begin] + new + words[end:]
    return value["opened"] + words + value["closed"]


def _cut(words: str, patch: Patch) -> tuple[int, int, str]:
    """Return which stretch of what is said to replace, and by what."""
    tag, new = patch.place[0], _unmarked(str(patch.value or ""))
    if tag == "content":
        return 0, len(words), new
    one = list(tagged(words, str(tag)))[int(patch.place[1])]
    return (*one.outer, "") if patch.how == "remove" else (one.start, one.end, new)


def marked(value: dict[str, str]) -> str:
    """Return a new message as text, without a line break behind it."""
    return f"{START}{value['role']}\n{_unmarked(value['content'])}{END}"


def _unmarked(words: str) -> str:
    """Return words in which no mark can be taken for one: a blank parts its first two characters."""
    return _MARK.sub("< ", words)


def returned(result: Result, words: str) -> Any:
    """Return the words of a result."""
    del result
    return words


def answer(call: Call, words: str) -> Any:
    """Return the message that answers a call: between tags where the call stands between some."""
    said = f"<{RESPONSE}>\n{words}\n</{RESPONSE}>" if call.place[:1] == (CALL,) else words
    return {"role": "user" if said is not words else "tool", "content": said}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return nothing: each result is a message."""
    del answers
    return None


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary."""
    del key, parent, near
    return ({"role": role, "content": words},)
