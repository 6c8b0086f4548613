"""Everything that rules may look at: the documents, who loads them, and what is known of the project around them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ctxkit.core.lint.document.load_set import LoadSet
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.tokens.tokenizer import Tokenizer


class RemovedPath(NamedTuple):
    """Tell what became of a path that is gone: the commit that removed it, and where it went, if anywhere."""

    commit: str
    date: str
    renamed_to: str = ""


PathHistory = Callable[[str], RemovedPath | None]
"""Return what became of a path that once existed, or None when it never did or nobody knows."""


def no_history(_path: str) -> RemovedPath | None:
    """Stand in for the history where there is none."""
    return None


def is_never_ignored(_path: str) -> bool:
    """Stand in for ignore files where there are none."""
    return False


def ignore_notice(_message: str) -> None:
    """Stand in for whoever is told what was left out."""


class ProjectInfo(NamedTuple):
    """Hold what is known of the project.

    ``paths`` are the files and directories that exist, relative to the workspace, directories without a slash at
    the end. ``scripts`` maps a runner (npm, make, just, poe) to the names it knows, for each directory that has
    its file: {("npm", "web"): {"build", "test"}}. ``is_ignored`` says whether version control ignores a path.
    ``broken`` are symbolic links that lead nowhere, or in circles.
    """

    paths: frozenset[str] = frozenset()
    scripts: Mapping[tuple[str, str], frozenset[str]] = MappingProxyType({})
    is_ignored: Callable[[str], bool] = is_never_ignored
    history: PathHistory = no_history
    broken: tuple[str, ...] = ()


class TokenLimits(NamedTuple):
    """Hold the numbers that settings may change: tokens of a file and of a load set, 0 for no limit."""

    file_tokens: int = 0
    set_tokens: int = 0
    by_path: Mapping[str, int] = MappingProxyType({})


class Workspace(NamedTuple):
    """Hold what is linted. ``documents`` are in order of their paths; a symbolic link is no document of its own.

    ``prompt`` is the system prompt as the harness renders it, which stands before every load set; ``sources`` are
    the README and the manifest, which agents do not load but instructions may restate.
    ``tokens`` counts; ``notice`` is told in a sentence what was not looked at.
    """

    documents: tuple[MarkdownDocument, ...]
    load_sets: tuple[LoadSet, ...] = ()
    project: ProjectInfo = ProjectInfo()
    tokens: Tokenizer = len
    prompt: MarkdownDocument | None = None
    sources: tuple[MarkdownDocument, ...] = ()
    limits: TokenLimits = TokenLimits()
    notice: Callable[[str], None] = ignore_notice

    @property
    def all_documents(self) -> list[MarkdownDocument]:
        """Return the documents, the sources and the prompt."""
        return [*self.documents, *self.sources, *([self.prompt] if self.prompt else [])]

    def document(self, path: str) -> MarkdownDocument | None:
        """Return the document of a path, a symbolic link's target for the link."""
        for document in self.all_documents:
            if document.path == path or path in document.aliases:
                return document
        return None
