"""Check that each library loads, with its version, and that each vocabulary loads and counts."""

from collections.abc import Iterator
from importlib import import_module, metadata

from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.core.text.quantity import format_size
from ctxkit.core.tokens.vocabulary import VOCABULARIES, Vocabulary
from ctxkit.engines import tokens, vocabulary_tables
from ctxkit.engines.grammars import load_grammar
from ctxkit.system.installation import read_requirements, repair_command

_TOPIC = "engines"
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
        return Check(_TOPIC, package, f"cannot be loaded: {error}", "bad", repair_command(package))
    try:
        return Check(_TOPIC, package, metadata.version(package))
    except metadata.PackageNotFoundError:
        return Check(_TOPIC, package, "loads; its version is not known")


def _check_grammars() -> Check:
    languages = sorted(name for name in LANGUAGES)
    missing = [name for name in languages if load_grammar(name) is None]
    message = f"{len(languages) - len(missing)} of {len(languages)} languages"
    if len(missing) == len(languages):
        return Check(_TOPIC, "grammars", "none loads", "bad", repair_command(*_list_grammar_packages()))
    return Check(_TOPIC, "grammars", message + (f"; not {', '.join(missing)}" if missing else ""))


def _list_grammar_packages() -> list[str]:
    """Return tree-sitter and the grammars that every installation has."""
    requirements = (requirement for requirement in read_requirements() if not requirement.extra)
    return [requirement.package for requirement in requirements if requirement.package.startswith("tree-sitter")]


def _check_sqlite() -> Check:
    try:
        import sqlite3
    except ImportError as error:
        return Check(_TOPIC, "SQLite", f"cannot be loaded: {error}", "bad", "use a Python that was built with SQLite")
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
        return Check(_TOPIC, "SQLite", f"{version}, without {' and '.join(lacks)}", "bad", "use a newer SQLite")
    return Check(_TOPIC, "SQLite", f"{version}, with FTS5 and WAL")


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
        yield Check(_TOPIC, "vocabularies", f"{len(loaded)} load: {', '.join(loaded)}")
    for (reason, hint), names in failed.items():
        hint = hint or repair_command("splintr-rs")
        yield Check(_TOPIC, "vocabularies", f"{', '.join(names)}: {reason}", "bad", hint)
    if tables := vocabulary_tables.list_tables(cache):
        size = format_size(sum(state.st_size for _, state in tables))
        yield Check(_TOPIC, "compiled vocabularies", f"{', '.join(name for name, _ in tables)}: {size}")


def _find_failure(vocabulary: Vocabulary) -> tuple[str, str] | None:
    """Return why a vocabulary does not count, and a hint; None if it counts."""
    try:
        return None if tokens.load_tokenizer(vocabulary)(_SAMPLE) > 0 else ("it counts nothing", "")
    except CtxkitError as known_error:
        return str(known_error), known_error.hint
    except Exception as error:  # check the other vocabularies after any error
        return f"{type(error).__name__}: {error}", ""
