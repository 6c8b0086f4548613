"""The clues and the types of all kinds, by their modules, as ``make pages`` writes them."""

from ctxkit.core.brief.document import Clues

CLUES = {
    "binary": Clues(),
    "cargo_test": Clues(
        words=("test result:", " stdout ----", " stderr ----", "... ok", "... FAILED", "... ignored", "... \u001b",),
    ),
    "csv": Clues(
        words=(",", "\t", ";", "|",),
        unless_log=True,
    ),
    "ctest": Clues(
        words=("% tests passed", "No tests were found", " Test ",),
    ),
    "dejagnu": Clues(
        words=("# of ", " Summary ===", "# TOTAL:", "# PASS:", ".exp ...",),
    ),
    "diagnostics": Clues(
        unless_log=True,
    ),
    "diff": Clues(
        words=("@@", "diff -", "--- ", "Index: ", "Binary files ", "\n< ", "\n> ", " | ", "\t",),
        unless_log=True,
    ),
    "go_test": Clues(
        words=("FAIL", "ok  \t", "--- PASS", "--- SKIP", "=== RUN", '"Action"',),
    ),
    "gtest": Clues(
        words=("[ RUN ", "[  FAILED ", "[==========]",),
    ),
    "har": Clues(
        words=('"entries"',),
    ),
    "history": Clues(
        unless_log=True,
    ),
    "html": Clues(
        words=("<",),
        suffixes=("html", "htm", "xhtml", "shtml",),
        unless_log=True,
    ),
    "jest": Clues(
        words=("Tests:", "FAIL", "PASS", "RUNS", "\u203a",),
    ),
    "json": Clues(
        words=("{", "[",),
        unless_log=True,
    ),
    "jsonl": Clues(
        first_characters=("{", "[", "\u001e",),
        suffixes=("jsonl", "ndjson",),
    ),
    "junit_xml": Clues(
        words=("<testsuite", "</testsuite", "</testcase>",),
    ),
    "listing": Clues(
        unless_log=True,
    ),
    "log": Clues(),
    "mocha": Clues(
        words=(" passing", " failing", " pending", "Context.<anonymous>", "\u2714",),
    ),
    "nextest": Clues(
        words=("Summary", "PASS", "FAIL", "SIG", "ABORT", "TIMEOUT", "TMT", "TRY ",),
    ),
    "node_test": Clues(
        words=("\u2139 ", "\u2714 ", "\u2716 ",),
    ),
    "notebook": Clues(
        words=('"cell_type"',),
        suffixes=("ipynb",),
    ),
    "phpunit": Clues(
        words=("PHPUnit", "Assertions: ", "OK (", "There was ", "There were ",),
    ),
    "profile": Clues(
        words=("%", "import time:", ": size=", "memory blocks: ",),
    ),
    "pytest": Clues(
        words=("===", "passed", "failed", "skipped", "error in", "errors in", "no tests ran", "deselected",),
    ),
    "records": Clues(
        words=(":", "=",),
    ),
    "rspec": Clues(
        words=(" examples, ", " example, ", "Failed examples:", "Failures:", "Failure/Error: ", "An error occurred ",),
    ),
    "search": Clues(
        unless_log=True,
    ),
    "source": Clues(
        unless_log=True,
    ),
    "specs": Clues(
        words=(" passed", " failed", " failures", " failure", " errors", " skipped", " successes",),
    ),
    "stacks": Clues(
        words=(
            "Sanitizer", "hread ", "hread #", "goroutine ", "DATA RACE", "runtime error", "Invalid ", " tid=",
            " lost in ", "TID ", "all Trace", "all trace", "uninit",
        ),
        unless_log=True,
    ),
    "symbols": Clues(
        words=(
            " U ", " T ", " W ", " t ", " D ", ';"\t', " member ", " function ", " macro ", " variable ", " FUNC ",
            " class ",
        ),
        unless_log=True,
    ),
    "table": Clues(
        words=("  ", "\t", "|",),
        unless_log=True,
    ),
    "tap": Clues(
        words=("TAP version", "ok ", "# tests", "# pass", "# fail",),
    ),
    "text": Clues(),
    "trace": Clues(
        words=(") = ", ")  ",),
    ),
    "typeset": Clues(
        words=(".SH", ".Sh", ".TP", ".IP", "\\", "@node", "@chapter",),
        unless_log=True,
    ),
    "unittest": Clues(
        words=(
            "Ran ", "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ", "OK", "FAILED", "NO TESTS RAN", " ... ", " load avg: ",
        ),
    ),
    "vitest": Clues(
        words=("Tests ", "Test Files ", "FAIL", "Snapshots ", "Errors ", "\u23af", "No test files",),
    ),
}

TYPES = {
    "binary": ("binary",),
    "cargo_test": ("cargo test", "cargo_test",),
    "csv": ("csv", "tsv",),
    "ctest": ("ctest",),
    "dejagnu": ("dejagnu", "automake",),
    "diagnostics": ("diagnostics", "build", "ci", "compiler", "lint",),
    "diff": ("diff", "patch",),
    "go_test": ("go test", "go_test",),
    "gtest": ("gtest", "googletest",),
    "har": ("har",),
    "history": ("history", "gitlog", "blame", "status",),
    "html": ("html", "htm", "xhtml",),
    "jest": ("jest",),
    "json": ("json", "geojson", "jsonc", "json5",),
    "jsonl": ("jsonl", "ndjson",),
    "junit_xml": ("junit xml", "junit_xml", "junit",),
    "listing": ("listing", "ls", "find", "du",),
    "log": ("log",),
    "mocha": ("mocha",),
    "nextest": ("cargo nextest", "nextest",),
    "node_test": ("node test", "node_test",),
    "notebook": ("notebook", "ipynb",),
    "phpunit": ("phpunit",),
    "profile": ("profile", "perf", "importtime", "tracemalloc", "massif",),
    "pytest": ("pytest",),
    "records": ("records",),
    "rspec": ("rspec",),
    "search": ("search", "grep", "rg",),
    "source": (
        "source", "abap", "apex", "asm", "astro", "bash", "basic", "batch", "c", "chapel", "clojure", "cmake",
        "coffeescript", "coq", "cpp", "crystal", "csharp", "css", "dart", "dockerfile", "elixir", "elm", "erlang",
        "fortran", "fsharp", "go", "graphql", "groovy", "gyp", "haskell", "hcl", "java", "javascript", "julia", "just",
        "kotlin", "lex", "lisp", "lua", "make", "matlab", "nim", "nix", "objc", "ocaml", "pascal", "perl", "php",
        "powershell", "prolog", "protobuf", "puppet", "python", "r", "ruby", "rust", "scala", "scss", "smalltalk",
        "solidity", "sql", "starlark", "svelte", "swift", "tcl", "template", "tsx", "typescript", "verilog", "vhdl",
        "vue", "yacc", "zeek", "zig",
    ),
    "specs": ("specs", "playwright", "minitest", "behave", "cucumber", "robot",),
    "stacks": ("stacks", "threads", "sanitizer", "valgrind",),
    "symbols": ("symbols", "nm", "ctags", "readelf",),
    "table": ("table", "ps", "df", "kubectl", "psql",),
    "tap": ("tap",),
    "text": (
        "text", "plain", "exchanges", "ini", "mail", "manual", "man", "help", "rst", "prose", "toml", "markdown", "md",
        "yaml", "yml", "xml", "svg", "rss", "atom", "plist", "pom", "xsd", "xslt", "soap", "lock", "lockfile", "tree",
        "hexdump", "xxd", "parts",
    ),
    "trace": ("trace", "strace", "ltrace",),
    "typeset": ("typeset", "roff", "latex", "texinfo", "tex",),
    "unittest": ("unittest",),
    "vitest": ("vitest",),
}
