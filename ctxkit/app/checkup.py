"""Check that libraries and vocabularies load, and the state of the store, its database and the servers."""

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module, metadata
from time import perf_counter

from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.core.store.address import parse_address
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.shell import quote_path
from ctxkit.core.tokens.vocabulary import VOCABULARIES, Vocabulary
from ctxkit.engines import tokens, vocabulary_tables
from ctxkit.engines.blob_files import BlobFiles
from ctxkit.engines.grammars import load_grammar
from ctxkit.engines.redis_server import RedisServer, ServerError
from ctxkit.engines.redis_store import RedisStore
from ctxkit.system.installation import read_requirements, repair_command

_ENGINES = "engines"
_NEEDED = (("splintr-rs", "splintr"), ("tiktoken", "tiktoken"), ("tree-sitter", "tree_sitter"), ("orjson", "orjson"))
"""Package name and module name of each library."""


def check_libraries() -> Iterator[Check]:
    """Yield the checks of each library, of the grammars and of SQLite."""
    for package, module in _NEEDED:
        yield _check_library(package, module)
    yield _check_grammars()
    yield _check_sqlite()


def _check_library(package: str, module: str) -> Check:
    try:
        import_module(module)
    except Exception as error:  # a wheel for another platform may raise any error
        return Check(_ENGINES, package, f"cannot be loaded: {error}", "bad", repair_command(package))
    try:
        return Check(_ENGINES, package, metadata.version(package))
    except metadata.PackageNotFoundError:
        return Check(_ENGINES, package, "loads; its version is not known")


def _check_grammars() -> Check:
    languages = sorted(name for name in LANGUAGES)
    missing = [name for name in languages if load_grammar(name) is None]
    message = f"{len(languages) - len(missing)} of {len(languages)} languages"
    if len(missing) == len(languages):
        return Check(_ENGINES, "grammars", "none loads", "bad", repair_command(*_list_grammar_packages()))
    return Check(_ENGINES, "grammars", message + (f"; not {', '.join(missing)}" if missing else ""))


def _list_grammar_packages() -> list[str]:
    """Return tree-sitter and the grammars that every installation has."""
    requirements = (requirement for requirement in read_requirements() if not requirement.extra)
    return [requirement.package for requirement in requirements if requirement.package.startswith("tree-sitter")]


def _check_sqlite() -> Check:
    try:
        import sqlite3
    except ImportError as error:
        return Check(_ENGINES, "SQLite", f"cannot be loaded: {error}", "bad", "use a Python that was built with SQLite")
    version, lacks = sqlite3.sqlite_version, []
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except sqlite3.Error:
        lacks.append("FTS5, so cache search is not available")
    finally:
        database.close()
    if sqlite3.sqlite_version_info < (3, 7, 0):
        lacks.append("WAL")
    if lacks:
        return Check(_ENGINES, "SQLite", f"{version}, without {' and '.join(lacks)}", "bad", "use a newer SQLite")
    return Check(_ENGINES, "SQLite", f"{version}, with FTS5 and WAL")


_SAMPLE = "Two words, 42 and 字.\n"


def check_vocabularies(cache: str) -> Iterator[Check]:
    """Yield one check of the vocabularies that load, one for each reason why others do not, and one of the compiled."""
    failed: dict[tuple[str, str], list[str]] = {}
    loaded = []
    for vocabulary in VOCABULARIES.values():
        tokens.forget_encoders()  # all tables together take 300 MB
        why = _find_failure(vocabulary)
        if why:
            failed.setdefault(why, []).append(vocabulary.name)
        else:
            loaded.append(vocabulary.name)
    if loaded:
        yield Check(_ENGINES, "vocabularies", f"{len(loaded)} load: {', '.join(loaded)}")
    for (reason, hint), names in failed.items():
        hint = hint or repair_command("splintr-rs")
        yield Check(_ENGINES, "vocabularies", f"{', '.join(names)}: {reason}", "bad", hint)
    if tables := vocabulary_tables.list_tables(cache):
        size = format_size(sum(state.st_size for _, state in tables))
        yield Check(_ENGINES, "compiled vocabularies", f"{', '.join(name for name, _ in tables)}: {size}")


def _find_failure(vocabulary: Vocabulary) -> tuple[str, str] | None:
    """Return why a vocabulary does not count, and a hint; None if it counts."""
    try:
        return None if tokens.load_tokenizer(vocabulary)(_SAMPLE) > 0 else ("it counts nothing", "")
    except CtxkitError as known_error:
        return str(known_error), known_error.hint
    except Exception as error:  # check the other vocabularies after any error
        return f"{type(error).__name__}: {error}", ""


_TOPIC = "store"
_WAIT = 2.0
"""Seconds to wait for a writing process."""


def check_storage(cache: str, data: str) -> Iterator[Check]:
    """Yield the size of the store under ``cache``, and the state of the database under ``data``.

    Raise ImportError in a Python without SQLite.
    """
    from ctxkit.engines.database import NAME

    sizes = [state.st_size for _, state in BlobFiles(cache).list_refs()]
    message = f"{pluralize(len(sizes), 'blob')}, {format_size(sum(sizes))}"
    yield Check(_TOPIC, "content", message + ("; ctxkit cache verify hashes each" if sizes else ""))
    yield _check_database(os.path.join(data, NAME))


def _check_database(path: str) -> Check:
    import sqlite3

    from ctxkit.engines.database import STEPS

    if os.path.islink(path):
        message = f"{path}: is a link, which is not followed"
        return Check(_TOPIC, "database", message, "bad", f"remove {quote_path(path)}")
    if not os.path.lexists(path):
        return Check(_TOPIC, "database", f"{path}: created when it is needed")
    try:
        size = os.path.getsize(path)
        faults, journal, version = _inspect_database(path)
    except (OSError, sqlite3.Error) as error:
        return Check(_TOPIC, "database", f"{path}: {error}", "bad", _suggest_remedy(path, error))
    if version > len(STEPS):
        known = f"version {version}, this one knows {len(STEPS)}"
        hint = "update ctxkit; to go back, restore a copy of the data directory that the older one wrote"
        return Check(_TOPIC, "database", f"{path}: made by a newer ctxkit ({known})", "bad", hint)
    message = f"{path}: {format_size(size)}, journal {journal}, version {version}"
    if faults:
        return Check(_TOPIC, "database", f"{path}: damaged: {faults[0]}", "bad", _suggest_remedy(path, None))
    return Check(_TOPIC, "database", f"{message}, sound")


def _inspect_database(path: str) -> tuple[list[str], str, int]:
    """Return the faults of a database, its journal mode and its version."""
    import sqlite3
    from urllib.request import pathname2url

    with closing(sqlite3.connect(f"file:{pathname2url(os.path.abspath(path))}?mode=ro", uri=True, timeout=_WAIT)) as db:
        faults = [row[0] for row in db.execute("PRAGMA quick_check(1)") if row[0] != "ok"]
        journal = db.execute("PRAGMA journal_mode").fetchone()[0]
        return faults, str(journal), int(db.execute("PRAGMA user_version").fetchone()[0])


def _suggest_remedy(path: str, error: Exception | None) -> str:
    import sqlite3

    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return "another process writes; try again"
    if error is None or (isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)):
        return "the next command that writes sets it aside and begins anew; stored content is not lost"
    return f"see that {path} can be read and written"


_SOCKET_TOPIC = "server"
SECONDS = 0.5
"""Maximum seconds to wait for a connection, and for the first bytes of an answer."""
_REQUEST = b"GET /v1/health HTTP/1.1\r\nhost: ctxkit\r\nconnection: close\r\n\r\n"


def check_socket(path: str, *, is_named: bool) -> Check | None:
    """Return whether a server answers on a socket; None if there is no socket, and no setting names one."""
    if not os.path.lexists(path):
        if not is_named:
            return None
        hint = "ctxkit serve --socket PATH starts a server"
        return Check(_SOCKET_TOPIC, "socket", f"{path}: does not exist", "bad", hint)
    try:
        answer = _ask(path)
    except OSError as error:
        message = f"{path}: no server answers ({error.strerror or error})"
        return Check(_SOCKET_TOPIC, "socket", message, "bad", "start ctxkit serve again, or remove the socket")
    if not answer.startswith(b"HTTP/1."):
        return Check(_SOCKET_TOPIC, "socket", f"{path}: another program answers", "bad", "change the setting server")
    return Check(_SOCKET_TOPIC, "socket", f"{path}: a server answers")


def _ask(path: str) -> bytes:
    """Return the first bytes of the answer; raise OSError if there is none in time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(SECONDS)
        connection.connect(path)
        connection.sendall(_REQUEST)
        return connection.recv(64)


_NOWHERE = os.path.join(os.devnull, "lost")
"""A mark that cannot be written: a checkup changes nothing, and asks a server that was lost a moment ago."""
_SOME_REF = "0" * 64
"""A ref that nobody stores."""
HINT = "start the server, or change the setting store; until then, content and sessions are kept on this machine only"


def check_server(url: str) -> Check:
    """Return whether the server at a URL answers in time."""
    server = RedisServer(parse_address(url), _NOWHERE)
    start = perf_counter()
    try:
        RedisStore(server, lambda _message: None, 1).has_ref(_SOME_REF)
    except ServerError as error:
        hint = error.hint if error.hint and error.errno != errno.ECONNREFUSED else HINT
        return Check(_TOPIC, "shared store", f"{server.place}: {error.strerror}", "bad", hint)
    finally:
        server.close()
    return Check(_TOPIC, "shared store", f"{server.place}: answers in {1000 * (perf_counter() - start):.0f} ms")
