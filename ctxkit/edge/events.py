"""A log of what was decided, for whoever runs many agents: one JSON object a line."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ctxkit.edge import say


def record(path: str, event: str, facts: Mapping[str, Any]) -> None:
    """Append an event to the file ``path``, if there is one; failing warns and changes nothing."""
    if not path:
        return
    import orjson

    stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = orjson.dumps({"v": 1, "ts": stamp, "event": event, **facts}) + b"\n"
    try:
        # One write to a file opened for appending: lines of concurrent processes never mix.
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)
    except OSError as error:
        say.warn(f"events cannot be written: {path}: {error.strerror}")
