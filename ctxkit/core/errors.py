"""Define the errors of ctxkit, each with its exit status."""

from ctxkit.core.exit import Exit


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


class MissingInputError(CtxkitError):
    """An input file does not exist or cannot be read."""

    status = Exit.MISSING


class NotStoredError(CtxkitError):
    """The store contains no content, or no line, with this name."""

    status = Exit.NO


class MissingDependencyError(CtxkitError):
    """A required library or vocabulary is not installed."""

    status = Exit.ABSENT


class InputOutputError(CtxkitError):
    """Reading or writing failed."""

    status = Exit.IO


class LockedError(CtxkitError):
    """Another process holds a required lock; a retry may help."""

    status = Exit.LOCKED


class SettingsError(CtxkitError):
    """A settings file, or a value in it, is invalid."""

    status = Exit.CONFIG
