"""A command that is killed at any of its writing calls leaves nothing that later ones trip over."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.text.lines import BLOCK
from ctxkit.engines.local_store import LocalStore

DATA = b"line\n" * BLOCK
CALLS = {
    ("cache", "put"): ("mkdirat", "renameat", "utimensat", "fchmod", "write"),
    ("cache", "gc", "--max-age", "1d"): ("unlinkat", "utimensat"),
    ("cache", "rm", "--all", "--yes"): ("unlinkat",),
    ("cache", "verify"): ("utimensat", "write"),
}
"""The calls of the system by which each command changes files."""


def killed_at(ctxkit, env, call, number, args):
    """Run ctxkit, killed at the given one of these calls; return whether it was killed, or ended before."""
    trace = ["strace", "-f", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
    return subprocess.run([*trace, ctxkit, *args], env=env, input=DATA, capture_output=True).returncode != 0


@pytest.mark.slow
@pytest.mark.skipif(
    subprocess.run("strace -o /dev/null true", shell=True, capture_output=True).returncode != 0,
    reason="needs strace, and to be allowed to trace",
)
@pytest.mark.parametrize("args", CALLS, ids=" ".join)
def test_what_is_killed_leaves_a_sound_store(ctxkit: str, home: dict[str, str], args) -> None:
    cache, data = (Path(home[name]) / "ctxkit" for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"))
    for call in CALLS[args]:
        for number in range(1, 20):
            for path in (cache, data):
                shutil.rmtree(path, ignore_errors=True)
            store = LocalStore(str(cache), str(data), pytest.fail)
            old = store_content(store, [b"old\n" + DATA], Label("old")) if args[1] != "put" else ""
            if old:
                os.utime(store.path(old), (0, 0))
                (cache / "tidied").unlink(missing_ok=True)
            store.catalog.close()
            if not killed_at(ctxkit, home, call, number, args):
                break
            _check(LocalStore(str(cache), str(data), pytest.fail), cache)
        assert number < 19


def _check(store: LocalStore, cache: Path) -> None:
    """Use a store after a command was killed; what is left in the end is what was stored since."""
    assert list(store.verify()) == []
    before = {blob.ref for blob in store.blobs()}
    assert len(before) <= 1
    ref = store_content(store, [DATA], Label("new"))
    assert store.open(ref).lines.total == BLOCK
    for path in (*cache.glob("taking/*"), *cache.glob("marks/*/*.*")):
        os.utime(path, (0, time.time() - 90_000))
    for path in cache.glob("blobs/*/*"):
        os.utime(path, (0, 0) if path.name != ref else None)
    store.collect(86_400, 10**9)
    files = [path for path in cache.rglob("*") if path.is_file() and path.name != "tidied"]
    assert {path.name for path in files} == {ref}
    assert [path.parent.parent.name for path in sorted(files)] == ["blobs", "marks"]
