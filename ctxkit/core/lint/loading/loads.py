"""Index which documents are in a window together, and compute the cost of copies."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.workspace import LoadSet, Workspace

MAX_CACHED_TEXTS = 256
"""Texts whose token counts are cached."""


class LoadSetIndex:
    """Index of a workspace's load sets; the prompt is in all of them."""

    def __init__(self, workspace: Workspace) -> None:
        self.sets: Sequence[LoadSet] = workspace.load_sets
        self.prompt = workspace.prompt.path if workspace.prompt else None
        self._documents = _index_documents(workspace)
        self._count_text = lru_cache(maxsize=MAX_CACHED_TEXTS)(workspace.tokens)  # copies are counted once
        self._numbers: dict[str, list[int]] = {}
        for number, load_set in enumerate(self.sets):
            for path in load_set.paths:
                self._numbers.setdefault(path, []).append(number)
        if self.prompt is not None:
            self._numbers[self.prompt] = list(range(len(self.sets)))
        self._masks = {path: sum(1 << number for number in set(numbers)) for path, numbers in self._numbers.items()}

    def mask(self, path: str) -> int:
        """Return the load sets that contain a document, as a bit mask."""
        return self._masks.get(path, 0)

    def has_common_set(self, first: str, second: str) -> bool:
        """Return whether two documents are ever in a window together; always true for the same document."""
        return first == second or bool(self.mask(first) & self.mask(second))

    def is_covered_by(self, copy: str, keeper: str) -> bool:
        """Return whether every window with ``copy`` also contains ``keeper``."""
        mask = self.mask(copy)
        return copy == keeper or (bool(mask) and mask & self.mask(keeper) == mask)

    def compute_waste(self, places: Iterable[LineRange]) -> tuple[tuple[str, int], ...]:
        """Return (name, tokens) of each load set in which copies cost tokens beyond the most expensive one.

        Omit a set that adds files to another of the same agent without more waste. Copies within a file of no load set
        count under its path.
        """
        counted = [(place, self._count_tokens(place)) for place in places]
        inside: dict[int, list[int]] = {}
        for place, tokens in counted:
            for number in self._numbers.get(place.path, ()):
                inside.setdefault(number, []).append(tokens)
        costly_sets: list[tuple[LoadSet, int]] = []
        for number, costs in sorted(inside.items()):
            wasted = sum(costs) - max(costs)
            load_set = self.sets[number]
            if len(costs) > 1 and not any(
                _is_subset(other, load_set) and wasted <= less for other, less in costly_sets
            ):
                costly_sets.append((load_set, wasted))
        if not costly_sets:
            return tuple(_waste_by_path(counted).items())
        return tuple((load_set.name, wasted) for load_set, wasted in costly_sets)

    def _count_tokens(self, place: LineRange) -> int:
        document = self._documents.get(place.path)
        if document is None:
            return 0
        start, end = document.span(place.line, place.end_line)
        return self._count_text(document.text[start:end])


def _index_documents(workspace: Workspace) -> Mapping[str, MarkdownDocument]:
    """Return the documents by path and by alias, the same ones as ``Workspace.document`` finds."""
    documents: dict[str, MarkdownDocument] = {}
    for document in workspace.all_documents:
        for path in (document.path, *document.aliases):
            documents.setdefault(path, document)
    return documents


def _is_subset(less: LoadSet, more: LoadSet) -> bool:
    return less.agent == more.agent and frozenset(less.paths).issubset(more.paths)


def _waste_by_path(counted: Sequence[tuple[LineRange, int]]) -> Mapping[str, int]:
    by_path: dict[str, list[int]] = {}
    for place, tokens in counted:
        by_path.setdefault(place.path, []).append(tokens)
    return {path: sum(tokens) - max(tokens) for path, tokens in sorted(by_path.items()) if len(tokens) > 1}
