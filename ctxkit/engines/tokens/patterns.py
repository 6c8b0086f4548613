"""Define the patterns by which byte-level tokenizers split text before they merge, in Hugging Face's notation."""

from collections.abc import Container, Iterable
from typing import Any

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
