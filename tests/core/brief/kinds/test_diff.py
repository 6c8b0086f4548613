import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.diffs.changes import split_file
from ctxkit.core.brief.diffs.patches import DiffReader, FilePatch, Hunk
from ctxkit.core.brief.kinds import diff as kind
from ctxkit.core.text import lines
from tests.core.brief.kinds.test_table import document, mapped
from tests.example_counts import count_examples

ONE = """diff --git a/src/x.py b/src/x.py
index 111..222 100644
--- a/src/x.py
+++ b/src/x.py
@@ -1,3 +1,4 @@ def first():
 same
--- looks like a header
+++ added, and looks like one
+more
 same
"""
NEW = """diff --git a/new.txt b/new.txt
new file mode 100644
index 000..333
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+one
+two
"""
MOVED = """diff --git a/old name.py b/new name.py
similarity index 100%
rename from old name.py
rename to new name.py
"""
BINARY = """diff --git a/i.png b/i.png
index 1..2 100644
Binary files a/i.png and b/i.png differ
"""


def read(text):
    return DiffReader().read(lines.lines_from_bytes(text.encode()))


def test_lines_that_look_like_headers_are_counted_as_changes() -> None:
    (file,) = read(ONE).files
    assert (file.path, file.added, file.removed, file.count) == ("src/x.py", 2, 1, 1)


def test_states_and_paths() -> None:
    files = read(NEW + MOVED + BINARY).files
    assert [(file.path, file.states, file.added) for file in files] == [
        ("new.txt", ["new"], 2),
        ("new name.py", ["renamed"], 0),
        ("i.png", ["binary"], 0),
    ]
    assert files[1].old == "old name.py"


def test_every_file_and_hunk_has_its_lines() -> None:
    text = mapped((ONE + NEW) * 20, 1_200).text
    assert "- 2 files changed in 40 patches, +80 -20, 40 hunks (20 new); counted from the hunks\n" in text
    assert "src/x.py +2 -1" in text


def test_a_diff_that_is_cut_at_its_head_is_known() -> None:
    cut = "\n".join((ONE + NEW).split("\n")[6:])
    assert kind.sniff(document(cut)) > 0.9


def test_svn_and_plain_diffs() -> None:
    svn = "Index: a.c\n===================================================================\n"
    text = svn + "--- a.c\t(revision 1)\n+++ a.c\t(working copy)\n@@ -1 +1 @@\n-x\n+y\n"
    (file,) = read(text).files
    assert (file.path, file.added, file.removed) == ("a.c", 1, 1)
    assert kind.sniff(document(text)) > 0.9


def test_a_combined_diff_counts_both_sides() -> None:
    text = "diff --cc a.c\nindex 1,2..3\n--- a/a.c\n+++ b/a.c\n@@@ -1,2 -1,2 +1,3 @@@\n  same\n++new\n- old\n +mine\n"
    (file,) = read(text).files
    assert (file.path, file.added, file.removed, file.count) == ("a.c", 2, 1, 1)


@pytest.mark.parametrize(
    "text",
    ["log line\n" * 50 + ONE, "- a list\n- of things\n+ more\n", "", "commit message\n", "=== run\n" + ONE + "result: ok\n" * 50],
)
def test_a_log_that_holds_a_diff_is_none(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


@settings(max_examples=count_examples(60), deadline=None)
@given(st.lists(st.sampled_from([*ONE.split("\n"), *NEW.split("\n"), "@@ -1 +1 @@", "commit 0123456789", ""]), max_size=60))
def test_ranges_are_true_of_any_mixture(rows) -> None:
    text = "\n".join(rows)
    held = document(text, 400)
    for file in read(text).files:
        assert 1 <= file.start <= file.end <= held.lines.total
        assert all(file.start <= hunk.start <= hunk.end <= file.end for hunk in file.hunks)


def test_where_hunks_do_not_fit_a_long_file_is_parted_at_hunks_short_enough_for_one_look() -> None:
    hunk = Hunk(3, 80, 1, 1, "")
    late = Hunk(81, 130, 90, 91, "")
    tall = Hunk(131, 400, 200, 202, "")
    file = FilePatch("src/a.py", 1, 400, hunks=[hunk, late, tall])
    assert list(split_file(file)) == [(1, 80, 1), (81, 130, 91), (131, 250, 202), (251, 370, 202), (371, 400, 202)]


WORDED = """diff --git a/a.md b/a.md
index 1..2 100644
--- a/a.md
+++ b/a.md
@@ -1,6 +1,6 @@
The [-quick-]{+slow+} fox
index this line, no header
{+a whole new line+}
[-a line that is gone-]
--- a rule
last
diff --git a/b.md b/b.md
index 3..4 100644
--- a/b.md
+++ b/b.md
@@ -1 +1,2 @@
same
{+more+}
"""


def test_changed_words_are_counted_by_their_lines() -> None:
    assert kind.sniff(document(WORDED)) == 0.96
    files = DiffReader(worded=True).read(lines.lines_from_bytes(WORDED.encode())).files
    assert [(file.path, file.start, file.added, file.removed) for file in files] == [("a.md", 1, 2, 2), ("b.md", 12, 1, 0)]
    assert "2 files changed, +3 -2, 2 hunks; counted from the hunks" in mapped(WORDED).text


def test_words_told_by_colours_are_changes_too() -> None:
    coloured = WORDED.replace("[-", "\x1b[31m").replace("-]", "\x1b[m").replace("{+", "\x1b[32m").replace("+}", "\x1b[m")
    assert "2 files changed, +3 -2, 2 hunks; counted from the hunks" in mapped(coloured).text


def test_signs_in_a_plain_diff_are_no_marks() -> None:
    plain = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-{+old+}\n+[-new-]\n same\n"
    assert "+1 -1, 1 hunk" in mapped(plain).text


def test_a_patch_may_stand_below_its_raw_form() -> None:
    raw = ":100644 100644 1111111 2222222 M\tsrc/x.py\n" * 4
    assert kind.sniff(document(raw + "\n" + ONE)) == 0.96
