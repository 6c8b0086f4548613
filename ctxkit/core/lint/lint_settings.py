"""Parse the linter's settings: rules, paths, severities and token limits."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from ctxkit.core.lint.document.finding import ERROR, INFO, WARNING, LintFinding, Severity
from ctxkit.core.lint.document.globs import matches
from ctxkit.core.lint.document.workspace import LoadSet, TokenLimits
from ctxkit.core.lint.rules.size_limits import SIZE_NAMES
from ctxkit.core.text.json_value import JsonValue

SEVERITIES: dict[str, Severity] = {"info": INFO, "warning": WARNING, "error": ERROR}


class LintSettings(NamedTuple):
    """The linter's settings; rules are given as codes or prefixes of codes.

    ``per_file_ignores`` and ``exclude`` contain patterns as in .gitignore. ``fail_level`` is the lowest severity that
    makes the exit status 1. ``baseline`` is the path of a baseline file.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    fail_level: Severity = WARNING
    baseline: str = ""
    limits: TokenLimits = TokenLimits()
    load_sets: tuple[LoadSet, ...] = ()


def parse_lint_settings(table: Mapping[str, JsonValue]) -> LintSettings:
    """Return the settings of a table; raise ValueError with the name of an invalid key."""
    values: dict[str, JsonValue] = {}
    limits: dict[str, JsonValue] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in _READERS:
            near = get_close_matches(name, _READERS, 1)
            raise ValueError(f"has an unknown key {key!r}" + (f"; did you mean {near[0]}?" if near else ""))
        read = _READERS[name](key, value)
        (limits if name in _LIMITS else values)[_LIMITS.get(name, name)] = read
    return LintSettings(**values, limits=TokenLimits(**limits))


def find_bad_key(table: Mapping[str, JsonValue]) -> str:
    """Return the first invalid key of a table of settings, "" if there is none."""
    for key, value in table.items():
        try:
            parse_lint_settings({key: value})
        except ValueError:
            return key
    return ""


def _parse_words(key: str, value: JsonValue) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError(f"{key} is not a list of words")
    return tuple(value)


def _parse_codes(key: str, value: JsonValue) -> tuple[str, ...]:
    return tuple(word.upper() for word in _parse_words(key, value))


def _parse_by_file(key: str, value: JsonValue) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not a table of patterns")
    return tuple((pattern, _parse_codes(key, codes)) for pattern, codes in value.items())


def _parse_level(key: str, value: JsonValue) -> Severity:
    if value not in SEVERITIES:
        raise ValueError(f"{key} is none of {', '.join(SEVERITIES)}")
    return SEVERITIES[value]


def _parse_text(key: str, value: JsonValue) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{key} is not text")
    return value


def _parse_tokens(key: str, value: JsonValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{key} is not a number of tokens")
    return value


def _parse_budgets(key: str, value: JsonValue) -> dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not a table of paths and tokens")
    return {path: _parse_tokens(f"{key}.{path}", tokens) for path, tokens in value.items()}


def _parse_sizes(key: str, value: JsonValue) -> dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not a table of names and sizes")
    unknown = next((name for name in value if name not in SIZE_NAMES), "")
    if unknown:
        near = get_close_matches(unknown, SIZE_NAMES, 1)
        raise ValueError(f"{key} has an unknown name {unknown!r}" + (f"; did you mean {near[0]}?" if near else ""))
    for name, size in value.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise ValueError(f"{key}.{name} is not a size")
    return dict(value)


def _parse_load_sets(key: str, value: JsonValue) -> tuple[LoadSet, ...]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not a table of names and paths")
    return tuple(LoadSet(name, "", _parse_words(f"{key}.{name}", paths)) for name, paths in value.items())


_READERS = {
    "select": _parse_codes,
    "ignore": _parse_codes,
    "extend_select": _parse_codes,
    "per_file_ignores": _parse_by_file,
    "exclude": _parse_words,
    "fail_level": _parse_level,
    "baseline": _parse_text,
    "file_tokens": _parse_tokens,
    "set_tokens": _parse_tokens,
    "budgets": _parse_budgets,
    "sizes": _parse_sizes,
    "load_sets": _parse_load_sets,
}
_LIMITS = {"file_tokens": "file_tokens", "set_tokens": "set_tokens", "budgets": "by_path", "sizes": "sizes"}


REMOVED_CODES = ("DUP008",)
"""Codes of rules that no longer exist: settings may still name them."""


def find_unknown_code(codes: Sequence[str], rules: Sequence[str]) -> str:
    """Return the first code that matches no rule of this or an earlier release, "" if there is none."""
    known = ("ALL", "DEFAULT", *rules, *REMOVED_CODES)
    return next((code for code in codes if not any(rule.startswith(code) for rule in known)), "")


def drop_ignored(findings: Sequence[LintFinding], settings: LintSettings) -> list[LintFinding]:
    """Return the findings without those that the settings ignore in their files."""
    pairs = settings.per_file_ignores
    return [
        finding for finding in findings if not any(_is_ignored(finding, pattern, codes) for pattern, codes in pairs)
    ]


def _is_ignored(finding: LintFinding, pattern: str, codes: tuple[str, ...]) -> bool:
    return any(code == "ALL" or finding.code.startswith(code) for code in codes) and matches(pattern, finding.path)
