"""Outlines of a history list its events, or the first of them and runs of the others."""

import pytest

from ctxkit.core.brief.diffs.events import read_history
from ctxkit.core.brief.diffs.history_outline import build_history_outlines
from tests.core.brief.diffs.test_events import LOG
from tests.core.brief.kinds.test_table import document


def test_all_subjects_are_listed_with_less_and_less_detail() -> None:
    held = document(LOG.replace("Subject 7", "Subject 7: read the whole of every answer, and count it"))
    outlines = build_history_outlines("history", read_history(held.lines, "log"), held)
    lists = [outline.sections[1].entries for outline in outlines if outline.sections[1].title.startswith("Events, each")]
    assert [entries[1].label for entries in lists] == ["0000000000 Mar 2 2026 Subject 1", "0000000 Subject 1", *["Subject 1"] * 2]
    assert [entries[7].label for entries in lists[2:]] == [
        "Subject 7: read the whole of every answer, and count it",
        "Subject 7: read the whole of every...",
    ]
    assert {tuple(entry.start for entry in entries) for entries in lists} == {tuple(range(1, 121, 6))}


def test_a_long_log_names_its_first_subjects_and_runs_of_the_others() -> None:
    held = document("".join(LOG.replace("commit 0", f"commit {n % 10}") for n in range(40)), 600)
    outlines = build_history_outlines("history", read_history(held.lines, "log"), held)
    first, rest = next(outline.sections[1:3] for outline in outlines if outline.sections[1].title.startswith("First"))
    assert [entry.label for entry in first.entries[:3]] == ["Subject 0", "Subject 1", "Subject 2"]
    assert rest.entries[0].start == first.entries[-1].start + 6
    assert rest.entries[-1].end == held.lines.total


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
