"""The sessions that Qwen Code keeps: Gemini's contents, one a line, linked to a tree."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.copies import copies_in
from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.formats import gemini
from ctxkit.core.chat.formats.claude_code import identity as identity
from ctxkit.core.chat.formats.claude_code import relinked as relinked
from ctxkit.core.chat.formats.gemini import answer as answer
from ctxkit.core.chat.formats.gemini import returned as returned
from ctxkit.core.chat.message import Entry, Kept, Link, Message
from ctxkit.core.chat.record import Anatomy, Place, Receipt, Result
from ctxkit.core.chat.shape import mapping, number, objects, text
from ctxkit.core.chat.units import numbered, within

NAME, PROVIDER, LINEAR = "qwen-code", "", False
RULES = Rules("near", opens=True, summary="user")
SHARED = ("sessionId", "timestamp", "cwd", "version", "gitBranch", "agentId", "agentName", "isSidechain")
"""What the lines of a session have in common, or those that stand beside one another."""
_TYPES = ("user", "assistant", "tool_result")
_UNSENT = ("realtime_message", "code_mode_tool_result")
"""Subtypes of lines with a message that no model reads."""
_PROGRAM = ("notification", "cron", "background_task_completed")
"""Subtypes of lines that the program writes in the name of the user."""
_HISTORY = ("systemPayload", "compressedHistory")


def claims(value: Any) -> bool:
    """Tell whether a value is a line of a session that holds a content."""
    linked = bool(text(value, "uuid")) and "parentUuid" in value
    return linked and (_is_message(value) or bool(_compressed(value)))


def _is_message(value: Any) -> bool:
    typed = text(value, "type") in _TYPES and text(value, "subtype") not in _UNSENT
    return typed and isinstance(mapping(value, "message").get("parts"), list)


def _compressed(value: Any) -> list[dict[str, Any]]:
    """Return the contents that a compression put in the place of all before."""
    return objects(mapping(value, _HISTORY[0]), _HISTORY[1]) if text(value, "subtype") == "chat_compression" else []


def entries(value: Any) -> Iterator[Entry]:
    """Yield what a line holds, a content or those of a compression, else its place; raises ValueError for no object."""
    if not isinstance(value, dict):
        raise ValueError("no entry of a session")
    side = value.get("isSidechain") is True
    link = Link(text(value, "uuid"), text(value, "parentUuid"), side=side, tip=True)
    history = _compressed(value)
    if history:
        yield from _replaced(history, link)
    elif _is_message(value):
        yield _content(value["message"], link)
    elif link.id:
        yield link


def _content(content: dict[str, Any], link: Link) -> Message:
    found = next(entry for entry in gemini.entries([_bare(content)]) if isinstance(entry, Message))
    held = [part for key in ("functionCall", "functionResponse") for part in objects(content, "parts") if key in part]
    asked = tuple(text(part["functionCall"], "id") for part in held if mapping(part, "functionCall"))
    told = tuple(text(part["functionResponse"], "id") for part in held if mapping(part, "functionResponse"))
    return found._replace(link=link, calls=tuple(filter(None, asked)), answers=tuple(filter(None, told)))


def _bare(content: dict[str, Any]) -> dict[str, Any]:
    """Return a content with at least one part, and nothing else: Gemini has none without."""
    return {"role": text(content, "role"), "parts": objects(content, "parts") or [{"text": ""}]}


def _replaced(history: Sequence[dict[str, Any]], link: Link) -> Iterator[Message]:
    """Yield contents that stand together for all before: the first has the place of the line in its tree."""
    for at, content in enumerate(history):
        if at:
            yield _content(content, Link("", group=link.id, side=link.side, tip=True))
        else:
            yield _content(content, link._replace(group=link.id))._replace(kept=Kept())


def where(document: Any) -> Place | None:
    """Return None: a session has one entry a line."""
    del document
    return None


def anatomy(value: Any) -> Anatomy:
    """Return what a line says, calls and answers: of a compression all that it put in the place of what was before."""
    if _compressed(value):
        return _of_compression(value)
    if not _is_message(value):
        return Anatomy(kind="note")
    found, kind = within(gemini.anatomy(_whole(value["message"])), ("message",)), text(value, "type")
    return found._replace(
        role="assistant" if kind == "assistant" else "user",
        results=tuple(_with_copies(value, result) for result in found.results),
        receipt=_receipt(mapping(value, "usageMetadata")),
        automatic=text(value, "subtype") in _PROGRAM,
    )


def _with_copies(value: dict[str, Any], result: Result) -> Result:
    return result._replace(copies=copies_in(value.get("toolCallResult"), result.text, ("toolCallResult",)))


def _whole(content: dict[str, Any]) -> dict[str, Any]:
    return {"role": text(content, "role"), "parts": content.get("parts")}


def _of_compression(value: dict[str, Any]) -> Anatomy:
    places = [((*_HISTORY, at), one) for at, one in numbered(value[_HISTORY[0]][_HISTORY[1]])]
    held = [within(gemini.anatomy(_whole(one)), place) for place, one in places]
    return Anatomy(
        *("user", "summary"),
        tuple(call for one in held for call in one.calls),
        tuple(result for one in held for result in one.results),
        tuple(passage for one in held for passage in one.passages),
        automatic=True,
    )


def _receipt(used: dict[str, Any]) -> Receipt | None:
    """Return what a request took, None where that is not known: what was read from a cache is counted in its input."""
    context, output = number(used, "promptTokenCount"), number(used, "candidatesTokenCount")
    return Receipt(context, output + number(used, "thoughtsTokenCount")) if context else None


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return the line that carries results; ``hung`` gives it a place in the session."""
    return {"type": "tool_result", "message": gemini.carrier(answers)}


def hung(value: Any, key: str, parent: str | None, near: Any) -> Any:
    """Return a line with its id and its parent, and what all lines share."""
    shared = {name: near[name] for name in SHARED if name in near} if isinstance(near, dict) else {}
    return {"uuid": identity(key), "parentUuid": parent, **shared, **value}


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the line that holds a summary: a message of the user."""
    del role
    message = {"role": "user", "parts": [{"text": words}]}
    return (hung({"type": "user", "message": message}, key, parent, near),)


