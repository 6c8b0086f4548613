"""Decide whether the proxy answers a request: its token, and no page of a browser."""

from __future__ import annotations

import hmac
from typing import NamedTuple

from ctxkit.engines.server.request import RequestError

TOKEN_HEADER = "x-ctxkit-token"
TOKEN_PATH = "/token/"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Names by which a program on this machine calls the proxy; a page that has its name point here has another."""


class Sender(NamedTuple):
    """What says who sends a request: the headers by lower-case name, and the path."""

    headers: dict[str, str]
    path: str


def check_sender(sender: Sender, token: str) -> str:
    """Return the path of a request, without a token in it; raise RequestError for a request that is refused."""
    if "origin" in sender.headers:
        raise RequestError(403, "a web page may not ask")
    path, given = sender.path, sender.headers.get(TOKEN_HEADER, "")
    if path.startswith(TOKEN_PATH):
        given, path = path.removeprefix(TOKEN_PATH).partition("/")[0], drop_token(path)
    if token:
        if not hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
            hint = "X-Ctxkit-Token: TOKEN, or the path /token/TOKEN/..."
            raise RequestError(401, "the token is missing or wrong", hint)
        return path
    host = sender.headers.get("host", "").lower()
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name not in LOOPBACK:
        raise RequestError(403, "the host of the request is not this machine", "as in http://127.0.0.1:8900")
    return path


def drop_token(path: str) -> str:
    """Return a path without the token at its beginning."""
    if not path.startswith(TOKEN_PATH):
        return path
    _, slash, rest = path.removeprefix(TOKEN_PATH).partition("/")
    return f"{slash}{rest}"
