"""Define the exit statuses of every command."""

from enum import IntEnum


class Exit(IntEnum):
    """The result of a command; the numbers above 2 follow sysexits.h."""

    DONE = 0
    NO = 1
    USAGE = 2
    MALFORMED = 65
    MISSING = 66
    ABSENT = 69
    BUG = 70
    IO = 74
    LOCKED = 75
    CONFIG = 78
    INTERRUPTED = 130
