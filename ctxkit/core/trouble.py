"""What can go wrong, each kind with its exit status."""

from ctxkit.core.exit import Exit


class Trouble(Exception):  # noqa: N818 (an error is one kind of trouble)
    """Stop a command with one line of explanation, and a hint where one helps."""

    status = Exit.BUG

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Misuse(Trouble):
    """The command line asks for something that cannot be done."""

    status = Exit.USAGE


class Malformed(Trouble):
    """The data on the input is not what its format demands."""

    status = Exit.MALFORMED


class MissingInput(Trouble):
    """An input file is not there, or cannot be read."""

    status = Exit.MISSING


class NotHeld(Trouble):
    """The cache holds no content, or no line, of that name: an honest "no"."""

    status = Exit.NO


class EngineAbsent(Trouble):
    """A library or vocabulary that the work needs is not installed."""

    status = Exit.ABSENT


class IOFailed(Trouble):
    """Reading or writing failed."""

    status = Exit.IO


class Locked(Trouble):
    """Somebody else holds what this command needs; trying again may help."""

    status = Exit.LOCKED


class BadSettings(Trouble):
    """A settings file, or a value in it, cannot be understood."""

    status = Exit.CONFIG
