"""A diff is read to its last hunk, whatever its prefixes, and words count as changes."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.diffs.patches import DiffReader, FilePatch, count_states, is_worded, mark_colours, parse_path
from tests.core.brief.kinds.test_table import document
from tests.example_counts import count_examples


def read(text, **given):
    return DiffReader(**given).read(document(text).lines)


def patch(name, hunks=1):
    body = "".join(f"@@ -{n * 10 + 1},2 +{n * 10 + 1},3 @@ def f{n}\n same\n-old\n+new\n+more\n" for n in range(hunks))
    return f"diff --git a/{name} b/{name}\nindex 1..2 100644\n--- a/{name}\n+++ b/{name}\n{body}"


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_files_and_hunks_have_their_lines_and_counts(hunks: list[int]) -> None:
    text = "".join(patch(f"f{at}.py", number) for at, number in enumerate(hunks))
    rows, reader = text.split("\n"), read(text)
    assert [file.path for file in reader.files] == [f"f{at}.py" for at in range(len(hunks))]
    assert (reader.added_lines, reader.removed_lines, reader.hunk_count) == (2 * sum(hunks), sum(hunks), sum(hunks))
    for file in reader.files:
        assert rows[file.start - 1].startswith("diff --git")
        assert all(rows[hunk.start - 1].startswith("@@") for hunk in file.hunks)
        assert file.end == file.hunks[-1].end


@pytest.mark.parametrize(
    ("header", "state"),
    [
        ("new file mode 100644", "new"),
        ("deleted file mode 100644", "deleted"),
        ("Binary files a/x and b/x differ", "binary"),
        ("old mode 100644\nnew mode 100755", "mode changed"),
    ],
)
def test_a_state_is_read_from_the_header(header: str, state: str) -> None:
    (file,) = read(f"diff --git a/x b/x\n{header}\n").files
    assert file.states == [state]


def test_a_rename_keeps_the_old_path() -> None:
    (file,) = read("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n").files
    assert (file.path, file.old, file.states) == ("y", "x", ["renamed"])


def test_a_removed_line_that_looks_like_a_header_is_a_line() -> None:
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- comment\n same\n"
    reader = read(text)
    assert (len(reader.files), reader.removed_lines) == (1, 1)


def test_commits_of_a_series_have_their_subjects() -> None:
    text = "".join(f"commit {f'{n:040x}'}\nAuthor: A <a@b>\nDate:   x\n\n    Subject {n}\n\n{patch('f.py')}" for n in range(2))
    reader = read(text)
    assert [commit.subject for commit in reader.commits] == ["Subject 0", "Subject 1"]
    assert [file.commit for file in reader.files] == [0, 1]


LINES = st.lists(st.sampled_from(["a", "b", "", "--- x", "< y", "1c1"]), max_size=12)


@settings(max_examples=count_examples(40), deadline=None)
@given(LINES, LINES)
def test_a_normal_diff_has_the_counts_of_a_unified_one(old: list[str], new: list[str]) -> None:
    with TemporaryDirectory() as folder:
        for name, rows in (("old", old), ("new", new)):
            Path(folder, name).write_text("".join(f"{row}\n" for row in rows))
        normal, unified = (
            subprocess.run(["diff", *form, "old", "new"], cwd=folder, capture_output=True, text=True, check=False).stdout
            for form in ([], ["-U0"])
        )
    counts = [(reader.added_lines, reader.removed_lines, reader.hunk_count) for reader in (read(normal), read(unified))]
    assert counts[0] == counts[1]


def test_a_recursive_normal_diff_names_its_files() -> None:
    reader = read("Only in a: x\ndiff -r a/f b/f\n2,3c2\n< old\n< older\n---\n> new\n9a9\n> more\ndiff -r a/g b/g\n1d0\n< g\n")
    assert [(file.path, file.start, file.end, file.added, file.removed) for file in reader.files] == [
        ("a/x", 1, 1, 0, 0), ("b/f", 2, 9, 2, 2), ("b/g", 10, 12, 0, 1),
    ]  # fmt: skip
    assert [(hunk.start, hunk.end, hunk.new) for hunk in reader.files[1].hunks] == [(3, 7, 2), (8, 9, 9)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a/src/x.py", "src/x.py"),
        ("b/src/x.py\t2026-01-01 10:00:00", "src/x.py"),
        ('"b/caf\\303\\251.py"', "caf\\303\\251.py"),
        ("src/x.py", "src/x.py"),
        ("/dev/null", "/dev/null"),
        ("", ""),
        ('"', '"'),
    ],
)
def test_a_path_has_no_prefix_and_no_date(text: str, path: str) -> None:
    assert parse_path(text) == path


def test_each_state_is_counted_once_for_a_file() -> None:
    files = [FilePatch("a", 1, states=["new"]), FilePatch("b", 5, states=["renamed", "new"]), FilePatch("c", 9)]
    assert dict(count_states(files)) == {"new": 2, "renamed": 1}


def test_marked_words_are_told_from_marked_lines() -> None:
    assert is_worded("--- a/x\n+++ b/x\n@@ -1 +1 @@\nthe [-old-]{+new+} word and [-a-]{+b+}\n")
    assert not is_worded("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n+more\n")


def test_coloured_words_get_marks() -> None:
    assert mark_colours("the \x1b[31mold\x1b[m\x1b[32mnew\x1b[m word") == "the [-old-]{+new+} word"
