"""Commits, reflog entries and blamed lines are read as events with their lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.diffs import events
from ctxkit.core.brief.diffs.events import read_history
from ctxkit.core.brief.kind_detection import rank_kinds
from ctxkit.core.text import lines
from tests.core.brief.kinds.test_table import document, mapped

LOG = "".join(
    f"commit {number:040x}\nAuthor: A{number % 2} <a@example.com>\nDate:   Mon Mar {number + 1} 10:00:00 2026 +0000\n\n    Subject {number}\n\n"
    for number in range(20)
)
SHORT = "".join(f"{number:07x} HEAD@{{{number}}}: commit: Subject {number}\n" for number in range(20))
BLAME = "".join(f"{number // 5:08x} (Ann Lee 2026-03-01 10:00:00 +0000 {number + 1}) x = {number}\n" for number in range(20))


@pytest.mark.parametrize(
    ("text", "form", "noun", "lines"),
    [(LOG, "log", "commit", [1, 7, 13]), (SHORT, "short", "entry", [1, 2, 3]), (BLAME, "blame", "line", [1, 2, 3])],
)
def test_each_event_has_its_line(text, form: str, noun: str, lines) -> None:
    history = read_history(document(text).lines, form)
    assert (history.count, history.noun) == (20, noun)
    assert list(history.row_index.lines[:3]) == lines


def test_a_commit_has_its_author_date_and_subject() -> None:
    history = read_history(document(LOG).lines, "log")
    assert (history.first.author, history.first.date, history.first.subject) == ("A0", "Mon Mar 1 10:00:00 2026 +0000", "Subject 0")
    assert history.last.subject == "Subject 19"
    assert history.authors == {"A0": 10, "A1": 10}


def porcelain(names, *, each=False):
    """Return the output for lines from commits of these numbers; with ``each``, that of --line-porcelain."""
    told = set()
    for number, name in enumerate(names, 1):
        yield f"{name:040x} {number} {number} 1"
        if each or name not in told:
            yield f"author Ann {name}\nauthor-mail <a@b>\nauthor-time {1267579071 + name}\nauthor-tz -0800"
            yield f"summary change {name}\nfilename a.c"
        told.add(name)
        yield f"\tsummary of line {number}"


def test_commits_come_by_their_lines_with_author_and_summary() -> None:
    text = "\n".join(porcelain([7] * 30 + [8] * 50 + [7] * 5)) + "\n"
    assert rank_kinds(document(text))[0][0].NAME == "history"
    said = mapped(text).text
    assert "85 lines" in said
    first, second = [row for row in said.split("\n") if "2010-03-03 Ann" in row and ", " in row][:2]
    assert first == f"- Line 67: {f'{8:040x}'[:10]} 2010-03-03 Ann 8, 50 lines: change 8"
    assert second == f"- Line 1: {f'{7:040x}'[:10]} 2010-03-03 Ann 7, 35 lines: change 7"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=50), st.booleans())
def test_every_line_is_counted_for_its_commit(names: list[int], each: bool) -> None:
    data = ("\n".join(porcelain(names, each=each)) + "\n").encode()
    history, origins = events.read_blame(lines.lines_from_bytes(data))
    assert history.count == len(names)
    assert {int(origin.name, 16): origin.lines for origin in origins} == {n: names.count(n) for n in names}
    assert all(origin.summary == f"change {int(origin.name, 16)}" for origin in origins)


def test_other_text_is_none() -> None:
    assert not events.is_porcelain("0a38cba1d9dcfbd713141095582597af700f22e9 subject\nauthor x\n")
    assert not events.is_porcelain(f"{7:040x} 1 2\nno author\n")


@pytest.mark.parametrize(
    ("form", "text", "count", "end"),
    [
        ("short", f"{SHORT}* main\n  other\n{7:040x} commit\trefs/heads/main\n{8:040x} tag\trefs/tags/1.0\n", 20, 20),
        ("short", f"{SHORT} a.c | 2 +-\n 1 file changed, 2 insertions(+)\n", 20, 20),  # of another command
        ("short", SHORT.replace("\n", "\n a.c | 2 +-\n 1 file changed\n") + "* main\n", 20, 60),
        ("short", f"* {9:07x} Merge\n|\\  \n| * {8:07x} Add\n|/  \n{7:040x} refs/heads/main\n", 2, 4),
        ("short", SHORT, 20, 0),
        ("blame", f"{BLAME}On branch main\n", 20, 20),
    ],
)
def test_a_history_ends_where_the_output_of_the_next_command_begins(form: str, text: str, count: int, end: int) -> None:
    history = read_history(document(text).lines, form)
    assert (history.count, history.end) == (count, end)
