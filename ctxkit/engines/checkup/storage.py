"""Check the size of the store and the state of its database, without changing them."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from ctxkit.core.checkup import Check
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.shell import quote_path
from ctxkit.engines import schema
from ctxkit.engines.blob_files import BlobFiles

TOPIC = "store"
WAIT = 2.0
"""Seconds to wait for a writing process."""


def checks(cache: str, data: str) -> Iterator[Check]:
    """Yield the size of the store under ``cache``, and the state of the database under ``data``."""
    sizes = [state.st_size for _, state in BlobFiles(cache).list_refs()]
    message = f"{pluralize(len(sizes), 'blob')}, {format_size(sum(sizes))}"
    yield Check(TOPIC, "content", message + ("; ctxkit cache verify hashes each" if sizes else ""))
    yield _check_database(os.path.join(data, schema.NAME))


def _check_database(path: str) -> Check:
    if os.path.islink(path):
        message = f"{path}: is a link, which is not followed"
        return Check(TOPIC, "database", message, "bad", f"remove {quote_path(path)}")
    if not os.path.lexists(path):
        return Check(TOPIC, "database", f"{path}: created when it is needed")
    try:
        size = os.path.getsize(path)
        faults, journal, version = _inspect_database(path)
    except (OSError, sqlite3.Error) as error:
        return Check(TOPIC, "database", f"{path}: {error}", "bad", _suggest_remedy(path, error))
    if version > len(schema.STEPS):
        known = f"version {version}, this one knows {len(schema.STEPS)}"
        hint = "update ctxkit; to go back, restore a copy of the data directory that the older one wrote"
        return Check(TOPIC, "database", f"{path}: made by a newer ctxkit ({known})", "bad", hint)
    message = f"{path}: {format_size(size)}, journal {journal}, version {version}"
    if faults:
        return Check(TOPIC, "database", f"{path}: damaged: {faults[0]}", "bad", _suggest_remedy(path, None))
    return Check(TOPIC, "database", f"{message}, sound")


def _inspect_database(path: str) -> tuple[list[str], str, int]:
    """Return the faults of a database, its journal mode and its version."""
    from urllib.request import pathname2url

    with closing(sqlite3.connect(f"file:{pathname2url(os.path.abspath(path))}?mode=ro", uri=True, timeout=WAIT)) as db:
        faults = [row[0] for row in db.execute("PRAGMA quick_check(1)") if row[0] != "ok"]
        journal = db.execute("PRAGMA journal_mode").fetchone()[0]
        return faults, str(journal), int(db.execute("PRAGMA user_version").fetchone()[0])


def _suggest_remedy(path: str, error: Exception | None) -> str:
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return "another process writes; try again"
    if error is None or (isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)):
        return "the next command that writes sets it aside and begins anew; stored content is not lost"
    return f"see that {path} can be read and written"
