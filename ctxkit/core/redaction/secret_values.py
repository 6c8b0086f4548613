"""Distinguish generated values from placeholders, words, code, paths and numbers."""

import re
from collections import Counter
from math import log2

_PLACEHOLDER = (
    r"(?i)^(?:\$|%[\w(]|<|\{|\*|x{3,}|\.{3}|…|\[redacted|ENC\[|none$|null$|true$|false$|undefined$)"
    r"|example|sample|dummy|placeholder|redacted|changeme|change-me|your[-_]|\.\.\.|…|\*{3}|\$\{|\{\{|process\.env|os\.environ|getenv|x{6}"
)
_CODE = (
    r"(?<![\w.])[A-Za-z_][\w.]*\("
    r"|^0x[0-9a-fA-F]+$|^[\d.,:%-]+$|^v?\d+(?:\.\d+)+|^\d{4}-\d\d-\d\d"
)
_PATH = (
    r"^(?:~|\.{1,2})?/|^[A-Za-z]:\\|^[a-z0-9._-]+(?:/[a-z0-9._-]+)+$|://"
    r"|\.(?:py|js|ts|go|rs|java|json|ya?ml|toml|md|txt|pem|key|crt|sh|conf|lock)\b"
)


def is_placeholder(value: str) -> bool:
    """Return whether a value stands for a secret that is not there."""
    return re.search(_PLACEHOLDER, value) is not None


def is_secret_value(value: str, *, certain: bool) -> bool:
    """Return whether a value is a secret, not a placeholder, words, code or a number.

    Where the place is ``certain``, any other value counts; elsewhere only one that looks generated and is not a path.
    """
    if len(value) < 4 or is_placeholder(value) or re.search(_CODE, value):
        return False
    if certain:
        return not is_words(value) or re.search(r"\d", value) is not None
    return not is_words(value) and not re.search(_PATH, value) and _looks_generated(value)


def _looks_generated(value: str) -> bool:
    """Return whether a value is long and irregular enough to be made by a program."""
    if re.search(r"\d", value) and re.search(r"[A-Za-z]", value):
        return len(value) >= 10 and entropy(value) >= 2.8
    return len(value) >= 16 and entropy(value) >= 3.8 and re.search(r"[^\w.-]", value) is not None


def is_words(value: str) -> bool:
    """Return whether a value is names and words joined by signs, as an identifier or the name of a package is."""
    parts = re.split(r"[-_./: ()]", value)
    return all(re.fullmatch(r"(?:[A-Z]?[a-z]++){0,12}+\d{0,3}|[A-Z]{1,24}\d{0,3}|\d{1,4}", part) for part in parts)


def entropy(text: str) -> float:
    """Return the entropy of a text in bits per character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
