"""Mask passwords and keys in messages and command lines for terminals, lists and logs."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.redaction.secret_patterns import find_keys
from ctxkit.core.text.shell import quote

MASK = "***"
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
        text = re.sub(_HEADER, rf"\1\2{MASK}", text)
        text = re.sub(_ASSIGNED, rf"\1{MASK}", text)
        text = re.sub(_NAMED, rf"\1{MASK}", text)
    if "earer" in text:
        text = re.sub(_BEARER, rf"\1{MASK}", text)
    pieces, at = [], 0
    for start, end, _ in sorted(find_keys(text)):
        if start >= at and MASK not in text[start:end]:
            pieces += [text[at:start], MASK]
        at = max(at, end) if pieces else at
    return "".join([*pieces, text[at:]])


def mask_addresses(text: str) -> str:
    """Return text with ``***`` in place of passwords in addresses, also in those that are not well formed."""
    if "@" in text:
        for pattern in _ADDRESSES:
            text = re.sub(pattern, rf"\1{MASK}@", text)
    return re.sub(_PORT, rf"\1{MASK}", text) if "://" in text else text


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
            yield MASK
        elif sign and previous != "-c" and _names_key(name):
            yield f"{quote(name)}={MASK}"
        elif previous in _LOGINS and colon:
            yield f"{quote(login)}:{MASK}"
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
    return MASK if is_key_like(name) else value


def is_key_like(name: str) -> bool:
    """Return whether an option or variable is named like one with a password or key."""
    return bool(re.search(_KEY_LIKE, name))


def _quote_around_mask(word: str) -> str:
    """Return a word quoted for the shell, but not if it is quoted only because of a mask."""
    return word if word and all(not part or quote(part) == part for part in word.split(MASK)) else quote(word)
