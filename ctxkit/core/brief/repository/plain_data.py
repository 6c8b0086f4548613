"""Files of a repository as plain data, for transfer between processes."""

from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Symbol
from ctxkit.core.text.limits import WorkerDiedError, WorkerValue

_TYPES = (str, int, int, str, int, tuple, frozenset, frozenset, frozenset, str, int)
"""The types of the fields of RepositoryFile, in order."""
_SYMBOL_TYPES = (str, str, int, int, int, str, str)
"""The types of the fields of Symbol, in order."""


def to_plain(file: RepositoryFile) -> tuple[object, ...]:
    """Return a file as tuples, sets, strings and numbers."""
    return tuple(file._replace(role=int(file.role), symbols=tuple(map(tuple, file.symbols))))  # type: ignore[arg-type]


def from_plain(value: WorkerValue) -> RepositoryFile:
    """Return the file from the result of ``to_plain``; raise WorkerDiedError for any other value."""
    try:
        _check_types(value, _TYPES)
        file = RepositoryFile(*value)
        return file._replace(role=Role(file.role), symbols=tuple(map(_read_symbol, file.symbols)))
    except (TypeError, ValueError):
        raise WorkerDiedError("the worker process sent no file") from None


def _read_symbol(value: WorkerValue) -> Symbol:
    _check_types(value, _SYMBOL_TYPES)
    return Symbol(*value)


def _check_types(values: WorkerValue, types: tuple[type, ...]) -> None:
    """Raise TypeError or ValueError unless each value has its type."""
    if not all(isinstance(value, kind) for value, kind in zip(values, types, strict=True)):
        raise TypeError
