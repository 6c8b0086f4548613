"""Compile patterns at their first use, for modules of which most calls use few patterns."""

import re
from typing import TYPE_CHECKING

METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
"""Methods of a pattern that cost no more than those of a compiled one from their second use on."""


class LazyPattern:
    """A pattern that is compiled when its first attribute is read."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        """Return an attribute of the compiled pattern; raise AttributeError if patterns have none of this name."""
        compiled = re.compile(*self.__dict__["_arguments"])
        self.__dict__.update((method, getattr(compiled, method)) for method in METHODS)
        value: object = getattr(compiled, name)
        return value


if TYPE_CHECKING:
    compile_lazily = re.compile
else:
    compile_lazily = LazyPattern
"""Return a pattern as ``re.compile`` does, and compile it later; its errors appear at its first use."""
