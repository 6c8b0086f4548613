from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import tap as kind
from ctxkit.core.text import lines

LOG = """\
TAP version 13
# Subtest: box
    ok 1 - is fine
    not ok 2 - keeps a
      ---
      location: '/work/box.cjs:5:3'
      error: '1 == 2'
      ...
    not ok 3 - some day # TODO later
    1..3
not ok 1 - box
  ---
  error: '1 subtest failed'
  ...
1..1
# tests 3
# pass 1
# fail 1
"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 18: # fail 1\n" in text
    assert "Lines 4-8: keeps a\n" in text
    assert "  - 7:       error: '1 == 2'\n" in text
    assert "/work/box.cjs:5:3" in text
    assert "Lines 11-14: box\n" in text
    assert "some day" not in text


def test_the_summary_of_bats_is_one(trial) -> None:
    text = trial(kind).map("1..2\nok 1 - a\nnot ok 2 - b\n# x failed\n\n2 tests, 1 failure, 0 skipped\n")
    assert "- 6: 2 tests, 1 failure, 0 skipped\n" in text
    assert "no closing summary line" not in text


def test_bailing_out_is_quoted_and_no_summary_is_made_up(trial) -> None:
    text = trial(kind).map("TAP version 13\nok 1 - a\nnot ok 2 - b\nBail out! no disk\n")
    assert "- 4: Bail out! no disk\n" in text
    assert "- no closing summary line in this log\n" in text


def test_an_error_of_perl_is_quoted() -> None:
    text = "ok 1 - a\nnot ok 2 - b\nsyntax error at t/b.t line 1, near x\nParse errors: Bad plan.\n1..2\nResult: FAIL\n"
    content = lines.lines_from_bytes(text.encode())
    outlines = kind.outline(InputDocument(content, content.read, len, 2_000))
    quoted = {entry.start for section in outlines[0].sections for entry in section.entries if entry.verbatim}
    assert {3, 4} <= quoted


def test_the_block_of_node_tap_gives_the_difference_and_no_frame(trial) -> None:
    block = ["not ok 1 - same # time=3.1ms", "  ---", "  at:", "    fileName: a.mjs", "  diff: |", "    --- expected"]
    block += ["    +++ actual", "    @@ -1,1 +1,1 @@", "    -4", "    +0", "  ...", "1..1", "# { total: 1, pass: 0, fail: 1 }"]
    text = trial(kind).map("\n".join(["TAP version 14", *block]))
    assert "- 14: # { total: 1, pass: 0, fail: 1 }\n" in text
    assert ": same\n" in text
    assert [row for _, row in kind._find_message(list(enumerate(block[1:-2], 3)))] == ["    -4", "    +0"]
    assert kind._find_message([(3, "  ---"), (4, "  at:"), (5, "    fileName: a.mjs"), (6, "  ...")]) == []
