import pytest

from ctxkit.core.brief.diffs import replacements
from ctxkit.core.brief.diffs.replacements import make_exceptions
from ctxkit.core.text.lines import lines_from_bytes

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
    monkeypatch.setattr(replacements, "MAX_PAIRS", 12)
    assert describe(text) == ("", [])
