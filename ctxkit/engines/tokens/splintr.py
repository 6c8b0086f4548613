"""Load tokenizers of splintr-rs, whose wheel has the vocabularies, and the patterns by which it splits text."""

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens.text_counter import Encode

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


def load_encoder(ranks: str) -> Encode:
    """Return the encoder of a table; raise MissingDependencyError if splintr-rs is not installed or lacks it."""
    return _load(ranks).encode_ordinary


def has_encoder(ranks: str) -> bool:
    """Return whether this process has loaded the encoder of a table."""
    return ranks in _loaded


def forget_encoders() -> None:
    """Release all encoders."""
    _loaded.clear()


def find_version() -> str:
    """Return the version of splintr-rs, "" if it is not installed."""
    try:
        from splintr import __version__
    except ImportError:
        return ""
    return __version__


def read_tokens(ranks: str) -> list[bytes]:
    """Return the tokens of a byte-level table in the order of their ranks, without special ones."""
    from splintr import base_vocab_size

    loaded = _load(ranks)
    special = set(loaded.special_tokens().values())
    tokens = []
    for number in range(base_vocab_size(_NAMES.get(ranks, ranks))):
        try:
            token = b"" if number in special else loaded.decode_token_bytes(number)
        except ValueError:  # no token has this number
            continue
        if token:
            tokens.append(token)
    return tokens


_loaded: dict[str, "AnyTokenizer"] = {}


def _load(ranks: str) -> "AnyTokenizer":
    if ranks not in _loaded:
        try:
            from splintr import Tokenizer as Splintr

            _loaded[ranks] = Splintr.from_pretrained(_NAMES.get(ranks, ranks))
        except ImportError as error:
            raise _absent_error(error) from error
        except ValueError as error:
            raise MissingDependencyError(f"splintr-rs has no vocabulary {ranks}: {error}") from error
    return _loaded[ranks]


def from_json(data: bytes) -> Encode:
    """Return the encoder of a Hugging Face tokenizer.json, without the tokens it adds around a text.

    Raise MissingDependencyError if splintr-rs is not installed, ValueError if it cannot read the file.
    """
    try:
        from splintr import from_json_bytes
    except ImportError as error:
        raise _absent_error(error) from error
    loaded = from_json_bytes(data)
    return _strip_template(loaded)


def _strip_template(loaded: "AnyTokenizer") -> Encode:
    """Return ``encode_ordinary`` without the constant first and last tokens that a template adds."""
    around = loaded.encode("a")
    inside = loaded.encode_raw("a")
    before = next(at for at in range(len(around)) if around[at : at + len(inside)] == inside)
    after = len(around) - len(inside) - before
    if not before and not after:
        return loaded.encode_ordinary
    return lambda text: _cut_ends(loaded.encode_ordinary(text), before, after)


def _cut_ends(tokens: list[int], before: int, after: int) -> list[int]:
    return tokens[before : len(tokens) - after]


def _absent_error(error: ImportError) -> MissingDependencyError:
    from ctxkit.system.installation import repair_command

    return MissingDependencyError(f"splintr-rs cannot be loaded: {error}", hint=repair_command("splintr-rs"))


_REST = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
CL100K = _CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*" + _REST
"""Pattern of cl100k and Llama 3."""
QWEN2 = CL100K.replace(r"\p{N}{1,3}|", r"\p{N}|")
"""Pattern of Qwen 2, 2.5 and 3."""
O200K = (
    f"{_BEFORE}{_UPPER}*{_LOWER}+{_CONTRACTION}?|{_BEFORE}{_UPPER}+{_LOWER}*{_CONTRACTION}?"
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*"
    + _REST
)
"""Pattern of o200k and gpt-oss."""
TEKKEN = f"{_BEFORE}{_UPPER}*{_LOWER}+|{_BEFORE}{_UPPER}+{_LOWER}*" + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _REST
"""Pattern of Mistral since Nemo."""
_UPPER_CPP, _LOWER_CPP = r"(?:(?=\p{L})[^a-z])", r"(?:(?=\p{L})[^A-Z])"
O200K_CPP = (
    f"{_BEFORE}{_UPPER_CPP}*{_LOWER_CPP}+{_CONTRACTION}?|{_BEFORE}{_UPPER_CPP}+{_LOWER_CPP}*{_CONTRACTION}?"
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*"
    + _REST
)
"""llama.cpp's pattern for o200k: no marks among the letters, case only for ASCII."""
TEKKEN_CPP = (
    f"{_BEFORE}{_UPPER_CPP}*{_LOWER_CPP}+|{_BEFORE}{_UPPER_CPP}+{_LOWER_CPP}*"
    + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*"
    + _REST
)
"""llama.cpp's pattern for Mistral, with the same differences."""
DEEPSEEK = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"""
    + _REST,
)
"""Patterns of DeepSeek V3, applied in sequence."""
KNOWN = {(CL100K,), (QWEN2,), (O200K,), (TEKKEN,), DEEPSEEK}
"""Patterns with which splintr and Hugging Face's tokenizers agree (bench/tokenizers.py)."""


def make_pre_tokenizer(patterns: Iterable[str] | None) -> dict[str, Any]:
    """Return the pre-tokenizer of a tokenizer.json that splits by ``patterns``; GPT-2's if there are none."""
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": patterns is None}
    splits = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in patterns or ()
    ]
    return {"type": "Sequence", "pretokenizers": [*splits, level]} if splits else level


def check_merges(vocabulary: Container[str], merges: Iterable[str | list[str]]) -> None:
    """Raise ValueError if a merge does not join two tokens to a third; splintr would ignore it."""
    for merge in merges:
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if len(parts) != 2 or "".join(parts) not in vocabulary:
            raise ValueError(f"not a merge: {merge!r}"[:100])
