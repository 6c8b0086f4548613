"""Match the messages between a client and a server of the Model Context Protocol by the ids of requests.

A message is one line: an object, or an array of objects, which the revision 2025-03-26 allows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeGuard

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.editing.json_patches import patch_text
from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.chat.model.record import Place
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import decode_value, skip_blanks

Json = dict[str, JsonValue]
RequestId = str | int | float


class PendingRequest(NamedTuple):
    """A request whose result is read: its method, its tool, and whether it asks for a list from its beginning."""

    method: str
    tool: str = ""
    is_first_page: bool = True


class ClientLine(NamedTuple):
    """What becomes of a line of the client: the places that the server does not get, and what its results are."""

    own: Sequence[tuple[Place, Json]] = ()
    dropped: Sequence[Place] = ()
    pending: Mapping[RequestId, PendingRequest] = {}


class Reply(NamedTuple):
    """A result in a line of the server: its place, its id, its value, and the request that it answers."""

    place: Place
    id: RequestId
    result: Json
    request: PendingRequest


def list_messages(value: JsonValue) -> Iterator[tuple[Place, Json]]:
    """Yield the messages of a line, each with its place."""
    if isinstance(value, dict):
        yield (), value
    elif isinstance(value, list):
        yield from (((at,), item) for at, item in enumerate(value) if isinstance(item, dict))


def route_client_line(
    value: JsonValue, own_tools: Collection[str], own_ids: Collection[RequestId], tasks: Mapping[str, str]
) -> ClientLine:
    """Return what becomes of a line of the client.

    Calls of ``own_tools`` are answered here, so the server hears of no cancellation of ``own_ids`` either. The tools of
    the tasks that calls have begun are in ``tasks``.
    """
    own: list[tuple[Place, Json]] = []
    dropped: list[Place] = []
    pending: dict[RequestId, PendingRequest] = {}
    for place, message in list_messages(value):
        method, id_, params = message.get("method"), message.get("id"), get_object(message, "params")
        if method == "notifications/cancelled" and _find(params.get("requestId"), own_ids):
            dropped.append(place)
        if not is_request_id(id_):
            continue
        if method == "tools/call" and get_text(params, "name") in own_tools:
            own.append((place, message))
            dropped.append(place)
        elif method == "tools/call":
            pending[id_] = PendingRequest("tools/call", get_text(params, "name"))
        elif method == "tools/list":
            pending[id_] = PendingRequest("tools/list", is_first_page=params.get("cursor") is None)
        elif method == "tasks/result" and get_text(params, "taskId") in tasks:
            pending[id_] = PendingRequest("tools/call", tasks[get_text(params, "taskId")])
    return ClientLine(own, dropped, pending)


def find_replies(value: JsonValue, pending: Mapping[RequestId, PendingRequest]) -> tuple[list[Reply], list[RequestId]]:
    """Return the results in a line of the server that answer pending requests, and the ids of all that are answered."""
    replies, answered = list[Reply](), list[RequestId]()
    for place, message in list_messages(value):
        id_ = message.get("id")
        if "method" in message or not is_request_id(id_) or id_ not in pending:
            continue
        answered.append(id_)
        if isinstance(message.get("result"), dict):
            replies.append(Reply((*place, "result"), id_, message["result"], pending[id_]))
    return replies, answered


def is_request_id(value: JsonValue) -> TypeGuard[RequestId]:
    """Return whether a value is the id of a request: a text or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _find(value: JsonValue, ids: Collection[RequestId]) -> bool:
    return is_request_id(value) and value in ids


def remove_messages(line: bytes, value: JsonValue, places: Sequence[Place]) -> bytes:
    """Return a line without some of its messages, b"" if none is left."""
    if not places:
        return line
    if () in places or len(places) == len(value):
        return b""
    return patch_line(line, [ValuePatch(place, action="remove") for place in places])


def patch_line(line: bytes, patches: Sequence[ValuePatch]) -> bytes:
    """Return a line with some values changed; all else keeps its bytes."""
    if not patches:
        return line
    text, start = decode_line(line)
    end = decode_value(text, start)[1]
    return f"{text[:start]}{patch_text(text, start, patches)}{text[end:]}".encode("utf-8", "surrogateescape")


def decode_line(line: bytes) -> tuple[str, int]:
    """Return the text of a line, which keeps undecodable bytes, and the offset of its value."""
    text = line.decode("utf-8", "surrogateescape")
    return text, skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
