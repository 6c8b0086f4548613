"""Handing core the engines that the settings ask for, each loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.terms import Engines
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.brief.document import Definition
    from ctxkit.core.search import Index
    from ctxkit.core.store import Store
    from ctxkit.core.tokenizer import Tokenizer
    from ctxkit.core.vocabulary import Vocabulary
    from ctxkit.edge.settings import Settings


def engines(settings: Settings, *, store: bool = True) -> Engines:
    """Return tokenizer, store (none when ``store`` is false or the settings say so) and parser."""
    keeps = store and settings["store"]
    return Engines(tokenizer, (lambda: local_store(settings)) if keeps else None, definitions)


def tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return the counter of a vocabulary."""
    from ctxkit.engines import tokens

    return tokens.tokenizer(vocabulary)


def definitions(data: bytes, language: str) -> Sequence[Definition] | None:
    """Return the definitions in source code, or None when it cannot be parsed."""
    from ctxkit.engines import syntax

    return syntax.definitions(data, language)


def local_store(settings: Settings) -> Store:
    """Return the store on this machine."""
    from ctxkit.edge import places
    from ctxkit.engines.local import LocalStore

    return LocalStore(settings["cache_dir"] or places.cache_dir(), settings["data_dir"] or places.data_dir(), say.warn)


def index(settings: Settings) -> Index:
    """Return the full text index of the store on this machine."""
    from ctxkit.edge import places
    from ctxkit.engines.index import FullText

    return FullText(settings["cache_dir"] or places.cache_dir(), say.warn)


def tidy(settings: Settings, ref: str) -> None:
    """Let the store collect what is old, if something was stored and it is time; call it after the output."""
    if not ref:
        return
    from ctxkit.core.quantity import age_of, bytes_of

    local_store(settings).tidy(age_of(settings["cache_max_age"]), bytes_of(settings["cache_max_size"]), ref)
