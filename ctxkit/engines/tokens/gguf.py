"""Count with the vocabulary in a GGUF file's header, with splintr if that is proved exact.

Only the header is read, never the weights. Byte-level BPE with the patterns below is proved exact against llama.cpp;
any other vocabulary needs llama-cpp-python (the extra ``llama``). The reference is llama.cpp, which does not normalize
text even if the model's own tokenizer does.
"""

import mmap
import os
from struct import Struct, error, unpack_from
from typing import Any

from ctxkit.core.errors import MalformedInputError, MissingDependencyError, MissingInputError
from ctxkit.core.tokens.vocabulary import Tokenizer
from ctxkit.engines.summarizers.llama_process import silence
from ctxkit.engines.tokens import splintr
from ctxkit.engines.tokens.text_counter import make_counter

_MAGIC = b"GGUF"
_PREFIX = "tokenizer.ggml."
_FIELDS = ("model", "pre", "tokens", "merges", "token_type")
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of numeric values (GGUF specification, version 3)."""
_STRING, _ARRAY = 8, 9
_USER_DEFINED = 4
_MOST = 1 << 24
"""Maximum number of strings in an array; a larger array means a broken file."""
_LENGTH, _KIND = Struct("<Q"), Struct("<I")
_PATTERNS = {
    "gpt-2": None,
    "llama-bpe": (splintr.CL100K,),
    "qwen2": (splintr.QWEN2,),
    "gpt-4o": (splintr.O200K_CPP,),
    "tekken": (splintr.TEKKEN_CPP,),
    "deepseek-v3": splintr.DEEPSEEK,
}
_MARKS = """
<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|>
<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|>
<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|>
<|fim_pad|> <fim-pad> <fim_pad> <PAD> <|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame> <|file_sep|>
<|eot_id|> <|im_end|> <|end|> <end_of_turn> <|endoftext|> <EOT> _<EOT> <｜end▁of▁sentence｜> <|eom_id|>
"""
_SPECIAL = frozenset(_MARKS.split())
"""Tokens that llama.cpp always treats as special (llama-vocab.cpp)."""
_WHOLE_WORD_KINDS = ("llama-bpe", "tekken")
"""Pre-tokenizers whose words need no merges if they are tokens."""


def is_gguf(path: str) -> bool:
    """Return whether a file begins with the GGUF magic; raise MissingInputError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError as os_error:
        raise MissingInputError(f"{path}: {os_error.strerror}") from None


def load_counter(path: str) -> Tokenizer:
    """Return the counter of a GGUF file; raise MalformedInputError or MissingDependencyError."""
    fields = read_vocabulary(path)
    if fields.get("model") == "gpt2" and fields.get("pre") in _PATTERNS and fields.get("merges"):
        return _load_splintr(path, fields)
    return load_llama_counter(path)


def read_vocabulary(path: str) -> dict[str, Any]:
    """Return the tokenizer fields of a GGUF file: model, pre, tokens, merges, token_type."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            fields = _Header(data).read_vocabulary()
    except error:
        raise MalformedInputError(f"{path}: not a whole GGUF file: it ends early") from None
    except (IndexError, ValueError, OverflowError, MemoryError) as failure:
        raise MalformedInputError(f"{path}: not a whole GGUF file: {failure}") from None
    if not fields.get("tokens"):
        raise MalformedInputError(
            f"{path}: contains no vocabulary", hint="name the first GGUF file of a language model"
        )
    return fields


class _Header:
    """Reads the values of a header in sequence."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = len(_MAGIC)

    def read_vocabulary(self) -> dict[str, Any]:
        """Return the values of the tokenizer by the last word of their names."""
        version = self._read_number(_KIND)
        if version not in (2, 3):
            raise ValueError(f"version {version} is not known")
        self._read_number(_LENGTH)
        fields = {}
        for _ in range(self._read_number(_LENGTH)):
            key = self._read_string().decode()
            value = self._read_value(self._read_number(_KIND))
            if key.startswith(_PREFIX) and key.removeprefix(_PREFIX) in _FIELDS:
                fields[key.removeprefix(_PREFIX)] = value
        return fields

    def _read_number(self, kind: Struct) -> Any:
        self._at += kind.size
        return kind.unpack_from(self._data, self._at - kind.size)[0]

    def _read_string(self) -> bytes:
        length = self._read_number(_LENGTH)
        if length > len(self._data) - self._at:
            raise ValueError("it ends early")
        self._at += length
        return self._data[self._at - length : self._at]

    def _read_value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._read_string().decode("utf-8", "replace")
        if kind == _ARRAY:
            return self._read_array(self._read_number(_KIND), self._read_number(_LENGTH))
        return self._read_number(Struct(f"<{self._find_letter(kind)}"))

    def _find_letter(self, kind: int) -> str:
        if kind not in _NUMBERS:
            raise ValueError(f"a value of type {kind}")
        return _NUMBERS[kind]

    def _read_array(self, kind: int, length: int) -> list[Any]:
        if kind in (_STRING, _ARRAY):
            if length > _MOST:
                raise ValueError(f"an array of {length:,}")
            return [self._read_value(kind) for _ in range(length)]
        code = f"<{length}{self._find_letter(kind)}"
        values = list(unpack_from(code, self._data, self._at))
        self._at += Struct(code).size
        return values


def _load_splintr(path: str, fields: dict[str, Any]) -> Tokenizer:
    import json

    from ctxkit.engines.tokens import splintr

    added = _list_user_tokens(fields)
    try:
        splintr.check_merges(set(fields["tokens"]), fields["merges"])
        return make_counter(splintr.from_json(json.dumps(_make_json(fields)).encode()), added)
    except ValueError as failure:
        raise MalformedInputError(f"{path}: its vocabulary cannot be read: {failure}") from None


def _list_user_tokens(fields: dict[str, Any]) -> frozenset[str]:
    """Return the user-defined tokens, which llama.cpp finds in any text."""
    kinds = zip(fields["tokens"], fields.get("token_type") or (), strict=False)
    return frozenset(token for token, kind in kinds if kind == _USER_DEFINED and token) - _SPECIAL


def _make_json(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a vocabulary in the format of tokenizer.json."""
    ignores = fields["pre"] in _WHOLE_WORD_KINDS
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": ignores,
        "vocab": {token: number for number, token in enumerate(fields["tokens"])},
        "merges": fields["merges"],
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": splintr.make_pre_tokenizer(_PATTERNS[fields["pre"]]),
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model,
    }


def load_llama_counter(path: str) -> Tokenizer:
    """Return a counter that calls llama.cpp.

    Raise MissingDependencyError if it is not installed, MalformedInputError if it fails.
    """
    try:
        from llama_cpp import Llama
    except ImportError:
        from ctxkit.system.installation import install_command

        message = f"{path}: only llama.cpp reads this kind of vocabulary"
        hint = f"{install_command('llama-cpp-python')}, or name the model's tokenizer.json"
        raise MissingDependencyError(message, hint=hint) from None
    silence()
    _renew_null_files()
    try:
        model = Llama(model_path=path, vocab_only=True, verbose=False)
    except Exception as error:  # llama-cpp-python raises many types
        raise MalformedInputError(f"{path}: llama.cpp cannot read it: {error}") from None
    return make_counter(lambda text: model.tokenize(text.encode(), add_bos=False, special=False))


_OLD_NULL_FILES: list[Any] = []
"""Files that are never closed: their numbers may be those of other files now."""


def _renew_null_files() -> None:
    """Open the files anew to which llama-cpp-python directs stdout and stderr while it loads a model.

    It opens them at its import. A process that was forked since has closed them, and stdout would become stderr.
    """
    try:
        from llama_cpp import _utils

        _OLD_NULL_FILES.append((_utils.outnull_file, _utils.errnull_file))
    except (ImportError, AttributeError):
        return
    _utils.outnull_file, _utils.errnull_file = (open(os.devnull, "w") for _ in range(2))  # noqa: SIM115
