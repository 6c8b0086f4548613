"""Find secrets by what stands around them: headers, cookies, options, addresses, files of credentials."""

import re
from collections import Counter
from math import log2

from ctxkit.core.named_tuple import NamedTuple


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
