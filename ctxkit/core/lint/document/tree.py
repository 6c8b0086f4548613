"""Index the documents of a workspace by directory."""

from bisect import bisect_left
from collections.abc import Sequence
from posixpath import dirname

from ctxkit.core.lint.document.imports import find_imports
from ctxkit.core.lint.document.markdown import MarkdownDocument


class DocumentTree:
    """Index of documents by path and directory; ``paths`` keeps the order of loading, without duplicates."""

    def __init__(self, documents: Sequence[MarkdownDocument]) -> None:
        self.files: dict[str, MarkdownDocument] = {}
        for document in documents:
            self.files[document.path] = document
            self.files.update(dict.fromkeys(document.aliases, document))
        self.files_by_directory: dict[str, list[str]] = {}
        self._imported: dict[str, tuple[str, ...]] = {}
        self._sorted = sorted(self.files)
        for path in self._sorted:
            self.files_by_directory.setdefault(dirname(path), []).append(path)

    def paths(self, names: Sequence[str], *, hops: int = 0) -> tuple[str, ...]:
        """Return the documents at some paths that exist, each followed by its imports over at most ``hops`` files."""
        ordered: dict[str, None] = {}
        for name in names:
            self._add_document(name, ordered, hops)
        return tuple(ordered)

    def _add_document(self, name: str, ordered: dict[str, None], hops: int) -> None:
        document = self.files.get(name)
        if document is None or document.path in ordered:
            return
        ordered[document.path] = None
        if hops:
            for path in self._imported_paths(document):
                self._add_document(path, ordered, hops - 1)

    def _imported_paths(self, document: MarkdownDocument) -> tuple[str, ...]:
        """Return the paths that a document imports, each once."""
        if document.path not in self._imported:
            self._imported[document.path] = tuple(dict.fromkeys(imported.path for imported in find_imports(document)))
        return self._imported[document.path]

    def files_inside(self, directory: str) -> list[str]:
        """Return the files below a directory, sorted."""
        head = f"{directory}/"
        start, end = bisect_left(self._sorted, head), bisect_left(self._sorted, f"{directory}0")
        return self._sorted[start:end]  # 0 follows the slash in ASCII


def join_path(directory: str, name: str) -> str:
    """Return a path inside a directory; "" is the workspace."""
    return f"{directory}/{name}" if directory else name


def ancestors(directory: str) -> list[str]:
    """Return the directories from the root to ``directory``, inclusive."""
    parts = directory.split("/") if directory else []
    return ["", *("/".join(parts[: index + 1]) for index in range(len(parts)))]
