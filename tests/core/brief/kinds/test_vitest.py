from ctxkit.core.brief.kinds import vitest as kind

RULE = "\u23af" * 10
LOG = f"""\
 RUN  v4.0.0 /work

 \u276f test/box.test.mjs (3 tests | 2 failed) 12ms
     \u00d7 keeps a > b 5ms

{RULE} Failed Tests 2 {RULE}

 FAIL  test/box.test.mjs > box > keeps a > b
 FAIL  test/box.test.mjs > box > keeps c
AssertionError: expected 1 to be 2 // Object.is equality

- Expected
+ Received

 \u276f test/box.test.mjs:5:13
      5|   expect(1).toBe(2)

{RULE}[1/2]\u23af

 Test Files  1 failed (1)
      Tests  2 failed | 1 passed (3)
   Duration  200ms
"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "Tests  2 failed | 1 passed (3)\n" in text
    assert "Lines 8-17: test/box.test.mjs > box > keeps a > b\n" in text
    assert "Lines 9-17: test/box.test.mjs > box > keeps c" in text
    assert "10: AssertionError: expected 1 to be 2" in text
    assert "test/box.test.mjs:5:13" in text


def test_a_log_cut_below_says_so(trial) -> None:
    assert "- no closing summary line in this log\n" in trial(kind).map(LOG[: LOG.index(" Test Files")])
