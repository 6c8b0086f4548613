"""Patterns of places in stack traces, and of paths outside the project."""

import re

from ctxkit.core.lazy_pattern import compile_lazily

PYTHON = compile_lazily(r"\s+File \"([^\"]+)\", line \d+")
"""``  File "a.py", line 3, in test_a``."""
SCRIPT = compile_lazily(r"\s*(?:at |\u276f ).*?\(?(?<![^\s()])((?:file://)?[^\s()]+?):\d+:\d+\)?$")
"""`` at Object.<anonymous> (src/a.test.js:5:13)`` and vitest's `` ❯ src/a.test.ts:5:13``."""
RUST = compile_lazily(r"(?:(?=.*panicked at )(?>.*(?:panicked at |', ))|\s+at )([^\s':][^:]*\.rs):\d+(?::\d+)?:?$")
GO = compile_lazily(r"\s+([^\s:]+\.go):\d+(?:: | \+0x|:$|$)")
RUBY = compile_lazily(r"\s*# ([^\s:]+):\d+(?::in .*)?$")
PHP = compile_lazily(r"((?:/|[A-Z]:\\|phar://)?\S*\.php):\d+$")
COMPILED = compile_lazily(r"\s*([\w./\\-]+\.(?:c|cc|cpp|cxx|h|hpp|hh|rs|go|py|f90|java|cs|swift))[:(]\d+")

FOREIGN = compile_lazily(
    r"site-packages|dist-packages|lib/python\d|lib64/python\d|^<|[/\\]Lib[/\\]\w+\.py|node_modules|^node:|/rustc/|"
    r"\.cargo/registry|/go/src/(?:runtime|testing|reflect)/|/src/(?:testing|runtime|reflect)/|/gems/|/lib/ruby|/bin/rspec|"
    r"/vendor/|/usr/share/php|phar://"
)
"""Pattern of paths in libraries and runners, where stack traces often end although the fault is elsewhere."""


def match_path(pattern: "re.Pattern[str]", text: str) -> str:
    """Return the path on a line of a stack trace, or an empty string."""
    match = pattern.match(text)
    return next((group for group in match.groups() if group), "") if match else ""
