"""Rules of the user for content of their own: a kind by the name, headings and errors by patterns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.quantity import pluralize

MAX_CHARACTERS = 500
"""Number of characters at the beginning of a line that patterns are matched against."""
MAX_PATTERNS, MAX_PATTERN = 50, 500
"""Maximum number of patterns and globs of a rule, and of characters of each."""
MAX_ENTRIES = 2_000
"""Maximum number of headings, and of errors, that are stored; the others are given as a range."""
FIRST_ERRORS, EARLY_ERRORS = 10, 40
"""Number of errors that precede everything else, and number that rank with the first entries."""
LABEL = 120


class KindRule(NamedTuple):
    """Hold a rule: globs of names, the kind of matching content, and patterns of its headings and errors.

    ``target`` is the maximum number of tokens of a map of it, 0 for the usual one.
    """

    name: str
    match: tuple[str, ...] = ()
    content_type: str = ""
    headings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    target: int = 0

    def matches(self, name: str) -> bool:
        """Return whether a glob matches a command line or a path, with or without the directory of its first word."""
        program, blank, rest = name.partition(" ")
        names = (name, program.rpartition("/")[2] + blank + rest)
        return any(fnmatchcase(form, glob) for form in names for glob in self.match)


def parse_kind_rules(value: Mapping[str, JsonValue]) -> tuple[KindRule, ...]:
    """Return the rules of a table of settings; raise ValueError if one is invalid."""
    return tuple(_parse_rule(name, table) for name, table in value.items())


def _parse_rule(name: str, table: object) -> KindRule:
    if not isinstance(table, Mapping):
        raise ValueError(f"has {name[:80]!r}, which is not a table")
    keys = {"match", "type", "headings", "errors", "target"}
    if unknown := sorted(set(table) - keys):
        raise ValueError(f"has the unknown key {name[:80]}.{unknown[0][:80]}; known are {', '.join(sorted(keys))}")
    match, headings, errors = (_read_texts(name, key, table.get(key, ())) for key in ("match", "headings", "errors"))
    content_type = table.get("type", "")
    if not match:
        raise ValueError(f"needs {name[:80]}.match, a glob of commands or names")
    target = _check_target(name, table.get("target", 0))
    if not isinstance(content_type, str) or not (content_type or headings or errors or target):
        raise ValueError(f"needs a type, headings, errors or a target in {name[:80]}")
    for pattern in (*headings, *errors):
        _check_pattern(name, pattern)
    return KindRule(name, match, content_type, headings, errors, target)


def _check_target(name: str, target: object) -> int:
    if not isinstance(target, int) or isinstance(target, bool) or not 0 <= target < 1 << 31:
        raise ValueError(f"needs a number of tokens in {name[:80]}.target")
    return target


def _read_texts(name: str, key: str, value: object) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) and text for text in texts):
        raise ValueError(f"needs a text or a list of texts in {name[:80]}.{key}")
    if len(texts) > MAX_PATTERNS or any(len(text) > MAX_PATTERN for text in texts):
        raise ValueError(f"has more than {MAX_PATTERNS} texts, or longer ones than {MAX_PATTERN}, in {name[:80]}.{key}")
    return tuple(texts)


def _check_pattern(name: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"has a pattern in {name[:80]} that cannot be read, {pattern[:80]!r}: {error}") from None


def find_kind_rule(rules: Sequence[KindRule], name: str) -> KindRule | None:
    """Return the first rule that matches a name, or None."""
    return next((rule for rule in rules if rule.matches(name)), None)


def apply_kind_rule(outlines: Sequence[Outline], document: InputDocument, rule: KindRule) -> Sequence[Outline]:
    """Return outlines that begin with the errors and headings that a rule finds in the document."""
    if not rule.headings and not rule.errors:
        return outlines
    headings, errors = _find_lines(document, rule)
    sections = (*_make_error_section(rule, errors), *_make_heading_section(rule, headings, document.lines.total))
    return [replace(outline, sections=(*sections, *outline.sections)) for outline in outlines]


class MatchingLines:
    """Collect the lines that match patterns: the first with their text, the number of all, and the last."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [re.compile(pattern) for pattern in patterns]
        self.count = self.last = 0
        self.rows: list[tuple[int, str]] = []

    def add_if_match(self, number: int, text: str) -> None:
        """Add a line if the beginning of it matches one of the patterns."""
        if not any(pattern.search(text) for pattern in self._patterns):
            return
        self.count += 1
        self.last = number
        if len(self.rows) < MAX_ENTRIES:
            self.rows.append((number, text))


def _find_lines(document: InputDocument, rule: KindRule) -> tuple[MatchingLines, MatchingLines]:
    headings, errors = MatchingLines(rule.headings), MatchingLines(rule.errors)
    for number, line in document.lines.enumerate_lines():
        text = clean_line(line[:MAX_CHARACTERS], MAX_CHARACTERS) if "\x1b" in line else line[:MAX_CHARACTERS]
        headings.add_if_match(number, text)
        errors.add_if_match(number, text)
    return headings, errors


def _make_error_section(rule: KindRule, errors: MatchingLines) -> Iterator[Section]:
    if not rule.errors:
        return
    ranks = [-1] * FIRST_ERRORS + [0] * (EARLY_ERRORS - FIRST_ERRORS) + [4] * MAX_ENTRIES
    rows = [quote(number, text, rank=rank) for (number, text), rank in zip(errors.rows, ranks, strict=False)]
    if errors.count > len(rows):
        rows.append(Entry(pluralize(errors.count - len(rows), "more error"), rows[-1].start + 1, errors.last, -1))
    if not rows:
        rows = [Entry("no line matches", rank=-1)]
    yield Section(f"Errors by the rule {rule.name}: {pluralize(errors.count, 'line')}", tuple(rows), "errors")


def _make_heading_section(rule: KindRule, headings: MatchingLines, total: int) -> Iterator[Section]:
    if not headings.rows:
        return
    after = headings.last if headings.count > MAX_ENTRIES else total + 1
    ends = [number - 1 for number, _ in headings.rows[1:]] + [after - 1]
    rows = [
        Entry(clean_line(text, LABEL), number, end) for (number, text), end in zip(headings.rows, ends, strict=True)
    ]
    yield Section(f"Headings by the rule {rule.name}: {headings.count:,}", tuple(rows), "headings")
