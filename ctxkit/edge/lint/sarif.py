"""Format findings as SARIF 2.1.0, for code scanning."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ctxkit import __version__
from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.rule import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"info": "note", "warning": "warning", "error": "error"}
HOME = "https://github.com/ctxkit/ctxkit"


def make_sarif_log(
    findings: Sequence[LintFinding], rules: Mapping[str, Rule], notices: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a log of one run: the rules with findings, the findings, and ``notices`` of checks that were left out."""
    used = [rules[code] for code in sorted({finding.code for finding in findings})]
    rule_indexes = {rule.code: number for number, rule in enumerate(used)}
    driver = {
        "name": "ctxkit dedupe",
        "version": __version__,
        "informationUri": HOME,
        "rules": list(map(_make_rule_object, used)),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "The directory that was linted."}}},
        "invocations": [
            {"executionSuccessful": True, "toolExecutionNotifications": list(map(_make_notification, notices))}
        ],
        "results": [_make_result_object(finding, rule_indexes[finding.code]) for finding in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _make_notification(notice: str) -> dict[str, Any]:
    return {"level": "warning", "message": {"text": notice}}


def _make_rule_object(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.rationale},
        "help": {"text": f"{rule.rationale}\n\nBad:\n{rule.bad}\n\nGood:\n{rule.good}"},
        "defaultConfiguration": {"level": LEVELS[rule.severity.word]},
    }


def _make_result_object(finding: LintFinding, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity.word],
        "message": {"text": finding.message},
        "locations": [_make_location_object(finding.location, finding.column, finding.end_column)],
        "partialFingerprints": {"ctxkit/v1": finding.fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            _make_location_object(place) | {"id": number} for number, place in enumerate(finding.related)
        ]
    if finding.tokens:
        result["properties"] = {"tokens": finding.tokens}
    return result


def _make_location_object(place: LineRange, column: int | None = None, end_column: int | None = None) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": place.line, "endLine": max(place.end_line, place.line)}
    if column:
        region["startColumn"] = column
        if end_column and (end_column > column or place.line < place.end_line):
            region["endColumn"] = end_column
    artifact = {"uri": quote(place.path), "uriBaseId": "ROOT"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
