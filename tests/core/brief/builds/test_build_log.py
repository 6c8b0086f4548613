from ctxkit.core.brief.builds.build_counts import RANGE_LINES
from ctxkit.core.brief.builds.build_log import MAX_CODES, PASSED_TITLE, BuildLog
from ctxkit.core.brief.builds.findings import BuildFinding
from ctxkit.core.brief.builds.reader_state import BuildEvent


def finding(number, path="a.c", code="E1", severity="error"):
    return BuildFinding(path, severity, code, f"message {code}", number, f"{path}:{number}: {code}", number, number)


def test_ranges_are_short_enough_for_one_look() -> None:
    tally = BuildLog()
    for number in range(1, 1_001):
        tally.add(finding(number, path=f"{number % 3}.c"))
    ranges = [chunk for chunks in tally.files.values() for chunk in chunks]
    assert all(chunk.end - chunk.start < RANGE_LINES for chunk in [*ranges, *tally.windows])
    assert sum(chunk.paths.total() for chunk in ranges) == sum(c.paths.total() for c in tally.windows) == 1_000


def test_codes_are_counted_and_the_first_is_kept() -> None:
    tally = BuildLog()
    for number, code in enumerate(("E1", "E2", "E1", "E1"), 1):
        tally.add(finding(number, code=code))
    tally.add(finding(9, code="W1", severity="warning"))
    assert {(g.code, g.count, g.first.number) for g in tally.groups.values()} == {
        ("E1", 3, 1),
        ("E2", 1, 2),
        ("W1", 1, 9),
    }
    assert (tally.errors, tally.warnings, tally.first.number) == (4, 1, 1)


def test_what_is_kept_is_bounded() -> None:
    tally = BuildLog()
    for number in range(1, 3 * MAX_CODES):
        tally.add(finding(number, code=f"E{number}"))
    assert len(tally.groups) == MAX_CODES + 1
    assert sum(group.count for group in tally.groups.values()) == 3 * MAX_CODES - 1


def test_closing_lines_of_the_same_words_are_counted() -> None:
    tally = BuildLog()
    for number in range(1, 6):
        tally.add(BuildEvent("closing", number, f"make: *** [Makefile:{number}: x{number}.o] Error 1"))
    assert len(tally.closings) <= 5
    assert sum(one.count for one in tally.closings.values()) == 5


def test_lines_skipped_together_count_as_those_taken_one_by_one() -> None:
    rows = [f"words of line {'that failed ' if number % 70 == 0 else ''}here" for number in range(1, 500)]
    one, many = BuildLog(), BuildLog()
    for number, row in enumerate(rows, 1):
        one.add(BuildEvent("other", number, row))
    many.add_skipped(1, rows[:130])
    many.add_skipped(131, rows[130:])
    assert many.others == one.others
    assert len(many.others) == 5


def test_passed_checks_form_one_range_of_any_length() -> None:
    log = BuildLog()
    for number in range(1, 501):
        log.add(BuildEvent("passed", number, "PASSED for resource: a"))
    assert [(other.title, other.start, other.end) for other in log.others] == [(PASSED_TITLE, 1, 500)]


def test_the_example_of_a_code_is_the_finding_furthest_above_its_limit() -> None:
    log = BuildLog()
    for number, measure in enumerate((20, 50, 31), 1):
        message = f"Function 'f' has a complexity of {measure}. Maximum allowed is 15"
        log.add(BuildFinding("a.js", "error", "complexity", message, number, message, number, number))
    assert [group.example.number for group in log.groups.values()] == [2]


def test_a_message_that_comes_after_the_lines_below_it_begins_their_range() -> None:
    log = BuildLog()
    for number in (2, 3, 1):
        log.add(BuildEvent("other", number, "words"))
    assert [(other.start, other.end, other.lines) for other in log.others] == [(1, 3, 3)]
