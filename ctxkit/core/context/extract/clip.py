"""Shorten a text to its beginning, in whole words."""


def clip_text(text: str, max_chars: int) -> str:
    """Return the beginning of a text in whole words, about ``max_chars`` characters long.

    It ends at the last blank in the final quarter, otherwise at the next blank if that is near.
    """
    if len(text) <= max_chars:
        return text
    cut = text.rfind(" ", 0, max_chars + 1)
    if cut >= max_chars * 3 // 4:
        return text[:cut].rstrip()
    end = text.find(" ", max_chars)
    return text if end < 0 and len(text) <= 3 * max_chars else text[: end if 0 < end <= 3 * max_chars else max_chars]


def clip_strictly(text: str, max_chars: int) -> str:
    """Return the beginning of a text in whole words if possible, at most ``max_chars`` characters long."""
    if len(text) <= max_chars:
        return text
    end = text.rfind(" ", 0, max_chars)
    return text[: end if end > 0 else max_chars]
