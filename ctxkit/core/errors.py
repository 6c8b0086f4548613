"""What can go wrong, each kind with its exit status."""

from ctxkit.core.exit import Exit


class CtxkitError(Exception):
    """Stop a command with one line of explanation, and a hint where one helps."""

    status = Exit.BUG

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(CtxkitError):
    """The command line asks for something that cannot be done."""

    status = Exit.USAGE


class MalformedInputError(CtxkitError):
    """The data on the input is not what its format demands."""

    status = Exit.MALFORMED


class MissingInputError(CtxkitError):
    """An input file is not there, or cannot be read."""

    status = Exit.MISSING


class NotStoredError(CtxkitError):
    """The cache holds no content, or no line, of that name: an honest "no"."""

    status = Exit.NO


class MissingDependencyError(CtxkitError):
    """A library or vocabulary that the work needs is not installed."""

    status = Exit.ABSENT


class InputOutputError(CtxkitError):
    """Reading or writing failed."""

    status = Exit.IO


class LockedError(CtxkitError):
    """Somebody else holds what this command needs; trying again may help."""

    status = Exit.LOCKED


class SettingsError(CtxkitError):
    """A settings file, or a value in it, cannot be understood."""

    status = Exit.CONFIG
