"""Write and remove files in the settings of a host that belong to ctxkit as a whole."""

from ctxkit.core.hosts.host import ConflictError

MARK = "Written by ctxkit init "
"""What a file of ctxkit has in its head."""


def install_file(text: str, content: str) -> str:
    """Return the new text of a file; raise ConflictError if it is not a file of ctxkit."""
    if text.strip() and MARK not in text:
        raise ConflictError("is not a file of ctxkit", hint="rename the file to have ctxkit there")
    return content


def remove_file(text: str, hook: str) -> str | None:
    """Return None if the file belongs to ctxkit and names the hook, else its text."""
    return None if MARK in text and hook in text else text


def find_no_rivals(_text: str) -> list[str]:
    """Return no names: the file has no hooks of others."""
    return []
