"""Find keys and passwords in files that an agent loads (HYG007)."""

import re
from collections.abc import Iterator
from functools import lru_cache

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
        "Prefixes as the issuers document them; assignments count only where the value has the entropy of a key.",
    ),
)
SHOWN_LENGTH = 4
"""Characters of a secret that output may show."""
MIN_LENGTH = 12
"""Minimum length in characters of text that is searched for secrets."""
MIN_DOCUMENT_LENGTH, MAX_CACHED_DOCUMENTS = 4_000, 4
"""Characters of a text that may be a whole document, and the number of documents whose secrets are cached."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield the secrets of each document, in code as well as in text."""
    for document in workspace.documents:
        if document.role is not FileRole.PROMPT:
            for start, end, kind in find_secrets_once(document.text):
                yield _make_finding(document, start, end, kind)


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


_VISIBLE = re.compile(r"[^\r\n]")
