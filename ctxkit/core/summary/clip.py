"""Shorten a text: its beginning and its end stay."""

GAP = "[... {} characters ...]"
"""What stands for the middle of a text."""


def clip_middle(text: str, max_chars: int) -> tuple[str, ...]:
    """Return the parts of a text that stay of it: all of it, or its beginning and its end, cut at blanks if possible.

    >>> clip_middle("one two three four", 12)
    ('one two', 'four')
    """
    if len(text) <= max_chars:
        return (text,)
    head, tail = max_chars * 2 // 3, max_chars // 3
    end, start = text.rfind(" ", head // 2, head + 1), text.find(" ", len(text) - tail, len(text) - tail // 2)
    first, last = (
        text[: end if end > 0 else head].rstrip(),
        text[start + 1 if start >= 0 else len(text) - tail :].lstrip(),
    )
    return (first, last)


def join_parts(text: str, parts: tuple[str, ...], separator: str = " ") -> str:
    """Return the parts of a text with a mark between them that counts what is left out."""
    if len(parts) == 1:
        return parts[0]
    return separator.join((parts[0], GAP.format(f"{len(text) - sum(map(len, parts)):,}"), parts[1]))


def clip_line(text: str, max_chars: int) -> str:
    """Return a text on one line, at most about ``max_chars`` characters of it."""
    line = " ".join(text.split())
    return join_parts(line, clip_middle(line, max_chars))
