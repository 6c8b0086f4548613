"""HYG007: keys and passwords in files that enter a model's window."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from math import log2

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.rule import ERROR, Rule
from ctxkit.core.lint.workspace import Workspace

RULES = (
    Rule(
        "HYG007",
        "secret",
        ERROR,
        "none",
        "A key, token or password stands in a file that agents load.",
        "It is sent to the model's provider on every turn, and an agent may repeat it anywhere. Rotate it, then "
        "name the "
        "variable that holds it. No output of this linter shows more than its first four characters.",
        "- The API key is sk-ant-api03-...",
        "- The API key is in $ANTHROPIC_API_KEY.",
        "Prefixes as the issuers document them; assignments count only where the value has the entropy of a key.",
    ),
)
SHOWN = 4
"""Characters of a secret that output may show."""
SHORTEST = 12
"""Characters of a text that may hold one."""
KEYS = {
    "AWS access key": (("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "GitHub token": (("gh", "github_pat_"), r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})\b"),
    "GitLab token": (("glpat-",), r"\bglpat-[\w-]{20,}"),
    "Anthropic key": (("sk-ant-",), r"\bsk-ant-[\w-]{20,}"),
    "OpenAI key": (("sk-",), r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{32,}"),
    "Google key": (("AIza",), r"\bAIza[\w-]{35}(?![\w-])"),
    "Slack token": (("xox",), r"\bxox[abeprs]-[\w-]{10,}"),
    "Stripe key": (("k_live_",), r"\b(?:sk|rk)_live_[A-Za-z0-9]{20,}"),
    "Hugging Face token": (("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    "npm token": (("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    "PyPI token": (("pypi-",), r"\bpypi-[\w-]{50,}"),
    "SendGrid key": (("SG.",), r"\bSG\.[\w-]{16,}\.[\w-]{30,}"),
    "Telegram bot token": ((":AA",), r"\b\d{8,10}:AA[\w-]{32,}"),
    "JSON web token": (("eyJ",), r"(?<![\w-])eyJ[\w-]{10,}+\.eyJ[\w-]{10,}\.[\w-]{10,}"),
    "private key": (
        ("PRIVATE KEY",),
        r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----(?:[^-]{0,8000}-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
    ),
    "Discord token": ((".",), r"\b[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}"),
    "password in an address": (("://",), r"://[^\s:/@]{1,100}:(?P<value>[^\s:/@]{6,100})@[\w.-]+"),
}
"""What a secret looks like, by what it is: words one of which stands in it, and its pattern."""
_PATTERNS = {name: (marks, re.compile(pattern)) for name, (marks, pattern) in KEYS.items()}
_ASKED = (
    *("passw", "passphrase", "pwd", "secret", "token", "api", "access", "auth"),
    *("密码", "密钥", "пароль", "contraseña"),
)
_NAMED = re.compile(
    r"(?:(?<![A-Za-z])(?:password|passwd|passphrase|pwd|secret|token|api[_ -]?key|access[_ -]?key|auth[_ -]?key)"
    r"|密码|密钥|пароль|contraseña)(?:\*\*|[`\"'])?[ \t]*$",
    re.IGNORECASE,
)
NAME = 40
"""Characters before a value among which its name stands."""
_VALUE = r"(?:\*\*)?[ \t]*[\"'`]?(?P<value>[^\s\"'`,;，；]{8,200})"
_GIVEN = (re.compile(r"[:=：]" + _VALUE), re.compile(r"\b(?:is|are)\b" + _VALUE))
"""What is said of a name: after a colon or an equals sign, or in words."""
_SHOWN = re.compile(
    r"example|sample|dummy|placeholder|redacted|your|changeme|change-me|xxx|\.\.\.|…|<|\{|\$|\*\*\*|fake|test|none"
    r"|null|env|secret|password|token|12345678|abcdef|process\.|os\.|getenv|config|required|optional|\(",
    re.IGNORECASE,
)
ENTROPY = 3.3
"""Bits a character that a generated value has at least; words have fewer."""


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield the secrets of each document, in code as well as in text."""
    for document in workspace.documents:
        if document.kind is not Kind.PROMPT:
            for start, end, kind in secrets(document.text):
                yield _finding(document, start, end, kind)


def secrets(text: str) -> list[tuple[int, int, str]]:
    """Return the secrets in a text in order: the characters that each takes, end exclusive, and what it is."""
    taken: list[tuple[int, int, str]] = []
    for kind, (marks, pattern) in _PATTERNS.items():
        if any(mark in text for mark in marks):
            for found in pattern.finditer(text):
                start, end = found.span("value") if "value" in pattern.groupindex else found.span()
                if _real(text[start:end], known="value" not in pattern.groupindex):
                    taken.append((start, end, kind))
    small = text.lower()
    taken.sort()
    free = _Free(taken)
    if any(word in small for word in _ASKED):
        for found in (hit for pattern in _GIVEN for hit in pattern.finditer(text)):
            value = found["value"].rstrip(".)]}*")
            start = found.start("value")
            named = _NAMED.search(text, max(0, found.start() - NAME), found.start())
            end = start + len(value)
            if not named or _SHOWN.search(found["value"]) or not _generated(value):
                continue
            if free.take(start, end):
                taken.append((start, end, "secret"))
    return sorted(taken)


class _Free:
    """Keep which characters of a text are part of a secret; some sorted ones are at the beginning."""

    def __init__(self, taken: list[tuple[int, int, str]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end, _ in taken:
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def take(self, start: int, end: int) -> bool:
        """Take some characters, and return whether none of them was taken before."""
        place = bisect_left(self._starts, end)
        if place and self._ends[place - 1] > start:
            return False
        self._starts.insert(place, start)
        self._ends.insert(place, end)
        return True


def _finding(document: Document, start: int, end: int, kind: str) -> Finding:
    line, end_line = document.line_of(start), document.line_of(end - 1)
    return Finding(
        "HYG007",
        ERROR,
        document.path,
        line,
        end_line,
        f"{'an' if kind[0] in 'AO' else 'a'} {kind} stands in the open: {redacted(document.text[start:end])}",
        column=start - document.starts[line - 1] + 1,
        end_column=end - document.starts[end_line - 1] + 1,
        essence=f"{kind} {end - start}",
    )


def redacted(value: str) -> str:
    """Return the first characters of a secret, and how many there are."""
    return f"{value[:SHOWN]}… ({len(value)} characters)"


def masked(text: str) -> str:
    """Return a text of the same length with its secrets starred but for their first characters, line by line."""
    if len(text) < SHORTEST:
        return text
    pieces, at = [], 0
    for start, end, _ in secrets(text):
        if start >= at:
            pieces += [text[at : start + SHOWN], _SEEN.sub("*", text[start + SHOWN : end])]
            at = end
    return "".join([*pieces, text[at:]]) if pieces else text


_SEEN = re.compile(r"[^\r\n]")
_NO_KEY = re.compile(
    r"example|placeholder|redacted|your|x{4}|\.{3}|…|0{6}|1234567|^[$<{%(\[*]|\*{3}|\$\{", re.IGNORECASE
)


def _real(value: str, *, known: bool) -> bool:
    """Tell a secret from what stands in for one."""
    if value.startswith("-----BEGIN"):
        return True
    body = value.split("-", 2)[-1] if value.startswith("sk-") else value
    if _NO_KEY.search(value):
        return False
    if not known and (value.isupper() or value.lower() in ("password", "passwd", "secret", "token", "postgres")):
        return False
    return len(set(body)) >= (8 if known else 5) and entropy(body) >= (2.8 if known else 2.2)


def _generated(value: str) -> bool:
    if "/" in value or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    if re.fullmatch(r"[A-Z][A-Z0-9_]*|v?\d+(?:\.\d+)+\w*|\d{4}-\d\d-\d\d\S*|[\w.+-]+@[\w.-]+\.\w+", value):
        return False
    return len(value) >= 10 and entropy(value) >= ENTROPY - 0.5


def entropy(text: str) -> float:
    """Return the bits a character takes, by how often each occurs."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
