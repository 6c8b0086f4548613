"""What a provider answers to a request that it does not take."""

from collections.abc import Sequence
from typing import Any


class Refused(Exception):  # noqa: N818 - it is no error of the server's
    """A request is refused, with status 400 unless another is named."""

    def __init__(self, message: str, *, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.message, self.param, self.code, self.status = message, param, code, status


def kind(value: Any) -> str:
    """Return what JSON calls a value, with its article."""
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a decimal", dict: "an object"}
    return "null" if value is None else names.get(type(value), "an array")


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, the last after an "and"."""
    quoted = [f"'{name}'" for name in names]
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}" if len(quoted) > 2 else " and ".join(quoted)
