"""Remove terminal escapes and control characters from text."""

ESCAPE = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]"
"""Pattern of a terminal escape (ECMA-48): a control sequence, a command of the operating system, or another."""


def strip_escapes(text: str) -> str:
    """Return ``text`` without terminal escapes, overwritten parts and other control characters."""
    from re import sub

    text = sub(ESCAPE, "", text).rstrip("\r").rpartition("\r")[2]
    # A sequence cut off before its end counts too.
    return strip_controls(sub(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*\Z", "", text))


def clean_map(text: str) -> str:
    """Return the text of a map without control characters, and with characters that nobody sees escaped."""
    if text.replace("\n", "").isprintable():
        return text
    from ctxkit.core.text.escapes import escape_invisible

    return escape_invisible(strip_controls(text))


def strip_controls(text: str) -> str:
    """Return ``text`` of any number of lines without control characters, including those of BiDi."""
    from re import sub

    return sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "", text)
