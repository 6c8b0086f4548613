import json
from pathlib import Path

import pytest

from ctxkit.core.lint.registry import rules
from ctxkit.edge.lint.output import (
    BATCH_LINES,
    LintRun,
    _write_lines,
    annotations,
    finding_objects,
    is_color_enabled,
    make_issues,
    make_sarif_log,
)
from tests.core.lint.places import workspace
from tests.edge.lint.findings import ALL, COPY, STALE

KEY = "sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"


@pytest.mark.parametrize(("choice", "wanted"), [("always", True), ("never", False), ("auto", False)])
def test_colours_are_for_terminals(choice: str, wanted: bool) -> None:
    assert is_color_enabled(choice) is wanted


def test_what_is_told_has_paths_from_here_and_no_secrets() -> None:
    space = workspace({"MEMORY.md": "x\n"})
    fix = COPY.fix._replace(description="remove the copy, keep AGENTS.md:7")
    said = f"says {KEY} like AGENTS.md:7, docs/AGENTS.md:7 and '@AGENTS.md'"
    run = LintRun(space, space, (COPY._replace(message=said, concept=KEY, fix=fix),), prefix="web/")
    (found,) = run.list_findings()
    assert found.message.endswith("like web/AGENTS.md:7, docs/AGENTS.md:7 and '@AGENTS.md'")
    assert found.fix.description == "remove the copy, keep web/AGENTS.md:7"
    assert (found.path, found.related[0].path, found.fix.edits[0].path) == ("web/MEMORY.md", "web/AGENTS.md", "web/MEMORY.md")
    assert KEY[12:] not in f"{found.message}{found.concept}"
    assert list(run.documents()) == ["web/MEMORY.md"]


def test_lines_are_written_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = []
    monkeypatch.setattr("ctxkit.edge.out.write", pieces.extend)
    _write_lines(f"line {number}" for number in range(2 * BATCH_LINES + 1))
    assert b"".join(pieces).split(b"\n")[:-1] == [b"line %d" % number for number in range(2 * BATCH_LINES + 1)]
    assert len(pieces) == 3


def test_a_record_has_what_is_documented() -> None:
    first, second = finding_objects([COPY, STALE], rules())
    assert list(first)[:6] == ["code", "name", "severity", "path", "line", "end_line"]
    assert first["related"] == [{"path": "AGENTS.md", "line": 7, "end_line": 8}]
    assert first["fix"] == {
        "safe": True, "description": "remove the copy",
        "edits": [{"path": "MEMORY.md", "start": 10, "end": 20, "replacement": ""}],
    }  # fmt: skip
    assert (first["tokens"], second["fix"], second["column"]) == (11, None, 3)


def test_signs_that_end_a_command_are_escaped() -> None:
    assert list(annotations([STALE], rules())) == [
        "::error file=a b/ü.md,line=2,endLine=2,col=3,title=REF001 stale-path::100%25 gone:%0Asince, x"
    ]
    assert next(iter(annotations([COPY], rules()))).endswith("::also in AGENTS.md:7%0Aalso: AGENTS.md:7")


def test_an_issue_has_what_gitlab_needs() -> None:
    copy, stale = make_issues([COPY, STALE], rules())
    assert copy == {
        "description": "DUP002 duplicate-across-files: also in AGENTS.md:7",
        "check_name": "DUP002",
        "fingerprint": "f" * 16,
        "severity": "minor",
        "location": {"path": "MEMORY.md", "lines": {"begin": 3, "end": 3}},
    }
    assert (stale["severity"], stale["location"]["lines"]["begin"]) == ("major", 2)


SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0.json").read_text())


@pytest.mark.parametrize("found", [[], ALL])
def test_a_log_is_valid_by_the_schema(found) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert [error.message for error in validator.iter_errors(make_sarif_log(found, rules()))] == []
    broken = make_sarif_log(found, rules()) | {"version": "2.0.0"}
    assert not validator.is_valid(broken)


def test_results_name_rules_places_and_what_stays_the_same() -> None:
    run = make_sarif_log(ALL, rules())["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["DUP002", "HYG001", "REF001"]
    first, second = run["results"][:2]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("DUP002", 0, "warning")
    assert first["partialFingerprints"] == {"ctxkit/v1": COPY.fingerprint}
    assert first["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 7, "endLine": 8}
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%BC.md"
    assert second["locations"][0]["physicalLocation"]["region"]["endColumn"] == 9


def test_checks_that_were_left_out_are_notifications() -> None:
    (run,) = make_sarif_log([], rules(), ["the clone is shallow"])["runs"]
    (invocation,) = run["invocations"]
    assert invocation["toolExecutionNotifications"] == [{"level": "warning", "message": {"text": "the clone is shallow"}}]
