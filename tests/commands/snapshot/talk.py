"""The messages and options of the tests of all snapshot commands, and the status of their session."""

import json
from typing import Any

from tests.conftest import Run

SIZED = ("--window", "8000", "--tokenizer", "bytes/3")
ONE, TWO, LATER = (b'{"role":"user","content":"%s", "n": 1.10}\n' % word for word in (b"one", b"two", b"later"))
SHORT = b'{"role":"system","content":"one and two"}\n'


def status(run: Run) -> Any:
    """Return what session status prints of the session s."""
    return json.loads(run("session", "status", "s", "--json").out)
