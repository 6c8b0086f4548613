"""Completions of a real server."""

import json
import urllib.error
import urllib.request

ANSWER = 32
"""Tokens that an answer may take."""


def complete(address, request):
    """Return the answer of the server; raise AssertionError with its words where it refuses."""
    data = json.dumps({**request, "max_tokens": ANSWER, "temperature": 0}).encode()
    sent = urllib.request.Request(f"{address}/chat/completions", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(sent, timeout=120) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise AssertionError(f"refused: {error.read(500)!r}") from None
