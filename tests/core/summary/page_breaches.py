"""Whether a page keeps to the template."""

from collections.abc import Iterator, Sequence

from ctxkit.core.summary.template import MARKUP, MAX_BULLETS, SECTIONS, TITLE, Section, normalize_line


def find_breaches(text: str) -> tuple[str, ...]:
    """Return the deviations of a text from the template, one sentence each.

    Sections added by hand are not deviations.
    """
    return tuple(_find_breaches(text))


def _find_breaches(text: str) -> Iterator[str]:
    lines = list(_blank_fenced_lines(text.split("\n")))
    if not lines or lines[0] != TITLE:
        yield f"it does not begin with {TITLE}"
    headings = [line[3:] for line in lines if line.startswith("## ") and line[3:] in SECTIONS]
    if tuple(headings) != SECTIONS:
        yield f"its sections are {', '.join(headings) or 'none'}, not {', '.join(SECTIONS)}"
    if not text.endswith("\n"):
        yield "it does not end in a newline"
    if markup := MARKUP.search(text):
        yield f"it holds the mark {markup[0]}"
    for section in SECTIONS:
        if section in headings:
            yield from _find_faults(section, _section_lines(lines, section))


def _blank_fenced_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a text with code blocks replaced by blank lines."""
    fence = ""
    for line in lines:
        mark = next((sign * 3 for sign in "`~" if line.lstrip(" ").startswith(sign * 3)), "")
        yield "" if fence or mark else line
        fence = ("" if mark == fence else fence) if fence else mark


def _section_lines(lines: Sequence[str], section: Section) -> list[str]:
    """Return the lines of a section up to the first blank line after content."""
    at = lines.index(f"## {section}") + 1
    body: list[str] = []
    for line in lines[at:]:
        if line.startswith("#") or (not line and body):
            break
        body += [line] if line else []
    return body


def _find_faults(section: Section, body: Sequence[str]) -> Iterator[str]:
    max_lines = 1 if section == "Task" else MAX_BULLETS
    if len(body) > max_lines:
        yield f"{section} has {len(body)} lines, more than {max_lines}"
    mark = {"Task": "", "Pending": "- [ ] "}.get(section, "- ")
    for line in body:
        words = line.removeprefix(mark)
        if not line.startswith(mark) or not words.strip():
            yield f"{section} has a line that does not begin with {mark.strip()} and say something: {line[:60]}"
        elif section == "Task" and normalize_line(words) != words:
            yield f"{section} is no sentence: {line[:60]}"
        elif section != "Pending" and words.startswith("[ ] "):
            yield f"{section} has a box: {line[:60]}"
