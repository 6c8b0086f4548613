"""Format findings as workflow commands of GitHub Actions, which shows them in a pull request."""

from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.rule import Rule
from ctxkit.core.text.escapes import escape_controls

LEVELS = {"info": "notice", "warning": "warning", "error": "error"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def annotations(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield one command per finding (documentation of GitHub Actions, "Workflow commands")."""
    for finding in findings:
        title = _escape(f"{finding.code} {rules[finding.code].name}", _PROPERTY)
        column = f",col={finding.column}" if finding.column else ""
        where = f"file={_escape(finding.path, _PROPERTY)},line={finding.line},endLine={finding.end_line}{column}"
        also = "".join(f"\nalso: {place.path}:{place.line}" for place in finding.related)
        yield f"::{LEVELS[finding.severity.word]} {where},title={title}::{_escape(finding.message + also, _DATA)}"


def _escape(text: str, signs: Mapping[str, str]) -> str:
    return escape_controls("".join(signs.get(sign, sign) for sign in text))
