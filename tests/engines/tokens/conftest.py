"""A small vocabulary, the first tokens of r50k, in the form of a tokenizer.json and of a GGUF file."""

import json
import struct
from copy import deepcopy
from pathlib import Path

import pytest

from ctxkit.engines.tokens import splintr
from ctxkit.engines.tokens.tiktoken import read_ranks

SIZE = 4000
SPECIAL, ORDINARY = "<|endoftext|>", ("<think>", "</think>", "<think>more")


def letters():
    """The alphabet of byte-level BPE: printable bytes stand for themselves, others for letters after 255."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + at) for at, byte in enumerate(others)}


def merge_of(token, table):
    """The two tokens that the last merge of a token joins."""
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        pairs = [(table.get(parts[at] + parts[at + 1], SIZE), at) for at in range(len(parts) - 1)]
        _, at = min(pairs)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


@pytest.fixture(scope="session")
def table():
    """The first tokens of r50k."""
    return {token: rank for token, rank in read_ranks("r50k").items() if rank < SIZE}


@pytest.fixture(scope="session")
def whole(table):
    """A tokenizer.json that is made of them, split by GPT-2's pattern."""
    spelled = letters()
    spell = lambda token: "".join(spelled[byte] for byte in token)  # noqa: E731
    added = [{"id": SIZE, "content": SPECIAL, "special": True}]
    added += [{"id": SIZE + at, "content": word, "special": False} for at, word in enumerate(ORDINARY, 1)]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{**token, **flags} for token in added],
        "normalizer": None,
        "pre_tokenizer": splintr.make_pre_tokenizer(None),
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": {spell(token): rank for token, rank in table.items()},
            "merges": [" ".join(map(spell, merge_of(token, table))) for token in table if len(token) > 1],
        },
    }


@pytest.fixture
def spec(whole):
    """A copy of it that a test may change."""
    return deepcopy(whole)


@pytest.fixture
def write(tmp_path: Path):
    """Write a tokenizer.json and return its path."""

    def written(spec, name="tokenizer.json"):
        path = tmp_path / name
        path.write_text(json.dumps(spec))
        return str(path)

    return written


def gguf_of(values, version=3):
    """The bytes of a GGUF file that holds these values and no tensors."""
    body = [b"GGUF", struct.pack("<IQQ", version, 0, len(values))]
    for key, value in values.items():
        body += [text(key), *kinded(value)]
    return b"".join(body)


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def kinded(value):
    if isinstance(value, str):
        return [struct.pack("<I", 8), text(value)]
    if isinstance(value, list):
        kind = 8 if isinstance(value[0], str) else 5
        items = [text(item) if kind == 8 else struct.pack("<i", item) for item in value]
        return [struct.pack("<IIQ", 9, kind, len(value)), *items]
    if isinstance(value, float):
        return [struct.pack("<If", 6, value)]
    return [struct.pack("<II", 4, value)]


@pytest.fixture(scope="session")
def values(whole):
    """What a GGUF file says of the same vocabulary."""
    listed = sorted(whole["model"]["vocab"], key=whole["model"]["vocab"].get)
    return {
        "general.architecture": "llama",
        "llama.context_length": 64,
        "llama.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": [*listed, SPECIAL, *ORDINARY, "<|fim_prefix|>"],
        "tokenizer.ggml.token_type": [*[1] * SIZE, 3, *[4] * len(ORDINARY), 4],
        "tokenizer.ggml.merges": whole["model"]["merges"],
    }


@pytest.fixture
def write_gguf(tmp_path: Path):
    """Write a GGUF file and return its path."""

    def written(values, name="model.gguf", **how):
        path = tmp_path / name
        path.write_bytes(gguf_of(values, **how))
        return str(path)

    return written
