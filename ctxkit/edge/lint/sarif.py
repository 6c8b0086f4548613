"""Findings as SARIF 2.1.0, for code scanning."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ctxkit import __version__
from ctxkit.core.lint.finding import Finding, Place
from ctxkit.core.lint.rule import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"info": "note", "warning": "warning", "error": "error"}
HOME = "https://github.com/ctxkit/ctxkit"


def log(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> dict[str, Any]:
    """Return a log of one run: the rules that found something, and their findings."""
    used = [rules[code] for code in sorted({one.code for one in findings})]
    places = {rule.code: number for number, rule in enumerate(used)}
    driver = {"name": "ctxkit dedupe", "version": __version__, "informationUri": HOME, "rules": list(map(_rule, used))}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "The directory that was linted."}}},
        "results": [_result(one, places[one.code]) for one in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.rationale},
        "help": {"text": f"{rule.rationale}\n\nBad:\n{rule.bad}\n\nGood:\n{rule.good}"},
        "defaultConfiguration": {"level": LEVELS[rule.severity.word]},
    }


def _result(one: Finding, index: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": index,
        "level": LEVELS[one.severity.word],
        "message": {"text": one.message},
        "locations": [_location(one.place, one.column, one.end_column)],
        "partialFingerprints": {"ctxkit/v1": one.fingerprint},
    }
    if one.related:
        found["relatedLocations"] = [_location(place) | {"id": number} for number, place in enumerate(one.related)]
    if one.tokens:
        found["properties"] = {"tokens": one.tokens}
    return found


def _location(place: Place, column: int | None = None, end_column: int | None = None) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": place.line, "endLine": max(place.end_line, place.line)}
    if column:
        region["startColumn"] = column
        if end_column and (end_column > column or place.line < place.end_line):
            region["endColumn"] = end_column
    artifact = {"uri": quote(place.path), "uriBaseId": "ROOT"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
