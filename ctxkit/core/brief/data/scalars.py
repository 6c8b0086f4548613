"""Conversion of unquoted scalars to null, booleans, numbers or text."""

from ctxkit.core.lazy_pattern import compile_lazily

NUMBER = compile_lazily(r"[-+]?(?:0|[1-9]\d{0,17})(\.\d{1,20})?(?:[eE][-+]?\d{1,3})?")
"""Pattern of a decimal number; longer digit sequences and those with a leading 0 are names."""
NUMBER_STARTS = frozenset("0123456789+-")
NULLS = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
Scalar = str | int | float | bool | None


def parse_scalar(text: str) -> Scalar:
    """Return the value of a plain YAML scalar (core schema)."""
    if text in TRUTHS:
        return TRUTHS[text]
    if text in NULLS:
        return None
    return parse_number(text)


def parse_number(text: str) -> str | int | float:
    """Return the number in a text, or the text if it is not a number."""
    if text[:1] not in NUMBER_STARTS or not text:
        return text
    match = NUMBER.fullmatch(text)
    if not match:
        return text
    return float(text) if match[1] or "e" in text or "E" in text else int(text)
