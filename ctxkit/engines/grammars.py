"""Load the tree-sitter grammar of a language, if its wheel is installed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Language

WHEEL_NAMES = {
    "csharp": ("c_sharp", "language"),
    "ocaml": ("ocaml", "language_ocaml"),
    "php": ("php", "language_php"),
    "tsx": ("typescript", "language_tsx"),
    "typescript": ("typescript", "language_typescript"),
}
"""Package suffix and function name of languages for which these differ from the language's name."""

OPTIONAL = {
    *("cpp", "csharp", "css", "dart", "elixir", "haskell", "hcl", "julia", "kotlin", "lua", "make", "nix"),
    *("objc", "ocaml", "perl", "php", "powershell", "ruby", "scala", "sql", "swift", "zig"),
}
"""Languages whose grammars the extra ``langs`` installs."""


def find_package(language: str) -> str:
    """Return the package that contains an optional grammar, "" for other languages."""
    wheel, _ = WHEEL_NAMES.get(language, (language, ""))
    return f"tree-sitter-{wheel.replace('_', '-')}" if language in OPTIONAL else ""


@cache
def load_grammar(language: str) -> Language | None:
    """Return the grammar of ``language``, or None if it is not installed or does not load."""
    wheel, function = WHEEL_NAMES.get(language, (language, "language"))
    try:
        from tree_sitter import Language

        return Language(getattr(_load_binding(f"tree_sitter_{wheel}"), function)())
    except (ImportError, AttributeError, ValueError, TypeError):  # not installed, renamed or incompatible
        return None


def _load_binding(package: str) -> Any:
    """Return the module with the language functions of ``package``, if possible without running its ``__init__``.

    The ``__init__`` of each wheel imports importlib.resources for its queries, which takes 13 ms.
    """
    try:
        return _load_compiled(package)
    except (ImportError, OSError, AttributeError):
        return import_module(package)


def _load_compiled(package: str) -> Any:
    """Return the compiled module inside ``package``; raise ImportError if its private layout has changed."""
    from os.path import exists, join

    package_spec = find_spec(package)
    for folder in (package_spec and package_spec.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            path = join(folder, f"_binding{suffix}")
            if exists(path):
                spec = spec_from_file_location(f"{package}._binding", path)
                if spec is not None and spec.loader is not None:
                    module = module_from_spec(spec)
                    spec.loader.exec_module(module)
                    return module
    raise ImportError(f"no compiled binding in {package}")
