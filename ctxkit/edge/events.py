"""Log decisions as events, one JSON object per line."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ctxkit.edge import say


def record(path: str, event: str, facts: Mapping[str, Any]) -> None:
    """Append an event to the file ``path``, if there is one; only warn on failure."""
    if not path:
        return
    import orjson

    stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = orjson.dumps({"v": 1, "ts": stamp, "event": event, **facts}) + b"\n"
    try:
        # A single write in append mode keeps lines of concurrent processes separate.
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)
    except OSError as error:
        say.warn(f"events cannot be written: {path}: {error.strerror}")
