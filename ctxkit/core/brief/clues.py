"""Clues: what every document of a kind has, so that the kind is loaded and scored only for documents with them."""

from collections.abc import Sequence

from ctxkit.core.named_tuple import NamedTuple


class Clues(NamedTuple):
    """Hold what every document of a kind has.

    A document passes if its first 64 KB or last 16 KB contain one of ``words``. It also passes if it begins, after
    blanks, with one of ``first_characters``, has one of ``suffixes``, or is a file with one of ``names``, which are in
    small letters. ``unless_log`` excludes documents that are clearly logs. Without words and characters, every document
    passes.
    """

    words: Sequence[str] = ()
    first_characters: Sequence[str] = ()
    suffixes: Sequence[str] = ()
    unless_log: bool = False
    names: Sequence[str] = ()
