import pytest

from ctxkit.core.brief.runs.places import COMPILED, FOREIGN, GO, PHP, PYTHON, RUBY, RUST, SCRIPT, path_on


@pytest.mark.parametrize(
    ("pattern", "text", "path"),
    [
        (PYTHON, '  File "src/a b.py", line 3, in test_a', "src/a b.py"),
        (PYTHON, "see line 3", ""),
        (SCRIPT, "      at Object.<anonymous> (src/a.test.js:5:13)", "src/a.test.js"),
        (SCRIPT, "    at file:///w/a.mjs:1:2", "file:///w/a.mjs"),
        (SCRIPT, " \u276f src/a.test.ts:5:13", "src/a.test.ts"),
        (SCRIPT, "at noon", ""),
        (RUST, "thread 'tests::a' panicked at src/lib.rs:10:9:", "src/lib.rs"),
        (RUST, "thread 'tests::a' panicked at 'boom', src/lib.rs:10:9", "src/lib.rs"),
        (RUST, "             at ./src/lib.rs:8:20", "./src/lib.rs"),
        (GO, "        a_test.go:4: got 0, want 1", "a_test.go"),
        (GO, "\t/w/a/a_test.go:12 +0x1d", "/w/a/a_test.go"),
        (GO, "a_test.go has no place", ""),
        (RUBY, "     # ./spec/a_spec.rb:7:in `block'", "./spec/a_spec.rb"),
        (PHP, "/w/tests/ATest.php:9", "/w/tests/ATest.php"),
        (COMPILED, "  src/a.cc:12: failure", "src/a.cc"),
    ],
)
def test_the_path_that_a_line_names(pattern, text, path):
    assert path_on(pattern, text) == path


@pytest.mark.parametrize(
    "path",
    [
        "/usr/lib/python3.11/unittest/case.py",
        "node_modules/x/y.js",
        "node:internal/timers",
        "/go/src/testing/testing.go",
    ],
)
def test_paths_of_libraries_are_foreign(path):
    assert FOREIGN.search(path)


def test_own_paths_are_not():
    assert not any(FOREIGN.search(path) for path in ("src/a.py", "./spec/a_spec.rb", "lib/words.rb", "test/a.cjs"))
