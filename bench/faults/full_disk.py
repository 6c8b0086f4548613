"""A full disk: a tmpfs of 3 MB holds cache and data, and content passes all the same."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from subprocess import run

from bench.faults.home import Home, new_home, remove
from bench.faults.kills import verdict
from bench.faults.verbs import LOG, chat
from bench.figure import Figure
from bench.place import Place

SIZE = "3m"
LARGE = LOG * 50
"""More than the disk holds."""
WINDOW = ("--window", "3000", "--tokenizer", "qwen3")


def figures(place: Place) -> Iterator[Figure]:
    """Yield what commands do whose stores have no room."""
    home = new_home(place, {"large.txt": LARGE})
    disk = home.path("disk")
    os.mkdir(disk)
    reason = _mount(disk)
    if reason:
        yield Figure("faults", f"a tmpfs of {SIZE}", "skipped", notes=(reason,))
        return
    try:
        home.extra.update(XDG_CACHE_HOME=f"{disk}/cache", XDG_DATA_HOME=f"{disk}/data")
        notes: Counter[str] = Counter()
        tried = 0
        for filled in (False, True):
            if filled:
                _fill(disk)
            for argv, data, statuses, passes in _tries():
                tried += 1
                notes.update(
                    f"{' '.join(argv[:2])}{', no byte left' * filled}: {fault}"
                    for fault in _faults(home, argv, data, statuses, passes)
                )
        yield verdict(f"{tried} calls on a tmpfs of {SIZE}", "content passes, one warning each", notes)
    finally:
        run(["umount", disk], check=False)
        remove(home)


def _mount(disk: str) -> str:
    """Mount the disk; return why that cannot be done, empty where it was."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "to mount a tmpfs takes root"
    done = run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", disk], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else f"no tmpfs can be mounted: {done.stderr.strip()}"


def _fill(disk: str) -> None:
    """Write until no byte is left."""
    with open(os.path.join(disk, "ballast"), "wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(b"\0" * size)
            except OSError:
                size //= 2


def _tries() -> Iterator[tuple[Sequence[str], bytes, Sequence[int], bool]]:
    """Yield calls with their stdin, the statuses that are right, and whether the content must pass as it is."""
    large = json.loads(chat(40, 10))
    for message in large["messages"]:
        if message["role"] == "tool":
            message["content"] = message["content"] * 300
    conversation = json.dumps(large).encode()
    yield ("gate", *WINDOW), LARGE, (0,), True
    yield ("gate", *WINDOW, "--session", "s"), LARGE, (0,), True
    yield ("run", *WINDOW, "--", "cat", "large.txt"), LARGE, (0,), True
    yield ("run", *WINDOW, "--", "sh", "-c", "cat large.txt; exit 3"), LARGE, (3,), True
    yield ("gate", *WINDOW), b"small\n", (0,), True
    yield ("compact", *WINDOW, "--force"), conversation, (0,), True
    yield ("cache", "put"), LARGE, (0, 74), False
    yield ("gate", *WINDOW, "--strict"), LARGE, (0, 74), False
    yield ("session", "append", "s"), conversation, (1, 74), False
    yield ("doctor",), b"", (0, 1), False


def _faults(home: Home, argv: Sequence[str], data: bytes, statuses: Sequence[int], passes: bool) -> Iterator[str]:
    # A private directory may stand in for the store that has no room: what is stored there may be mapped.
    done = home.run(argv, data)
    if done.status not in statuses:
        yield f"status {done.status}: {done.err[:200]!r}"
    if "Traceback" in done.err:
        yield "a traceback"
    if not passes or done.status not in statuses:
        return
    warnings = [line for line in done.err.splitlines() if line.startswith("ctxkit:") and "hint:" not in line]
    whole = done.out == data
    if not whole and not _is_mapped(home, done.out):
        yield f"{len(done.out):,} bytes of {len(data):,} pass, and no stored content is named"
    most = 2 if "--session" in argv else 1  # the content is one matter, the ledger another
    if whole and len(data) > 1000 and not 1 <= len(warnings) <= most:
        yield f"{len(warnings)} warnings: {done.err[:300]!r}"


def _is_mapped(home: Home, out: bytes) -> bool:
    """Tell whether what was printed names stored content that can be read."""
    from bench.faults.checks import REF, blob_of

    refs = [match[1] or match[2] for match in REF.finditer(out)]
    return bool(refs) and all(blob_of(home, ref) for ref in refs)
