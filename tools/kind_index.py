"""Write the index of kinds from their modules: ``python -m tools.kind_index ctxkit/core/brief`` writes kind_index.py.

Detection reads names, types and clues from it, and loads only the kinds that a document may have.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ctxkit.core.brief import kinds
from ctxkit.core.brief.document import Clues
from tools.pages.publish import publisher

if TYPE_CHECKING:
    from ctxkit.core.brief.kind_detection import ContentKind

HEAD = '''"""The clues and the types of all kinds, by their modules, as ``make pages`` writes them."""

from ctxkit.core.brief.document import Clues

'''
WIDTH = 120


def make_index() -> Mapping[str, str]:
    """Return the module of the index."""
    return {"kind_index.py": HEAD + "".join(_list_lines())}


def load_kinds() -> "Mapping[str, ContentKind]":
    """Return the kinds by their modules, in the order of these."""
    names = sorted(path.stem for path in Path(kinds.__path__[0]).glob("*.py") if path.stem != "__init__")
    return {name: import_module(f"{kinds.__name__}.{name}") for name in names}


def _list_lines() -> Iterator[str]:
    loaded = load_kinds()
    yield "CLUES = {\n"
    for name, kind in loaded.items():
        yield from _list_clues(name, kind.CLUES)
    yield "}\n\nTYPES = {\n"
    for name, kind in loaded.items():
        yield from _wrap(f"    {_quote(name)}: (", dict.fromkeys((kind.NAME, *kind.TYPES)), "),")
    yield "}\n"


def _list_clues(name: str, clues: Clues) -> Iterator[str]:
    """Yield the lines of the clues of a kind."""
    if clues == Clues():
        yield f"    {_quote(name)}: Clues(),\n"
        return
    yield f"    {_quote(name)}: Clues(\n"
    for field in ("words", "first_characters", "suffixes", "names"):
        if values := getattr(clues, field):
            yield from _wrap(f"        {field}=(", values, "),")
    if clues.unless_log:
        yield "        unless_log=True,\n"
    yield "    ),\n"


def _wrap(begin: str, values: Iterable[str], end: str) -> Iterator[str]:
    """Yield a tuple on one line, or on lines of as many values as fit."""
    words = [f"{_quote(value)}," for value in values]
    line = f"{begin}{' '.join(words)}{end}"
    if len(line) <= WIDTH:
        yield f"{line}\n"
        return
    margin = " " * (len(begin) - len(begin.lstrip()))
    rows = [f"{margin}   "]
    for word in words:
        if len(rows[-1]) + len(word) + 1 > WIDTH:
            rows.append(f"{margin}   ")
        rows[-1] += f" {word}"
    yield from (f"{row}\n" for row in (begin, *rows, f"{margin}{end}"))


def _quote(word: str) -> str:
    return repr(word) if '"' in word else json.dumps(word)


if __name__ == "__main__":
    publisher(make_index, "kind_index.py")()
