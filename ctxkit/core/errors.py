"""Define the exit statuses of ctxkit, and its errors, each with its status."""

from __future__ import annotations

from typing import ClassVar


class Exit(int):
    """The result of a command; the numbers above 2 follow sysexits.h.

    It is not an enum, which takes 1.5 million instructions of each call (bench/instructions.py).
    """

    DONE: ClassVar[Exit]
    NO: ClassVar[Exit]
    USAGE: ClassVar[Exit]
    MALFORMED: ClassVar[Exit]
    MISSING: ClassVar[Exit]
    ABSENT: ClassVar[Exit]
    BUG: ClassVar[Exit]
    IO: ClassVar[Exit]
    LOCKED: ClassVar[Exit]
    CONFIG: ClassVar[Exit]
    INTERRUPTED: ClassVar[Exit]


_NUMBERS = 0, 1, 2, 65, 66, 69, 70, 74, 75, 78, 130
STATUSES = {number: Exit(number) for number in _NUMBERS}
"""Every exit status by its number."""
for _name, _status in zip(Exit.__annotations__, STATUSES.values(), strict=True):
    setattr(Exit, _name, _status)


class CtxkitError(Exception):
    """Stops a command with a one-line message, and a hint if there is one."""

    status = Exit.BUG

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(CtxkitError):
    """The command line requests something impossible."""

    status = Exit.USAGE


class MalformedInputError(CtxkitError):
    """The input does not conform to its format."""

    status = Exit.MALFORMED


class UnreadFormatError(MalformedInputError):
    """The input is a conversation in a format that ctxkit knows and does not read."""


class MissingInputError(CtxkitError):
    """An input file does not exist or cannot be read."""

    status = Exit.MISSING


class NotStoredError(CtxkitError):
    """The store contains no content, or no line, with this name."""

    status = Exit.NO


class AmbiguousRefError(CtxkitError):
    """Several refs begin with the given digits."""

    status = Exit.NO


class UnknownNameError(CtxkitError):
    """No model has the requested name."""

    status = Exit.NO


class MissingDependencyError(CtxkitError):
    """A required library or vocabulary is not installed."""

    status = Exit.ABSENT


class InputOutputError(CtxkitError):
    """Reading or writing failed."""

    status = Exit.IO


class DamagedContentError(InputOutputError):
    """Stored bytes are not those of their ref."""


class LockedError(CtxkitError):
    """Another process holds a required lock; a retry may help."""

    status = Exit.LOCKED


class SettingsError(CtxkitError):
    """A settings file, or a value in it, is invalid."""

    status = Exit.CONFIG
