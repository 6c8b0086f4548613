"""The peer for counting, ttok, with a vocabulary that is made here, not fetched."""

import base64
import hashlib
import os
import re
import sys
from importlib.util import find_spec

URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
RANKS = 100_256
"""Tokens of cl100k that are made by merging; special ones come after them."""


def script() -> str:
    """Return the path of ttok beside this interpreter, empty when it is not installed."""
    path = os.path.join(os.path.dirname(sys.executable), "ttok")
    return path if os.path.exists(path) else ""


def vocabulary(directory: str) -> bool:
    """Write tiktoken's file of cl100k below ``directory`` as tiktoken caches it; false when it is not the same."""
    from splintr import Tokenizer

    decoder = Tokenizer.from_pretrained("cl100k_base")
    lines = (base64.b64encode(decoder.decode_token_bytes(rank)) + b" %d\n" % rank for rank in range(RANKS))
    data = b"".join(lines)
    if hashlib.sha256(data).hexdigest() != _expected():
        return False
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, hashlib.sha1(URL.encode()).hexdigest()), "wb") as file:
        file.write(data)
    return True


def _expected() -> str:
    """Return the hash that the installed tiktoken wants of that file."""
    spec = find_spec("tiktoken_ext.openai_public")
    if spec is None or spec.origin is None:
        return ""
    with open(spec.origin, encoding="utf-8") as file:
        found = re.search(re.escape(URL) + r'",\s*expected_hash="(\w+)"', file.read())
    return found[1] if found else ""
