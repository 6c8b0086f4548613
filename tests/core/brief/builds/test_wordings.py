"""The patterns of findings of several lines match the lines of their tools."""

import pytest

from ctxkit.core.brief.builds import wordings


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ARROW", " --> src/main.rs:3:9"),
        ("HEAD", "error[E0308]: mismatched types"),
        ("ROW", "3:9  error  Unexpected var  no-var"),
        ("FILE", "/app/src/index.js"),
        ("LINE", "In deploy.sh line 12:"),
        ("CARETS", "   ^-- SC2086 (info): Double quote to prevent globbing."),
        ("CMAKE", "CMake Error at CMakeLists.txt:3 (find_package):"),
        ("BOXED", "│ Error: Unsupported argument"),
        ("INSIDE", '│   on main.tf line 3, in resource "x" "y":'),
        ("LINKER", "/usr/bin/ld: cannot find -lfoo"),
        ("LOOSE", "npm ERR! missing script: build"),
    ],
)
def test_a_pattern_matches_its_line_and_not_prose(name: str, line: str) -> None:
    pattern = getattr(wordings, name)
    assert pattern.match(line), name
    assert not pattern.fullmatch("This is an ordinary sentence, with some words.")
