"""Telling what kind of content a document is, from its bytes first and its name second."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from operator import itemgetter
from typing import Protocol, cast

from ctxkit.core.brief import kinds
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.prefilters import candidates

KIND_NAMES = (
    *("binary", "build", "cargo_test", "csv", "ctest", "diagnostics", "diff", "go_test", "gtest", "har", "history"),
    *("html", "ini", "jest", "json", "jsonl", "junit_xml", "listing", "lock", "log", "mail", "manual", "markdown"),
    *("mocha", "nextest", "notebook", "phpunit", "prose", "pytest", "report_xml", "rspec", "search", "source"),
    *("table", "tap", "text", "toml", "traceback", "typeset", "unittest", "vitest", "xctest", "xml", "yaml"),
)
"""The modules in ``kinds``, in the order of their names."""
FALLBACK, BINARY, LOG = "text", "binary", "log"
CERTAIN = 0.99
"""How sure one kind has to be for no other to be asked."""
PLAINLY_LOG = 0.8
"""How sure the log has to be for kinds not to be asked that are never as sure of a log."""


class ContentKind(Protocol):
    """Recognize and map one kind of content; every module in ``kinds`` is one.

    ``TYPES`` are further words that --type takes for it, such as languages.
    """

    NAME: str
    TYPES: Sequence[str]

    def sniff(self, document: InputDocument) -> float:
        """Return how sure it is that the document is of this kind, from 0 to 1."""

    def outline(self, document: InputDocument) -> Sequence[Outline] | None:
        """Return what to say of the document, richest first, or None when in doubt."""


@cache
def all_kinds() -> tuple[ContentKind, ...]:
    """Return every kind, in the order of their file names."""
    return tuple(map(_load_kind, KIND_NAMES))


def _load_kind(name: str) -> ContentKind:
    return cast(ContentKind, import_module(f"{kinds.__name__}.{name}"))


def load_fallback() -> ContentKind:
    """Return the kind that maps anything."""
    return _load_kind(FALLBACK)


def detect_kind(document: InputDocument) -> tuple[ContentKind, float]:
    """Return the kind of a document and how sure that is; what the user named is certain."""
    if document.content_type:
        return find_kind(document.content_type), 1.0
    scores = sorted(_score_kinds(document), key=itemgetter(1))
    confidence, name = max(scores, key=itemgetter(0))
    return (_load_kind(name), confidence) if confidence >= 0.5 else (load_fallback(), 1.0 - confidence)


def _score_kinds(document: InputDocument) -> Iterator[tuple[float, str]]:
    """Yield how sure each kind is that may be; of equals, the first in the order of names is taken."""
    binary_score = _score_kind(_load_kind(BINARY), document)
    yield binary_score, BINARY
    if binary_score >= CERTAIN:
        return
    log_score = _score_kind(_load_kind(LOG), document)
    yield log_score, LOG
    others = [name for name in KIND_NAMES if name not in (BINARY, LOG, FALLBACK)]
    for name in candidates(others, document, is_log=log_score >= PLAINLY_LOG and _has_timestamp(document)):
        yield _score_kind(_load_kind(name), document), name


def _has_timestamp(document: InputDocument) -> bool:
    """Tell whether the first line begins as those of a log do: text that only quotes one begins otherwise."""
    from ctxkit.core.brief.logs.timestamps import find_timestamp

    return find_timestamp(document.head.lstrip("\ufeff\r\n").partition("\n")[0]) is not None


def _score_kind(kind: ContentKind, document: InputDocument) -> float:
    """Ask one kind; a kind that fails on strange input has no claim to it."""
    try:
        return kind.sniff(document)
    except Exception:
        return 0.0


def find_kind(name: str) -> ContentKind:
    """Return the kind that ``--type`` names; raises KeyError when there is none."""
    for kind in all_kinds():
        if name == kind.NAME or name in kind.TYPES:
            return kind
    raise KeyError(name)


def list_content_types() -> list[str]:
    """Return every word that ``--type`` takes."""
    return sorted({word for kind in all_kinds() for word in (kind.NAME, *kind.TYPES)})
