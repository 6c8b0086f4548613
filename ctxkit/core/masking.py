"""Messages and command lines without the passwords and keys in them, for terminals, lists and logs."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.secret_patterns import find_keys
from ctxkit.core.shell import quoted

MASK = "***"
_WORDS = r"password|passwd|passphrase|pwd|pass|secret|token|key|apikey|auth|authorization|credentials?|cookie|jwt|bearer"
_KEY_LIKE = re.compile(rf"(?:^|[-_.])(?i:{_WORDS})$|[a-z0-9](?:Password|Secret|Token|Key|Auth|Credentials?)$")
_LOGINS = ("-u", "-U", "--user", "--proxy-user")
"""Options of curl and its like whose value is a name and a password."""
_QUOTE = r"""[^\s"'`\\,;&|<>()]"""
_ADDRESS = re.compile(r"(://[^\s/?#@:\"'<>]*:)(?!\d{1,5}(?:[/?#\s]|$))[^\s\"'<>]*@")
_HEADER = re.compile(
    r"((?i:\b(?:(?:proxy-)?authorization|(?:x-)?(?:api-key|auth-token)|(?:set-)?cookie)\b[\"']?\s*[:=]\s*[\"']?))"
    r"((?i:bearer|basic|token|digest|negotiate)\s+)?[^\s\"'`][^\"'`\n]*"
)
_BEARER = re.compile(rf"\b((?i:bearer)\s+){_QUOTE}{{8,}}")
_ASSIGNED = re.compile(
    r"((?i:(?<![A-Za-z])(?:[A-Za-z0-9.]{1,30}[-_.]){0,6}(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|secret[_-]?key|private[_-]?key|auth[_-]?key|credentials?|apikey|authtoken|accesstoken)[\"']?\s{0,9}=\s{0,9}))"
    r"(?:\"[^\"]*\"|'[^']*'|" + _QUOTE + "+)"
)
_NAMED = re.compile(r"((?i:\b(?:password|passwd|passphrase|api[_-]?key)[\"']?:\s{0,9}))(?:\"[^\"]*\"|'[^']*'|" + _QUOTE + "+)")
_OPTION = re.compile(rf"(?<!\S)(--?[A-Za-z][\w.-]*)(\s+|=)(?!-)(\"[^\"]*\"|'[^']*'|{_QUOTE}+)")
_VARIABLE = re.compile(rf"(?<![\w-])([A-Za-z_]\w*)=(\"[^\"]*\"|'[^']*'|{_QUOTE}+)")


def mask_secrets(text: str) -> str:
    """Return text with ``***`` for what looks like a password or a key.

    That is: the password in an address, the value of ``Authorization`` and of names such as ``api_key`` and
    ``token``, and all that has the form of a known key, placeholders among it.
    """
    text = _ADDRESS.sub(rf"\1{MASK}@", text)
    text = _HEADER.sub(rf"\1\2{MASK}", text)
    text = _BEARER.sub(rf"\1{MASK}", text)
    text = _NAMED.sub(rf"\1{MASK}", _ASSIGNED.sub(rf"\1{MASK}", text))
    for start, end, _ in sorted(find_keys(text), reverse=True):
        if MASK not in text[start:end]:
            text = f"{text[:start]}{MASK}{text[end:]}"
    return text


def mask_command(words: Sequence[str]) -> str:
    """Return a command line for lists and logs: values of options and variables named like keys are masked.

    What it would print of a script behind ``sh -c`` is masked by the same rules.
    """
    return " ".join(_masked_words(words))


def _masked_words(words: Sequence[str]) -> Iterator[str]:
    before = ""
    for word in words:
        name, sign, _ = word.partition("=")
        login, colon, _ = word.partition(":")
        if before.startswith("-") and "=" not in before and is_key_like(before.lstrip("-")) and not word.startswith("-"):
            yield MASK
        elif sign and is_key_like(name.lstrip("-")) and not re.search(r"\s", name):
            yield f"{quoted(name)}={MASK}"
        elif before in _LOGINS and colon:
            yield f"{quoted(login)}:{MASK}"
        else:
            yield _quoted_around(mask_script(word))
        before = word


def mask_script(text: str) -> str:
    """Return shell text with the values of options and variables named like keys masked, and all other secrets."""
    text = _OPTION.sub(lambda found: f"{found[1]}{found[2]}{_value(found[1].lstrip('-'), found[3])}", text)
    text = _VARIABLE.sub(lambda found: f"{found[1]}={_value(found[1], found[2])}", text)
    return mask_secrets(text)


def _value(name: str, value: str) -> str:
    return MASK if is_key_like(name) else value


def is_key_like(name: str) -> bool:
    """Tell whether an option or a variable is named like one that holds a password or a key."""
    return bool(_KEY_LIKE.search(name))


def _quoted_around(word: str) -> str:
    """Return a word quoted for the shell, but for a mask, which stands out better without quotes."""
    return word if word and all(not part or quoted(part) == part for part in word.split(MASK)) else quoted(word)
