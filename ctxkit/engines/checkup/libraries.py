"""Check that each library loads, and report its version."""

from collections.abc import Iterator
from importlib import import_module, metadata

from ctxkit.core.checkup import Check
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.engines.grammars import load_grammar
from ctxkit.system.installation import read_requirements, repair_command

TOPIC = "engines"
NEEDED = (("splintr-rs", "splintr"), ("tiktoken", "tiktoken"), ("tree-sitter", "tree_sitter"), ("orjson", "orjson"))
"""Package name and module name of each library."""


def checks() -> Iterator[Check]:
    """Yield the checks of each library, of the grammars and of SQLite."""
    for package, module in NEEDED:
        yield _check_library(package, module)
    yield _check_grammars()
    yield _check_sqlite()


def _check_library(package: str, module: str) -> Check:
    try:
        import_module(module)
    except Exception as error:  # a wheel for another platform may raise any error
        return Check(TOPIC, package, f"cannot be loaded: {error}", "bad", repair_command(package))
    try:
        return Check(TOPIC, package, metadata.version(package))
    except metadata.PackageNotFoundError:
        return Check(TOPIC, package, "loads; its version is not known")


def _check_grammars() -> Check:
    languages = sorted(name for name in LANGUAGES)
    missing = [name for name in languages if load_grammar(name) is None]
    message = f"{len(languages) - len(missing)} of {len(languages)} languages"
    if len(missing) == len(languages):
        return Check(TOPIC, "grammars", "none loads", "bad", repair_command(*_list_grammar_packages()))
    return Check(TOPIC, "grammars", message + (f"; not {', '.join(missing)}" if missing else ""))


def _list_grammar_packages() -> list[str]:
    """Return tree-sitter and the grammars that every installation has."""
    requirements = (requirement for requirement in read_requirements() if not requirement.extra)
    return [requirement.package for requirement in requirements if requirement.package.startswith("tree-sitter")]


def _check_sqlite() -> Check:
    try:
        import sqlite3
    except ImportError as error:
        return Check(TOPIC, "SQLite", f"cannot be loaded: {error}", "bad", "use a Python that was built with SQLite")
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
        return Check(TOPIC, "SQLite", f"{version}, without {' and '.join(lacks)}", "bad", "use a newer SQLite")
    return Check(TOPIC, "SQLite", f"{version}, with FTS5 and WAL")
