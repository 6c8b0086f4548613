"""Whether a CONTEXT.md keeps to the template and says only what a conversation says; shares no code with ctxkit."""

import re

HEADINGS = ("Task", "Decisions", "Facts", "Pending", "Errors")
BULLETS = 10


def departures(page: str) -> list[str]:
    """Return how a page departs from the template, nothing where it conforms."""
    lines = page.split("\n")
    wrong = [] if lines[0] == "# Context" and page.endswith("\n") else ["the first or the last line"]
    titles = [line[3:] for line in lines if line.startswith("## ")]
    if titles != list(HEADINGS):
        return [*wrong, f"the headings {titles}"]
    for title, rows in bodies(page).items():
        mark = {"Task": "", "Pending": "- [ ] "}.get(title, "- ")
        if len(rows) > (1 if title == "Task" else BULLETS):
            wrong.append(f"{title}: {len(rows)} lines")
        wrong += [f"{title}: {row[:60]}" for row in rows if not row.startswith(mark) or not row[len(mark) :].strip()]
    return wrong


def bodies(page: str) -> dict[str, list[str]]:
    """Return the lines of each section that are not blank."""
    table: dict[str, list[str]] = {}
    for line in page.split("\n"):
        if line.startswith("## "):
            rows = table.setdefault(line[3:], [])
        elif line.strip() and table:
            rows.append(line)
    return table


def bullets(page: str) -> list[str]:
    """Return what the lines of all sections say."""
    return [re.sub(r"^- (\[ \] )?", "", row) for rows in bodies(page).values() for row in rows]
