from time import perf_counter

import pytest

from ctxkit.core.brief.runs import stack_paths
from ctxkit.core.brief.runs.stack_paths import RUST, SCRIPT, match_path


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("    at Object.<anonymous> (src/a.test.js:5:13)", "src/a.test.js"),
        (" \u276f src/a.test.ts:5:13", "src/a.test.ts"),
        ("    at file:///home/a.mjs:1:2", "file:///home/a.mjs"),
        ("    at async Promise.all (index 0)", ""),
        ("    at f (node:internal/timers:1:2)", "node:internal/timers"),
        ("    at C:\\a\\b.js:10:200", "C:\\a\\b.js"),
        ("    at a:1:2:3:4", "a:1:2"),
    ],
)
def test_the_path_of_a_script_is_read(line: str, path: str) -> None:
    assert match_path(SCRIPT, line) == path


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("thread 'main' panicked at src/main.rs:2:5:", "src/main.rs"),
        ("thread 'main' panicked at 'it's no, 'x', y', src/lib.rs:10:9", "src/lib.rs"),
        ("             at ./src/a b.rs:3:1", "./src/a b.rs"),
        ("thread 'main' panicked at 'no place'", ""),
    ],
)
def test_the_path_of_a_panic_is_read(line: str, path: str) -> None:
    assert match_path(RUST, line) == path


@pytest.mark.parametrize("name", ["PYTHON", "SCRIPT", "RUST", "GO", "RUBY", "PHP", "COMPILED"])
@pytest.mark.parametrize(
    "unit", [":1:1", "a:1", "at (a ", " a:1:1 ", "x.c", "a.rs:1 at ", "panicked at 'x', ", "/a.php", "1"]
)
def test_a_long_line_costs_no_time(name: str, unit: str) -> None:
    start = perf_counter()
    for lead in ("", "    at ", " # ", "\t"):
        match_path(getattr(stack_paths, name), lead + unit * (50_000 // len(unit)) + "!")
    assert perf_counter() - start < 1
