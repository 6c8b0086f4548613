"""Find keys and passwords in files that an agent loads (HYG007)."""

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import ERROR, Rule
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.redaction.find_secrets import find_secrets

RULES = (
    Rule(
        "HYG007",
        "secret",
        ERROR,
        "none",
        "A file that agents load contains a key, a token or a password.",
        "The secret is sent to the provider of the model on every turn, and an agent may repeat it anywhere. Rotate"
        " the secret, then name the variable that contains it. The linter never prints more than its first four "
        "characters.",
        "- The API key is sk-ant-api03-...",
        "- The API key is in $ANTHROPIC_API_KEY.",
        "The detection of --redact, without what documentation makes up: of 32 findings on 61 public workspaces, 29 "
        "were values such as sk_live_abc123 or SecurePass123!, headers without a key, and samples of vendors.",
    ),
)
_MADE_UP = compile_lazily(
    r"example|sample|dummy|fake|mock|test|demo|placeholder|secret|passw|secure|change|your|insert|replace|redacted"
    r"|foo|hunter2|abc|xyz|123|qwe|([a-z0-9])\1{3}|a1b2|1a2b|dead_?beef|cafe_?babe|eyJzdWIiOiIxMjM0NTY3ODkw"
    r"|9944b09199c62bcf",
    re.IGNORECASE,
)
"""Matches words of made-up secrets, and signs in a row; the last two are of the samples of jwt.io and of Django REST
framework.
"""
_PUBLISHED = (
    *("2YotnFZFEjr1zCsicMWpAA", "tGzv3JOkF0XG5Qx2TlKWIA", "SplxlOBeZQQYbYS6WxSbIA"),  # RFC 6749
    *("7Fjfp0ZBr1KtDRbnfVdmIw", "czZCaGRSa3F0MzpnWDFmQmF0M2JW", "gX1fBat3bV"),  # RFC 6749: clients
    *("mF_9.B5f-4.1JqM", "45ghiukldjahdnhzdauz", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),  # RFC 6750, 7009 and 7617
    *("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),  # RFC 7519, 7636
    "16C7e42F292c6912E7710c838347Ae178B4a",  # the documentation of OAuth apps of GitHub
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",  # Azurite
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",  # emulator of Cosmos DB
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",  # the first account of Hardhat and of Anvil
)
"""Samples of published specifications, and the keys that everyone's emulators have."""
_EXAMPLE_CONTEXT = compile_lazily(
    r"\b(?:examples?|e\.g|for instance|samples?|placeholders?|fake|dummy|mock(?:ed)?|bad|wrong|insecure"
    r"|regex|patterns?|matches|beispiel|exemple|ejemplo|например)\b|❌|✗|🚫|例如|示例|例：|r['\"]|/\^?\(",
    re.IGNORECASE,
)
_REMARK = compile_lazily(r"[\"'`,;)]{0,4}[ \t]{1,8}(?:#|//)[^\n]{0,80}")
"""Matches the remark behind a value in code."""
_UUID = compile_lazily(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""Matches the id of a session or a request, which opens nothing."""
_CODE = compile_lazily(
    r"[A-Za-z_$][\w$]{0,80}"
    r"(?:\??\.[A-Za-z_$][\w$]{0,80}(?:\([^()\n]{0,80}\))?(?:\[[^\[\]\n]{0,40}\])?){1,8}[;,)]{0,3}"
)
"""Matches an attribute or a call in code: event.params.amount, headers.authorization?.split(' ')[1]."""
_TYPE = compile_lazily(
    r"(?:string|number|integer|int|float|boolean|bool|object|array|date)\b[ \t]*(?:$|[([{|<,;]|-\s|or\b)",
    re.IGNORECASE,
)
"""Matches the beginning of a type with a remark, as a schema has it: number (optional, ...)."""
_WORDS = compile_lazily(
    r"(?=.{0,200}?[A-Za-z]{5})(?:[A-Za-z]{1,24}\d?|[A-Za-z\d]{1,4})"
    r"(?:[-_:./]{1,3}(?:[A-Za-z]{1,24}\d?|[A-Za-z\d]{1,4})){1,12}"
)
"""Matches words that hyphens, colons or slashes join: the name of something."""
_CAMEL_CASE = compile_lazily(r"(?:[A-Z]\d?){0,4}[A-Za-z][a-z]{2,20}\d?(?:[A-Z][a-z]{2,20}\d?){1,8}")
_PUBLIC_NAME = compile_lazily(
    r"(?:address|pub(?:lic)?_?key|contract|mint|prefix|\bid|[a-z]Id|_id)\w{0,40}[\"'`*]{0,4}[ \t]{0,4}[:=]"
    r"[ \t\"'`]{0,4}$",
    re.IGNORECASE,
)
"""Matches the name of a value that is public, before the value."""
_IMAGE = compile_lazily(r"[\w.-]/(?:[\w.-]{1,80}/){0,8}[\w.-]{1,80}:$")
"""Matches the name of an image of a container, before its tag."""
MIN_VALUE = 6
"""Minimum characters of a secret that is more than a word in a sentence."""
_WORD_LIST = compile_lazily(r"(?:[a-z]{1,20}|\d{1,4})(?:,(?:[a-z]{1,20}|\d{1,4})){1,20}")
"""Matches the parameters of a generator of passwords: 32,letters,digits."""
_KEY_LINE = compile_lazily(r"(?:^|\n|\\n)[ \t>]*([A-Za-z0-9+/=]{16,100})(?=\r?$|\r?\n|\\n)", re.MULTILINE)
MIN_KEY_BODY = 32
"""Minimum characters in the lines of a private key: a header alone is part of a pattern or a text."""
MAX_CONTEXT = 200
"""Characters before a secret on its line that are searched for words of an example."""
SHOWN_LENGTH = 4
"""Characters of a secret that output may show."""
MIN_LENGTH = 12
"""Minimum length in characters of text that is searched for secrets."""
MIN_DOCUMENT_LENGTH, MAX_CACHED_DOCUMENTS = 4_000, 4
"""Characters of a text that may be a whole document, and the number of documents whose secrets are cached."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield the secrets of each document, in code as well as in text, each at its first place."""
    for document in workspace.documents:
        if document.role is not FileRole.PROMPT:
            seen: set[str] = set()
            for start, end, kind in find_secrets_once(document.text):
                line = document.line_of(start)
                before = document.text[max(document.starts[line - 1], start - MAX_CONTEXT) : start]
                is_shortened = document.text.startswith(("...", "…"), end) or document.text[start:end].endswith("...")
                value = document.text[start:end]
                remark = _REMARK.match(document.text, end)
                is_sample = is_example(value, kind, before) or (remark is not None and _MADE_UP.search(remark[0]))
                if not is_shortened and value not in seen and not is_sample:
                    seen.add(value)
                    yield _make_finding(document, start, end, kind)


def is_example(value: str, kind: str, before: str) -> bool:
    """Return whether documentation made up a secret: by its form, or by the words on its line ``before`` it.

    Output masks examples too: this decides only what is an error.
    """
    if kind == "private key":
        return sum(map(len, _KEY_LINE.findall(value))) < MIN_KEY_BODY
    if len(value) < MIN_VALUE or _WORD_LIST.fullmatch(value) or _MADE_UP.search(value):
        return True
    if any(sample in value for sample in _PUBLISHED) or _MADE_UP.search(_decode(value)):
        return True
    if kind == "secret" and (_is_name(value) or _TYPE.match(value) or _is_public(before[-MAX_NAME:])):
        return True
    return _EXAMPLE_CONTEXT.search(before) is not None


def _decode(value: str) -> str:
    """Return the words that a value has in base64, "" for a value of other bytes."""
    padded = value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4)
    try:
        text = b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except ValueError:
        return ""
    return text if text.isprintable() else ""


def _is_public(before: str) -> bool:
    """Return whether the text before a value says that it is public: its name, or the image whose tag it is."""
    return _PUBLIC_NAME.search(before) is not None or _IMAGE.search(before) is not None


MAX_NAME = 80
"""Characters before a value that are searched for its name."""


def _is_name(value: str) -> bool:
    """Return whether a value is an identifier, which opens nothing: of code, of a session, or of words."""
    bare = _UUID.sub("id", value)
    return any(pattern.fullmatch(bare) for pattern in (_CODE, _WORDS, _CAMEL_CASE)) or bare == "id"


def _make_finding(document: MarkdownDocument, start: int, end: int, kind: str) -> LintFinding:
    line, end_line = document.line_of(start), document.line_of(end - 1)
    return LintFinding(
        "HYG007",
        ERROR,
        document.path,
        line,
        end_line,
        f"{'an' if kind[0] in 'AO' else 'a'} {kind} in plain text: {abbreviate_secret(document.text[start:end])}",
        column=start - document.starts[line - 1] + 1,
        end_column=end - document.starts[end_line - 1] + 1,
        essence=f"{kind} {end - start}",
    )


@lru_cache(maxsize=MAX_CACHED_DOCUMENTS)
def find_secrets_once(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the secrets of a document; the rule needs them, and so does the output that shows the document's lines."""
    return tuple(find_secrets(text))


def abbreviate_secret(value: str) -> str:
    """Return the first characters of a secret and its length."""
    return f"{value[:SHOWN_LENGTH]}… ({len(value)} characters)"


def mask_text(text: str) -> str:
    """Return text of the same length with asterisks for its secrets, except their first characters and newlines."""
    if len(text) < MIN_LENGTH:
        return text
    pieces, at = [], 0
    for start, end, _ in find_secrets_once(text) if len(text) >= MIN_DOCUMENT_LENGTH else find_secrets(text):
        if start >= at:
            pieces += [text[at : start + SHOWN_LENGTH], _VISIBLE.sub("*", text[start + SHOWN_LENGTH : end])]
            at = end
    return "".join([*pieces, text[at:]]) if pieces else text


_VISIBLE = compile_lazily(r"[^\r\n]")
