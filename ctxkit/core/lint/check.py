"""Running the rules over a workspace."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from ctxkit.core.lint.document import Document
from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.normal import normal
from ctxkit.core.lint.registry import families
from ctxkit.core.lint.workspace import Workspace


def check(workspace: Workspace, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[Finding]:
    """Return what the rules find, in order of path, line and code.

    ``select`` and ``ignore`` name rules by code or by the beginning of one; nothing selected means all, and of
    two that name a rule the longer one counts.
    """
    found: list[Finding] = []
    for family in families():
        if any(chosen(rule.code, select, ignore) for rule in family.rules):
            found.extend(one for one in family.findings(workspace) if chosen(one.code, select, ignore))
    return identified(workspace, sorted(found, key=_place))


def chosen(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Say whether a rule is to run."""
    return _told(select, code, -1 if select else 0) > _told(ignore, code, -1)


def _told(patterns: Sequence[str], code: str, otherwise: int) -> int:
    """Return how many letters of a code the longest pattern that names it gives; ALL names it with none."""
    named = (one for one in patterns if one == "ALL" or code.startswith(one))
    return max((0 if one == "ALL" else len(one) for one in named), default=otherwise)


def _place(finding: Finding) -> tuple[str, int, int, int, str, str]:
    return (finding.path, finding.line, finding.column or 0, finding.end_line, finding.code, finding.message)


def _essence(document: Document, line: int, end_line: int) -> str:
    """Return what some lines say."""
    start, end = document.span(line, min(end_line, document.lines))
    return normal(document.text[start:end])


def identified(workspace: Workspace, found: Iterable[Finding]) -> list[Finding]:
    """Return findings with their fingerprints: the same as long as the text that they are about stays.

    Equal ones in a file are told apart by a number.
    """
    documents = {document.path: document for document in workspace.documents}
    times: Counter[tuple[str, str, str]] = Counter()
    done = []
    begun: dict[tuple[str, str, str], Any] = {}
    said = lru_cache(maxsize=8)(lambda path, line, end_line: _essence(documents[path], line, end_line))
    for finding in found:
        essence = finding.essence
        document = documents.get(finding.path)
        if not essence and document and 0 < finding.line <= document.lines:
            essence = said(finding.path, finding.line, finding.end_line)
        key = (finding.code, finding.path, essence)
        if key not in begun:
            begun[key] = sha256("\0".join((*key, "")).encode("utf-8", "replace"))
        digest = begun[key].copy()
        digest.update(str(times[key]).encode())
        times[key] += 1
        done.append(finding._replace(fingerprint=digest.hexdigest()[:16]))
    return done
