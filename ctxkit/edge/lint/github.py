"""Findings as workflow commands of GitHub Actions, which shows them beside the lines of a change."""

from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.escapes import escape_controls
from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.rule import Rule

LEVELS = {"info": "notice", "warning": "warning", "error": "error"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def annotations(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield one command a finding (documentation of GitHub Actions, "Workflow commands")."""
    for one in findings:
        title = _escaped(f"{one.code} {rules[one.code].name}", _PROPERTY)
        column = f",col={one.column}" if one.column else ""
        where = f"file={_escaped(one.path, _PROPERTY)},line={one.line},endLine={one.end_line}{column}"
        also = "".join(f"\nalso: {place.path}:{place.line}" for place in one.related)
        yield f"::{LEVELS[one.severity.word]} {where},title={title}::{_escaped(one.message + also, _DATA)}"


def _escaped(text: str, signs: Mapping[str, str]) -> str:
    return escape_controls("".join(signs.get(sign, sign) for sign in text))
