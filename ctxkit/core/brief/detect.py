"""Telling what kind of content a document is, from its bytes first and its name second."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from operator import itemgetter
from pkgutil import iter_modules
from typing import Protocol, cast

from ctxkit.core.brief import kinds
from ctxkit.core.brief.clues import worth
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline

FALLBACK, BINARY, LOG = "text", "binary", "log"
CERTAIN = 0.99
"""How sure one kind has to be for no other to be asked."""
PLAINLY = 0.8
"""How sure the log has to be for kinds not to be asked that are never as sure of a log."""


class Kind(Protocol):
    """Recognize and map one kind of content; every module in ``kinds`` is one.

    ``TYPES`` are further words that --type takes for it, such as languages.
    """

    NAME: str
    TYPES: Sequence[str]

    def sniff(self, document: Document) -> float:
        """Return how sure it is that the document is of this kind, from 0 to 1."""

    def outline(self, document: Document) -> Sequence[Outline] | None:
        """Return what to say of the document, richest first, or None when in doubt."""


@cache
def all_kinds() -> tuple[Kind, ...]:
    """Return every kind, in the order of their file names."""
    return tuple(map(_load, _names()))


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(kinds.__path__)))


def _load(name: str) -> Kind:
    return cast(Kind, import_module(f"{kinds.__name__}.{name}"))


def fallback() -> Kind:
    """Return the kind that maps anything."""
    return _load(FALLBACK)


def kind_of(document: Document) -> tuple[Kind, float]:
    """Return the kind of a document and how sure that is; what the user named is certain."""
    if document.forced:
        return named(document.forced), 1.0
    in_order = sorted(_claims(document), key=itemgetter(1))
    sure, name = max(in_order, key=itemgetter(0))
    return (_load(name), sure) if sure >= 0.5 else (fallback(), 1.0 - sure)


def _claims(document: Document) -> Iterator[tuple[float, str]]:
    """Yield how sure each kind is that may be; of equals, the first in the order of names is taken."""
    first = _sure(_load(BINARY), document)
    yield first, BINARY
    if first >= CERTAIN:
        return
    log = _sure(_load(LOG), document)
    yield log, LOG
    others = [name for name in _names() if name not in (BINARY, LOG, FALLBACK)]
    for name in worth(others, document, log=log >= PLAINLY and _is_stamped(document)):
        yield _sure(_load(name), document), name


def _is_stamped(document: Document) -> bool:
    """Tell whether the first line begins as those of a log do: text that only quotes one begins otherwise."""
    from ctxkit.core.brief.logs.stamps import stamp_of

    return stamp_of(document.head.lstrip("\ufeff\r\n").partition("\n")[0]) is not None


def _sure(kind: Kind, document: Document) -> float:
    """Ask one kind; a kind that fails on strange input has no claim to it."""
    try:
        return kind.sniff(document)
    except Exception:
        return 0.0


def named(name: str) -> Kind:
    """Return the kind that ``--type`` names; raises KeyError when there is none."""
    for kind in all_kinds():
        if name == kind.NAME or name in kind.TYPES:
            return kind
    raise KeyError(name)


def types() -> list[str]:
    """Return every word that ``--type`` takes."""
    return sorted({word for kind in all_kinds() for word in (kind.NAME, *kind.TYPES)})
