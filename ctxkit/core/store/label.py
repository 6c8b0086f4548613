"""Where content came from."""

from typing import NamedTuple


class Label(NamedTuple):
    """Name a file or command, a tool and its call id, a session; empty for what is not known."""

    name: str = ""
    tool: str = ""
    call: str = ""
    session: str = ""


def mask_title(text: str) -> str:
    """Return a name as lists show it: a title without passwords and keys."""
    from re import search

    # Most names need no look at the patterns, which take longer to load than the gate takes to decide.
    if search(r"[:=]|(?=[a-z_-]*[A-Z0-9])[A-Za-z0-9_-]{13}", text):
        from ctxkit.core.redaction.masking import mask_secrets

        text = mask_secrets(text)
    return title_of(text)


def title_of(text: str, width: int = 100) -> str:
    r"""Return a name as one printable line, so that no name can pass for a line of a map.

    What cannot be printed is escaped, as in ``\x1b`` and ``\u202e``; runs of blanks become one.
    """
    if not text.isprintable():
        from ctxkit.core.text.escapes import escape_name

        text = escape_name(text)
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."
