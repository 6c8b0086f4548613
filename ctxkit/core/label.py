"""Where content came from."""

from typing import NamedTuple


class Label(NamedTuple):
    """Name a file or command, a tool and its call id, a session; empty for what is not known."""

    name: str = ""
    tool: str = ""
    call: str = ""
    session: str = ""


def title_of(text: str, width: int = 100) -> str:
    """Return a name as one printable line, so that no name can pass for a line of a map."""
    from re import sub

    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    text = " ".join(sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", text).split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= width else f"{text[: width - 3]}..."
