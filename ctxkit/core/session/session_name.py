"""The names that a session may have."""

from ctxkit.core.errors import UsageError

HOST_SESSION = "CLAUDE_CODE_SESSION_ID"
"""The variable in which Claude Code (2.1.330) names its session to its commands; no other host has one."""
LONGEST_NAME = 128
"""Maximum characters of a session's name, which is also part of a file name."""
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:")
_OTHER = _FIRST | frozenset(".-")


def check_session_name(name: str) -> str:
    """Return the name of a session; raise UsageError if it is invalid."""
    if 0 < len(name) <= LONGEST_NAME and name[0] in _FIRST and _OTHER.issuperset(name):
        return name
    hint = f"letters, digits and . _ - : up to {LONGEST_NAME}, beginning with neither a dot nor a dash"
    raise UsageError(f"{name[:LONGEST_NAME]!r} is not the name of a session", hint=hint)
