"""Read a user's own vocabulary, named by the path of its file."""

import os
import re

from ctxkit.core.errors import MalformedInputError, MissingInputError
from ctxkit.core.tokens.vocabulary import Vocabulary, vocabulary_from_file

_RATE = re.compile(r"(?:bytes|chars)/[\d.]*")
EXTENSIONS = (".json", ".gguf")
_START = 64
"""Bytes that distinguish tokenizer.json, GGUF and other files."""


def is_path(name: str) -> bool:
    """Return whether a tokenizer is named by a path: with a slash (except a rate) or a known extension."""
    return not _RATE.fullmatch(name) and (os.sep in name or name.lower().endswith(EXTENSIONS))


def make_absolute(name: str) -> str:
    """Return a tokenizer's name, or the absolute path of its file."""
    return os.path.abspath(name) if is_path(name) else name


def read_vocabulary(path: str) -> Vocabulary:
    """Return the vocabulary in a file; raise MissingInputError or MalformedInputError."""
    try:
        with open(path, "rb") as file:
            start = file.read(_START)
    except IsADirectoryError:
        raise MissingInputError(f"{path}: is a directory", hint=_suggest_file(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise MissingInputError(f"{path}: {getattr(error, 'strerror', None) or error}", hint=_HINT) from None
    if not start.startswith(b"GGUF") and not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise MalformedInputError(f"{path}: neither a tokenizer.json nor a GGUF file", hint=_HINT)
    return vocabulary_from_file(path)


_HINT = "name a tokenizer.json or a .gguf file, or one of the tokenizers in ctxkit(1)"


def _suggest_file(path: str) -> str:
    """Return a hint that names the tokenizer.json in a directory, if there is one."""
    inner = os.path.join(path, "tokenizer.json")
    return f"--tokenizer {inner}" if os.path.isfile(inner) else _HINT
