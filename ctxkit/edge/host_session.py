"""Record the tokens that maps kept out of the session of an agent host; its environment names the session."""

import os
import re
from contextlib import suppress
from time import time

from ctxkit.core.gate.result import GateResult
from ctxkit.core.hosts.kept_tokens import KeptTokens, format_map_line, format_read_line, sum_lines
from ctxkit.core.hosts.profiles import HostProfile
from ctxkit.core.session.ledger import HOST_SESSION

HOST = "claude-code"
"""The host that names its session: records are in its directory, and go when it is removed."""
MAX_AGE = 30 * 24 * 3600
"""Seconds after which the record of a session is removed."""
MAX_BYTES = 1 << 20
"""Size above which a record is not read: some ten thousand maps."""
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")


def record_map(gate_result: GateResult, host: HostProfile, data_dir: str, session: str = "") -> None:
    """Add a map to the record of a session, by default of the one that the environment names."""
    original, entered = gate_result.original, gate_result.token_count.tokens
    if gate_result.result == "briefing" and original is not None and min(original.tokens, entered) >= 0:
        _append_line(format_map_line(original.tokens, entered, host.output_limit), data_dir, session, creates=True)


def record_read(size: int, data_dir: str) -> None:
    """Add a part that was read back to the record of the session, if it has maps."""
    _append_line(format_read_line(size), data_dir, creates=False)


def load_kept_tokens(session: str, data_dir: str) -> KeptTokens | None:
    """Return what maps kept out of a session, None without a record."""
    with suppress(OSError), open(_find_record(session, data_dir), encoding="ascii", errors="replace") as file:
        text = file.read(MAX_BYTES + 1)
        return sum_lines(text.splitlines(keepends=True)) if len(text) <= MAX_BYTES else None
    return None


def _append_line(line: str, data_dir: str, session: str = "", *, creates: bool) -> None:
    session = session or os.environ.get(HOST_SESSION, "")
    if not _SESSION.fullmatch(session):
        return
    path = _find_record(session, data_dir)
    with suppress(OSError):  # the output matters more than its record, and a host that is not set up has none
        if creates:
            _prepare_directory(os.path.dirname(path))
        file = os.open(path, os.O_WRONLY | os.O_APPEND | (os.O_CREAT if creates else 0), 0o600)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)


def _prepare_directory(directory: str) -> None:
    """Create the directory of records in that of the host, and remove old records."""
    with suppress(FileExistsError):
        os.mkdir(directory, mode=0o700)
    with os.scandir(directory) as entries:
        for entry in entries:
            if time() - entry.stat(follow_symlinks=False).st_mtime > MAX_AGE:
                os.unlink(entry.path)


def _find_record(session: str, data_dir: str) -> str:
    """Return the path of a record; one for all names that are none."""
    name = session if _SESSION.fullmatch(session) else "-"
    return os.path.join(data_dir, "hosts", HOST, "kept", name)
