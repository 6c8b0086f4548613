"""Logs with one JSON object per line, outlined like plain logs by their levels and messages."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.templates import NORMAL, Template, TemplateCounter
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace

SAMPLE = 200
"""Number of rows read to detect a log."""
STRING = r'\s*:\s*"(?P<said>(?:[^"\\]|\\.)*)"'
MESSAGE = compile_lazily(rf'"(?:msg|message|@message|@m|log|MESSAGE)"{STRING}')
EVENT = compile_lazily(rf'"event"{STRING}')
"""Pattern of the message of structlog; of other loggers, it is a class of messages."""
LEVEL = compile_lazily(
    r'"(?:level|lvl|severity|levelname|log\.level|log_level|level_name|loglevel|@l|PRIORITY)"\s*:\s*"?(?P<said>\w+)"?'
)
TIME = compile_lazily(
    r'"(?:time|timestamp|@timestamp|ts|date|datetime|asctime|created|@t|t|__REALTIME_TIMESTAMP)"\s*:\s*'
    r'(?:"(?P<said>[^"]{4,40})"|(?P<number>\d{9,19}(?:\.\d+)?))'
)
"""Keys of common loggers (zap, zerolog, logrus, bunyan, pino, structlog, ECS, journald)."""
NUMBERS = {"10": "TRACE", "20": "DEBUG", "30": "INFO", "40": "WARN", "50": "ERROR", "60": "FATAL"}
"""Numeric levels of bunyan and pino."""
JOURNAL = {
    "0": "EMERG",
    "1": "ALERT",
    "2": "CRIT",
    "3": "ERROR",
    "4": "WARNING",
    "5": "NOTICE",
    "6": "INFO",
    "7": "DEBUG",
}
"""Numeric levels of syslog."""


def is_log(rows: Sequence[str]) -> bool:
    """Return whether nearly all rows are objects with a message and a time."""
    rows = [row for row in rows[:SAMPLE] if row.strip()]
    good = sum(
        row.lstrip()[:1] == "{" and _find_message(row) is not None and TIME.search(row) is not None for row in rows
    )
    return len(rows) >= 5 and good >= 0.9 * len(rows)


def build_json_log_outlines(document: InputDocument) -> Sequence[Outline] | None:
    """Return the outlines of a JSON log, or None if the rows are not log rows; messages are quoted verbatim."""
    from ctxkit.core.brief.logs.sections import make_section_layouts

    if not is_log(document.head.split("\n")[: SAMPLE + 1][:-1]):
        return None
    templates, times = _count_messages(document)
    forms = sorted((_strip_level(form) for form in templates.iter_templates()), key=lambda form: form.first)
    top = Section("", tuple(_make_top_entries(forms, times, document)), noun="lines")
    bad = min(forms, key=lambda form: (form.severity, form.first), default=None)
    example = (bad.first, min(bad.first + 9, document.lines.total)) if bad and bad.severity < NORMAL else None
    return [
        Outline("jsonl", tuple(section for section in (top, *layout) if section.entries), example=example)
        for layout in make_section_layouts(forms, document)
    ]


def _count_messages(document: InputDocument) -> tuple[TemplateCounter, list[tuple[int, str]]]:
    """Count the messages of the document; also return the first and the last time with their lines."""
    templates, number = TemplateCounter(), 1
    times: list[tuple[int, str]] = []
    for block in document.lines.blocks():
        rows = block.split("\n")
        messages = [_format_row(row) for row in rows]
        templates.add_lines("\n".join(messages), messages, number)
        for at in (0, len(rows) - 1):
            match = TIME.search(rows[at])
            if match:
                times = [*times[:1], (number + at, match["said"] or match["number"])]
        number += len(rows)
    return templates, times


def _find_message(row: str) -> "re.Match[str] | None":
    return MESSAGE.search(row) or EVENT.search(row)


def _format_row(row: str) -> str:
    """Return the level and the message of a row, like a line of a plain log, or the row if it has no message."""
    message, level = _find_message(row), LEVEL.search(row)
    if not message:
        return row
    name = level["said"].upper() if level else ""
    name = NUMBERS.get(name) or JOURNAL.get(name) or name
    return f"{name or '-'} {message['said']}"


def _strip_level(form: Template) -> Template:
    """Return a form with its message alone, which occurs in the row."""
    return form if form.text[:1] in "{[" else replace(form, text=form.text.partition(" ")[2])


def _make_top_entries(
    forms: Sequence[Template], times: Sequence[tuple[int, str]], document: InputDocument
) -> Iterator[Entry]:
    """Yield entries on the whole log: time span, levels and keys."""
    if len(times) == 2:
        yield Entry(f"{times[0][1]} to {times[1][1]}", times[0][0], times[1][0])
    levels: dict[tuple[int, str], int] = {}
    for form in forms:
        place = (form.severity if form.level else NORMAL + 1, form.level or "none")
        levels[place] = levels.get(place, 0) + form.count
    level_counts = ", ".join(f"{name} {levels[severity, name]:,}" for severity, name in sorted(levels))
    yield Entry(f"a log of one JSON object a line, by level: {level_counts}")
    keys = dict.fromkeys(re.findall(r'"((?:[^"\\]|\\.){1,40})"\s*:', document.lines.at(1)[:2_000]))
    yield Entry(f"keys of the first row: {', '.join(list(keys)[:20])}; quoted below are messages alone", 1, 1)
