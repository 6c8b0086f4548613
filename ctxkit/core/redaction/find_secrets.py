"""Find the secrets of a text: by the form of a key, and by the place where a value stands."""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import log2

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.redaction.masking import find_keys
from ctxkit.core.text.escapes import ESCAPE

WRAP_WIDTH = 60
"""Characters of a line from which a key at its end may go on in the next line; terminals wrap at 72 or more."""


class Secret(NamedTuple):
    """A secret of a text: its start and end (exclusive) in characters, and its kind."""

    start: int
    end: int
    kind: str


class _View(NamedTuple):
    """A text without some of its characters, and the offset of each remaining character in the original."""

    text: str
    offsets: Sequence[int]


KeyScanner = Callable[[str], Sequence[tuple[str, str]]]
"""Returns the kind and the text of each secret in a text."""


def find_secrets(text: str, scan_keys: KeyScanner | None = None) -> list[Secret]:
    """Return the secrets of a text in order, without overlaps.

    A secret may be interrupted by terminal escapes, or wrapped at the end of a long line. Skip placeholders.
    ``scan_keys`` finds more; it gets the text without the secrets that are known already.
    """
    view = _cut(text, ESCAPE) if "\x1b" in text or "\x9b" in text else None
    plain = view.text if view else text
    secrets = [*_find_plain(plain), *_find_wrapped(plain)]
    if scan_keys is not None:
        secrets += _find_scanned(plain, secrets, scan_keys)
    if view is not None:
        secrets = [Secret(view.offsets[start], view.offsets[end - 1] + 1, kind) for start, end, kind in secrets]
    return _drop_overlaps(secrets)


def _find_scanned(text: str, known: Sequence[Secret], scan_keys: KeyScanner) -> Iterator[Secret]:
    """Yield what a scanner finds in the text in which blanks replace the known secrets."""
    pieces, at = [], 0
    for start, end, _ in sorted(known):
        if end > at:
            pieces += [text[at:start], " " * (end - max(start, at))]
            at = end
    rest = "".join([*pieces, text[at:]])
    for kind, value in dict.fromkeys(scan_keys(rest)):
        is_secret = value.strip() and not (is_placeholder(value) or is_words(value.rstrip(",;")))
        at = rest.find(value) if is_secret else -1
        while at >= 0:
            yield Secret(at, at + len(value), kind)
            at = rest.find(value, at + len(value))


def _find_plain(text: str) -> Iterator[Secret]:
    for start, end, kind in find_keys(text):
        value = text[start:end]
        if kind == "private key" or not (is_placeholder(value) or is_words(value)):
            yield Secret(start, end, kind)
    yield from _find_by_context(text)


def _find_wrapped(text: str) -> Iterator[Secret]:
    """Yield the secrets that a wrap at the end of a long line divides; the rest has letters and digits."""
    word = r"[\w+/=.-]"
    rest = rf"(?!\d{{4}}-\d\d-)(?={word}{{0,200}}\d)(?={word}{{0,200}}[A-Za-z])(?={word}{{4,}})"
    ends = (rf"{end}(?<={word}{end})(?<=[^\n]{{{WRAP_WIDTH}}}{end})" for end in (r"\r\n", r"\n"))
    breaks = rf"(?:{'|'.join(ends)}){rest}"  # begins with the newline: few places are looked at
    view = _cut(text, breaks)
    if view is None:
        return
    for start, end, kind in _find_plain(view.text):
        first, last = view.offsets[start], view.offsets[end - 1]
        if kind != "private key" and last - first != end - 1 - start:
            yield Secret(first, last + 1, kind)


def _cut(text: str, pattern: str) -> _View | None:
    """Return the text without the matches of a pattern, None if there are none."""
    pieces, offsets, at = [], array("l"), 0
    for match in _compile(pattern).finditer(text):
        pieces.append(text[at : match.start()])
        offsets.extend(range(at, match.start()))
        at = match.end()
    if not at:
        return None
    offsets.extend(range(at, len(text)))
    return _View("".join([*pieces, text[at:]]), offsets)


def _find_by_context(text: str) -> Iterator[Secret]:
    """Yield the secrets of a text by their places."""
    small = text.lower()
    if len(small) != len(text):  # a character whose lower case has two
        small = text.translate(_LOWER)
    for rule in RULES:
        for first, last in _list_regions(small, rule):
            for match in _compile(rule.pattern).finditer(text, first, last):
                for start, end in _list_spans(rule, match):
                    if is_secret_value(text[start:end], certain=rule.certain):
                        yield Secret(start, end, rule.kind)


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class ContextRule(NamedTuple):
    """A place where secrets stand: its name, markers in lower case, and the pattern.

    At least one marker occurs in each match. The group ``value`` is the secret; without it, each match of ``inner`` in
    the group ``values``. Values of a rule that is not ``certain`` must look generated. All repetitions are bounded: a
    match begins at most ``before`` characters before a marker, and ends at most ``after`` behind its beginning.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: str
    inner: str = ""
    certain: bool = True
    before: int = 512
    after: int = 4_600
    is_one_line: bool = False


def _list_regions(small: str, rule: ContextRule) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text in lower case in which a rule may match: those around its markers."""
    places = sorted(at for mark in rule.marks for at in _list_places(small, mark))
    first = last = 0
    for at in places:
        start, end = max(at - rule.before, 0), at + rule.after
        if rule.is_one_line:
            start = max(start, small.rfind("\n", start, at) + 1)
            line_end = small.find("\n", at, end)
            end = line_end if line_end >= 0 else end
        if start > last and last:
            yield first, last
        if start > last or not last:
            first = max(start, last)
        last = end
    if last:
        yield first, last


def _list_places(text: str, mark: str) -> Iterator[int]:
    """Yield the offsets of a marker."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _list_spans(rule: ContextRule, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the values in a match."""
    if rule.inner:
        start = match.start("values")
        for value in _compile(rule.inner).finditer(match["values"]):
            yield start + value.start("value"), start + value.end("value")
        return
    group = next(name for name in ("value", "quoted", "single") if match.groupdict().get(name) is not None)
    start, end = match.span(group)
    yield start, start + len(match[group].rstrip(".:*")) if group == "value" else end


def _drop_overlaps(secrets: list[Secret]) -> list[Secret]:
    """Return secrets in order; of those that overlap, the first and longest, extended to the end of the others."""
    result: list[Secret] = []
    for secret in sorted(secrets, key=lambda secret: (secret.start, -secret.end)):
        if result and secret.start < result[-1].end:
            result[-1] = result[-1]._replace(end=max(result[-1].end, secret.end))
        else:
            result.append(secret)
    return result


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_SECRET_WORD = (
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|webhook|密码|密钥|пароль|contraseña"
    r"|psk|passcode|(?:jsession|phpsess|session)[_-]?id|key[_-]data"
    r"|(?:api|app|access|account|auth|signing|encryption|private|secret|master|session|license|deploy|service)[_.-]?key)"
)
_NAME = rf"[A-Za-z0-9_.-]{{0,60}}?(?i:{_SECRET_WORD})(?:s|[A-Z0-9_.-][A-Za-z0-9_.-]{{0,30}})?(?![A-Za-z0-9])"
_PUBLIC_NAME = r"(?i:publickeytoken|credential\.helper)(?![A-Za-z0-9])"
"""Matches names that only look secret: what identifies a .NET assembly, and the program that git asks for passwords."""
_BARE = r"""[^\s"'`\\,;&|<>(){}\[\]，；。）]"""
_CREDENTIAL = r"[A-Za-z0-9!#$%*+./:=?@^_~-]"
"""A character of a credential in a header, which is ASCII (RFC 9110, section 11.2; RFC 6750, section 2.1)."""
_QUOTED = r"""(?:"(?P<quoted>[^"'\\\n]{6,400})(?=\\?")|'(?P<single>[^"'\\\n]{6,400})(?=')"""
_VALUE = rf"{_QUOTED}|(?P<value>{_BARE}{{6,4000}}))"
_BASE64 = r"[A-Za-z0-9+/]{8,4000}={0,2}"
RULES = (
    ContextRule(
        "authorization header",
        ("authorization",),
        rf"""(?i)\b(?:proxy-)?authorization\\?["']?\s{{0,4}}[:=]\s{{0,4}}\\?["']?(?:[a-z][a-z0-9-]{{2,20}}\s{{1,4}})?(?P<value>{_CREDENTIAL}{{8,4000}})""",
    ),
    ContextRule("bearer token", ("bearer ",), rf"(?i)\bbearer\s{{1,4}}(?P<value>{_CREDENTIAL}{{12,4000}})"),
    ContextRule(
        "key in a header",
        ("token", "key", "secret"),
        rf"""(?i)\b(?:[a-z0-9]{{1,20}}-){{1,4}}(?:token|key|secret)\\?["']?:\s{{0,4}}\\?["']?(?P<value>{_BARE}{{8,4000}})""",
        certain=False,
    ),
    ContextRule(
        "cookie",
        ("cookie",),
        r"""(?i)\b(?:set-)?cookie\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?P<values>[^"'\r\n]{8,4000})""",
        r"""(?:^|;\s{0,4})[^\s=;]{1,100}=(?P<value>[^\s;"'\\]{12,4000})""",
        certain=False,
    ),
    ContextRule(
        "password in an address",
        ("://",),
        r"""://[^\s:/@"'`\\<>,]{0,100}:(?P<value>[^\s/@"'`\\<>]{4,200})@[A-Za-z0-9_.\[-]""",
    ),
    ContextRule(
        "key in an address",
        ("://", "?", "&"),
        r"""(?i)[?&](?:[a-z0-9_.-]{0,30}(?:token|key|secret|password|passwd|signature)|sig|code|auth|pwd)=(?P<value>[^\s&"'`\\<>#]{8,4000})""",
        certain=False,
    ),
    ContextRule(
        "webhook",
        ("hooks.slack.com", "/api/webhooks/", "webhook.office.com"),
        r"(?:hooks\.slack\.com/\w{1,20}/|/api/webhooks/\d{1,30}/|webhook\.office\.com/\w{1,20}/)(?P<value>[\w/@-]{20,400})",
    ),
    ContextRule("telegram bot token", ("/bot",), r"/bot\d{6,12}:(?P<value>[\w-]{30,60})"),
    ContextRule(
        "secret option",
        ("password", "passwd", "pass", "secret", "token", "key", "auth", "credential"),
        r"(?i)(?<![\w-])--?(?!no-)(?:[a-z0-9]{1,20}[_-]){0,3}"
        rf"(?:{_SECRET_WORD}|pass|auth|key)(?:=|[ \t]{{1,4}}){_VALUE}",
        certain=False,
        is_one_line=True,
    ),
    ContextRule(
        "password of a login",
        ("curl", "wget", "http", "xh "),
        r"""(?i)\b(?:curl|wget|https?|xh|httpie)(?=\s)[^\n|;]{0,400}?\s(?:-u|--user|--proxy-user|-a|--auth)"""
        r"""[ =]{0,2}["']?[^\s:"'/]{1,60}:(?P<value>[^\s"'\\]{4,200})""",
    ),
    ContextRule(
        "password of a login",
        ("sshpass", "login", "mysql", "redis-cli", "mongo", "ldap", "sqlcmd", "smbclient"),
        r"""(?i)\b(?:sshpass|login|mysql\w{0,10}|redis-cli|mongo\w{0,10}|ldap\w{1,10}|sqlcmd|smbclient)"""
        r"""(?=\s)[^\n|;]{0,300}?\s-[pawP][ =]?["']?(?P<value>[^\s"'\\:/]{6,200})""",
        certain=False,
    ),
    ContextRule(
        "cookie",
        ("-b ", "--cookie", "--header"),
        r"""(?<=\s)(?:-b|--cookie)[ =]["']?(?P<values>[^\s"'][^"'\r\n]{8,4000})""",
        r"""(?:^|;\s{0,4})[^\s=;]{1,100}=(?P<value>[^\s;"'\\]{12,4000})""",
        certain=False,
    ),
    ContextRule(
        "generated password",
        ("password",),
        r"""(?i)\bpassword (?:is |was )?[a-z ]{0,30}\bfor ["']?[^\s:"']{1,80}["']?: {1,4}(?P<value>[^\s"\\]{8,100})""",
        certain=False,
    ),
    ContextRule(
        "password in an address",
        (":thin:", "sqlplus"),
        r"(?:jdbc:oracle:thin:|\bsqlplus\s{1,4})\w{1,40}/(?P<value>[^\s@/\"\\]{4,100})@",
    ),
    ContextRule(
        "netrc password",
        ("login", "machine"),
        r"\blogin\s{1,20}[^\s]{1,100}\s{1,40}password\s{1,20}(?P<value>[^\s\"\\]{4,200})",
    ),
    ContextRule(
        "line of pgpass",
        (":5432:", ":*:", ":6432:"),
        r"(?m)^[\w.*-]{1,200}:(?:\d{2,5}|\*):[^\s:]{1,63}:[^\s:]{1,63}:(?P<value>[^\s:\"\\]{4,200})$",
    ),
    ContextRule(
        "secret in XML",
        ("password>", "passwd>", "passphrase>", "secret>", "token>", "key>", "password ", "token ", "secret "),
        rf"(?i)<(?:[\w.-]{{1,40}}:)?[\w.-]{{0,40}}{_SECRET_WORD}[\w.-]{{0,20}}(?:\s[^<>]{{0,200}})?>\s{{0,40}}(?P<value>[^<>\s\"'\\]{{6,4000}})\s{{0,40}}</",
    ),
    ContextRule(
        "value of a secret",
        ("value",),
        rf"""(?i:name|key)\\?["']?\s{{0,4}}[:=]\s{{0,4}}\\?["']?{_NAME}\\?["']?,?\s{{1,40}}-?\s{{0,4}}\\?["']?(?i:value)\\?["']?\s{{0,4}}[:=]\s{{0,4}}\\?{_VALUE}""",
        certain=False,
    ),
    ContextRule(
        "secret of a container",
        ('"auth"', '"identitytoken"', '"registrytoken"'),
        rf'"(?:auth|identitytoken|registrytoken)"\s{{0,4}}:\s{{0,4}}"(?P<value>{_BASE64})(?=")',
    ),
    ContextRule(
        "secret of Kubernetes",
        ("kind: secret",),
        r"(?i)kind: Secret\b(?P<values>(?:\n(?!---)[^\n]{0,2000}){1,60})",
        rf"(?m)^[ \t]{{2,12}}[\w.-]{{1,100}}:[ \t]{{1,4}}(?P<value>{_BASE64})[ \t\r]{{0,4}}$",
        certain=False,
        after=32_000,
    ),
    ContextRule(
        "secret of Kubernetes",
        ("kind: secret",),
        r"(?i)(?:^|\n)(?P<values>(?:data|stringData):(?:\n[ \t]{1,12}[^\n]{0,2000}){1,60})"
        r"(?=(?:\n[^\n]{0,200}){0,20}\nkind: Secret\b)",
        rf"(?m)^[ \t]{{2,12}}[\w.-]{{1,100}}:[ \t]{{1,4}}(?P<value>{_BASE64})[ \t\r]{{0,4}}$",
        certain=False,
        before=32_000,
        after=32_000,
    ),
    ContextRule(
        "password hash",
        ("$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$apr1$", "$argon2"),
        r"\$(?:2[aby]|1|5|6|y|apr1|argon2(?:id?|d))\$(?P<value>[./A-Za-z0-9$=,+]{20,300})",
    ),
    ContextRule(
        "private key",
        ("private key",),
        r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<values>(?:\r?\n(?![^\n]{0,200}-----)[^\n\"]{0,400}(?=\r?\n|\Z)){1,200})",
        r"(?<![A-Za-z0-9+/=])(?P<value>[A-Za-z0-9+/]{16,}={0,2})(?=\s*$|\s*\n)",
        after=32_000,
    ),
    ContextRule(
        "secret",
        (
            "passw",
            "passphrase",
            "passcode",
            "pwd",
            "psk",
            "secret",
            "token",
            "credential",
            "key",
            "webhook",
            "sess",
            "密",
            "пароль",
            "contraseña",
        ),
        rf"""(?:(?<![A-Za-z0-9_.-])(?<![A-Za-z0-9]:)|(?=密码|密钥|пароль))(?!{_PUBLIC_NAME}){_NAME}(?:\\?["'`]\]?)?"""
        rf"""(?:[ \t]{{0,20}}(?::[ \t]{{0,4}}str[ \t]{{0,4}})?(?:=>?|:=|:|：|(?<=["']),)"""
        rf"""|[ \t]{{1,4}}(?:is|are)\b)[ \t]{{0,20}}\\?{_VALUE}""",
        certain=False,
        is_one_line=True,
    ),
)
"""Rules by the documented form of each place; the last is an assignment to a name that says secret."""
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
