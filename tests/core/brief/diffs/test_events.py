"""Commits, reflog entries and blamed lines are read as events with their lines."""

import pytest

from ctxkit.core.brief.diffs.events import read_history
from tests.core.brief.kinds.test_table import document

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
