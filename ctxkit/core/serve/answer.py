"""Turn the end of a command into an answer of HTTP."""

from typing import NamedTuple
from urllib.parse import quote

from ctxkit.core.errors import STATUSES, Exit
from ctxkit.core.serve.endpoints import Endpoint

STATUS_HEADER, MESSAGES_HEADER = "ctxkit-status", "ctxkit-messages"
MAX_MESSAGES = 4_000
"""Maximum bytes of stderr in a header."""
JSON_TYPE, BYTES_TYPE = "application/json", "application/octet-stream"
_HTTP_STATUS = {
    Exit.DONE: 200,
    Exit.NO: 200,
    Exit.USAGE: 400,
    Exit.MALFORMED: 422,
    Exit.MISSING: 404,
    Exit.ABSENT: 501,
    Exit.LOCKED: 503,
    Exit.INTERRUPTED: 503,
}
NOT_FOUND, FAILURE = 404, 500


class HttpAnswer(NamedTuple):
    """An answer of HTTP without its body: the status and the headers."""

    status: int
    headers: tuple[tuple[str, str], ...]


def make_answer(endpoint: Endpoint, status: int, messages: bytes, *, has_output: bool, as_json: bool) -> HttpAnswer:
    """Return the answer for a command that ended with ``status`` and wrote ``messages`` to stderr."""
    known = STATUSES.get(status, Exit.BUG)
    code = NOT_FOUND if known is Exit.NO and endpoint.looks_up else _HTTP_STATUS.get(known, FAILURE)
    is_json = not has_output or (as_json and endpoint.has_json)
    headers = [("content-type", JSON_TYPE if is_json else BYTES_TYPE), (STATUS_HEADER, str(int(known)))]
    if messages:
        headers.append((MESSAGES_HEADER, quote(messages[:MAX_MESSAGES])))
    return HttpAnswer(code, tuple(headers))


def describe_failure(status: int, messages: bytes) -> dict[str, object]:
    """Return the body of an answer without output: the status, and what the command said."""
    return {"status": status, "messages": messages.decode("utf-8", "replace").splitlines()}
