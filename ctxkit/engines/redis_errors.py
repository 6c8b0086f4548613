"""Translate the errors of a Redis or Valkey server."""

import errno

_RIGHTS = "the user and the password are part of the URL; the user needs the keys of the prefix"
_REFUSALS = {
    "AuthenticationError WRONGPASS": (errno.EACCES, "", _RIGHTS),
    "AuthenticationError NOAUTH": (errno.EACCES, "", _RIGHTS),
    "NoPermissionError NOPERM": (errno.EACCES, "", _RIGHTS),
    "OutOfMemoryError OOM": (
        *(errno.ENOSPC, "the server's memory is full"),
        "raise its maxmemory, or set maxmemory-policy to allkeys-lru",
    ),
    "ReadOnlyError READONLY": (errno.EROFS, "", "name the primary, not a replica"),
    "BusyLoadingError LOADING": (errno.EAGAIN, "", "the server is still loading its data"),
}
"""What a server refuses, by the name of the error and its code: error number, message if not its own, and hint."""


class ServerError(OSError):
    """A failure of the server, with a hint; ``is_repeated`` if it is known from an earlier call."""

    def __init__(self, number: int, message: str, place: str, hint: str = "", *, is_repeated: bool = False) -> None:
        super().__init__(number, message, place)
        self.hint = hint
        self.is_repeated = is_repeated


def describe_error(error: Exception) -> str:
    """Return the first line of an error, without what only developers need."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:200].rstrip(".")


def find_refusal(error: Exception, text: str) -> tuple[int, str, str] | None:
    """Return the error number, the message and the hint of a refusal, None for any other error.

    Older servers put the code of a refusal into the error of a script.
    """
    kind = type(error).__name__
    for name, (number, message, hint) in _REFUSALS.items():
        if kind == name.partition(" ")[0] or f"-{name.split()[1]} " in text:
            return number, message or text, hint
    return None
