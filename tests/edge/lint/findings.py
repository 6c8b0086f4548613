"""Findings to show."""

from ctxkit.core.lint.document.finding import ERROR, WARNING, Fix, LineRange, LintFinding, TextEdit

COPY = LintFinding(
    "DUP002", WARNING, "MEMORY.md", 3, 3, "also in AGENTS.md:7", related=(LineRange("AGENTS.md", 7, 8),), tokens=11,
    wasted=(("OpenClaw", 11), ("Codex", 9)), fix=Fix((TextEdit("MEMORY.md", 10, 20),), True, "remove the copy"),
    concept="- Run | the tests", fingerprint="f" * 16,
)  # fmt: skip
STALE = LintFinding("REF001", ERROR, "a b/ü.md", 2, 2, "100% gone:\nsince, x", column=3, end_column=9, fingerprint="e" * 16)
LONG = LintFinding("HYG001", ERROR, "MEMORY.md", 1, 9, "leaked", column=1, fingerprint="d" * 16)
ALL = [COPY, STALE, LONG]
