"""Define the patterns of keys, tokens and passwords for the linter, redaction and masking."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from math import log2

from ctxkit.core.named_tuple import NamedTuple


class SecretPattern(NamedTuple):
    """A kind of secret: markers, at least one of which occurs in it, and its pattern.

    The patterns are ASCII, so that they match bytes and text. Most begin with a literal, which makes searches fast.
    Repetitions and look-aheads are bounded, so that any content takes linear time and no match is longer than
    ``LONGEST``. If a pattern has a group ``value``, only the group is the secret. No match contains a double quote or
    ends inside an escape, so that JSON stays valid after a replacement.
    """

    marks: tuple[str, ...]
    pattern: str


def _from(prefix: str, rest: str) -> str:
    """Return a pattern that begins with ``prefix`` at the beginning of a word."""
    return f"{prefix}(?<![A-Za-z0-9_]{prefix}){rest}"


LONGEST = 32_768
"""Maximum bytes of a match, including its look-ahead."""
_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_HEADERS = r'(?:[^-"]{0,400}-(?!----)){0,20}+'
_BODY = r'[^-"]{0,16000}+'
_CUT_OFF = r"(?:(?:\r?\n|\\r|\\n)[ \t>]{0,8}[A-Za-z0-9+/=]{16,100}){0,200}"
"""Matches the lines after the first line of a private key whose last line is missing."""
_ENDS = r"(?![A-Za-z0-9_])"
_W = "[A-Za-z0-9_-]"
KEYS = {
    "AWS access key": SecretPattern(("AKIA", "ASIA"), _from("A", f"(?:KI|SI)A[0-9A-Z]{{16}}{_ENDS}")),
    "GitHub token": SecretPattern(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _from("gh", "[pousr]_[A-Za-z0-9]{36,255}")),
    "GitHub fine-grained token": SecretPattern(("github_pat_",), _from("github_pat_", "[A-Za-z0-9_]{50,255}")),
    "GitLab token": SecretPattern(("glpat-",), _from("glpat-", f"{_W}{{20,255}}")),
    "Anthropic key": SecretPattern(("sk-ant-",), _from("sk-ant-", f"{_W}{{20,255}}")),
    "OpenAI key": SecretPattern(("sk-",), _from("sk-", f"(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?{_W}{{32,255}}")),
    "Google key": SecretPattern(("AIza",), _from("AIza", f"{_W}{{35}}{_ENDS}")),
    "Slack token": SecretPattern(("xox",), _from("xox", f"[abeprs]-{_W}{{10,255}}")),
    "Stripe key": SecretPattern(("k_live_",), r"[sr](?<![A-Za-z0-9_][sr])k_live_[A-Za-z0-9]{20,255}"),
    "Hugging Face token": SecretPattern(("hf_",), _from("hf_", "[A-Za-z0-9]{30,255}")),
    "npm token": SecretPattern(("npm_",), _from("npm_", f"[A-Za-z0-9]{{36}}{_ENDS}")),
    "PyPI token": SecretPattern(("pypi-",), _from("pypi-", f"{_W}{{50,400}}")),
    "SendGrid key": SecretPattern(("SG.",), _from(r"SG\.", rf"{_W}{{16,100}}\.{_W}{{30,100}}")),
    "Telegram bot token": SecretPattern((":AA",), rf"(?<![A-Za-z0-9_])\d{{8,10}}:AA{_W}{{32,100}}"),
    "JSON web token": SecretPattern(
        ("eyJ",), rf"eyJ(?<!{_W}eyJ){_W}{{10,8000}}+\.eyJ{_W}{{10,8000}}+\.{_W}{{10,8000}}"
    ),
    "private key": SecretPattern(("PRIVATE KEY",), f"{_BEGIN}(?:{_HEADERS}{_BODY}{_END}|{_CUT_OFF})"),
    "Discord token": SecretPattern((".",), rf"[MNO](?<![A-Za-z0-9_][MNO]){_W}{{23,25}}\.{_W}{{6}}\.{_W}{{27,100}}"),
    "password in an address": SecretPattern(
        ("://",), r"""://[^\s:/@"'`\\<>,]{0,100}:(?P<value>[^\s:/@"'`\\<>]{6,100})@[A-Za-z0-9_.-]"""
    ),
}
"""Patterns of secrets that are recognized by their form, by kind."""
NAMES = (
    *("passw(?:or)?d", "passphrase", "pwd", "secret", "token"),
    *("api[_ -]?key", "access[_ -]?key", "auth[_ -]?key"),
)
"""Patterns of names, in lower case, whose value is a secret if it looks generated."""
OTHER_NAMES = ("密码", "密钥", "пароль", "contraseña")
"""Names in languages that need no word boundary before them."""
NAMED_SECRET = "secret"
"""Kind of a value that is recognized by its name."""
_MARKS_OF_NAMES = ("passw", "passphrase", "pwd", "secret", "token", "api", "access", "auth", *OTHER_NAMES)
SEPARATOR = r"""(?:\*\*|\\?[`"'])?[ \t]{0,20}(?:[:=]|：|\b(?:is|are)\b)"""
"""Matches the text between a name and its value."""
VALUE = r"""(?:\*\*)?[ \t]{0,20}\\?["'`]?(?P<value>[^\s"'`,;\\]{8,200})"""
"""Matches the value, which is a secret if it looks generated."""
MIN_ENTROPY = 3.3
"""Minimum entropy of a generated value in bits per character; words have less."""
_NAMED = rf"(?i:(?<![A-Za-z])(?:{'|'.join(NAMES)})|{'|'.join(OTHER_NAMES)}){SEPARATOR}"
_BREAK = r"[，；\s]"
"""Characters that end a value in addition to those in ``VALUE``, which also matches bytes."""
# Patterns are compiled on first use: compiling all costs a few milliseconds.
_NOT_SECRET = (
    r"(?i)example|sample|dummy|placeholder|redacted|your|changeme|change-me|xxx|\.\.\.|…|<|\{|\$|\*\*\*|fake|test|none"
    r"|null|env|secret|password|token|12345678|abcdef|process\.|os\.|getenv|config|required|optional|\("
)
_PLACEHOLDER = r"(?i)example|placeholder|redacted|your|x{4}|\.{3}|…|0{6}|1234567|^[$<{%(\[*]|\*{3}|\$\{"

_KIND_BY_MARK = tuple((mark, kind) for kind, shape in KEYS.items() for mark in shape.marks)


@cache
def compile_pattern(kind: str) -> re.Pattern[str]:
    """Return the compiled pattern of a kind, for text."""
    return re.compile(KEYS[kind].pattern)


def find_secrets(text: str) -> list[tuple[int, int, str]]:
    """Return the secrets in a text in order: start and end (exclusive) in characters, and kind.

    Skip placeholders.
    """
    taken = sorted(
        (start, end, kind)
        for start, end, kind in find_keys(text)
        if is_real_secret(text[start:end], known="(?P<value>" not in KEYS[kind].pattern)
    )
    named_values = list(_find_named_values(text))
    if not named_values:
        return taken
    starts = [start for start, _, _ in taken]
    ends = [0, *accumulate((end for _, end, _ in taken), max)]
    given = [(start, end, NAMED_SECRET) for start, end in named_values if ends[bisect_left(starts, end)] <= start]
    return sorted(taken + given)


def find_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield everything in the form of a known key, by kind, including placeholders."""
    for kind in dict.fromkeys([kind for mark, kind in _KIND_BY_MARK if mark in text]):
        pattern = compile_pattern(kind)
        group = "value" if "value" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            yield (*match.span(group), kind)


def _find_named_values(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of values that follow the name of a secret and look generated."""
    small = text.lower()
    if not any(map(small.__contains__, _MARKS_OF_NAMES)):
        return
    named, valued = re.compile(_NAMED), re.compile(VALUE)
    at = 0
    while name := named.search(text, at):
        at = name.end()
        value = valued.match(text, at)
        length = generated_length(value["value"]) if value else 0
        if value and length:
            yield value.start("value"), value.start("value") + length
            at = value.start("value") + length


def generated_length(value: str) -> int:
    """Return the length of the generated secret in a value, without closing marks; 0 for words and code."""
    value = re.split(_BREAK, value, maxsplit=1)[0]
    if len(value) < 8 or re.search(_NOT_SECRET, value):
        return 0
    secret = value.rstrip(".)]}*")
    return len(secret) if _is_generated(secret) else 0


def _is_generated(value: str) -> bool:
    if "/" in value or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    if re.fullmatch(r"[A-Z][A-Z0-9_]*|v?\d+(?:\.\d+)+\w*|\d{4}-\d\d-\d\d\S*|[\w.+-]+@[\w.-]+\.\w+", value):
        return False
    return len(value) >= 10 and entropy(value) >= MIN_ENTROPY - 0.5


def is_real_secret(value: str, *, known: bool) -> bool:
    """Return whether a value is a real secret, not a placeholder; ``known`` if its form alone identifies it."""
    if value.startswith("-----BEGIN"):
        return True
    body = value.split("-", 2)[-1] if value.startswith("sk-") else value
    if re.search(_PLACEHOLDER, value):
        return False
    if not known and (value.isupper() or value.lower() in ("password", "passwd", "secret", "token", "postgres")):
        return False
    return len(set(body)) >= (8 if known else 5) and entropy(body) >= (2.8 if known else 2.2)


def entropy(text: str) -> float:
    """Return the entropy of a text in bits per character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
