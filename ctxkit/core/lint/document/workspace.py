"""Define the workspace that rules check: documents, the sets that agents load, and facts about the project."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.tokens.vocabulary import Tokenizer

_MAX_DESCRIPTION = 1_536
"""Characters of a description that Claude Code lists (code.claude.com/docs/en/skills, read in November 2026)."""


class LoadSet(NamedTuple):
    """The files that an agent has in its window together, in the order of loading.

    ``always`` sets are loaded on every turn in ``directory`` (relative to the workspace, "" for its root). Other sets
    are loaded on demand, such as skills: their last path is the one on demand, the others are loaded before. Of
    ``listed`` documents, such as skills, only the names and descriptions are in the window.
    """

    agent: str
    directory: str
    paths: tuple[str, ...]
    always: bool = True
    trigger: str = ""
    listed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the set for output."""
        where = f" in {self.directory}" if self.directory else ""
        return f"{self.agent}{where}{f' with {self.trigger}' if self.trigger else ''}"


class RemovedPath(NamedTuple):
    """A removed path: the commit that removed it, and its new path, if it was renamed."""

    commit: str
    date: str
    renamed_to: str = ""


Version = tuple[int, ...]
Bound = Literal["minimum", "exact"]


class ProjectFact(NamedTuple):
    """What a manifest states of a subject: a tool, a dependency, or the package manager of an ecosystem.

    ``bound`` is ``minimum`` for the lowest version that the project accepts and ``exact`` for the version that it uses,
    both as far as the manifest states it. A dependency whose range is not known has an empty ``version``. ``text`` is
    how the manifest writes it.
    """

    subject: str
    bound: Bound
    version: Version
    path: str
    text: str


PathHistory = Callable[[str], RemovedPath | None]
"""Returns the removal of a path that once existed, or None if it never did or is unknown."""


def no_history(_path: str) -> RemovedPath | None:
    """Return None: no history is known."""
    return None


def no_names(_name: str) -> tuple[str, ...]:
    """Return (): no removed paths are known."""
    return ()


def no_problem() -> str:
    """Return "": nothing is missing."""
    return ""


def is_never_ignored(_path: str) -> bool:
    """Return False: no path is ignored."""
    return False


def ignore_notice(_message: str) -> None:
    """Ignore a notice."""


class ProjectInfo(NamedTuple):
    """Facts about the project.

    ``paths`` are the existing files and directories, relative to the workspace, directories without a trailing slash.
    ``scripts`` maps (runner, directory) to the names it defines: {("npm", "web"): {"build", "test"}}; runners are npm,
    make, just and poe. ``is_ignored`` returns whether version control ignores a path. ``broken`` are symbolic links
    without a target or in a cycle. ``location`` is the path of the workspace itself. ``history_problem`` returns why
    the history is not known as a whole, "" if it is. ``facts`` reads what the manifests of the project state.
    ``removed_named`` returns the removed paths that have a file name, in any case, sorted. ``installed_skills`` are the
    directories of skills that a program installed from other repositories.
    """

    paths: frozenset[str] = frozenset()
    scripts: Mapping[tuple[str, str], frozenset[str]] = MappingProxyType({})
    is_ignored: Callable[[str], bool] = is_never_ignored
    history: PathHistory = no_history
    broken: tuple[str, ...] = ()
    location: str = ""
    history_problem: Callable[[], str] = no_problem
    facts: Callable[[], tuple[ProjectFact, ...]] = tuple
    removed_named: Callable[[str], Sequence[str]] = no_names
    installed_skills: frozenset[str] = frozenset()

    def is_installed(self, path: str) -> bool:
        """Return whether a file belongs to an installed skill: its text is maintained in another repository."""
        return any(path.startswith(f"{directory}/") for directory in self.installed_skills)


class TokenLimits(NamedTuple):
    """Limits from the settings: tokens of a file, of a load set and of single paths; 0 means no limit.

    ``sizes`` changes limits of the table of hosts, by their names; 0 turns one off.
    """

    file_tokens: int = 0
    set_tokens: int = 0
    by_path: Mapping[str, int] = MappingProxyType({})
    sizes: Mapping[str, int] = MappingProxyType({})


class Workspace(NamedTuple):
    """The input of the linter.

    ``documents`` are sorted by path; a symbolic link is not a separate document. ``prompt`` is the rendered system
    prompt, which precedes every load set. ``sources`` are READMEs, which agents do not load but
    instructions may link to. ``tokens`` counts tokens; ``notice`` gets a sentence about each check that was left out.
    ``outside`` are paths of documents behind a link out of the workspace: nothing of them is quoted.
    """

    documents: tuple[MarkdownDocument, ...]
    load_sets: tuple[LoadSet, ...] = ()
    project: ProjectInfo = ProjectInfo()
    tokens: Tokenizer = len
    prompt: MarkdownDocument | None = None
    sources: tuple[MarkdownDocument, ...] = ()
    limits: TokenLimits = TokenLimits()
    notice: Callable[[str], None] = ignore_notice
    outside: frozenset[str] = frozenset()

    @property
    def all_documents(self) -> list[MarkdownDocument]:
        """Return the documents, the sources and the prompt."""
        return [*self.documents, *self.sources, *([self.prompt] if self.prompt else [])]

    def document(self, path: str) -> MarkdownDocument | None:
        """Return the document of a path; for a symbolic link, the document of its target."""
        for document in self.all_documents:
            if document.path == path or path in document.aliases:
                return document
        return None


def format_listing(document: MarkdownDocument) -> str:
    """Return what the window has of a skill or an agent that is not in use: its name and its description."""
    directory, _, file_name = document.path.rpartition("/")
    fallback = directory.rpartition("/")[2] if file_name == "SKILL.md" else file_name.partition(".")[0]
    described = " ".join(filter(None, (document.metadata.get(key, "") for key in ("description", "when_to_use"))))
    return f"{document.metadata.get('name') or fallback}: {described[:_MAX_DESCRIPTION]}"


def measure_listings(workspace: Workspace) -> dict[str, int]:
    """Return the tokens of the name and description of each document that some load set only lists."""
    listed = {path for load_set in workspace.load_sets for path in load_set.listed}
    documents = (document for document in workspace.documents if document.path in listed)
    return {document.path: workspace.tokens(format_listing(document)) for document in documents}
