"""Lines quoted with their indentation."""

from ctxkit.core.brief.outline import clean_line
from ctxkit.core.text.escapes import strip_escapes


def keep_indentation(text: str, width: int = 200) -> str:
    """Return a line with its indentation and without control sequences, or cut if it is wider than ``width``."""
    if len(text) > width:
        return clean_line(text, width)
    if not text.isprintable():
        text = strip_escapes(text)
    return text.rstrip()
