"""Regular expressions that take more than linear time: every one that ctxkit compiles, on strings made to slow it.

``python -m tests.slow_patterns [--quick] [PATH]`` prints one line for each pattern that grows too fast.
"""

import argparse
import ast
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from pkgutil import walk_packages
from signal import ITIMER_PROF, SIGPROF, setitimer, signal
from time import perf_counter, thread_time
from types import FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1] / "ctxkit"
SMALL = 2_048
"""Characters of the first string; a quadratic pattern takes milliseconds for it, a linear one far less."""
QUICK, FEWER = 1_024, 30
"""The same for a quick run, and the strings that it tries of each pattern: those made from what the pattern repeats."""
SUSPECT = 0.0004
"""Seconds for SMALL characters past which a longer string is tried."""
GROWTH = 4
"""How much longer that one is."""
SUPERLINEAR = 8.0
"""How much longer it may take: four times is linear, sixteen times is quadratic."""
LONGEST = 0.3
"""Seconds after which a run is stopped."""
SEARCHES = ("search", "finditer", "findall", "sub", "subn", "split")
ANCHORED = ("match", "fullmatch")
INDENTED_CALL = re.compile(r"^[ \t].*\bre\.[a-z]+\(", re.MULTILINE)
"""Pattern of a call of the module re inside a function."""
UNITS = (
    "\n", " ", "\t", "\r", "a", "A", "1", "(", "[", "{", "<", '"', "'", "`", "/*", "=", ":", "-", ".", "_", "#", "*",
    "/", "\\", ",", "|", "a ", "a.", "a,", " \n", "0 ", "| ", "a:", "1:", "1.", "a\n", "- ", "> ", "--", "a=", "\r\n",
    "a/", "a-", "::", "1,", "a(", "()", "\x1b[", "<a ", "<!--", "](", "[a](", "\u00e9", "\x00",
)
"""What adversarial strings repeat, whatever the pattern."""
MATCHED = {
    "ctxkit/core/brief/code/definition_finder.py:CLOSER": "a line",
    "ctxkit/core/brief/diffs/diffstat.py:STAT": "a line",
    "ctxkit/core/brief/diffs/diffstat.py:NUMBERS": "a line",
    "ctxkit/core/brief/kinds/ctest.py:RESULT": "a line",
    "ctxkit/core/brief/runs/failures.py:PYTHON": "a line of a stack",
    "ctxkit/core/brief/runs/failures.py:SCRIPT": "a line of a stack",
    "ctxkit/core/brief/runs/failures.py:RUST": "a line of a stack",
    "ctxkit/core/brief/runs/failures.py:GO": "a line of a stack",
    "ctxkit/core/brief/runs/failures.py:RUBY": "a line of a stack",
    "ctxkit/core/brief/runs/failures.py:PHP": "a line of a stack",
    "ctxkit/core/brief/runs/failures.py:COMPILED": "a line of a stack",
    "ctxkit/core/brief/kinds/typeset.py:FORMATS": "a line, but for those that say what begins a line of many",
}
"""Patterns in tables and arguments, by file and name, that are matched where what is named begins, never searched."""
EXCUSED = {
    "ctxkit/core/brief/kinds/binary.py:STATEMENT": "its repetitions are bounded, and it searches 8 MB at most",
    "ctxkit/core/summary/outcome.py:_STATUS": "the first and the last 400 characters of a result",
    "ctxkit/core/lint/document/normal.py:_LINK": "its repetitions are bounded: linear from 2,000 characters on",
    "ctxkit/core/lint/document/parse.py:_LINK": "headings are cut to 4,000 characters",
    "ctxkit/core/lint/similarity/statement_traits.py:_CODE": "statements are cut to 4,000 characters",
    "ctxkit/core/lint/similarity/statement_traits.py:_CASED": "words are cut to 200 characters",
    "ctxkit/core/brief/grids/file_listing.py:LONG_LINE": "lines are cut to 600 characters",
    "ctxkit/core/brief/grids/file_listing.py:DIRECTORY_HEADING": "lines are cut to 600 characters",
    "ctxkit/core/brief/grids/file_listing.py:_DU_LINE": "lines are cut to 600 characters",
    "ctxkit/core/brief/grids/file_listing.py:_COUNT_LINE": "lines are cut to 600 characters",
    "ctxkit/core/brief/logs/log_detection.py:TIMESTAMP": "lines are cut to 400 characters",
    "ctxkit/core/languages/detection.py:SUPERSETS": "lines are cut to 200 characters",
    "ctxkit/engines/definition_nodes.py:BLOCK": "names of nodes come from grammars",
    "ctxkit/engines/definition_nodes.py:NAME": "names of nodes come from grammars",
    "ctxkit/engines/syntax.py:LEADING": "the first 400 bytes of a definition",
    "ctxkit/engines/syntax.py:TRAILING": "the first 400 bytes of a definition",
}
"""Patterns, by file and name, that may take longer, with what keeps them from content of any length."""


class Compiled(NamedTuple):
    """Hold a pattern, where it is compiled, and whether it is used to search and to match at a given place."""

    pattern: "re.Pattern[Any]"
    path: str
    line: int
    searches: bool = True
    anchored: bool = True
    name: str = ""

    @property
    def where(self) -> str:
        """Return the file and line of the pattern."""
        return f"{self.path}:{self.line} {self.name}"


class Slow(NamedTuple):
    """Hold a pattern with the string that shows its growth."""

    compiled: Compiled
    method: str
    string: str
    small: float
    large: float

    def __str__(self) -> str:
        return (
            f"{self.compiled.where}: .{self.method} of {self.compiled.pattern.pattern!r} on {self.string}: "
            f"{self.small * 1000:.1f} ms, of a string {GROWTH} times as long {self.large * 1000:.0f} ms"
        )


def compiled_patterns() -> list[Compiled]:
    """Return every pattern that ctxkit compiles while it is imported, and those written inside functions.

    Call it before anything of ctxkit is imported: patterns are caught as they are compiled.
    """
    caught: dict[tuple[str, int, Any, int], Compiled] = {}
    original: Callable[..., Any] = re._compile  # type: ignore[attr-defined]

    def catch(pattern: Any, flags: int) -> Any:
        compiled = original(pattern, flags)
        frame = _caller(sys._getframe(1))
        if frame is not None and isinstance(compiled, re.Pattern):
            path = str(Path(frame.f_code.co_filename).relative_to(ROOT.parent))
            key = (path, frame.f_lineno, compiled.pattern, compiled.flags)
            caught.setdefault(key, Compiled(compiled, path, frame.f_lineno))
        return compiled

    re._compile = catch  # type: ignore[attr-defined]
    lazy_pattern: Any = import_module("ctxkit.core.lazy_pattern")
    lazily = lazy_pattern.compile_lazily
    lazy_pattern.compile_lazily = re.compile
    try:
        for name in _modules():
            module = import_module(name)
            runner = getattr(module, "RUNNER", None)
            if runner is not None and hasattr(runner, "rows"):
                import_module("ctxkit.core.brief.runs.runner_log").compile_rows(runner.rows)
                runner.score_line("")
    finally:
        re._compile = original  # type: ignore[attr-defined]
        lazy_pattern.compile_lazily = lazily
    trees = {str(path.relative_to(ROOT.parent)): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
    methods = _methods(trees)
    named = [_list_used(pattern, trees[pattern.path], methods) for pattern in caught.values()]
    return [*named, *_inline(trees)]


def _modules() -> Iterator[str]:
    skipped = ("ctxkit.__main__", "ctxkit.engines.tokens.gguf", "ctxkit.engines.summarizers")
    for module in walk_packages([str(ROOT)], "ctxkit."):
        if not module.name.startswith(skipped):
            yield module.name


def _caller(frame: FrameType | None) -> FrameType | None:
    """Return the frame of ctxkit that compiles a pattern, None where another library does."""
    while frame is not None and frame.f_globals.get("__name__") == "re":
        frame = frame.f_back
    return frame if frame is not None and frame.f_code.co_filename.startswith(str(ROOT)) else None


def _methods(trees: dict[str, ast.Module]) -> dict[tuple[str, str], set[str]]:
    """Return the methods used of each name of each file; a name that is also handed on has "*" among them."""
    used: dict[tuple[str, str], set[str]] = {}
    for path, tree in trees.items():
        origin = _list_imports(tree, trees)
        receivers = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in (*SEARCHES, *ANCHORED, "pattern", "flags"):
                receivers.add(node.value)
                used.setdefault(_origin(node.value, path, origin), set()).add(node.attr)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and node not in receivers:
                used.setdefault(_origin(node, path, origin), set()).add("*")
    return used


def _list_imports(tree: ast.Module, trees: dict[str, ast.Module]) -> dict[str, tuple[str, str]]:
    """Return where the names that a file imports come from: a name of a file, or a file as a whole."""
    table: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            base = node.module.replace(".", "/")
            for alias in node.names:
                as_module = [
                    file for file in (f"{base}/{alias.name}.py", f"{base}/{alias.name}/__init__.py") if file in trees
                ]
                home = f"{base}.py" if f"{base}.py" in trees else f"{base}/__init__.py"
                table[alias.asname or alias.name] = (as_module[0], "") if as_module else (home, alias.name)
    return table


def _origin(node: ast.expr, path: str, imported: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """Return the file and name that an expression stands for."""
    if isinstance(node, ast.Name):
        return imported.get(node.id, (path, node.id))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        home, name = imported.get(node.value.id, ("", "?"))
        return (home, node.attr) if not name else ("", node.attr)
    return "", ""


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _list_used(item: Compiled, tree: ast.Module, methods: dict[tuple[str, str], set[str]]) -> Compiled:
    """Return a pattern with the ways in which its name is used; all of them where it has none of its own."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.stmt | ast.Attribute) and node.lineno <= item.line <= (node.end_lineno or 0)):
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            name = _name(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            ways = methods.get((item.path, name), {"*"})
            if f"{item.path}:{name}" in MATCHED and not item.pattern.flags & re.MULTILINE:
                ways = {"match"}
            item = item._replace(name=name)
            if "*" not in ways:
                return item._replace(searches=bool(ways & {*SEARCHES}), anchored=bool(ways & {*ANCHORED}))
        elif (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) and _name(node.value.func) == "compile"
        ):
            return item._replace(searches=node.attr in SEARCHES, anchored=node.attr in ANCHORED)
    return item


def _inline(trees: dict[str, ast.Module]) -> Iterator[Compiled]:
    """Yield the patterns that are written where they are used, as ``re.search("a+", text)``."""
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _name(node.func.value) == "re"
            ):
                continue
            if node.func.attr in (*SEARCHES, *ANCHORED) and isinstance(node.args[0], ast.Constant):
                flags = re.RegexFlag(0)
                for flag in (
                    child for arg in (*node.args[2:], *(k.value for k in node.keywords)) for child in ast.walk(arg)
                ):
                    if isinstance(flag, ast.Attribute) and isinstance(getattr(re, flag.attr, None), re.RegexFlag):
                        flags |= getattr(re, flag.attr)
                written: Any = node.args[0].value
                pattern: re.Pattern[Any] = re.compile(written, flags)
                searches = node.func.attr in SEARCHES
                yield Compiled(pattern, path, node.lineno, searches, not searches)


def slow_patterns(patterns: Iterable[Compiled], small: int = SMALL, most: int = 10_000) -> Iterator[Slow]:
    """Yield the patterns whose time grows faster than the length of an adversarial string, with the worst of them."""
    for pattern_value in patterns:
        if f"{pattern_value.path}:{pattern_value.name}" in EXCUSED:
            continue
        for method in (*(["search"] * pattern_value.searches), *(["match"] * pattern_value.anchored)):
            items = (
                _measure(pattern_value, method, label, string)
                for label, string in islice(attacks(pattern_value.pattern, small), most)
            )
            if slow := next(filter(None, items), None):
                yield slow


def _measure(item: Compiled, method: str, label: str, string: "Made") -> Slow | None:
    run = (lambda text: sum(1 for _ in item.pattern.finditer(text))) if method == "search" else item.pattern.match
    short, long = string(1), string(GROWTH)
    small = large = LONGEST
    for _ in range(4):  # the least of a few: others use the processor too
        small = min(small, _measure_time(run, short))
        if small < SUSPECT:
            return None
        if small >= LONGEST:
            return Slow(item, method, label, small, large)
        large = min(large, _measure_time(run, long))
        if large < SUPERLINEAR * small:
            return None
    return Slow(item, method, label, small, large) if large > SUPERLINEAR * small else None


def _measure_time(run: Callable[[Any], object], text: Any) -> float:
    """Return the processor seconds of a run, or LONGEST where that is less: a pattern can be stopped by a signal.

    While a timer runs, the time of a process is only known to a few milliseconds, that of a thread exactly.
    """
    started = thread_time()
    signal(SIGPROF, _stop)
    setitimer(ITIMER_PROF, LONGEST)
    try:
        run(text)
    except _Stopped:
        return LONGEST
    finally:
        setitimer(ITIMER_PROF, 0)
    return thread_time() - started


class _Stopped(Exception):  # noqa: N818 - says that it was stopped
    """Raised in a pattern that takes too long."""


def _stop(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _Stopped


Made = Callable[[int], Any]
"""Make a string, so many times as long as the first."""


def attacks(pattern: "re.Pattern[Any]", size: int) -> Iterator[tuple[str, Made]]:
    """Yield strings made to slow a pattern: of what repeats in it, behind what leads there, and of plain units."""
    octets = isinstance(pattern.pattern, bytes)
    tree = sre_parser.parse(pattern.pattern, pattern.flags & ~re.LOCALE)
    seen: set[tuple[str, str, str]] = set()
    result = chain(_pumps(tree), ((unit_before, unit, after) for unit_before, unit, after in _plain()))
    for before, unit, after in result:
        if not unit or (before, unit, after) in seen:
            continue
        seen.add((before, unit, after))

        def string(times: int, before: str = before, unit: str = unit, after: str = after) -> Any:
            text = before + unit * (size * times // len(unit)) + after
            return text.encode("utf-8", "surrogatepass") if octets else text

        yield f"{before[:40]!r} + {unit[:40]!r} * n + {after!r}", string


def _plain() -> Iterator[tuple[str, str, str]]:
    for unit in UNITS:
        yield "", unit, "\x00"


def _pumps(tree: Any) -> Iterator[tuple[str, str, str]]:
    """Yield for each repetition what may stand before it, and what it repeats; then the beginnings, repeated."""
    before: list[str] = []
    for prefix, body in _repeats(tree, ""):
        before.append(prefix)
        for unit in _samples(body):  # the last character is one that few patterns take
            yield prefix, unit, "\x00"
    for prefix in dict.fromkeys(before):
        yield "", prefix, "\x00"
        yield "", f"{prefix}a", "\x00"


def _repeats(nodes: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield each repetition without an end, with a string that leads to it."""
    for op, value in nodes:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, body = value
            if most > 50:
                yield prefix, body
            yield from _repeats(body, prefix)
            prefix += _sample(body) * least
        elif op is sre.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, prefix)
            prefix += _sample(value[1][0])
        elif op is sre.SUBPATTERN:
            yield from _repeats(value[-1], prefix)
            prefix += _sample(value[-1])
        elif op is sre.ATOMIC_GROUP:
            yield from _repeats(value, prefix)
            prefix += _sample(value)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(value[1], prefix)
        else:
            prefix += _sample([(op, value)])


def _samples(nodes: Any) -> list[str]:
    """Return a few strings that a repeated part takes: what is in its classes, one for each of its branches."""
    items = [_sample(nodes)]
    for op, value in nodes:
        if op is sre.IN:
            items += [chr(member) for kind, member in value if kind is sre.LITERAL and value[0][0] is not sre.NEGATE][
                :3
            ]
            items += [char for char in 'a 1\n\t-./_=:("#' if _takes(value, char)]
        elif op in (sre.ANY, sre.NOT_LITERAL):
            items += [" ", "a", "."]
        elif op is sre.SUBPATTERN:
            items += _samples(value[-1])
        elif op is sre.BRANCH:
            items += [_sample(branch) for branch in value[1]]
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            items += _samples(value[2])
    return list(dict.fromkeys(items))[:7]


def _sample(nodes: Any) -> str:
    """Return a short string that a part of a pattern matches, as far as that is easily said."""
    text = ""
    for op, value in nodes:
        if op is sre.LITERAL:
            text += chr(value)
        elif op is sre.NOT_LITERAL:
            text += "a" if value != ord("a") else "b"
        elif op is sre.ANY:
            text += "a"
        elif op is sre.IN:
            text += next((char for char in "a1 .-_/:=(,\"'#*\n\t<>[]{}|~+&;é" if _takes(value, char)), "a")
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            text += _sample(value[2]) * min(value[0], 40)
        elif op is sre.BRANCH:
            text += _sample(value[1][0])
        elif op is sre.SUBPATTERN:
            text += _sample(value[-1])
        elif op is sre.ATOMIC_GROUP:
            text += _sample(value)
    return text


def _takes(members: Any, char: str) -> bool:
    """Tell whether a class of characters holds one."""
    negated, entry = False, False
    for op, value in members:
        if op is sre.NEGATE:
            negated = True
        elif op is sre.LITERAL:
            entry = entry or value == ord(char)
        elif op is sre.RANGE:
            entry = entry or value[0] <= ord(char) <= value[1]
        elif op is sre.CATEGORY:
            entry = entry or _in_category(value, char)
    return entry != negated


def _in_category(category: Any, char: str) -> bool:
    name = str(category)
    plain = {"DIGIT": char.isdigit(), "SPACE": char.isspace(), "WORD": char.isalnum() or char == "_"}
    kind = name.rpartition("_")[2]
    return plain.get(kind, False) != ("NOT" in name)


def unseen() -> list[str]:
    """Return the places where ctxkit compiles, inside a function, a pattern that is no literal."""
    items = []
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text()
        if not INDENTED_CALL.search(text):
            continue
        for function in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)):
            for node in ast.walk(function):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name) and node.args):
                    continue
                if not (isinstance(node.func, ast.Attribute) and _name(node.func.value) == "re"):
                    continue
                place = f"{path.relative_to(ROOT.parent)}:{function.name}"
                literal = isinstance(node.args[0], ast.Constant)
                if not literal and node.func.attr in (*SEARCHES, *ANCHORED, "compile"):
                    items.append(place)
                elif literal and node.func.attr == "compile":
                    items.append(f"{place}: a literal")
    return items


def main() -> int:
    """Print a line for each slow pattern; answer 1 where there is any."""
    parser = argparse.ArgumentParser("tests.slow_patterns")
    parser.add_argument("path", nargs="*", help="only patterns of files whose path holds one of these")
    parser.add_argument("--quick", action="store_true", help="shorter strings, and fewer of them")
    args = parser.parse_args()
    started = perf_counter()
    patterns = compiled_patterns()
    all_patterns = [pattern for pattern in patterns if not args.path or any(part in pattern.path for part in args.path)]
    size, most = (QUICK, FEWER) if args.quick else (SMALL, 10_000)
    slow = [pattern for pattern in slow_patterns(all_patterns, size, most) if not print(pattern, flush=True)]
    print(f"{len(all_patterns)} patterns, {len(slow)} slow, {perf_counter() - started:.1f} s", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
