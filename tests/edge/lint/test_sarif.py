import json
from pathlib import Path

import pytest

from ctxkit.core.lint.registry import rules
from ctxkit.edge.lint.sarif import make_sarif_log
from tests.edge.lint.findings import ALL, COPY

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
