"""Write the results of the linter in the requested format: text, JSON, SARIF, GitHub, GitLab."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote

from ctxkit import __version__
from ctxkit.core.lint.costs import Cost, Costs, compute_costs
from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.rule import Rule
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.listing import describe_omitted
from ctxkit.core.lint.rules.secrets import mask_text
from ctxkit.core.lint.run import LintOptions, fix_all
from ctxkit.core.lint.savings import MOST_SAVINGS, find_savings
from ctxkit.core.text.escapes import escape_controls
from ctxkit.edge import out, say

BATCH_LINES = 1_000
"""Lines that are written at once."""


class LintRun(NamedTuple):
    """A run of the linter: the workspace before and after fixes, the remaining findings, the number of fixes.

    ``omitted`` are findings that are counted but not listed. ``prefix`` is the path from the current directory to the
    workspace. ``files`` are the files that the user asked for; empty for all. ``notices`` say which checks were left
    out.
    """

    before: Workspace
    after: Workspace
    findings: Sequence[LintFinding]
    omitted: Sequence[LintFinding] = ()
    fix_count: int = 0
    prefix: str = ""
    files: Sequence[str] = ()
    notices: Sequence[str] = ()

    def list_findings(self) -> Iterator[LintFinding]:
        """Yield the findings with paths relative to the current directory, and with secrets masked."""
        for finding in self.findings:
            related = tuple(place._replace(path=self.prefix + place.path) for place in finding.related)
            yield finding._replace(
                path=self.prefix + finding.path,
                message=mask_text(self._relocate_places(finding.message, finding)),
                related=related,
                fix=self._relocate_fix(finding),
                concept=mask_text(finding.concept),
                essence="",
            )

    def _relocate_places(self, text: str, finding: LintFinding) -> str:
        """Return a text about a finding in which each place of it (path:line) begins with the prefix."""
        paths = {finding.path, *(place.path for place in finding.related)}
        for path in paths if self.prefix else ():
            text = re.sub(rf"(?<![\w./-]){re.escape(path)}(?=:\d)", lambda match: self.prefix + match[0], text)
        return text

    def _relocate_fix(self, finding: LintFinding) -> Fix | None:
        if (fix := finding.fix) is None:
            return None
        edits = tuple(
            edit._replace(path=self.prefix + edit.path, replacement=mask_text(edit.replacement)) for edit in fix.edits
        )
        return fix._replace(edits=edits, description=mask_text(self._relocate_places(fix.description, finding)))

    def documents(self) -> Mapping[str, MarkdownDocument]:
        """Return the current documents that may be quoted, by their paths relative to the current directory."""
        inside = (document for document in self.after.documents if document.path not in self.after.outside)
        every = [*inside, *([self.after.prompt] if self.after.prompt else [])]
        return {self.prefix + document.path: document for document in every}

    def list_costs(self, job: LintOptions) -> Costs:
        """Return the costs of files and load sets, before and after all fixes."""
        workspace_costs = compute_costs(self.before, fix_all(self.after, job, unsafe=True).workspace)
        files = tuple(cost._replace(name=self.prefix + cost.name) for cost in workspace_costs.files)
        return Costs(files, workspace_costs.sets)


class FindingsFormat(NamedTuple):
    """The requested format of findings."""

    name: str = "full"
    table: bool = False
    budget: bool = False
    statistics: bool = False
    color: str = "auto"
    counter: str = ""
    is_fixing: bool = False


def write_findings(runs: Sequence[LintRun], form: FindingsFormat, rules: Mapping[str, Rule], job: LintOptions) -> None:
    """Write findings, or the requested tables instead."""
    findings = [finding for run in runs for finding in run.list_findings()]
    if form.budget:
        _write_budget(runs, job, findings, form)
        return
    _write_list(runs, findings, form, rules)
    for run in runs if not form.statistics else ():
        for line in describe_omitted(run.omitted, run.prefix):
            say.warn(line)


def _write_list(
    runs: Sequence[LintRun], findings: Sequence[LintFinding], form: FindingsFormat, rules: Mapping[str, Rule]
) -> None:
    """Write findings, or how many each rule has."""
    if form.name == "json":
        counted = [*findings, *_list_omitted(runs)]
        _write_json(_count_by_rule(counted, rules) if form.statistics else finding_objects(findings, rules))
    elif form.name == "sarif":
        _write_json(make_sarif_log(findings, rules, [notice for run in runs for notice in run.notices]))
    elif form.name == "gitlab":
        _write_json(make_issues(findings, rules))
    else:
        _write_lines(_list_lines(runs, findings, form, rules))
        _say_summary(runs, findings, form, rules)


def _list_omitted(runs: Sequence[LintRun]) -> list[LintFinding]:
    return [finding for run in runs for finding in run.omitted]


def _write_json(value: Any) -> None:
    import orjson

    out.write((orjson.dumps(value, option=orjson.OPT_INDENT_2), b"\n"))


def _count_by_rule(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> list[dict[str, Any]]:
    codes = sorted({finding.code for finding in findings})
    by_code = {code: [finding for finding in findings if finding.code == code] for code in codes}
    return [
        {
            "code": code,
            "name": rules[code].name,
            "count": len(those),
            "tokens": sum(finding.tokens for finding in those),
        }
        for code, those in by_code.items()
    ]


def _write_budget(
    runs: Sequence[LintRun], job: LintOptions, findings: Sequence[LintFinding], form: FindingsFormat
) -> None:
    all_costs = [run.list_costs(job) for run in runs]
    over = [finding for finding in findings if finding.code.startswith("BUD")]
    savings = [
        saving._replace(path=run.prefix + saving.path)
        for run in runs
        for saving in find_savings(run.after, run.findings)
    ]
    savings = sorted(savings, key=lambda saving: -saving.tokens)[:MOST_SAVINGS]
    total = Costs(
        tuple(cost for run_costs in all_costs for cost in run_costs.files),
        tuple(cost for run_costs in all_costs for cost in run_costs.sets),
    )
    if form.name == "json":
        _write_json(
            {
                "counter": form.counter,
                "files": list(map(_make_cost_object, total.files)),
                "sets": list(map(_make_cost_object, total.sets)),
                "over": [{"code": finding.code, "path": finding.path, "message": finding.message} for finding in over],
                "savings": [saving._asdict() for saving in savings],
            }
        )
        return
    from ctxkit.edge.lint.text import budget_lines

    _write_lines(budget_lines(total, counter_name=form.counter, over=over, savings=savings))


def _make_cost_object(cost: Cost) -> dict[str, Any]:
    return {**cost._asdict(), "saved": cost.saving}


def _list_lines(
    runs: Sequence[LintRun], findings: Sequence[LintFinding], form: FindingsFormat, rules: Mapping[str, Rule]
) -> Iterator[str]:
    """Yield the lines of findings in a format of text."""
    from ctxkit.edge.lint import text as lines

    if form.name == "github":
        return annotations(findings, rules)
    painter = lines.Painter(colored=is_color_enabled(form.color))
    if form.name == "concise" and not form.statistics:
        return lines.concise_lines(findings, painter)
    if form.table:
        from ctxkit.edge.lint.text import duplication_lines

        return duplication_lines(findings)
    if form.statistics:
        return lines.statistics_lines([*findings, *_list_omitted(runs)], rules)
    documents = {path: document for run in runs for path, document in run.documents().items()}
    return lines.report_lines(documents, findings, painter)


def _say_summary(
    runs: Sequence[LintRun], findings: Sequence[LintFinding], form: FindingsFormat, rules: Mapping[str, Rule]
) -> None:
    """Say how many findings there are, and of which rules."""
    from ctxkit.edge.lint import text as lines

    files = sum(len(run.before.documents) for run in runs)
    names = [run.prefix + name for run in runs for name in run.files] if all(run.files for run in runs) else []
    fix_count = sum(run.fix_count for run in runs)
    every = [*findings, *_list_omitted(runs)]
    if files:
        say.inform(lines.summary_line(every, fix_count, files, names, is_fixing=form.is_fixing))
    if not form.statistics and (summary := lines.rule_summary(every, rules)):
        say.inform(summary)


def is_color_enabled(choice: str) -> bool:
    """Return whether to use colors: by default on a terminal, unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return not os.environ.get("NO_COLOR") and sys.stdout is not None and sys.stdout.isatty()


def _write_lines(lines: Iterator[str]) -> None:
    batches = iter(lambda: list(islice(lines, BATCH_LINES)), [])
    out.write("".join([f"{line}\n" for line in batch]).encode("utf-8", "replace") for batch in batches)


def finding_objects(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> list[dict[str, Any]]:
    """Return findings as JSON objects, in order."""
    return [_make_finding_object(finding, rules[finding.code]) for finding in findings]


def _make_finding_object(finding: LintFinding, rule: Rule) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": rule.name,
        "severity": finding.severity.word,
        "path": finding.path,
        "line": finding.line,
        "end_line": finding.end_line,
        "column": finding.column,
        "end_column": finding.end_column,
        "message": finding.message,
        "related": [place._asdict() for place in finding.related],
        "tokens": finding.tokens,
        "wasted": [{"load_set": name, "tokens": tokens} for name, tokens in finding.wasted],
        "score": finding.score,
        "fix": _make_fix_object(finding.fix),
        "fingerprint": finding.fingerprint,
    }


def _make_fix_object(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [edit._asdict() for edit in fix.edits]
    return {"safe": fix.safe, "description": fix.description, "edits": edits}


_GITHUB_LEVELS = {"info": "notice", "warning": "warning", "error": "error"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def annotations(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield one command per finding (documentation of GitHub Actions, "Workflow commands")."""
    for finding in findings:
        title = _escape(f"{finding.code} {rules[finding.code].name}", _PROPERTY)
        column = f",col={finding.column}" if finding.column else ""
        where = f"file={_escape(finding.path, _PROPERTY)},line={finding.line},endLine={finding.end_line}{column}"
        also = "".join(f"\nalso: {place.path}:{place.line}" for place in finding.related)
        level = _GITHUB_LEVELS[finding.severity.word]
        yield f"::{level} {where},title={title}::{_escape(finding.message + also, _DATA)}"


def _escape(text: str, signs: Mapping[str, str]) -> str:
    return escape_controls("".join(signs.get(sign, sign) for sign in text))


SEVERITIES = {"info": "info", "warning": "minor", "error": "major"}


def make_issues(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> list[dict[str, Any]]:
    """Return the issues of a report, one for each finding."""
    return [
        {
            "description": f"{finding.code} {rules[finding.code].name}: {finding.message}",
            "check_name": finding.code,
            "fingerprint": finding.fingerprint,
            "severity": SEVERITIES[finding.severity.word],
            "location": {"path": finding.path, "lines": {"begin": finding.line, "end": finding.end_line}},
        }
        for finding in findings
    ]


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SARIF_LEVELS = {"info": "note", "warning": "warning", "error": "error"}
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
        "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity.word]},
    }


def _make_result_object(finding: LintFinding, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _SARIF_LEVELS[finding.severity.word],
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
