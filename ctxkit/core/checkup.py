"""What looking at one thing on a machine found."""

from typing import NamedTuple


class Check(NamedTuple):
    """Say of one thing how it is.

    ``state`` is ``ok``, ``absent`` (an option that nothing here needs) or ``bad`` (the user must act);
    ``hint`` says how, empty when there is nothing to do.
    """

    topic: str
    name: str
    value: str
    state: str = "ok"
    hint: str = ""
