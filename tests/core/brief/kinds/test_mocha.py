from ctxkit.core.brief.kinds import mocha as kind

LOG = """\

  box
    \u2714 is fine
    1) keeps a
    inner
      2) keeps: b


  1 passing (4ms)
  2 failing

  1) box
       keeps a:

      AssertionError [ERR_ASSERTION]: 1 == 2
      + expected - actual

      -1
      +2

      at Context.<anonymous> (test/box.cjs:5:12)
      at process.processImmediate (node:internal/timers:476:21)

  2) box
       inner
         keeps: b:
     TypeError: no such thing
      at Context.<anonymous> (test/box.cjs:9:12)

"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 9:" in text
    assert "- 10: 2 failing\n" in text
    assert "Lines 12-23: box keeps a\n" in text
    assert "Lines 24-29: box inner keeps: b\n" in text
    assert "15:       AssertionError [ERR_ASSERTION]: 1 == 2\n" in text
    assert "TypeError: no such thing\n" in text
    assert "(test/box.cjs:9:12)" in text


def test_a_log_cut_before_its_counts_is_known_by_its_marks(trial) -> None:
    text = trial(kind).map("\n\n  box\n    \u2714 opens\n    1) closes\n    \u2714 holds (23ms)\n")
    assert "- 5: closes" in text
    assert "no closing summary line in this log" in text


def test_a_log_of_nodes_own_runner_is_not_taken_for_it(trial) -> None:
    assert trial(kind).known("\u25b6 box\n    \u2714 opens (0.51ms)\n    \u2714 shuts (1.20ms)\n") != "mocha"


def test_many_failures_of_suites_stand_below_their_files(trial) -> None:
    rows = ["  0 passing (3ms)", "  60 failing", ""]
    for number in range(60):
        rows += [f"  {number + 1}) suite{number % 6}", f"       case {number}:", "", f"      AssertionError: {number} != 0"]
        rows += [f"      at Context.<anonymous> (test/mod{number % 6}.js:{number + 1}:9)", ""]
    text = trial(kind).map("\n".join(rows), 1_500)
    assert [name for name in (f"test/mod{number}.js" for number in range(6)) if name not in text] == []
