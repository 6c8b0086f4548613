"""Quote text for shells: for a script that bash runs, or for a line that a user pastes into any shell."""

from collections.abc import Sequence

_NO_PASTE = frozenset("'\"`\\\u034f\u115f\u1160\u2800\u3164\uffa0").union(map(chr, range(0xFE00, 0xFE10)))
"""Characters that shells read differently inside single quotes, as fish does, and invisible ones that are printable."""
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


def quote_word(text: str) -> str:
    """Return ``text`` as one word of a line to paste: the same in sh, bash, zsh and fish; "" if there is no such word.

    fish expands a word that begins with ``%``, and reads ``\\'`` inside single quotes as a quote; dash and busybox have
    no ``$'...'``.
    """
    if is_plain(text) and text[0] not in "%-":
        return text
    return f"'{text}'" if text and text.isprintable() and _NO_PASTE.isdisjoint(text) else ""


def quote_path(path: str) -> str:
    """Return a path as one word of a line to paste that no command reads as an option; "" if there is no such word."""
    return quote_word(f"./{path}" if path.startswith("-") else path)


def format_name(name: str) -> str:
    """Return a name for reading: as a word to paste, or with each unusual character escaped, in double quotes."""
    if word := quote_word(name):
        return word
    from json import dumps

    return dumps(name, ensure_ascii=False) if name.isprintable() else dumps(name)


def join_words(words: Sequence[str]) -> str:
    """Return a command line that a shell splits into ``words`` again."""
    return " ".join(map(quote, words))
