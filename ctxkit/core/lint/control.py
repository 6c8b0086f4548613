"""What the settings say of linting: which rules, where, how hard, and what may be spent."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.globs import matches
from ctxkit.core.lint.load_set import LoadSet
from ctxkit.core.lint.rule import ERROR, INFO, WARNING, Severity
from ctxkit.core.lint.workspace import Limits

LEVELS: dict[str, Severity] = {"info": INFO, "warning": WARNING, "error": ERROR}


class Control(NamedTuple):
    """Hold what the settings say; every name of a rule is a code or the beginning of one.

    ``per_file_ignores`` and ``exclude`` have patterns as .gitignore has them. ``fail_level`` is the least severity
    that makes the status 1. ``baseline`` is the path of a file of known findings.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    fail_level: Severity = WARNING
    baseline: str = ""
    limits: Limits = Limits()
    load_sets: tuple[LoadSet, ...] = ()


def control_of(table: Mapping[str, Any]) -> Control:
    """Return what a table of settings says; raises ValueError naming the key that cannot be understood."""
    made: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in _READERS:
            near = get_close_matches(name, _READERS, 1)
            raise ValueError(f"has an unknown key {key!r}" + (f"; did you mean {near[0]}?" if near else ""))
        read = _READERS[name](key, value)
        (limits if name in _LIMITS else made)[_LIMITS.get(name, name)] = read
    return Control(**made, limits=Limits(**limits))


def faulty(table: Mapping[str, Any]) -> str:
    """Return the first key of a table of settings that cannot be understood, empty when all can."""
    for key, value in table.items():
        try:
            control_of({key: value})
        except ValueError:
            return key
    return ""


def _words(key: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{key} is not a list of words")
    return tuple(value)


def _codes(key: str, value: Any) -> tuple[str, ...]:
    return tuple(word.upper() for word in _words(key, value))


def _by_file(key: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not a table of patterns")
    return tuple((pattern, _codes(key, codes)) for pattern, codes in value.items())


def _level(key: str, value: Any) -> Severity:
    if value not in LEVELS:
        raise ValueError(f"{key} is none of {', '.join(LEVELS)}")
    return LEVELS[value]


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{key} is not text")
    return value


def _tokens(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{key} is not a number of tokens")
    return value


def _budgets(key: str, value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not a table of paths and tokens")
    return {path: _tokens(f"{key}.{path}", tokens) for path, tokens in value.items()}


def _load_sets(key: str, value: Any) -> tuple[LoadSet, ...]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not a table of names and paths")
    return tuple(LoadSet(name, "", _words(f"{key}.{name}", paths)) for name, paths in value.items())


_READERS = {
    "select": _codes,
    "ignore": _codes,
    "extend_select": _codes,
    "per_file_ignores": _by_file,
    "exclude": _words,
    "fail_level": _level,
    "baseline": _text,
    "file_tokens": _tokens,
    "set_tokens": _tokens,
    "budgets": _budgets,
    "load_sets": _load_sets,
}
_LIMITS = {"file_tokens": "file_tokens", "set_tokens": "set_tokens", "budgets": "by_path"}


def unknown(codes: Sequence[str], rules: Sequence[str]) -> str:
    """Return the first name that fits no rule, empty when all do."""
    return next((code for code in codes if code != "ALL" and not any(rule.startswith(code) for rule in rules)), "")


def allowed(findings: Sequence[Finding], control: Control) -> list[Finding]:
    """Return the findings but for those that the settings ignore in their files."""
    pairs = control.per_file_ignores
    return [one for one in findings if not any(_ignored(one, pattern, codes) for pattern, codes in pairs)]


def _ignored(finding: Finding, pattern: str, codes: tuple[str, ...]) -> bool:
    return any(code == "ALL" or finding.code.startswith(code) for code in codes) and matches(pattern, finding.path)
