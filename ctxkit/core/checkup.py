"""Define the result of a checkup."""

from typing import NamedTuple


class Check(NamedTuple):
    """The result of one check.

    ``state`` is ``ok``, ``absent`` (an optional part that nothing needs) or ``bad`` (the user must act). ``hint`` says
    what to do, empty if there is nothing to do.
    """

    topic: str
    name: str
    value: str
    state: str = "ok"
    hint: str = ""
