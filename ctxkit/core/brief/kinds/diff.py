"""Diffs, unified or normal, and summaries of diffs: the changed lines of every file, and the range of every hunk."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.diffs import diffstat
from ctxkit.core.brief.diffs.patches import COLOUR, DiffReader, is_worded
from ctxkit.core.brief.document import Clues, InputDocument, count_matching
from ctxkit.core.brief.outline import Outline
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "diff"
TYPES: Sequence[str] = ("patch",)
CLUES = Clues(("@@", "diff -", "--- ", "Index: ", "Binary files ", "\n< ", "\n> ", " | ", "\t"), unless_log=True)
START = compile_lazily(
    r"^(?:diff --\w+ .|diff -\w|--- \S.*\n\+\+\+ \S|Index: \S"
    r"|@@@* -\d+(?:,\d+)? .*\+\d+(?:,\d+)? @@|Binary files .* differ|\d+(?:,\d+)?[acd]\d+(?:,\d+)?\n[<>] )",
    re.MULTILINE,
)
BEFORE = compile_lazily(
    r"(?:commit [0-9a-f]{7,40}\b|From [0-9a-f]{40} |Subject: |Author:|Date:|Merge: |index [0-9a-f]+\.\."
    r"|(?:new|deleted) file |:\d{6} |(?:\d+|-)\t(?:\d+|-)\t"
    r"| \S.* \| +(?:\d+|Bin)\b| \d+ files? changed| {4}|---$|\+\+\+ |--- |diff |rename |similarity |old mode|new mode"
    r"|Only in |[<>](?: |$)|\d+(?:,\d+)?[acd]\d)"
)
"""Pattern of the beginning of a line that may precede the first hunk."""
COMMIT = compile_lazily(r"commit [0-9a-f]{7,40}\b")
BODY = " +-@\\"


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text is a diff from its beginning, or from after a commit message."""
    text = COLOUR.sub("", document.head.removeprefix("\ufeff").replace("\r", ""))
    first = START.search(text)
    if first is None:
        return 0.95 if diffstat.detect_form(document) else 0.0
    lines = document.split_head(text)
    if count_matching(COMMIT.match, lines) > 1:
        return 0.0
    certain, doubtful = (0.97, 0.7) if document.suffix in ("diff", "patch") else (0.96, 0.0)
    mail = _is_mail(lines)
    before = text.count("\n", 0, first.start())
    if not (mail or _may_precede_hunk(lines[:before])):
        return doubtful
    if (mail or text.startswith("diff --")) and is_worded(document.head):
        return 0.96
    return certain if _measure_fit(lines[before:]) >= (0.6 if mail else 0.8) else doubtful


def _is_mail(lines: Sequence[str]) -> bool:
    return any(line.startswith(("From ", "Subject: ")) for line in lines[:5])


def _may_precede_hunk(lines: Sequence[str]) -> bool:
    """Return whether lines are headers but for two, or are the end of a hunk whose beginning is cut off."""
    alien = sum(bool(line.strip()) and not BEFORE.match(line) for line in lines)
    return alien <= 2 or _is_rest_of_hunk(lines)


def _measure_fit(lines: Sequence[str]) -> float:
    """Return the share of lines that a diff may have after its first header."""
    full = [line for line in lines if line]
    fits = sum(line[0] in BODY or BEFORE.match(line) is not None or START.match(line) is not None for line in full)
    return fits / len(full) if full else 0.0


def _is_rest_of_hunk(lines: Sequence[str]) -> bool:
    """Return whether the lines before the first header may be the end of a hunk whose beginning is cut off."""
    return all(line[:1] in BODY for line in lines if line) and any(line[:1] in "+-" for line in lines if line)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the files, hunks and counts, or None if the diff changes nothing."""
    from ctxkit.core.brief.diffs.changes import build_diff_outlines

    form = "" if START.search(COLOUR.sub("", document.head)) else diffstat.detect_form(document)
    if form:
        return diffstat.build_stat_outlines(NAME, form, document)
    reader = DiffReader(worded=is_worded(document.head)).read(document.lines)
    return build_diff_outlines(NAME, reader, document) if reader.files else None
