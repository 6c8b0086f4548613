"""Import a library without a module that the library uses only in some calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyModule(ModuleType):
    """A module that is imported when its first attribute is read."""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module; raise AttributeError if the module has none of this name."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def import_lazily(name: str) -> Iterator[None]:
    """Give a lazy module to the libraries that are imported in the block; later imports get the module itself."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = LazyModule(name)
    try:
        yield
    finally:
        if isinstance(sys.modules.get(name), LazyModule):
            del sys.modules[name]
