"""Sessions that Gemini CLI keeps: a document with messages, or a log of them, one a line.

A message of a log that changes, as its tools return, is written again; others take messages back.
"""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.gemini_parts import parts, results
from ctxkit.core.chat.message import Entry, Link, Message, Part, Rewind
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Receipt, Result
from ctxkit.core.chat.shape import dumped, mapping, number, objects, text
from ctxkit.core.chat.units import given, numbered, passages_in, plain, said

_HEADER = ("sessionId", "projectHash")
_BACK, _SET = "$rewindTo", "$set"
"""Lines of a log that take messages back, and that change what is known of a session: its messages too."""
_SPEAKERS = ("user", "gemini", "model")
"""Types of messages that reach the model; the others are notices of the program."""


def claims(value: Any) -> bool:
    """Tell whether a value is a session, or a line of one that no other format has."""
    return is_session(value) or _is_header(value) or _is_line(value)


def entries(value: Any) -> Iterator[Entry]:
    """Yield the messages of a session, or what a line adds to it; raises ValueError when it is neither."""
    if is_session(value):
        for message in objects(value, "messages"):
            yield from _spoken(message)
    elif text(value, _BACK):
        yield Rewind(0, text(value, _BACK))
    elif isinstance(mapping(value, _SET).get("messages"), list):
        yield Rewind()
        for message in objects(value[_SET], "messages"):
            yield from _spoken(message)
    elif text(value, "type"):
        yield from _spoken(value)
    elif not (_is_header(value) or mapping(value, _SET)):
        raise ValueError("no content: it has no parts")


def anatomy(value: dict[str, Any]) -> Anatomy:
    """Return what a message of a session says, calls and answers; other lines are notes, the first one its head."""
    kind = text(value, "type")
    if _is_header(value):
        return Anatomy(kind="head")
    if kind not in _SPEAKERS:
        return _of_update(value) if objects(mapping(value, _SET), "messages") else Anatomy(kind="note")
    done = [pair for at, call in numbered(value.get("toolCalls")) for pair in _done(call, ("toolCalls", at))]
    return Anatomy(
        "user" if kind == "user" else "assistant",
        calls=tuple(one for one in done if isinstance(one, Call)),
        results=tuple(one for one in done if isinstance(one, Result)),
        passages=tuple(passages_in(value.get("content"), ("content",))),
        receipt=_receipt(mapping(value, "tokens")),
    )


def is_session(value: Any) -> bool:
    """Tell whether a value is a session whole, with its messages."""
    if not isinstance(value, dict):
        return False
    types = {text(message, "type") for message in objects(value, "messages")}
    return "sessionId" in value and bool(types.intersection(_SPEAKERS))


def _is_header(value: Any) -> bool:
    return all(text(value, key) for key in _HEADER) and not objects(value, "messages")


def _is_line(value: Any) -> bool:
    """Tell whether a value is a line of a session that no other format has: what the model said."""
    said = text(value, "type") == "gemini" and ("content" in value or "toolCalls" in value)
    return said and bool(text(value, "id"))


def _spoken(message: dict[str, Any]) -> Iterator[Entry]:
    """Yield what was said and done in a message of a session; one that is written again replaces the one before."""
    kind, known = text(message, "type"), text(message, "id")
    if kind not in _SPEAKERS:
        return
    thoughts = [Part("thinking", words) for item in objects(message, "thoughts") if (words := _thought(item))]
    calls = objects(message, "toolCalls")
    parts = [*thoughts, *parts_of(message.get("content"))]
    parts += [Part("call", dumped(call.get("args")), text(call, "name")) for call in calls]
    link = Link(known, again=True) if known else None
    yield Message("user" if kind == "user" else "model", tuple(parts), link=link)
    for at, call in enumerate(calls):
        done = Link(f"{known} {at}", again=True) if known else None
        yield Message("user", tuple(_result(call.get("result"))), text(call, "name"), link=done)


def _thought(item: dict[str, Any]) -> str:
    return ": ".join(filter(None, (text(item, "subject"), text(item, "description"))))


def _result(result: Any) -> Iterator[Part]:
    if objects(result):
        yield from parts({"parts": result})
    else:
        yield from parts_of(result, "result")


def _of_update(value: dict[str, Any]) -> Anatomy:
    """Return the anatomy of a line that puts other messages in the place of all before: they stay or go together."""
    held = [(at, anatomy(one)) for at, one in numbered(mapping(value, _SET).get("messages"))]
    within = [((_SET, "messages", at), one) for at, one in held]
    return Anatomy(
        *("user", "summary"),
        tuple(
            call._replace(place=(*at, *call.place), unit=(*at, *call.unit)) for at, one in within for call in one.calls
        ),
        tuple(_moved(one, at) for at, held in within for one in held.results),
        tuple(Passage(one.text, (*at, *one.place)) for at, held in within for one in held.passages),
    )


def _moved(one: Result, at: Place) -> Result:
    copies = tuple((*at, *copy) for copy in one.copies)
    return one._replace(place=(*at, *one.place), unit=(*at, *one.unit), copies=copies)


def _done(call: dict[str, Any], unit: Place) -> Iterator[Call | Result]:
    """Yield a call of a session, and the result that is kept in it; the session shows the same once more."""
    name, result, shown = text(call, "name"), call.get("result"), text(call, "resultDisplay")
    yield Call(text(call, "id"), name, given(call.get("args")), (*unit, "args"), unit, settled=True)
    held = [one for at, part in numbered(result) for one in results(part, (*unit, "result", at))]
    if not held and (words := said(result)):
        held = [Result("", words, (*unit, "result"), plain=plain(result))]
    for one in held:
        copies = ((*unit, "resultDisplay"),) if shown and shown in one.text else ()
        failed = one.failed or text(call, "status") == "error"
        yield one._replace(id=text(call, "id"), name=name, failed=failed, copies=copies, unit=unit)


def _receipt(tokens: dict[str, Any]) -> Receipt | None:
    """Return what a request took: what was read from a cache is counted in its input."""
    context = number(tokens, "input")
    return Receipt(context, number(tokens, "output") + number(tokens, "thoughts")) if context else None
