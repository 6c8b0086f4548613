"""Which kinds are worth asking about a document: a look at its words spares the import of the others."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.brief.document import Document

CI = "Z"
"""What ends the stamps that a CI service puts before lines: what follows one may be the output of anything."""


class Clue(NamedTuple):
    """Say what a document of a kind always has.

    One of ``words`` in its first 64 KB or last 16 KB, or one of ``opens`` as its first sign that is no blank, or one
    of ``suffixes``; ``unless_log`` says that what is plainly a log is never of that kind. Without words and signs, any
    document may be of it.
    """

    words: Sequence[str] = ()
    opens: Sequence[str] = ()
    suffixes: Sequence[str] = ()
    unless_log: bool = False


CLUES = {
    "build": Clue(unless_log=True),
    "cargo_test": Clue(
        ("test result:", " stdout ----", " stderr ----", "... ok", "... FAILED", "... ignored", "... \x1b")
    ),
    "csv": Clue((",", "\t", ";", "|"), unless_log=True),
    "ctest": Clue(("% tests passed", "No tests were found", " Test ")),
    "diagnostics": Clue(unless_log=True),
    "diff": Clue(("@@", "diff -", "--- ", "Index: ", "Binary files ", " | ", "\t"), unless_log=True),
    "go_test": Clue(("FAIL", "ok  \t", "--- PASS", "--- SKIP", "=== RUN", '"Action"')),
    "gtest": Clue(("[ RUN ", "[  FAILED ", "[==========]")),
    "har": Clue(('"entries"',)),
    "history": Clue(unless_log=True),
    "html": Clue(("<",), suffixes=("html", "htm", "xhtml", "shtml"), unless_log=True),
    "ini": Clue(("=",), unless_log=True),
    "jest": Clue(("Tests:", "FAIL", "PASS", "RUNS", "\u203a")),
    "json": Clue(("{", "["), unless_log=True),
    "jsonl": Clue((), ("{", "[", "\x1e"), ("jsonl", "ndjson")),
    "junit_xml": Clue(("<testsuite", "</testsuite", "</testcase>")),
    "listing": Clue(unless_log=True),
    "lock": Clue(unless_log=True),
    "mail": Clue(("From:", "from:", "Received:", "Return-Path:"), unless_log=True),
    "manual": Clue(unless_log=True),
    "markdown": Clue(
        ("#", "==", "--"), suffixes=("md", "markdown", "mdx", "mdown", "mkd", "mkdn", "mdc"), unless_log=True
    ),
    "mocha": Clue((" passing", " failing", " pending", "Context.<anonymous>", "\u2714")),
    "nextest": Clue(("Summary", "PASS", "FAIL", "SIG", "ABORT", "TIMEOUT", "TMT", "TRY ")),
    "notebook": Clue(('"cell_type"',), suffixes=("ipynb",)),
    "phpunit": Clue(("PHPUnit", "Assertions: ", "OK (", "There was ", "There were ")),
    "prose": Clue(unless_log=True),
    "pytest": Clue(("===", "passed", "failed", "skipped", "error in", "errors in", "no tests ran", "deselected")),
    "report_xml": Clue(("<TestRun", "<test-run", "<test-results", "<assembl")),
    "rspec": Clue(
        (" examples, ", " example, ", "Failed examples:", "Failures:", "Failure/Error: ", "An error occurred ")
    ),
    "search": Clue(unless_log=True),
    "source": Clue(unless_log=True),
    "table": Clue(("  ", "\t", "|"), unless_log=True),
    "tap": Clue(("TAP version", "ok ", "# tests", "# pass", "# fail")),
    "toml": Clue(("[",), suffixes=("toml",), unless_log=True),
    "traceback": Clue(unless_log=True),
    "typeset": Clue((".SH", ".Sh", ".TP", ".IP", "\\", "@node", "@chapter", "\n=", "\n* ", "\n#+"), unless_log=True),
    "unittest": Clue(("Ran ", "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ", "OK", "FAILED", "NO TESTS RAN", " ... ")),
    "vitest": Clue(("Tests ", "Test Files ", "FAIL", "Snapshots ", "Errors ", "\u23af", "No test files")),
    "xml": Clue((), ("<",)),
    "xctest": Clue(("Test Case '", "Executed ", " Test ")),
    "yaml": Clue((":", "- "), suffixes=("yaml", "yml"), unless_log=True),
}
"""What each kind needs, by the name of its module; one without a row is always asked."""


def worth(names: Collection[str], document: Document, *, log: bool) -> Iterator[str]:
    """Yield the kinds that a document may be of; ``log`` says that it is plainly a log."""
    text = f"{document.head}\n{document.tail}" if document.lines.size > len(document.head) else document.head
    first = document.head.lstrip("\ufeff \t\r\n")[:1]
    log = log and not _from_ci(document.head)
    for name in names:
        clue = CLUES.get(name)
        if clue is None or (_has(clue, text, first, document.suffix) and not (log and clue.unless_log)):
            yield name


def _has(clue: Clue, text: str, first: str, suffix: str) -> bool:
    if not clue.words and not clue.opens:
        return True
    return (first != "" and first in clue.opens) or suffix in clue.suffixes or any(word in text for word in clue.words)


def _from_ci(head: str) -> bool:
    """Tell whether lines begin as those of a CI service do, which may hold the output of anything."""
    stamp = head.lstrip("\ufeff")[:80].rpartition("\t")[2].partition(" ")[0]
    return stamp[:2] == "20" and stamp[-1:] == CI
