"""What must hold after a command was killed: nothing lost, nothing torn, nothing left for ever."""

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from time import time
from typing import Any

from bench.faults.home import Ended, Home
from bench.faults.verbs import OLD, Call

REF = re.compile(rb"ctxkit cache get ([0-9a-f]{16})\b|^([0-9a-f]{16,64})$", re.MULTILINE)
"""How a ref is named on stdout: in a hint, or alone on a line."""
TRANSIENT = re.compile(r"\.db(-wal|-shm|-journal)?$|/tidied$|\.times$")
"""Files that come and go with the databases, and that tell only times."""
STORED = re.compile(r"/(blobs|marks)/[0-9a-f]{2}/[0-9a-f]{64}$")
"""Stored content and its line index, which a collection takes when it is old."""


@dataclass
class Known:
    """Hold what a home holds before a call and after one that nothing disturbed."""

    call: Call
    files: dict[str, set[bytes | None]] = field(default_factory=dict)
    probes: set[tuple[int, bytes]] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    wall: float = 0.0


def list_known(call: Call, home: Home) -> Known:
    """Make a call in a home and return what was there before and after it."""
    item = Known(call)
    _note(item, home)
    done = home.run(call.argv, call.data)
    assert done.status in call.statuses, f"{call.name}: status {done.status}: {done.err}"
    item.wall = done.wall
    _note(item, home)
    sweep(home, call)
    item.names = names_of(home) | (set() if call.removes else item.names)
    return item


def _note(item: Known, home: Home) -> None:
    for name in item.call.files:
        item.files.setdefault(name, set()).add(_content(home.path(name)))
    if item.call.probe:
        done = home.run(item.call.probe)
        item.probes.add((done.status, done.out))
    item.names |= names_of(home)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def names_of(home: Home) -> set[str]:
    """Return the paths of all files, relative to the home; those that come and go are left out."""
    all_names = set()
    for folder, _, names in os.walk(home.root):
        all_names |= {os.path.relpath(os.path.join(folder, name), home.root) for name in names}
    return {name for name in all_names if not TRANSIENT.search(name)}


def faults_of(item: Known, home: Home, ended: Ended) -> Iterator[str]:
    """Yield what is wrong in a home where a call was killed."""
    yield from _list_lost(home, ended.out, item.call)
    yield from torn_blobs(home)
    yield from _list_torn(item, home)
    yield from closed_databases(home)
    if item.call.probe:
        done = home.run(item.call.probe)
        if (done.status, done.out) not in item.probes:
            what = f"{' '.join(item.call.probe)} ends with {done.status}"
            yield f"{what}, neither as before nor as after: {done.err[:150]!r}"
    if item.call.name == "session rm":
        yield from _list_stray(home)
        return
    again = home.run(item.call.argv, item.call.data)
    if again.status not in item.call.statuses:
        yield f"the same call ends with {again.status} afterwards: {again.err[:200]!r}"
    yield from _list_lost(home, again.out, item.call)
    sweep(home, item.call)
    yield from _list_remaining(item, home)


def _list_remaining(item: Known, home: Home) -> Iterator[str]:
    """Yield what is there that nobody will clear away: stored content may be other content, but has a name."""
    left = names_of(home) - item.names
    if not item.call.removes:
        left = {name for name in left if not STORED.search(name)}
    if left:
        shown = sorted(
            re.sub(r"[0-9a-f]{64}", "REF", re.sub(r"(?<=\.)\d+|(?<=\.ctxkit-)\w+", "N", name)) for name in left
        )
        yield f"left for ever: {', '.join(shown[:4])}"


def blob_of(home: Home, ref: bytes) -> str | None:
    """Return the path of stored content, wherever a store may keep it."""
    for folder, _, names in os.walk(home.root):
        if os.path.basename(os.path.dirname(folder)) == "blobs":
            for name in names:
                if name.startswith(ref.decode()) and len(name) == 64:
                    return os.path.join(folder, name)
    return None


def _list_lost(home: Home, out: bytes, call: Call) -> Iterator[str]:
    """Yield each ref that was named and cannot be read."""
    for match in () if call.removes else REF.finditer(out):
        ref = match[1] or match[2]
        path = blob_of(home, ref)
        if path is None:
            yield f"lost: {ref.decode()} is named and not there"


def torn_blobs(home: Home) -> Iterator[str]:
    """Yield each stored content that is not what its name says; looking does not count as reading."""
    for folder, _, names in os.walk(home.root):
        if os.path.basename(os.path.dirname(folder)) == "blobs":
            yield from (f"torn: the bytes of {name[:12]} are others" for name in names if _is_torn(folder, name))


def _is_torn(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    try:
        state = os.stat(path)
        with open(path, "rb") as file:
            digest = sha256(file.read()).hexdigest()
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    except FileNotFoundError:  # a collection was faster
        return False
    return len(name) == 64 and digest != name


def _list_torn(item: Known, home: Home) -> Iterator[str]:
    for name, contents in item.files.items():
        result = _content(home.path(name))
        if result not in contents:
            yield f"torn: {name} is neither the old one nor the new one ({len(result or b'')} bytes)"
        elif result and name.endswith(".manifest"):
            refs = {holder["ref"] for holder in _holders(json.loads(result)) if holder.get("ref")}
            yield from (
                f"lost: the manifest names {ref[:12]}" for ref in sorted(refs) if not blob_of(home, ref.encode())
            )


def _holders(manifest: dict[str, Any]) -> list[dict[str, str]]:
    return [manifest["original"], *manifest["changes"]]


def closed_databases(home: Home) -> Iterator[str]:
    """Yield each database that cannot be opened, or is not sound."""
    for folder, _, names in os.walk(home.root):
        for name in names:
            if name.endswith(".db") and os.path.getsize(os.path.join(folder, name)):
                db = sqlite3.connect(os.path.join(folder, name))
                try:
                    value = db.execute("PRAGMA integrity_check").fetchone()[0]
                except sqlite3.Error as error:
                    value = str(error)
                finally:
                    db.close()
                if value != "ok":
                    yield f"{name}: {value}"
            if ".damaged-" in name:
                yield f"a database was damaged: {name}"


def _list_stray(home: Home) -> Iterator[str]:
    """Yield where a new session of the removed one's name shows what the old one said, or cannot be begun."""
    if home.run(("session", "status", "s")).status == 0:
        again = home.run(("session", "rm", "s"))
        if again.status != 0:
            yield f"session rm ends with {again.status} afterwards: {again.err[:200]!r}"
    begun = home.run(("session", "new", "s", "--window", "9000"))
    if begun.status != 0:
        yield f"session new ends with {begun.status} afterwards: {begun.err[:200]!r}"
    for probe in (("session", "history", "s"), ("snapshot", "load", "s")):
        shown = home.run(probe)
        if shown.out.strip():
            yield f"{' '.join(probe)} of a new session shows {len(shown.out)} bytes of the one that was removed"


def sweep(home: Home, call: Call) -> None:
    """Let two days pass for what is left over, and run what clears it away."""
    then = time() - OLD
    for folder, _, names in os.walk(home.root):
        for name in names:
            path = os.path.join(folder, name)
            if not TRANSIENT.search(path) and os.path.basename(os.path.dirname(folder)) != "blobs":
                os.utime(path, (then, then), follow_symlinks=False)
    home.run(("cache", "gc"))
    if call.files:
        home.run(call.argv, call.data)
