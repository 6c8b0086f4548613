"""Mask passwords and keys, by the forms that their issuers document, in messages, command lines and addresses."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from urllib.parse import urlsplit

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.shell import quote


class SecretPattern(NamedTuple):
    """A kind of secret: markers, at least one of which occurs in it, and its pattern.

    The patterns are ASCII, so that they match bytes and text. Most begin with a literal, which makes searches fast.
    Repetitions and look-aheads are bounded, so that any content takes linear time and no match is longer than
    ``LONGEST``. No match contains a double quote or ends inside an escape, so that masked JSON stays valid.
    """

    marks: tuple[str, ...]
    pattern: str


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


def _from(prefix: str, rest: str) -> str:
    """Return a pattern that begins with ``prefix`` at the beginning of a word."""
    return f"{prefix}(?<![A-Za-z0-9_]{prefix}){rest}"


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
_MASK = "***"
MAX_WORD_LENGTH = 4_000
"""Maximum characters of a command line's word in lists and logs."""
_WORDS = (
    r"password|passwd|passphrase|pwd|pass|secret|token|key|apikey|auth|authorization|credentials?|cookie|jwt|bearer"
)
_KEY_LIKE = rf"(?:^|[-_.])(?i:{_WORDS})$|[a-z0-9](?:Password|Secret|Token|Key|Auth|Credentials?)$"
_LOGINS = ("-u", "-U", "--user", "--proxy-user")
"""Options of curl and similar programs whose value is a user name and a password."""
# Patterns are compiled on first use: compiling all costs a few milliseconds.
_BARE = r"""[^\s"'`\\,;&|<>()]"""
_VALUE = rf"""(?:"[^"]*"|'[^']*'|{_BARE}+)"""
_ADDRESSES = (
    # scheme://user:password@, with any number of slashes in either direction, and a colon that is encoded
    r"""((?<![\w@])(?:[A-Za-z][\w+.-]{0,30}:)?[/\\]{1,3}[^\s/\\?#@:;"'<>\[]{0,200}(?:[:;]|%3[Aa]))"""
    r"""(?!\d{1,5}(?:[/?#\s]|$))(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"'<>]{0,500}|[^\n"'<>/]{0,60})@(?=\S|$)""",
    # user:password@host without a scheme
    r"""((?<![\w/@.])(?!(?:mailto|sips?|xmpp|acct|npm|jsr|docker|github|gitlab|workspace):)[A-Za-z][\w.+-]{0,63}:)"""
    r"""(?=[^\s@/"'<>]{0,200}[A-Za-z])[^\s@/"'<>:]{4,200}@(?!sha\d)(?=[\w\[])""",
    # scheme://token@host
    r"""(://)(?=[^\s/?#@:"'<>]{0,200}\d)(?=[^\s/?#@:"'<>]{0,200}[A-Za-z])[^\s/?#@:"'<>]{16,200}@""",
)
_PORT = r"""(://[^\s/?#@:"'<>\[]{0,200}:)(?!\d{1,5}(?:\D|$))\w[^\s/?#@"'<>]{2,200}(?![^\s]*@)"""
"""A port that is not a number: the beginning of an address whose host is missing."""
_HEADER = (
    r"""((?i:\b(?:(?:proxy-)?authorization|(?:x-)?(?:api-key|auth-token)|(?:set-)?cookie)\b["']?\s{0,9}[:=]\s{0,9}["']?))"""
    r"""((?i:bearer|basic|token|digest|negotiate)\s{1,9})?[^\s"'`][^"'`\n]*"""
)
_BEARER = rf"\b((?i:bearer)\s{{1,9}}){_BARE}{{8,}}"
_ASSIGNED = (
    r"((?i:(?<![A-Za-z])(?:[A-Za-z0-9]{1,30}[-_.]){0,6}"
    r"(?:password|passwd|passphrase|pwd|secret|token|(?:api|access|secret|private|auth)[_-]?key|credentials?)"
    rf"""["']?\s{{0,9}}=\s{{0,9}})){_VALUE}"""
)
_NAMED = rf"""((?i:(?<![/\w])(?:password|passwd|passphrase|api[_-]?key)["']?:\s{{0,9}})){_VALUE}"""
_OPTION = rf"(?<!\S)(--?[A-Za-z][\w.-]*)(\s{{1,9}}|=)(?!-)({_VALUE})"
_VARIABLE = rf"(?<![\w-])([A-Za-z_]\w*)=({_VALUE})"


def mask_secrets(text: str) -> str:
    """Return text with ``***`` in place of likely passwords and keys.

    These are passwords in URLs, values of ``Authorization`` and of names such as ``api_key`` and ``token``, and
    everything in the form of a known key, including placeholders.
    """
    text = mask_addresses(text)
    if ":" in text or "=" in text:
        text = re.sub(_HEADER, rf"\1\2{_MASK}", text)
        text = re.sub(_ASSIGNED, rf"\1{_MASK}", text)
        text = re.sub(_NAMED, rf"\1{_MASK}", text)
    if "earer" in text:
        text = re.sub(_BEARER, rf"\1{_MASK}", text)
    pieces, at = [], 0
    for start, end, _ in sorted(find_keys(text)):
        if start >= at and _MASK not in text[start:end]:
            pieces += [text[at:start], _MASK]
        at = max(at, end) if pieces else at
    return "".join([*pieces, text[at:]])


def mask_addresses(text: str) -> str:
    """Return text with ``***`` in place of passwords in addresses, also in those that are not well formed."""
    if "@" in text:
        for pattern in _ADDRESSES:
            text = re.sub(pattern, rf"\1{_MASK}@", text)
    return re.sub(_PORT, rf"\1{_MASK}", text) if "://" in text else text


def mask_command(words: Sequence[str]) -> str:
    """Return a command line for lists and logs, with the values of key-like options and variables masked.

    The script of ``sh -c`` is masked by the same rules.
    """
    return " ".join(_mask_words(words))


def _names_key(name: str) -> bool:
    """Return whether what stands before a sign of equality is the name of a secret."""
    return is_key_like(name.lstrip("-")) and not re.search(r"\s", name)


def _mask_words(words: Sequence[str]) -> Iterator[str]:
    previous = ""
    for word in (word[:MAX_WORD_LENGTH] for word in words):
        name, sign, _ = word.partition("=")
        login, colon, _ = word.partition(":")
        takes_key = previous.startswith("-") and "=" not in previous and is_key_like(previous.lstrip("-"))
        if takes_key and not word.startswith("-"):
            yield _MASK
        elif sign and previous != "-c" and _names_key(name):
            yield f"{quote(name)}={_MASK}"
        elif previous in _LOGINS and colon:
            yield f"{quote(login)}:{_MASK}"
        else:
            yield _quote_around_mask(mask_script(word))
        previous = word


def mask_script(text: str) -> str:
    """Return shell text with the values of key-like options and variables, and all other secrets, masked."""
    if "-" in text:
        text = re.sub(_OPTION, lambda match: f"{match[1]}{match[2]}{_mask_value(match[1].lstrip('-'), match[3])}", text)
    if "=" in text:
        text = re.sub(_VARIABLE, lambda match: f"{match[1]}={_mask_value(match[1], match[2])}", text)
    return mask_secrets(text)


def _mask_value(name: str, value: str) -> str:
    return _MASK if is_key_like(name) else value


def is_key_like(name: str) -> bool:
    """Return whether an option or variable is named like one with a password or key."""
    return bool(re.search(_KEY_LIKE, name))


def _quote_around_mask(word: str) -> str:
    """Return a word quoted for the shell, but not if it is quoted only because of a mask."""
    return word if word and all(not part or quote(part) == part for part in word.split(_MASK)) else quote(word)


@cache
def compile_pattern(kind: str) -> re.Pattern[str]:
    """Return the compiled pattern of a kind, for text."""
    return re.compile(KEYS[kind].pattern)


def find_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield everything in the form of a known key, by kind, including placeholders."""
    for kind in dict.fromkeys([kind for mark, kind in _KIND_BY_MARK if mark in text]):
        for match in compile_pattern(kind).finditer(text):
            yield (*match.span(), kind)


def hide_keys(address: str) -> str:
    """Return an address without user, password, query and fragment, and with keys in its path masked.

    Text that is no address stays as it is.
    """
    scheme, separator, _ = address.partition("://")
    if not separator:
        return address
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return f"{scheme}://{_MASK}"
    host = f"[{host}]" if ":" in host else host
    return mask_secrets(f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path}")
