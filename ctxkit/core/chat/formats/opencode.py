"""Sessions that OpenCode exports, or its server gives: messages with what is known of each and its parts, in a row.

A call and its result are one part. A compaction is a message of the user, answered by the summary.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.images import size_of_url
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Kept, Link, Message, Part
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Receipt, Result
from ctxkit.core.chat.shape import dumped, mapping, number, objects, text
from ctxkit.core.chat.units import numbered

NAME, PROVIDER, LINEAR = "opencode", "", False
RULES = Rules("within", opens=True, loops=True, summary="user")
CLEARED = "[Old tool result content cleared]"
INTERRUPTED = "[Tool execution was interrupted]"
"""What OpenCode sends for a result that it cleared, and for one that never came."""
_ASKED = {"compaction": "What did we do so far?", "subtask": "The following tool was executed by the user"}
"""Parts that OpenCode sends as words of the user."""
_INSIDE = ("text/plain", "application/x-directory")
"""Files whose words stand in a part of their own."""
_ABORTED = "MessageAbortedError"


def claims(value: Any) -> bool:
    """Tell whether a value is an export, a list of messages, or a message."""
    if isinstance(value, dict) and "messages" in value:
        value = value["messages"]
    return _is_message(value) or (isinstance(value, list) and bool(value) and all(map(_is_message, value)))


def _is_message(value: Any) -> bool:
    return text(mapping(value, "info"), "role") in ("user", "assistant") and isinstance(value.get("parts"), list)


def entries(value: Any) -> Iterator[Entry]:
    """Yield what a model reads of messages, else their places; raises ValueError where there is none."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    for one in value if isinstance(value, list) else [value]:
        if not _is_message(one):
            raise ValueError("no message: it has no info or no parts")
        yield from _spoken(one)


def _spoken(value: dict[str, Any]) -> Iterator[Entry]:
    """Yield a message, and what its calls returned as another."""
    info = value["info"]
    link, held = Link(text(info, "id")), objects(value, "parts")
    if not _is_sent(value):
        yield link
        return
    if info["role"] == "user":
        yield Message("user", tuple(part for one in held for part in _asked(one)), link=link, kept=_kept(info, held))
        return
    tools = [one for one in held if text(one, "type") == "tool"]
    ids = tuple(text(one, "callID") for one in tools)
    yield Message("assistant", tuple(part for one in held for part in _said(one)), calls=ids, link=link)
    if tools:
        told = (Part("result", _told(one)[0], text(one, "tool")) for one in tools)
        yield Message("tool", tuple(told), answers=ids)


def _is_sent(value: dict[str, Any]) -> bool:
    """Tell whether a model reads a message: not what failed, unless the user stopped it when something was said."""
    kinds = {text(part, "type") for part in objects(value, "parts")}
    error = mapping(value["info"], "error")
    return bool(kinds - {"step-start", "reasoning"}) if text(error, "name") == _ABORTED else bool(kinds) and not error


def _kept(info: dict[str, Any], parts: Sequence[dict[str, Any]]) -> Kept | None:
    """Return from where on a compaction keeps messages: from its own, unless it names an earlier one."""
    asked = next((part for part in parts if text(part, "type") == "compaction"), None)
    return None if asked is None else Kept(text(asked, "tail_start_id") or text(info, "id"))


def _asked(part: dict[str, Any]) -> Iterator[Part]:
    kind, mime = text(part, "type"), text(part, "mime")
    if kind in _ASKED:
        yield Part("text", _ASKED[kind])
    elif kind == "text" and part.get("ignored") is not True and text(part, "text"):
        yield Part("text", part["text"])
    elif kind == "file" and mime not in _INSIDE:
        image = mime.startswith("image/")
        url = text(part, "url")
        yield Part("image", size=size_of_url(url)) if image else Part("other", sealed=len(url))


def _said(part: dict[str, Any]) -> Iterator[Part]:
    kind, words = text(part, "type"), text(part, "text")
    if kind == "tool":
        yield Part("call", dumped(mapping(part, "state").get("input")), text(part, "tool"))
    elif kind in ("text", "reasoning") and words:
        yield Part("text" if kind == "text" else "thinking", words)


def _told(part: dict[str, Any]) -> tuple[str, str]:
    """Return what a model reads as the result of a call, and the member of its state that holds it, if one does."""
    state = mapping(part, "state")
    if number(mapping(state, "time"), "compacted"):
        return CLEARED, ""
    key = {"completed": "output", "error": "error"}.get(text(state, "status"), "")
    return (text(state, key), key) if key else (INTERRUPTED, "")


def where(document: Any) -> Place | None:
    """Return where the messages of an export stand."""
    if isinstance(document, list):
        return ()
    return ("messages",) if isinstance(document, dict) and isinstance(document.get("messages"), list) else None


def anatomy(value: Any) -> Anatomy:
    """Return what a message says, calls and answers; one that is not sent is a note."""
    if not _is_sent(value):
        return Anatomy(kind="note")
    info, held = value["info"], list(numbered(value.get("parts")))
    free = [(at, part) for at, part in held if text(part, "type") == "text" and text(part, "text")]
    words = tuple(Passage(part["text"], ("parts", at, "text")) for at, part in free if part.get("ignored") is not True)
    if info["role"] == "user":
        own = any(part.get("synthetic") is not True for _, part in free)
        return Anatomy("user", passages=words, automatic=not own)
    tools = [(at, part) for at, part in held if text(part, "type") == "tool"]
    first = next((part for _, part in held if text(part, "type") != "step-start"), {})
    return Anatomy(
        "assistant",
        "summary" if info.get("summary") is True else "message",
        tuple(_call(part, ("parts", at)) for at, part in tools),
        tuple(found for at, part in tools for found in _result(part, ("parts", at))),
        words,
        thinks=text(first, "type") == "reasoning",
        receipt=_receipt(mapping(info, "tokens")),
    )


def _call(part: dict[str, Any], unit: Place) -> Call:
    given = mapping(mapping(part, "state"), "input")
    return Call(text(part, "callID"), text(part, "tool"), given, (*unit, "state", "input"), unit, settled=True)


def _result(part: dict[str, Any], unit: Place) -> Iterator[Result]:
    words, key = _told(part)
    if key:
        known, plain = (text(part, "callID"), words), not objects(mapping(part, "state"), "attachments")
        yield Result(*known, (*unit, "state", key), text(part, "tool"), key == "error", plain, unit=unit)


def _receipt(tokens: dict[str, Any]) -> Receipt | None:
    """Return what a request took, None where that is not known: what a cache read and wrote is apart."""
    cache = mapping(tokens, "cache")
    context = number(tokens, "input") + number(cache, "read") + number(cache, "write")
    return Receipt(context, number(tokens, "output") + number(tokens, "reasoning")) if context else None


def returned(result: Result, words: str) -> Any:
    """Return the output of a call."""
    del result
    return words


def answer(call: Call, words: str) -> Any:
    """Return a part that holds a call with its answer."""
    state = {"status": "error", "input": call.arguments, "error": words, "time": {"start": 0, "end": 0}}
    return {"type": "tool", "callID": call.id, "tool": call.name, "state": state}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return the message of the model that carries calls with their answers."""
    return {"info": {"role": "assistant"}, "parts": list(answers)}


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message of the user that holds a summary, of the model and the agent that the next one names."""
    del role, parent
    info = mapping(near, "info")
    named = {"providerID": text(info, "providerID"), "modelID": text(info, "modelID")}
    session, id_ = {"sessionID": text(info, "sessionID")}, identity(key)
    known = {"agent": text(info, "agent") or "build", "model": mapping(info, "model") or named}
    time = {"created": max(number(mapping(info, "time"), "created") - 1, 0)}
    part = {"id": f"prt_{key[:26]}", **session, "messageID": id_, "type": "text", "text": words, "synthetic": True}
    return ({"info": {"id": id_, **session, "role": "user", "time": time, **known}, "parts": [part]},)


def identity(key: str) -> str:
    """Return the id that a message made here gets of ``key``: OpenCode's begin with their time and stand in order."""
    return f"msg_{'0' * 12}{key[:14]}"
