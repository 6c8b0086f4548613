"""Reach an MCP server at a URL through a program that speaks stdio, as all servers that are wrapped do."""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from urllib.parse import urlsplit

from ctxkit.app.mcp_wrap.wrapping import WrappedServer
from ctxkit.core.errors import MissingDependencyError, UsageError
from ctxkit.core.mcp.http_messages import PARAMETER, TOKEN
from ctxkit.edge import say

BRIDGE = "ctxkit.engines.mcp_http.bridge"
OWN_HEADERS = frozenset(
    (
        *("accept", "connection", "content-length", "content-type", "host", "last-event-id", "mcp-method", "mcp-name"),
        *("mcp-protocol-version", "mcp-session-id", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Headers that belong to the protocol or to the connection."""
VALUE = re.compile(r"[\x20-\x7e\t]+")
"""Characters of the value of a header that all servers take (RFC 9110, 5.5)."""


def reach_server(url: str, headers: Sequence[str], variables: Sequence[str], env: Mapping[str, str]) -> WrappedServer:
    """Return the program that speaks to a server at a URL.

    ``headers`` are such as ``Name: value``, ``variables`` such as ``Name=VARIABLE``, whose values are in ``env``. Raise
    UsageError for what is invalid, without the value of a header, and MissingDependencyError without httpx2.
    """
    _check_url(url)
    pairs = [*_read_headers(headers), *_read_variables(variables, env)]
    names = [name.lower() for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the header {name} has several values")
    if find_spec("httpx2") is None:
        from ctxkit.system.installation import install_command

        raise MissingDependencyError("mcp wrap --url needs httpx2", hint=install_command("httpx2"))
    options = {"url": url, "headers": pairs, "quiet": say.is_quiet()}
    return WrappedServer((sys.executable, "-P", "-m", BRIDGE), json.dumps(options).encode() + b"\n")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_valid = False
    if not is_valid or not VALUE.fullmatch(url) or " " in url:
        raise UsageError("--url: it is not an address such as https://example.com/mcp")
    if parts.username is not None:
        raise UsageError("--url: an address has no password", hint="--header-env Authorization=VARIABLE")


def _read_headers(headers: Sequence[str]) -> Iterator[tuple[str, str]]:
    for header in headers:
        name, colon, value = header.partition(":")
        if not colon:
            raise UsageError("--header: it has no colon", hint="--header 'Name: value'")
        yield _check_header("--header", name.strip(), value)


def _read_variables(variables: Sequence[str], env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for pair in variables:
        name, equals, variable = (part.strip() for part in pair.partition("="))
        if not equals or not variable or not TOKEN.fullmatch(name):
            raise UsageError("--header-env: it names no variable", hint="--header-env Name=VARIABLE")
        if not env.get(variable):
            raise UsageError(f"--header-env: the variable for {name} is not set", hint="set it in the host's settings")
        yield _check_header("--header-env", name, env[variable])


def _check_header(option: str, name: str, value: str) -> tuple[str, str]:
    """Return a header; raise UsageError, which does not show its value, if it is invalid."""
    if not TOKEN.fullmatch(name):
        raise UsageError(f"{option}: the name of a header has letters, digits and signs such as -")
    if name.lower() in OWN_HEADERS or name.lower().startswith(PARAMETER.lower()):
        raise UsageError(f"{option}: the header {name} is ctxkit's own")
    if not VALUE.fullmatch(value.strip()):
        raise UsageError(f"{option}: the value of {name} is empty, or has characters that are not printable ASCII")
    return name, value.strip()
