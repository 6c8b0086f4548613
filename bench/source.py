"""Measure how well maps of Python source lead to its definitions.

Truth is what ``ast`` finds in the sixty largest modules of the standard library. A definition counts as found
when its name and the number of its line can be read off one line of the map. Run: python bench/source.py [--json]
"""

import ast
import json
import os
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from statistics import mean

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from ctxkit.core import lines
from ctxkit.core.brief import brief
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.frame import Frame
from ctxkit.core.hint import PRESETS, Hint
from ctxkit.engines.syntax import definitions

FILES = 60
BUDGETS = (500, 1000, 2000, 4000)
EXCLUDED = {"test", "tests", "idle_test", "site-packages", "__pycache__", "lib2to3", "config"}
PLACE = re.compile(r"(\d+)(?:-(\d+))?(?:: | )")
WORD = re.compile(r"[^\W\d]\w*")
Pair = tuple[int, str]


@dataclass
class Row:
    """Gather what one strategy reaches at one budget, a value for each file."""

    strategy: str
    budget: int
    tops: list[float] = field(default_factory=list)
    everything: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    found: int = 0
    total: int = 0
    short: list[str] = field(default_factory=list)

    def add(self, name: str, pairs: set[Pair], tops: set[Pair], everything: set[Pair]) -> None:
        hit = len(pairs & everything)
        self.tops.append(len(pairs & tops) / len(tops) if tops else 1.0)
        self.everything.append(hit / len(everything) if everything else 1.0)
        self.precision.append(hit / len(pairs) if pairs else 1.0)
        self.found += hit
        self.total += len(everything)
        if self.tops[-1] < 1:
            self.short.append(f"{name} {len(pairs & tops)}/{len(tops)}")

    def table(self) -> str:
        pooled = self.found / max(self.total, 1)
        figures = (mean(self.tops), mean(self.everything), pooled, mean(self.precision))
        return f"{self.strategy:10} {self.budget:6,} " + " ".join(f"{figure:8.3f}" for figure in figures)


def modules(root: str) -> list[str]:
    """Return the largest modules of the standard library."""
    found: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in EXCLUDED and not name.startswith("config-"))
        found.extend(os.path.join(folder, name) for name in files if name.endswith(".py"))
    return sorted(found, key=lambda path: (-os.path.getsize(path), path))[:FILES]


def truth(data: bytes) -> tuple[set[Pair], set[Pair]]:
    """Return classes and top-level functions, and all definitions."""
    tree = ast.parse(data)
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
    everything = {(node.lineno, node.name) for node in nodes}
    classes = {(node.lineno, node.name) for node in nodes if isinstance(node, ast.ClassDef)}
    return classes | {(node.lineno, node.name) for node in nodes if node in tree.body}, everything


def read_off(text: str) -> set[Pair]:
    """Return the (line, name) pairs that a reader of a map takes from it, knowing only how it is laid out.

    A number, or a range, is followed by what stands there: perhaps ``class``, then a name. Structure ends where
    signatures begin; those name lines again, with the source text behind them.
    """
    pairs: set[Pair] = set()
    for line in text.split("\n"):
        if not re.match(r"\s*- ", line):
            continue
        own = re.match(r"\s*- Lines? (\d+)(?:-\d+)?: (.*)", line)
        if own:
            pairs |= {(int(own[1]), name) for name in _said(own[2])}
            continue
        for place in re.finditer(r"(?:^\s*- |, |: |\()(\d+)(?:-\d+)? (?!more\b)([^,:()]+)", line):
            pairs |= {(int(place[1]), name) for name in _said(place[2])}
    return pairs


def _said(text: str) -> Iterator[str]:
    """Yield the name that a label gives; other labels name no definition."""
    match = re.match(r"(?:async )?(?:def|class) (\w+)|(\w+)\(\)$|(\w+)\s*$", text)
    name = match and (match[1] or match[2] or match[3])
    if name and name != "statements":
        yield name


def visible(rows: list[str], first: int) -> set[Pair]:
    """Return the definitions that can be read in lines of source, numbered from ``first``."""
    found = ((number, re.match(r"\s*(?:async )?(?:def|class) (\w+)", row)) for number, row in enumerate(rows, first))
    return {(number, match[1]) for number, match in found if match}


def cut(rows: list[str], count: Callable[[str], int], budget: int, *, end: bool) -> list[str]:
    """Return as many whole lines as fit, from the beginning or from the end."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high + 1) // 2
        part = rows[-middle:] if end else rows[:middle]
        low, high = (middle, high) if count("\n".join(part)) <= budget else (low, middle - 1)
    return (rows[-low:] if low else []) if end else rows[:low]


def baselines(rows: list[str], count: Callable[[str], int], budget: int) -> Iterator[tuple[str, set[Pair]]]:
    """Yield what plain truncations show."""
    head, tail = cut(rows, count, budget, end=False), cut(rows, count, budget, end=True)
    yield "head", visible(head, 1)
    yield "tail", visible(tail, len(rows) - len(tail) + 1)
    head, tail = cut(rows, count, budget // 2, end=False), cut(rows, count, budget // 2, end=True)
    yield "head+tail", visible(head, 1) | visible(tail, len(rows) - len(tail) + 1)


def ranges(text: str) -> Iterator[tuple[int, int]]:
    """Yield every range that a map names."""
    place = r"(?:Lines? |^\s*- |[,:(] | in |\()(\d+)(?:-(\d+))?(?=[ :,)]|$)(?! more)"
    for match in re.finditer(place, text, re.MULTILINE):
        yield int(match[1]), int(match[2] or match[1])


def measure(count: Callable[[str], int]) -> tuple[list[Row], list[str], float]:
    """Return the rows of the table, what is wrong with any map, and the seconds that maps took."""
    table = {(name, b): Row(name, b) for name in ("map", "head", "tail", "head+tail") for b in BUDGETS}
    wrong: list[str] = []
    spent = 0.0
    root = sysconfig.get_path("stdlib")
    for path in modules(root):
        name = os.path.relpath(path, root)
        with open(path, "rb") as file:
            data = file.read()
        tops, everything = truth(data)
        rows = data.decode("utf-8", "replace").split("\n")
        for budget in BUDGETS:
            began = time.perf_counter()
            text = mapped(data, name, count, budget)
            spent += time.perf_counter() - began
            wrong.extend(f"{name} at {budget}: {fault}" for fault in faults(text, count, budget, len(rows)))
            table["map", budget].add(name, read_off(text), tops, everything)
            for strategy, pairs in baselines(rows, count, budget):
                table[strategy, budget].add(name, pairs, tops, everything)
    return list(table.values()), wrong, spent


def mapped(data: bytes, name: str, count: Callable[[str], int], budget: int) -> str:
    """Return the map of a file."""
    held = lines.of(data)
    document = Document(held, lambda at, size: data[at : at + size], count, budget, name=name, parse=definitions)
    hint = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "~/.cache/ctxkit/3f/3f9a2c81d0b4*", name)
    tokens = count(data.decode("utf-8", "replace"))
    made = brief(document, Frame(name, held.total, held.size, tokens, True, hint))
    return made.text if made else ""


def faults(text: str, count: Callable[[str], int], budget: int, total: int) -> Iterator[str]:
    """Yield what must never be: a map over its target, a range outside the file."""
    if not text or count(text) > budget:
        yield f"{count(text)} tokens"
    body = text.rpartition("\n\n")[0]
    for start, end in ranges(body) if "\n## Structure" in body else ():  # other maps quote numbers of the source
        if not 1 <= start <= end <= total:
            yield f"range {start}-{end} of {total}"


def main() -> int:
    import splintr

    vocabulary = splintr.Tokenizer.from_pretrained("qwen3")
    rows, wrong, spent = measure(lambda text: len(vocabulary.encode_ordinary(text)))
    if "--json" in sys.argv:
        print(json.dumps({"rows": [asdict(row) for row in rows], "wrong": wrong, "seconds": spent}))
        return bool(wrong)
    print(f"{FILES} largest modules of the standard library, {rows[0].total:,} definitions; recall and precision")
    print(f"{'':10} {'tokens':>6} {'top':>8} {'all':>8} {'pooled':>8} {'precise':>8}")
    for row in rows:
        print(row.table())
    for row in rows:
        if row.strategy == "map" and row.short and row.budget >= 1000:
            print(f"not all classes and top-level functions at {row.budget:,}: {', '.join(row.short)}")
    print(f"maps over target or with a wrong range: {len(wrong)}", *wrong[:20], sep="\n  ")
    print(f"{spent / FILES / len(BUDGETS) * 1000:.0f} ms a map")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
