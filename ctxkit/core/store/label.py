"""Name the origin of content, and print names safely."""

from ctxkit.core.named_tuple import NamedTuple

SHORTEST_KEY = 13
"""Minimum characters of a key that the patterns of secrets find by its form alone."""


class Label(NamedTuple):
    """The origin of content: a file or command, a tool and its call id, a session; empty if unknown."""

    name: str = ""
    tool: str = ""
    call: str = ""
    session: str = ""


def mask_title(text: str) -> str:
    """Return a name for lists: one printable line without passwords and keys."""
    # Loading the patterns takes longer than the gate's decision, and most names cannot hold a secret.
    if ":" in text or "=" in text or (len(text) >= SHORTEST_KEY and _may_contain_key(text)):
        from ctxkit.core.redaction.masking import mask_secrets

        text = mask_secrets(text)
    return title_of(text)


def _may_contain_key(text: str) -> bool:
    from re import search

    return search(r"(?=[a-z_-]*[A-Z0-9])[A-Za-z0-9_-]{13}", text) is not None


def title_of(text: str, width: int = 100) -> str:
    r"""Return a name as one printable line, so that a name cannot imitate a line of a briefing.

    Escape characters that are not printable, as in ``\x1b`` and ``\u202e``; collapse runs of blanks.
    """
    if not text.isprintable():
        from ctxkit.core.text.escapes import escape_name

        text = escape_name(text)
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."
