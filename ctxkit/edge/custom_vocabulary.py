"""Read a user's own vocabulary, named by the path of its file."""

import os
import re

from ctxkit.core.errors import MalformedInputError, MissingInputError
from ctxkit.core.models.lookup import Model
from ctxkit.core.tokens.vocabulary import Vocabulary, vocabulary_from_file

_RATE = re.compile(r"(?:bytes|chars)/[\d.]*")
EXTENSIONS = (".json", ".gguf")
_CONTEXT_KEY = b".context_length"
_WHOLE_NUMBERS = {4: 4, 5: 4, 10: 8, 11: 8}
"""Bytes of a whole number by its type (GGUF specification, version 3)."""
_START = 64
"""Bytes that distinguish tokenizer.json, GGUF and other files."""
_TEMPLATE_KEY = b"tokenizer.chat_template"
MAX_HEADER, MAX_TEMPLATE = 32 << 20, 16 << 10
"""Bytes that are searched for a chat template, and bytes that are read of it."""


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
        raise MissingInputError(f"{path} is a directory", hint=_suggest_file(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise MissingInputError(f"{path}: {getattr(error, 'strerror', None) or error}", hint=_HINT) from None
    if not start.startswith(b"GGUF") and not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise MalformedInputError(f"{path}: neither a tokenizer.json nor a GGUF file", hint=_HINT)
    return vocabulary_from_file(path, _read_template(path) if start.startswith(b"GGUF") else "")


def read_model(path: str) -> Model | None:
    """Return the model in a GGUF file, with its window and the file as its tokenizer; None if there is no such file.

    The window is 0 if the header does not state it. Raise MalformedInputError if the file is not a GGUF file.
    """
    if not os.path.isfile(path):
        return None
    read_vocabulary(path)
    return Model(path, _read_window(path), os.path.abspath(path))


def _read_window(path: str) -> int:
    """Return the context length in the header of a GGUF file, 0 if there is none."""
    import mmap

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(_CONTEXT_KEY, 0, MAX_HEADER)
        start = at + len(_CONTEXT_KEY) + 4
        size = _WHOLE_NUMBERS.get(int.from_bytes(data[start - 4 : start], "little"), 0) if at >= 0 else 0
        return int.from_bytes(data[start : start + size], "little")


def _read_template(path: str) -> str:
    """Return the name of the scheme of the chat template in the header of a GGUF file, "" if there is none."""
    import mmap

    from ctxkit.core.count.message_tokens import name_template

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(_TEMPLATE_KEY, 0, MAX_HEADER)
        return name_template(data[at : at + MAX_TEMPLATE].decode("utf-8", "replace")) if at >= 0 else ""


_HINT = "name a tokenizer.json or a .gguf file, or one of the tokenizers in ctxkit(1)"


def _suggest_file(path: str) -> str:
    """Return a hint that names the tokenizer.json in a directory, if there is one."""
    inner = os.path.join(path, "tokenizer.json")
    return f"--tokenizer {inner}" if os.path.isfile(inner) else _HINT
