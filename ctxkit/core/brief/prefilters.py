"""Prefilters: cheap checks that avoid the import of kinds that cannot match a document."""

from collections.abc import Collection, Iterator

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kind_index import CLUES

CI_STAMP_END = "Z"
"""End of the timestamps that a CI service puts before lines, which may contain any kind of output."""


def candidates(names: Collection[str], document: InputDocument, *, is_log: bool) -> Iterator[str]:
    """Yield the kinds that a document may have; ``is_log`` means that the document is clearly a log."""
    text = f"{document.head}\n{document.tail}" if document.lines.size > len(document.head) else document.head
    first = document.head.lstrip("\ufeff \t\r\n")[:1]
    base = document.name.rpartition("/")[2].lower()
    is_log = is_log and not _is_from_ci(document.head)
    for name in names:
        clues = CLUES[name]
        if is_log and clues.unless_log:
            continue
        if base in clues.names or _has_clue(clues, text, first, document.suffix):
            yield name


def _has_clue(clues: Clues, text: str, first: str, suffix: str) -> bool:
    if not clues.words and not clues.first_characters:
        return True
    return (
        (first != "" and first in clues.first_characters)
        or suffix in clues.suffixes
        or any(word in text for word in clues.words)
    )


def _is_from_ci(head: str) -> bool:
    """Return whether lines begin with timestamps of a CI service, after which any kind of output may follow."""
    stamp = head.lstrip("\ufeff")[:80].rpartition("\t")[2].partition(" ")[0]
    return stamp[:2] == "20" and stamp[-1:] == CI_STAMP_END
