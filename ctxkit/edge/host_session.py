"""Apply the limits of an agent host to a call, and record the tokens that maps kept out of its session."""

import os
import re
from contextlib import suppress

from ctxkit.core.gate.decision import REPLACEMENTS, GatePolicy, GateResult
from ctxkit.core.hosts.profiles import HostProfile
from ctxkit.core.hosts.status_line import KeptTokens, format_map_line, format_read_line, sum_lines
from ctxkit.core.session.ledger import HOST_SESSION
from ctxkit.edge import notices
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings
from ctxkit.system import own_files
from ctxkit.system.own_files import LinkError, StoreFolder, open_folder

HOST = "claude-code"
"""The host that names its session: records are in its directory, and go when it is removed."""
FOLDER = "kept"
"""The folder of the records in the directory of the host."""
MAX_AGE = 30 * 24 * 3600
"""Seconds after which the record of a session is removed."""
MAX_BYTES = 1 << 20
"""Size above which a record is not read: some ten thousand maps."""
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")


def record_map(gate_result: GateResult, host: HostProfile, data_dir: str, session: str = "") -> None:
    """Add a map or a screen to the record of a session, by default of the one that the environment names."""
    original, entered = gate_result.original, gate_result.token_count.tokens
    if gate_result.result in REPLACEMENTS and original is not None and min(original.tokens, entered) >= 0:
        _append_line(format_map_line(original.tokens, entered, host.output_limit), data_dir, session, creates=True)


def record_read(size: int, data_dir: str) -> None:
    """Add a part that was read back to the record of the session, if it has maps."""
    _append_line(format_read_line(size), data_dir, creates=False)


def load_kept_tokens(session: str, data_dir: str) -> KeptTokens | None:
    """Return what maps kept out of a session, None without a record."""
    if not _SESSION.fullmatch(session):
        return None
    with suppress(OSError), _open_records(data_dir) as folder:
        text = own_files.read_file(folder, session, MAX_BYTES + 1).decode("ascii", "replace")
        return sum_lines(text.splitlines(keepends=True)) if len(text) <= MAX_BYTES else None
    return None


def remove_record(session: str, data_dir: str) -> bool:
    """Remove the record of a session; return whether there was one."""
    with suppress(OSError), _open_records(data_dir) as folder:
        return folder.remove(session)
    return False


def _append_line(line: str, data_dir: str, session: str = "", *, creates: bool) -> None:
    """Append a line to a record: the output matters more, and a host that is not set up has none."""
    session = session or os.environ.get(HOST_SESSION, "")
    if not _SESSION.fullmatch(session):
        return
    try:
        with _open_records(data_dir, make=creates) as folder:
            if creates:
                own_files.remove_older(folder, MAX_AGE)
            own_files.append_to_file(folder, session, line.encode(), creates=creates)
    except LinkError as error:
        notices.warn_once(notices.Notice(f"{error.strerror}: {error.filename}"), data_dir, notices.HOUR)
    except OSError:
        return


def _open_records(data_dir: str, *, make: bool = False) -> StoreFolder:
    """Open the folder of records in that of the host, which exists if the host is set up. Raise OSError."""
    with open_folder(data_dir, "hosts", HOST, restrict=True) as directory:
        return directory.open_subfolder(FOLDER, make=make, restrict=True)


_CAPPED_WINDOW = 100_000
"""Tokens of the smallest window to which ``result_cap`` applies: half of a smaller one is hardly more."""


def apply_host_limits(request: CliRequest, config: Settings, host: HostProfile) -> CliRequest:
    """Return the request with the window and the limit of a host, unless options, settings or a session give them."""
    if not request.session_name(config) and not request.known_window(config):
        request = request._replace(window=host.window)
    if request.limit is not None:
        return request
    cap = _find_cap(request, config)
    return request._replace(limit=min(host.output_limit, cap) if cap else host.output_limit)


def cap_result(request: CliRequest, config: Settings) -> CliRequest:
    """Return the request with the setting ``result_cap`` as its limit, if it has none and the window is large."""
    cap = _find_cap(request, config) if request.limit is None else 0
    return request._replace(limit=cap) if cap else request


def _find_cap(request: CliRequest, config: Settings) -> int:
    """Return the maximum tokens of one output; 0 for none, or if the window is too small for the default to matter."""
    cap = int(config["result_cap"])
    return cap if request.known_window(config) >= _CAPPED_WINDOW else 0


def cap_briefing(policy: GatePolicy, host: HostProfile) -> GatePolicy:
    """Return the policy with maps that are at most as large as the host's limit."""
    cap = min(policy.budget.briefing_cap, host.map_limit)
    return policy._replace(budget=policy.budget._replace(briefing_cap=cap))
