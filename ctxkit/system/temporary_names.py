"""Name the temporary files through which fixes replace a file."""

from ctxkit.core.lazy_pattern import compile_lazily

_NAME = compile_lazily(r"\.ctxkit-(?:(\d{1,10})-[0-9a-f]{16}|[a-z0-9_]{8})")
"""Process id and 64 random bits; the second form was used up to version 0.1."""


def temporary_name(process: int, random: str) -> str:
    """Return the name of a temporary file: the id of its process, and 16 random hex digits."""
    return f".ctxkit-{process}-{random}"


def is_temporary(name: str) -> bool:
    """Return whether a file name is that of a temporary file."""
    return name.startswith(".ctxkit-") and _NAME.fullmatch(name) is not None


def process_of(name: str) -> int:
    """Return the id of the process that writes a temporary file, 0 if its name has none."""
    match = _NAME.fullmatch(name)
    return int(match[1] or 0) if match else 0
