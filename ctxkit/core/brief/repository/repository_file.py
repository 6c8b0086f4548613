"""Files of a repository, their definitions, and the names that they use."""

from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.named_tuple import NamedTuple


class Symbol(NamedTuple):
    """A definition in a file: its name, kind, lines (1-based), nesting, owner and signature.

    ``owner`` is the name of the definition around it, "" at the top level. ``signature`` is text of the file from line
    ``start`` on, on one line, perhaps cut.
    """

    name: str
    kind: str
    start: int
    end: int
    depth: int
    owner: str
    signature: str


class RepositoryFile(NamedTuple):
    """A file: its path relative to the repository, its size in bytes, its language and its role.

    ``lines`` is 0 if the file was not read. ``names`` are the identifiers that it uses, ``imported`` those in import
    statements, ``path_words`` the words of paths that it quotes. ``skipped`` says why the definitions of a source
    file were not read, "" if they were or it is not source. ``masked`` is the number of secrets that were masked.
    """

    path: str
    size: int
    role: Role
    language: str = ""
    lines: int = 0
    symbols: tuple[Symbol, ...] = ()
    names: frozenset[str] = frozenset()
    imported: frozenset[str] = frozenset()
    path_words: frozenset[str] = frozenset()
    skipped: str = ""
    masked: int = 0

    @property
    def directory(self) -> str:
        """Return the path of the directory, with a slash at its end; "" for the repository itself."""
        head, slash, _ = self.path.rpartition("/")
        return head + slash

    @property
    def base(self) -> str:
        """Return the name without the directory."""
        return self.path.rpartition("/")[2]
