from ctxkit.core.brief.diffs.word_marks import is_worded, mark_colours


def test_marked_words_are_told_from_marked_lines() -> None:
    assert is_worded("--- a/x\n+++ b/x\n@@ -1 +1 @@\nthe [-old-]{+new+} word and [-a-]{+b+}\n")
    assert not is_worded("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n+more\n")


def test_coloured_words_get_marks() -> None:
    assert mark_colours("the \x1b[31mold\x1b[m\x1b[32mnew\x1b[m word") == "the [-old-]{+new+} word"
