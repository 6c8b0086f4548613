import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import specs as kind
from ctxkit.core.text import lines

MINITEST = """\
Run options: --seed 42

TestCart#test_a = 0.00 s = .

  1) Error:
TestCart#test_total:
ArgumentError: unknown currency ZZZ
    cart.rb:697:in `test_total'

  2) Failure:
TestCart#test_sum [cart.rb:138]:
Expected: 99
  Actual: 2

300 runs, 299 assertions, 1 failures, 1 errors, 0 skips
"""
BEHAVE = """\
  Scenario: pay
    When I pay with a voucher ... undefined in 0.0s
      ASSERT FAILED: 15 != 16
Failing scenarios:
  features/f4.feature:53  add 11
3 features passed, 1 failed, 0 skipped
68 scenarios passed, 1 failed, 1 error, 0 skipped
"""
ROBOT = """\
Pay by card                                                           | PASS |
------------------------------------------------------------------------------
Pay by voucher                                                        | FAIL |
balance 45 is not 1
------------------------------------------------------------------------------
Shop                                                                  | FAIL |
2 tests, 1 passed, 1 failed
"""
EXUNIT = """\
  1) test refunds the card (Shop.CartTest)
     test/cart_test.exs:12
     Assertion with == failed
     code: assert total == 3

12 tests, 1 failure
"""


def document(text, name=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 4_000, name)


def labels(text):
    waiting = [entry for section in kind.outline(document(text))[0].sections for entry in section.entries]
    found = []
    while waiting:
        entry = waiting.pop(0)
        found.append((entry.start, entry.end, entry.label.strip()))
        waiting = [*entry.children, *waiting]
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (MINITEST, [(5, 9, "TestCart#test_total"), (7, 7, "ArgumentError: unknown currency ZZZ")]),
        (BEHAVE, [(5, 5, "features/f4.feature:53  add 11"), (3, 3, "ASSERT FAILED: 15 != 16")]),
        (ROBOT, [(3, 4, "Pay by voucher"), (7, 7, "2 tests, 1 passed, 1 failed")]),
        (EXUNIT, [(1, 5, "test refunds the card (Shop.CartTest)"), (6, 6, "12 tests, 1 failure")]),
    ],
)
def test_failing_tests_have_their_lines_and_messages(text: str, wanted) -> None:
    assert kind_detection.rank_kinds(document(text))[0][0] is kind
    assert [entry for entry in wanted if entry not in labels(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "4 failed",
        "298 passed (14.5s)",
        "Tests: 1 failed, 12 passed",
        "12 successes / 1 failure / 0 errors",
        "68 scenarios passed, 1 failed",
    ],
)
def test_a_line_of_counts_is_recognized(text: str) -> None:
    assert re.fullmatch(kind.COUNTS, text)


@pytest.mark.parametrize("text", ["", "4 files", "we ran 12 tests and then went home", "passed 3", "12 tests"])
def test_other_lines_are_not_counts(text: str) -> None:
    assert not re.fullmatch(kind.COUNTS, text)


@pytest.mark.parametrize(
    "text", ["words\n" * 9, "Udp:\n    3 packets received\n    0 packet receive errors\n    0 send buffer errors\n", "1) first\n2) second\n", "we had 3 failures, 2 errors in May and June\n"]
)
def test_other_text_is_not_a_test_run(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


BUNDLED = """\
\u2718 [ERROR] Could not resolve "./missing.css"

    e1.js:1:86:

\u2718 [ERROR] Could not resolve "twig"

    e2.js:3:1:

2 errors
"""


def test_a_blank_line_before_a_marked_test_is_not_its_line() -> None:
    text = "all.js\n\n\u2718 loads (3 ms)\n\n    \u2718 saves\n\n2 failed\n"
    assert [(start, label) for start, _, label in labels(text)][1:3] == [(3, "loads"), (5, "saves")]


def test_errors_alone_are_not_results_of_tests() -> None:
    assert kind.sniff(document(BUNDLED)) == 0.0


@given(st.text())
def test_any_text_can_be_read(trial, text: str) -> None:
    assert 0 <= kind.sniff(document(text)) <= 1
    trial(kind).check(text)


def test_a_suite_with_the_counts_of_its_tests_is_no_failing_test() -> None:
    names = [label for *_, label in labels(ROBOT)]
    assert "Pay by voucher" in names
    assert "Shop" not in names
