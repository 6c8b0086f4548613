"""Outline logs of JSON objects: templates of their messages, sections by time, and rare lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.log_detection import find_timestamp
from ctxkit.core.brief.logs.templates import ERROR, LEVELS, NORMAL, SUSPECT, WARN, Template, TemplateCounter
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.vocabulary import Tokenizer

SAMPLE = 200
"""Number of rows read to detect a log."""
_STRING = r'\s*:\s*"(?P<said>(?:[^"\\]|\\.)*)"'
_MESSAGE = compile_lazily(rf'"(?:msg|message|@message|@m|log|MESSAGE)"{_STRING}')
_EVENT = compile_lazily(rf'"event"{_STRING}')
"""Pattern of the message of structlog; of other loggers, it is a class of messages."""
_LEVEL = compile_lazily(
    r'"(?:level|lvl|severity|levelname|log\.level|log_level|level_name|loglevel|@l|PRIORITY)"\s*:\s*"?(?P<said>\w+)"?'
)
_TIME = compile_lazily(
    r'"(?:time|timestamp|@timestamp|ts|date|datetime|asctime|created|@t|t|__REALTIME_TIMESTAMP)"\s*:\s*'
    r'(?:"(?P<said>[^"]{4,40})"|(?P<number>\d{9,19}(?:\.\d+)?))'
)
"""Keys of common loggers (zap, zerolog, logrus, bunyan, pino, structlog, ECS, journald)."""
_NUMBERS = {"10": "TRACE", "20": "DEBUG", "30": "INFO", "40": "WARN", "50": "ERROR", "60": "FATAL"}
"""Numeric levels of bunyan and pino."""
_JOURNAL = {
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
        row.lstrip()[:1] == "{" and _find_message(row) is not None and _TIME.search(row) is not None for row in rows
    )
    return len(rows) >= 5 and good >= 0.9 * len(rows)


def build_json_log_outlines(document: InputDocument) -> Sequence[Outline] | None:
    """Return the outlines of a JSON log, or None if the rows are not log rows; messages are quoted verbatim."""
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
            match = _TIME.search(rows[at])
            if match:
                times = [*times[:1], (number + at, match["said"] or match["number"])]
        number += len(rows)
    return templates, times


def _find_message(row: str) -> "re.Match[str] | None":
    return _MESSAGE.search(row) or _EVENT.search(row)


def _format_row(row: str) -> str:
    """Return the level and the message of a row, like a line of a plain log, or the row if it has no message."""
    message, level = _find_message(row), _LEVEL.search(row)
    if not message:
        return row
    name = level["said"].upper() if level else ""
    name = _NUMBERS.get(name) or _JOURNAL.get(name) or name
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


RARE = 2
"""Maximum number of occurrences for a form to be rare."""
_SHARE = 45
"""Maximum percentage of the target for quoted rare lines; more of them are indexed instead."""
_QUOTED_WIDTH = 200
"""Maximum number of characters quoted from a line."""
_ONE_WORD = compile_lazily(r"\W*\w*\W*\Z")
_MAX_ENTRIES = 1_000
"""Maximum number of entries of a section; the others are given as one range."""


def make_section_layouts(forms: Sequence[Template], document: InputDocument) -> Iterator[tuple[Section, ...]]:
    """Yield the sections with all forms quoted, and if the rare ones take too much space, a version with an index."""
    yield tuple(_make_sections(forms))
    rare = [form for form in forms if form.count <= RARE]
    room = document.target * _SHARE // 100
    quoted = "\n".join(f"- {form.first}: {form.text[:_QUOTED_WIDTH]}" for form in rare[:room])
    if rare and document.count(quoted) > room:
        yield tuple(_make_indexed_sections(forms, rare, document))


def _make_sections(forms: Sequence[Template]) -> Iterator[Section]:
    """Yield sections of the forms, the worst first; of normal forms, the rare before the frequent."""
    bad = [form for form in forms if form.severity <= ERROR]
    signs = [form for form in forms if form.severity == SUSPECT]
    warned = [form for form in forms if form.severity == WARN]
    rare = [form for form in forms if form.severity == NORMAL and form.count <= RARE]
    often = [form for form in forms if form.severity == NORMAL and form.count > RARE]
    often.sort(key=lambda form: (-form.count, form.first))
    yield make_section("Errors and worse", bad, [0] + [2] * 2 + [3] * 3 + [4] * 14, 6)
    yield make_section(_format_signs_title(signs), signs, [1 if bad else 0] + [3] * 3 + [4] * 5, 7)
    yield make_section("Warnings", warned, [3] * 2 + [5] * 6, 7)
    yield make_section(f"Rare (at most {RARE}x)", rare, [2] * 4 + [3] * 4 + [4] * 4 + [6] * 30, 8)
    yield make_section("Frequent", often, [5] * 10, 9)


def _make_indexed_sections(
    forms: Sequence[Template], rare: Sequence[Template], document: InputDocument
) -> Iterator[Section]:
    """Yield shorter sections of the forms, with an index of all rare ones before the frequent ones."""
    bad = [form for form in forms if form.severity <= ERROR]
    signs = [form for form in forms if form.severity == SUSPECT]
    warned = [form for form in forms if form.severity == WARN and form.count > RARE]
    often = [form for form in forms if form.severity == NORMAL and form.count > RARE]
    often.sort(key=lambda form: (-form.count, form.first))
    yield make_section("Errors and worse", bad, [0, 1] + [3] * 3, 7)
    yield make_section(_format_signs_title(signs), signs, [1 if bad else 0, 1] + [4] * 2, 8)
    yield make_index(format_index_title(rare), rare, document.count, document.target * _SHARE // 100, 2)
    yield make_section("Warnings", warned, [5] * 4, 8)
    yield make_section("Frequent", often, [5] * 10, 9)


def _format_signs_title(signs: Sequence[Template]) -> str:
    """Return the title of lines with words of failure, of which none states the level of an error."""
    return "Trouble without an error level" if any(form.level for form in signs) else "Trouble without a level"


def format_index_title(rare: Sequence[Template]) -> str:
    """Return the title of an index of the rare forms."""
    return f"Rare (at most {RARE}x), by line: {pluralize(len(rare), 'form')}, with words that tell them apart"


def make_section(title: str, forms: Sequence[Template], early: Sequence[int], late: int) -> Section:
    """Return a section of forms: the first ones with the ranks in ``early``, all others with rank ``late``."""
    forms = sorted(forms, key=_is_bare)
    ranks = [*early, *([late] * (len(forms) + 1))]
    entries = [_make_entry(form, rank) for form, rank in zip(forms[:_MAX_ENTRIES], ranks, strict=False)]
    rest = forms[_MAX_ENTRIES:]
    if rest:
        last = max(form.last for form in rest)
        entries.append(Entry(f"{len(rest):,} forms more", min(form.first for form in rest), last, ranks[0]))
    total = sum(form.count for form in forms)
    heading = f"{title}: {pluralize(len(forms), 'form')}, {pluralize(total, 'line')}"
    return Section(heading, tuple(entries), noun="forms")


def _is_bare(form: Template) -> bool:
    """Return whether a line states a level and nothing else, as the blank lines of a message of Maven do."""
    return bool(form.level) and _ONE_WORD.match(form.text) is not None


def _make_entry(form: Template, rank: int) -> Entry:
    """Return an entry with the first line of a form, and its count if there are more."""
    text = clean_line(form.text, hidden=form.hidden)
    example = Entry(text, form.first, form.first, rank, verbatim=True)
    if form.count == 1:
        return example
    return Entry(f"{form.count:,}x, such as", form.first, form.last, rank, children=(example,))


_SPAN, _TOGETHER = 120, 12
"""Maximum number of lines covered by an index entry, and maximum number of forms in it."""
_NAMED = 6
"""Maximum number of forms whose words are shown for a dense group."""
_WORDS = (8, 5, 3, 2, 1, 0)
"""Numbers of words per form, for shorter and shorter indexes; 0 shows only the number of forms."""
_WIDEST = 24
"""Maximum number of characters of a word."""
_COMMON = 3
"""Inverse of the share of forms above which a word is too common to show."""
_MOST = 4_000
"""Maximum number of indexed forms; the others are given as one range."""


def make_index(title: str, forms: Sequence[Template], count: Tokenizer, room: int, rank: int) -> Section:
    """Return an index of ``forms`` of at most about ``room`` tokens, with as many words of each as fit."""
    forms = sorted(forms, key=lambda form: form.first)
    groups = list(_group_neighbours(forms[:_MOST]))
    words_by_form = _select_words(forms[:_MOST])
    entries: list[Entry] = []
    for words in _WORDS:
        entries = [_make_rare_entry(group, words_by_form, words, rank) for group in groups]
        if count("\n".join(f"- Lines {entry.start}-{entry.end}: {entry.label}" for entry in entries)) <= room:
            break
    rest = forms[_MOST:]
    if rest:
        entries.append(Entry(f"{len(rest):,} forms more", rest[0].first, max(form.last for form in rest), rank))
    return Section(title, tuple(entries), noun="ranges")


def _group_neighbours(forms: Sequence[Template]) -> Iterator[list[Template]]:
    """Yield groups of neighbours for one entry each: a dense group of any size, or else at most TOGETHER forms."""
    group: list[Template] = []
    for form in [*forms, None]:
        if group and (form is None or form.first - group[0].first >= _SPAN):
            step = len(group) if _is_dense(group) else _TOGETHER
            yield from (group[at : at + step] for at in range(0, len(group), step))
            group = []
        if form is not None:
            group.append(form)


def _is_dense(group: Sequence[Template]) -> bool:
    """Return whether most lines between the first and the last form of the group are first lines of forms."""
    return len(group) > _TOGETHER and len(group) * 2 > group[-1].first - group[0].first


def _select_words(forms: Sequence[Template]) -> dict[int, list[str]]:
    """Return the words of each form by its first line, without words that many forms share."""
    words = {form.first: list(_split_words(form.text)) for form in forms}
    many = Counter(word for row in words.values() for word in dict.fromkeys(row))
    most = max(len(forms) // _COMMON, 2)
    return {first: [word for word in row if many[word] <= most] or row[-2:] for first, row in words.items()}


def _split_words(text: str) -> Iterator[str]:
    """Yield the words after the timestamp and the level of a line, except words with a digit."""
    match = find_timestamp(text)
    rest = text[match.end() :] if match else text
    for word in (rest if rest.isprintable() else strip_escapes(rest)).split():
        bare = word.strip("[](){}<>:;,.\"'|=*-")
        if bare and bare.upper() not in LEVELS and not any(char.isdigit() for char in bare):
            yield bare[:_WIDEST]


def _make_rare_entry(group: Sequence[Template], words_by_form: dict[int, list[str]], words: int, rank: int) -> Entry:
    if not words:
        return Entry(pluralize(len(group), "form"), group[0].first, group[-1].first, rank)
    if _is_dense(group):
        few = (" ".join(words_by_form[form.first][:words]) for form in group[:: -(-len(group) // _NAMED)])
        label = f"{len(group)} forms, most lines another: {'; '.join(few)}"
        return Entry(label, group[0].first, group[-1].first, rank)
    if len(group) == 1:
        return Entry(" ".join(words_by_form[group[0].first][:words]) or "1 form", group[0].first, group[0].first, rank)
    named = (f"{form.first} {' '.join(words_by_form[form.first][:words])}".rstrip() for form in group)
    return Entry("; ".join(named), group[0].first, group[-1].first, rank)
