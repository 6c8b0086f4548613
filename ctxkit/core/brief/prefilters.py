"""Prefilters: cheap checks that avoid the import of kinds that cannot match a document."""

from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.named_tuple import NamedTuple

CI_STAMP_END = "Z"
"""End of the timestamps that a CI service puts before lines, which may contain any kind of output."""


class Prefilter(NamedTuple):
    """Hold what every document of a kind has.

    A document passes if its first 64 KB or last 16 KB contain one of ``words``. It also passes if it begins, after
    blanks, with one of ``first_characters``, or has one of ``suffixes``. ``unless_log`` excludes documents that are
    clearly logs. Without words and characters, every document passes.
    """

    words: Sequence[str] = ()
    first_characters: Sequence[str] = ()
    suffixes: Sequence[str] = ()
    unless_log: bool = False


PREFILTERS = {
    "cargo_test": Prefilter(
        ("test result:", " stdout ----", " stderr ----", "... ok", "... FAILED", "... ignored", "... \x1b")
    ),
    "csv": Prefilter((",", "\t", ";", "|"), unless_log=True),
    "ctest": Prefilter(("% tests passed", "No tests were found", " Test ")),
    "diagnostics": Prefilter(unless_log=True),
    "diff": Prefilter(("@@", "diff -", "--- ", "Index: ", "Binary files ", " | ", "\t"), unless_log=True),
    "go_test": Prefilter(("FAIL", "ok  \t", "--- PASS", "--- SKIP", "=== RUN", '"Action"')),
    "gtest": Prefilter(("[ RUN ", "[  FAILED ", "[==========]")),
    "har": Prefilter(('"entries"',)),
    "hexdump": Prefilter(("00000",), unless_log=True),
    "history": Prefilter(unless_log=True),
    "html": Prefilter(("<",), suffixes=("html", "htm", "xhtml", "shtml"), unless_log=True),
    "jest": Prefilter(("Tests:", "FAIL", "PASS", "RUNS", "\u203a")),
    "json": Prefilter(("{", "["), unless_log=True),
    "jsonl": Prefilter((), ("{", "[", "\x1e"), ("jsonl", "ndjson")),
    "junit_xml": Prefilter(("<testsuite", "</testsuite", "</testcase>")),
    "listing": Prefilter(unless_log=True),
    "lock": Prefilter(unless_log=True),
    "markdown": Prefilter(
        ("#", "==", "--"), suffixes=("md", "markdown", "mdx", "mdown", "mkd", "mkdn", "mdc"), unless_log=True
    ),
    "mocha": Prefilter((" passing", " failing", " pending", "Context.<anonymous>", "\u2714")),
    "nextest": Prefilter(("Summary", "PASS", "FAIL", "SIG", "ABORT", "TIMEOUT", "TMT", "TRY ")),
    "notebook": Prefilter(('"cell_type"',), suffixes=("ipynb",)),
    "phpunit": Prefilter(("PHPUnit", "Assertions: ", "OK (", "There was ", "There were ")),
    "profile": Prefilter(("%", "import time:", ": size=", "memory blocks: ")),
    "pytest": Prefilter(("===", "passed", "failed", "skipped", "error in", "errors in", "no tests ran", "deselected")),
    "records": Prefilter((":", "=")),
    "rspec": Prefilter(
        (" examples, ", " example, ", "Failed examples:", "Failures:", "Failure/Error: ", "An error occurred ")
    ),
    "search": Prefilter(unless_log=True),
    "source": Prefilter(unless_log=True),
    "specs": Prefilter((" passed", " failed", " failures", " failure", " errors", " skipped", " successes")),
    "stacks": Prefilter(
        (
            *("Sanitizer", "hread ", "hread #", "goroutine ", "DATA RACE", "runtime error", "Invalid ", " tid="),
            *(" lost in ", "TID ", "all Trace", "all trace", "uninit"),
        ),
        unless_log=True,
    ),
    "sql_dump": Prefilter((" INTO ", " into ", "COPY "), unless_log=True),
    "symbols": Prefilter(
        (
            *(" U ", " T ", " W ", " t ", " D ", ';"\t', " member ", " function ", " macro ", " variable ", " FUNC "),
            " class ",
        ),
        unless_log=True,
    ),
    "table": Prefilter(("  ", "\t", "|"), unless_log=True),
    "tap": Prefilter(("TAP version", "ok ", "# tests", "# pass", "# fail")),
    "trace": Prefilter((") = ", ")  ")),
    "tree": Prefilter(("\u2500", "\u2501", "--", "+-", "\\-"), unless_log=True),
    "typeset": Prefilter(
        (".SH", ".Sh", ".TP", ".IP", "\\", "@node", "@chapter", "\n=", "\n* ", "\n#+"), unless_log=True
    ),
    "unittest": Prefilter(
        ("Ran ", "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ", "OK", "FAILED", "NO TESTS RAN", " ... ")
    ),
    "vitest": Prefilter(("Tests ", "Test Files ", "FAIL", "Snapshots ", "Errors ", "\u23af", "No test files")),
    "xml": Prefilter((), ("<",)),
    "yaml": Prefilter((":", "- "), suffixes=("yaml", "yml"), unless_log=True),
}
"""The prefilter of each kind, by module name; a kind without an entry is always scored."""


def candidates(names: Collection[str], document: InputDocument, *, is_log: bool) -> Iterator[str]:
    """Yield the kinds that a document may have; ``is_log`` means that the document is clearly a log."""
    text = f"{document.head}\n{document.tail}" if document.lines.size > len(document.head) else document.head
    first = document.head.lstrip("\ufeff \t\r\n")[:1]
    is_log = is_log and not _is_from_ci(document.head)
    for name in names:
        prefilter = PREFILTERS.get(name)
        if prefilter is None or (
            _fits_prefilter(prefilter, text, first, document.suffix) and not (is_log and prefilter.unless_log)
        ):
            yield name


def _fits_prefilter(prefilter: Prefilter, text: str, first: str, suffix: str) -> bool:
    if not prefilter.words and not prefilter.first_characters:
        return True
    return (
        (first != "" and first in prefilter.first_characters)
        or suffix in prefilter.suffixes
        or any(word in text for word in prefilter.words)
    )


def _is_from_ci(head: str) -> bool:
    """Return whether lines begin with timestamps of a CI service, after which any kind of output may follow."""
    stamp = head.lstrip("\ufeff")[:80].rpartition("\t")[2].partition(" ")[0]
    return stamp[:2] == "20" and stamp[-1:] == CI_STAMP_END
