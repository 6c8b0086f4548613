"""The peer for counting, ttok, with a vocabulary that is made here, not fetched."""

import base64
import hashlib
import os
import re
import sys
from importlib.util import find_spec

URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
RANKS = {"o200k_base": 199_998, "cl100k_base": 100_256}
"""Tokens of a vocabulary that are made by merging; special ones come after them."""


def script() -> str:
    """Return the path of ttok beside this interpreter, empty when it is not installed."""
    path = os.path.join(os.path.dirname(sys.executable), "ttok")
    return path if os.path.exists(path) else ""


def vocabularies(directory: str) -> bool:
    """Write tiktoken's files below ``directory`` as tiktoken caches them; false when one is not the same."""
    os.makedirs(directory, exist_ok=True)
    return all(_is_written(directory, name) for name in RANKS)


def _is_written(directory: str, name: str) -> bool:
    from splintr import Tokenizer

    decoder, url = Tokenizer.from_pretrained(name), URL.format(name)
    lines = (base64.b64encode(decoder.decode_token_bytes(rank)) + b" %d\n" % rank for rank in range(RANKS[name]))
    data = b"".join(lines)
    if hashlib.sha256(data).hexdigest() != _list_expected(url):
        return False
    with open(os.path.join(directory, hashlib.sha1(url.encode()).hexdigest()), "wb") as file:
        file.write(data)
    return True


def _list_expected(url: str) -> str:
    """Return the hash that the installed tiktoken wants of that file."""
    spec = find_spec("tiktoken_ext.openai_public")
    if spec is None or spec.origin is None:
        return ""
    with open(spec.origin, encoding="utf-8") as file:
        match = re.search(re.escape(url) + r'",\s*expected_hash="(\w+)"', file.read())
    return match[1] if match else ""
