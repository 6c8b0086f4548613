"""Quote text for shells."""

from collections.abc import Sequence

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./")
_ESCAPED = {"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def is_plain(text: str) -> bool:
    """Return whether a shell reads ``text`` unquoted as one word; zsh expands =name to the path of a program."""
    return bool(text) and text[0] != "=" and _PLAIN.issuperset(text)


def quote(text: str) -> str:
    """Return ``text`` quoted so that a shell reads it as one word, on one line.

    Use single quotes if possible, which every shell supports. Newlines, control characters and bytes that are not UTF-8
    need ``$'...'``, which bash, zsh and ksh support.
    """
    if is_plain(text):
        return text
    if text.isprintable() or all(sign.isprintable() or (sign.isspace() and sign not in _BREAKS) for sign in text):
        return "'" + text.replace("'", "'\"'\"'") + "'"
    return "$'" + "".join(map(_escape_character, text)) + "'"


_BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def _escape_character(sign: str) -> str:
    """Return a character for use inside ``$'...'``, in octal, which ends after three digits in every shell."""
    if sign in _ESCAPED or sign.isprintable():
        return _ESCAPED.get(sign, sign)
    if "\udc80" <= sign <= "\udcff":
        return f"\\{ord(sign) - 0xDC00:03o}"
    return "".join(f"\\{byte:03o}" for byte in sign.encode("utf-8", "surrogatepass"))


def quote_path(path: str) -> str:
    """Return a path as a quoted word that no command reads as an option."""
    return quote(f"./{path}" if path.startswith("-") else path)


def join_words(words: Sequence[str]) -> str:
    """Return a command line that a shell splits into ``words`` again."""
    return " ".join(map(quote, words))
