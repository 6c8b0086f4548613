import json

from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.text.positions import JsonMember, JsonPositions


def findings(value, target=2_000):
    text = json.dumps(value, indent=1)
    chart = DataOutliner(JsonPositions(text), [JsonMember(None, 0, 0, len(text))], [value])
    for section in chart.build_outlines("json", [], target)[0].sections:
        if section.title.startswith("Findings"):
            return text.split("\n"), section
    return text.split("\n"), None


def labels(value):
    return [entry.label for entry in findings(value)[1].entries]


def sarif(**result):
    place = {"physicalLocation": {"artifactLocation": {"uri": "a.c"}, "region": {"startLine": 7}}}
    one = {"ruleId": "R1", "message": {"text": "is wrong"}, "locations": [place], **result}
    rules = [{"id": "R2", "defaultConfiguration": {"level": "error"}}]
    return {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t", "rules": rules}}, "results": [one]}]}


def test_findings_of_sarif_have_level_rule_place_and_message() -> None:
    assert labels(sarif(level="note")) == ["levels: note ×1", "rules: R1 ×1", "note R1 a.c:7 is wrong"]


def test_a_result_of_sarif_without_a_level_has_that_of_its_rule() -> None:
    assert labels(sarif())[-1] == "warning R1 a.c:7 is wrong"
    assert labels(sarif(ruleId="R2"))[-1] == "error R2 a.c:7 is wrong"


def test_messages_of_eslint_are_in_the_file_around_them_the_worst_first() -> None:
    soft = {"ruleId": "semi", "severity": 1, "message": "Missing semicolon.", "line": 3}
    hard = {"ruleId": "no-undef", "severity": 2, "message": "'x' is not defined.", "line": 9}
    lines, section = findings([{"filePath": "/a.js", "messages": []}, {"filePath": "/b.js", "messages": [soft, hard]}])
    assert section.title == "Findings, the worst first (2)"
    assert [entry.label for entry in section.entries[2:]] == [
        "error no-undef /b.js:9 'x' is not defined.",
        "warning semi /b.js:3 Missing semicolon.",
    ]
    first = section.entries[2]
    assert '"no-undef"' in "\n".join(lines[first.start - 1 : first.end])


def test_findings_of_semgrep_ruff_and_golangci_are_known() -> None:
    semgrep = {"check_id": "sql", "path": "a.py", "start": {"line": 4}, "extra": {"message": "no", "severity": "ERROR"}}
    assert labels({"errors": [], "results": [semgrep]})[-1] == "ERROR sql a.py:4 no"
    ruff = {"code": "F401", "filename": "a.py", "location": {"row": 2, "column": 1}, "message": "unused"}
    assert labels([ruff])[-1] == "F401 a.py:2 unused"
    golangci = {"FromLinter": "errcheck", "Text": "not checked", "Pos": {"Filename": "a.go", "Line": 8}}
    assert labels({"Issues": [golangci]})[-1] == "errcheck a.go:8 not checked"


def test_of_many_findings_the_rest_is_counted() -> None:
    rows = [{"rule": "r", "file": "f", "line": at, "message": "m"} for at in range(500)]
    section = findings(rows)[1]
    shown = len(section.entries) - 1
    assert 10 < shown < 60
    assert section.title == f"Findings, the worst first (500; {500 - shown} more not shown)"


def test_other_data_has_no_findings() -> None:
    for value in ([{"message": "m", "line": 1, "level": "info"}], {"a": [{"path": "x", "line": 1}]}, [1, "x"], {}):
        assert findings(value)[1] is None
