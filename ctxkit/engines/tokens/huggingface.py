"""Count with a Hugging Face tokenizer.json, with splintr if that is proved exact.

Proved exact are byte-level BPE with the known patterns (splintr.py), and BPE with byte fallback as in Gemma, Llama 2
and Mistral (bench/tokenizers.py). Other types, such as WordPiece, Unigram or unknown patterns, need the package
``tokenizers`` (the extra ``hf``). The tokens that the file adds around a text (BOS, EOS, a template), truncation and
padding are not counted.
"""

import json
from typing import Any

from ctxkit.core.errors import MalformedInputError, MissingDependencyError, MissingInputError
from ctxkit.core.tokens.vocabulary import Tokenizer
from ctxkit.engines.tokens import splintr
from ctxkit.engines.tokens.text_counter import make_counter

_SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
_WITH_SPACES = ([_SPACES], [{"type": "Prepend", "prepend": "▁"}, _SPACES])
_SPLIT_SPACES = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}


def load_counter(path: str) -> Tokenizer:
    """Return the counter of a tokenizer.json.

    Raise MalformedInputError, MissingInputError or MissingDependencyError.
    """
    data = _read_file(path)
    try:
        spec = json.loads(data)
        is_proved = is_exact(spec)
        added = list_ordinary_tokens(spec)
        if is_proved:
            splintr.check_merges(spec["model"]["vocab"], spec["model"]["merges"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _malformed_error(path, error) from None
    return _load_splintr(path, data, spec, added) if is_proved else _load_tokenizers(path, data)


def _read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise MissingInputError(f"{path}: {error.strerror}") from None


def _malformed_error(path: str, error: BaseException) -> MalformedInputError:
    what = f"it lacks {error}" if isinstance(error, KeyError) else str(error).partition("\n")[0][:200]
    what = what or type(error).__name__
    return MalformedInputError(
        f"{path}: not a tokenizer.json: {what}", hint="name the tokenizer.json that came with the model"
    )


def _load_splintr(path: str, data: bytes, spec: dict[str, Any], added: frozenset[str]) -> Tokenizer:
    from ctxkit.engines.tokens import splintr

    nfc = _list_steps(spec.get("normalizer"), "normalizers") == [{"type": "NFC"}]
    try:
        return make_counter(splintr.from_json(data), added, nfc=nfc)
    except MissingDependencyError:
        return _load_tokenizers(path, data)
    except ValueError as error:
        raise _malformed_error(path, error) from None


def _load_tokenizers(path: str, data: bytes) -> Tokenizer:
    try:
        from tokenizers import Tokenizer as HuggingFace
    except ImportError:
        from ctxkit.system.installation import install_command

        message = f"{path}: only the package tokenizers reads this kind of tokenizer"
        raise MissingDependencyError(message, hint=install_command("tokenizers")) from None
    try:
        loaded = HuggingFace.from_buffer(data)
    except BaseException as error:  # its errors share no class; its panics are not Exceptions
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise _malformed_error(path, error) from None
    loaded.no_truncation()
    loaded.no_padding()
    loaded.encode_special_tokens = True
    return make_counter(lambda text: loaded.encode(text, add_special_tokens=False).ids)


def list_ordinary_tokens(spec: dict[str, Any]) -> frozenset[str]:
    """Return the added tokens of a tokenizer.json that are not special."""
    return frozenset(token["content"] for token in _list_ordinary(spec))


def _list_ordinary(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [token for token in spec.get("added_tokens") or [] if not token["special"] and token["content"]]


def is_exact(spec: dict[str, Any]) -> bool:
    """Return whether splintr counts exactly as a tokenizer.json says; raise KeyError or similar if it is malformed."""
    model = spec["model"]
    if not isinstance(model["vocab"], dict | list):
        raise TypeError("its model has no vocabulary")
    if model.get("type") != "BPE" or model.get("dropout") or model.get("continuing_subword_prefix"):
        return False
    if model.get("end_of_word_suffix") or not _has_simple_tokens(spec):
        return False
    return _is_byte_level(spec) or _has_byte_fallback(spec)


def _has_simple_tokens(spec: dict[str, Any]) -> bool:
    """Return whether added tokens match literally: without stripped spaces, word boundaries or prior normalization."""
    normalized = spec.get("normalizer") not in (None, {"type": "Sequence", "normalizers": []})
    return not any(
        token.get("lstrip") or token.get("rstrip") or token.get("single_word") or (normalized and token["normalized"])
        for token in _list_ordinary(spec)
    )


def _is_byte_level(spec: dict[str, Any]) -> bool:
    normalizer = _list_steps(spec.get("normalizer"), "normalizers")
    if spec["model"].get("byte_fallback") or normalizer not in ([], [{"type": "NFC"}]):
        return False
    *splits, last = _list_steps(spec.get("pre_tokenizer"), "pretokenizers") or [{}]
    if last.get("type") != "ByteLevel" or last.get("add_prefix_space", True):
        return False
    if last.get("use_regex", True):
        return not splits
    return all(map(_is_lossless_split, splits)) and tuple(map(_read_pattern, splits)) in splintr.KNOWN


def _is_lossless_split(split: dict[str, Any]) -> bool:
    """Return whether a split loses no text: matches are isolated, or the text between matches is removed."""
    return split.get("type") == "Split" and (split["behavior"], split["invert"]) in (
        ("Isolated", False),
        ("Removed", True),
    )


def _read_pattern(split: dict[str, Any]) -> str:
    """Return the pattern of a split with line ends as escapes."""
    return str(split["pattern"].get("Regex")).replace("\r", r"\r").replace("\n", r"\n")


def _has_byte_fallback(spec: dict[str, Any]) -> bool:
    if not spec["model"].get("byte_fallback") or not spec["model"].get("fuse_unk"):
        return False
    normalizer = _list_steps(spec.get("normalizer"), "normalizers")
    return normalizer in _WITH_SPACES and spec.get("pre_tokenizer") in (None, _SPLIT_SPACES)


def _list_steps(part: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    """Return the steps of a part that is one step, a sequence of steps, or None."""
    if part is None:
        return []
    return list(part[name]) if part["type"] == "Sequence" else [part]
