from pathlib import Path

from ctxkit.core.brief.kinds import node_test as kind

LOG = (Path(__file__).parents[3] / "cases/brief/node_test/input").read_text(encoding="utf-8")


def test_failing_tests_stand_below_their_files(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 146: \u2139 fail 7\n" in text
    assert "- Lines 155-275: test/cart.test.js\n  - Lines 155-176: adds item 0\n" in text
    assert "- Lines 288-297: test/pay.test.js\n" in text
    assert "Error: refused" in text


def test_tests_marked_todo_are_no_failures(trial) -> None:
    names = trial(kind).map(LOG).partition("## What else")[0]
    assert "todo one" not in names


def test_a_log_cut_before_its_end_has_the_results_so_far(trial) -> None:
    text = trial(kind).map(LOG.partition("\u2716 totals")[0])
    assert "no closing summary line in this log" in text
    assert "sums up" in text


def test_colours_change_nothing(trial) -> None:
    coloured = LOG.replace("\u2716 adds", "\x1b[31m\u2716 adds").replace("\u2139", "\x1b[34m\u2139")
    assert "adds item 0\n" in trial(kind).map(coloured)
