"""Define the exit statuses of every command."""

from __future__ import annotations

from typing import ClassVar


class Exit(int):
    """The result of a command; the numbers above 2 follow sysexits.h.

    It is no enum, which would take a fiftieth of the time between ``import click`` and the end of a gate
    (bench/instructions.py).
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
