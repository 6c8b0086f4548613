"""Commits, reflog entries and blamed lines are read as events with their lines."""

import pytest

from ctxkit.core.brief.diffs.events import build_history_outlines, read_history
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


def test_outlines_go_from_all_events_to_long_runs() -> None:
    held = document(LOG)
    outlines = build_history_outlines("history", read_history(held.lines, "log"), held)
    titles = [outline.sections[1].title for outline in outlines]
    assert titles[0] == "Events"
    assert titles[-1] == "Runs"
    assert len(outlines[0].sections[1].entries) == 20


@pytest.mark.parametrize("form", ["short", "log"])
def test_branches_and_tags_are_listed_with_their_lines(form: str) -> None:
    start, below = ("", "") if form == "short" else ("commit ", "Author: A <a@b>\nDate:   now\n\n    ")
    marks = {0: " (HEAD -> main, origin/main)", 40: " (tag: 1.2)", 41: " (see above)"}
    text = "".join(f"{start}{n * 7919 % 65_536:07x}{marks.get(n, '')} {below}subject {n}\n" for n in range(300))
    held = document(text.replace(" Author", "\nAuthor"))
    outline = build_history_outlines("history", read_history(held.lines, form), held)[-1]
    refs = next(section for section in outline.sections if section.title.startswith("Branches"))
    step = 1 if form == "short" else 5
    assert [(entry.label, entry.start) for entry in refs.entries] == [("HEAD -> main, origin/main", 1), ("tag: 1.2", 40 * step + 1)]


def test_one_commit_has_its_author_and_the_summary_of_its_changes() -> None:
    held = document(LOG[: LOG.index("commit", 9)] + " a.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n")
    labels = [entry.label for entry in build_history_outlines("history", read_history(held.lines, "log"), held)[-1].sections[0].entries]
    assert labels[0] == "1 commit of Mon Mar 1 10:00:00 2026 +0000 by A0"
    assert labels[1] == "1 file changed, 1 insertion(+), 1 deletion(-)"
