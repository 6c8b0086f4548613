"""Parse the address of a shared store, a URL of a Redis or Valkey server."""

from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

SCHEMES = ("redis", "rediss", "valkey", "valkeys", "unix")
"""Schemes of URLs; ``valkey`` and ``valkeys`` mean the same as ``redis`` and ``rediss``."""
DEFAULT_PORT = 6379
DEFAULT_PREFIX = "ctxkit"
LONGEST_PREFIX = 64
_PREFIX = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_QUERY = ("prefix", "db", "cluster", "ca", "cert", "key")
EXAMPLE = "redis://HOST:6379/0?prefix=TEAM, rediss://USER:PASSWORD@HOST or unix:///run/redis.sock"


class StoreAddress(NamedTuple):
    """The address of a server, the user, and the ``prefix`` of all keys; ``path`` is that of a Unix socket.

    ``ca`` is a file of certificate authorities, ``cert`` and ``key`` are the client's certificate.
    """

    host: str = ""
    port: int = DEFAULT_PORT
    path: str = ""
    db: int = 0
    user: str = ""
    password: str = ""
    tls: bool = False
    cluster: bool = False
    prefix: str = DEFAULT_PREFIX
    ca: str = ""
    cert: str = ""
    key: str = ""

    @property
    def place(self) -> str:
        """Return the address for users, without user and password."""
        suffix = "" if self.prefix == DEFAULT_PREFIX else f"?prefix={self.prefix}"
        if self.path:
            return f"unix://{self.path}{suffix}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"redis{'s' * self.tls}://{host}:{self.port}/{self.db}{suffix}"


def _split_url(text: str) -> tuple[SplitResult, int]:
    """Return the parts and the port of a URL that names a host or a socket; raise ValueError if it does not."""
    try:
        parts = urlsplit(text)
        port = parts.port or DEFAULT_PORT
    except ValueError:
        raise ValueError(f"is not the URL of a store, such as {EXAMPLE}") from None
    if parts.scheme not in SCHEMES:
        raise ValueError(f"is not the URL of a store, such as {EXAMPLE}")
    is_socket = parts.scheme == "unix"
    if is_socket and (not parts.path.startswith("/") or parts.hostname):
        raise ValueError("does not name a socket, as unix:///run/redis.sock does")
    if not is_socket and not parts.hostname:
        raise ValueError("names no host, as redis://HOST:6379 does")
    return parts, port


def parse_address(text: str) -> StoreAddress:
    """Return the parsed address of a shared store; raise ValueError if it is invalid."""
    parts, port = _split_url(text)
    is_socket = parts.scheme == "unix"
    options = _parse_options(parts.query)
    database = options.get("db", "") if is_socket else parts.path.strip("/") or options.get("db", "")
    return StoreAddress(
        host="" if is_socket else str(parts.hostname),
        port=port,
        path=unquote(parts.path) if is_socket else "",
        db=_parse_database(database),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        tls=parts.scheme in ("rediss", "valkeys"),
        cluster=options.get("cluster", "") in ("1", "true", "yes"),
        prefix=_check_prefix(options.get("prefix", DEFAULT_PREFIX)),
        **{name: options[name] for name in ("ca", "cert", "key") if name in options},
    )


def _parse_options(query: str) -> dict[str, str]:
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name in options:
        if name not in _QUERY:
            raise ValueError(f"has the unknown option {name[:20]}; the options are {', '.join(_QUERY)}")
    return options


def _parse_database(text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 5):
        raise ValueError("does not name a database by its number, as redis://HOST:6379/0 does")
    return int(text)


def _check_prefix(prefix: str) -> str:
    if 0 < len(prefix) <= LONGEST_PREFIX and _PREFIX.issuperset(prefix):
        return prefix
    raise ValueError(f"has an invalid prefix: letters, digits and . _ -, up to {LONGEST_PREFIX}")
