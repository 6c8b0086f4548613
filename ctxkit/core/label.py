"""Where content came from."""

from typing import NamedTuple


class Label(NamedTuple):
    """Name a file or command, a tool and its call id, a session; empty for what is not known."""

    name: str = ""
    tool: str = ""
    call: str = ""
    session: str = ""
