"""A file of a diff is divided into ranges that cover it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.diffs import changes
from ctxkit.core.brief.diffs.changes import build_diff_outlines, make_exceptions, split_file
from ctxkit.core.brief.diffs.patches import DiffReader, FilePatch, Hunk
from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.text.lines import lines_from_bytes
from tests.core.brief.kinds.test_table import document


@given(st.lists(st.integers(1, 3 * RANGE_LINES), max_size=5))
def test_the_parts_of_a_file_follow_one_another_and_are_short(heights: list[int]) -> None:
    file, line = FilePatch("a.py", 10, count=len(heights)), 12
    for height in heights:
        file.hunks.append(Hunk(line, line + height - 1, line, line, ""))
        line += height
    file.end = line - 1
    parts = list(split_file(file))
    assert parts[0][0] == 10
    assert all(end - start < RANGE_LINES for start, end, _ in parts)
    assert all(later[0] == earlier[1] + 1 for earlier, later in pairwise(parts))


def test_the_summary_counts_files_lines_and_hunks() -> None:
    text = "".join(f"diff --git a/f{n}.py b/f{n}.py\n--- a/f{n}.py\n+++ b/f{n}.py\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n" for n in range(3))
    held = document(text)
    reader = DiffReader().read(held.lines)
    labels = [entry.label for entry in build_diff_outlines("diff", reader, held)[0].sections[0].entries]
    assert labels == ["3 files changed, +3 -3, 3 hunks; counted from the hunks"]


def test_a_part_within_a_hunk_is_not_called_a_hunk() -> None:
    long = "".join(f"-{n}\n+{n * 2}\n" for n in range(200))
    text = f"diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n-a\n+b\n same\n@@ -9,200 +9,200 @@\n{long}"
    held = document(text)
    outlines = build_diff_outlines("diff", DiffReader().read(held.lines), held)
    labels = [child.label for outline in outlines for section in outline.sections for entry in section.entries for child in entry.children]
    assert {"@@ 9", "in @@ 9"} <= set(labels)


def test_several_patches_of_one_file_are_one_file() -> None:
    text = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n" * 3
    held = document(text)
    outline = build_diff_outlines("diff", DiffReader().read(held.lines), held)[0]
    assert "1 file changed in 3 patches, +3 -3, 3 hunks" in str(outline.sections[0])


HEAD = "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n"


def rename(number):
    return "".join(f" same\n-    call({at}, data)\n+    call({at}, rows)\n" for at in range(number))


def describe(text):
    section = make_exceptions(lines_from_bytes(text.encode()))
    return section.title, [(entry.start, entry.label) for entry in section.entries]


def test_a_change_that_is_no_rename_is_told_from_those_that_are() -> None:
    odd = "-    if data is None and rows:\n+    if rows is not None and rows:\n"
    title, rows = describe(HEAD + rename(6) + odd + rename(6))
    assert title == "Of 13 replaced lines, 12 change only `data` to `rows`; 1 line does not"
    assert rows == [(22, "-    if data is None and rows:"), (23, "+    if rows is not None and rows:")]


def test_a_line_that_changes_another_word_too_is_an_exception() -> None:
    title, rows = describe(HEAD + rename(12) + "-    put(data - 1)\n+    put(rows + 1)\n")
    assert title.endswith("; 1 line does not")
    assert rows[-1] == (41, "+    put(rows + 1)")


@pytest.mark.parametrize("text", [HEAD + rename(30), HEAD + rename(9) + "-a\n+b\n", "", HEAD + rename(12) + "-a\n+b\n" * 12])
def test_nothing_is_said_without_a_usual_change_or_without_exceptions(text: str) -> None:
    assert describe(text) == ("", [])


def test_nothing_is_said_of_more_pairs_than_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + rename(12) + "-a\n+b\n"
    assert describe(text)[0]
    monkeypatch.setattr(changes, "MAX_PAIRS", 12)
    assert describe(text) == ("", [])
