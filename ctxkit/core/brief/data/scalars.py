"""What a word means where formats without quotes write a value: null, truth, a number or text."""

import re

NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})(\.\d{1,20})?(?:[eE][-+]?\d{1,3})?")
"""A decimal number as people write one; longer rows of digits, and those that begin with 0, are names."""
NUMBER_STARTS = frozenset("0123456789+-")
NULLS = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
Scalar = str | int | float | bool | None


def parse_scalar(text: str) -> Scalar:
    """Return the value of a plain scalar of YAML (core schema)."""
    if text in TRUTHS:
        return TRUTHS[text]
    if text in NULLS:
        return None
    return parse_number(text)


def parse_number(text: str) -> str | int | float:
    """Return a number where a text is one, else the text."""
    if text[:1] not in NUMBER_STARTS or not text:
        return text
    match = NUMBER.fullmatch(text)
    if not match:
        return text
    return float(text) if match[1] or "e" in text or "E" in text else int(text)
