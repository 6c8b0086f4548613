"""Text of strangers, made fit to be shown."""


def escaped(text: str) -> str:
    """Return text with everything escaped that is not printed as it is: controls, directions, line ends."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
