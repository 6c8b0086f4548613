"""Define the forms of keys and tokens that their issuers document, for the linter, redaction and masking."""

import re
from collections.abc import Iterator
from functools import cache

from ctxkit.core.named_tuple import NamedTuple


class SecretPattern(NamedTuple):
    """A kind of secret: markers, at least one of which occurs in it, and its pattern.

    The patterns are ASCII, so that they match bytes and text. Most begin with a literal, which makes searches fast.
    Repetitions and look-aheads are bounded, so that any content takes linear time and no match is longer than
    ``LONGEST``. No match contains a double quote or ends inside an escape, so that masked JSON stays valid.
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
    "Google OAuth token": SecretPattern(("ya29.",), _from(r"ya29\.", rf"{_W}{{30,4000}}")),
    "New Relic key": SecretPattern(("NRAK-",), _from("NRAK-", f"[A-Z0-9]{{27}}{_ENDS}")),
}
"""Patterns of secrets that are recognized by their form, by kind."""
_KIND_BY_MARK = tuple((mark, kind) for kind, shape in KEYS.items() for mark in shape.marks)


@cache
def compile_pattern(kind: str) -> re.Pattern[str]:
    """Return the compiled pattern of a kind, for text."""
    return re.compile(KEYS[kind].pattern)


def find_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield everything in the form of a known key, by kind, including placeholders."""
    for kind in dict.fromkeys([kind for mark, kind in _KIND_BY_MARK if mark in text]):
        for match in compile_pattern(kind).finditer(text):
            yield (*match.span(), kind)
