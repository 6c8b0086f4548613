import json

from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.brief.data.report_problems import ReportProblems
from ctxkit.core.text.positions import JsonMember, JsonPositions


def read(value):
    text = json.dumps(value, indent=1)
    root = JsonMember(None, 0, 0, len(text))
    return ReportProblems(DataOutliner(JsonPositions(text), [root], [value]).part_ranges, value)


def test_errors_stand_before_warnings() -> None:
    report = {"ok": 1, "warnings": [{"file": "v.js", "line": 81, "message": "Critical"}], "errors": ["no such file"]}
    section = read(report).build_section(10)
    assert section.title == "Problems (errors 1, warnings 1)"
    assert [(entry.start, entry.label) for entry in section.entries] == [
        (11, "errors: no such file"),
        (4, "warnings: v.js 81 Critical"),
    ]


def test_problems_not_shown_are_counted() -> None:
    assert read({"errors": ["x"] * 9}).build_section(4).title == "Problems (errors 9; 5 more not shown)"


def test_other_members_are_no_problems() -> None:
    assert not read({"errors": {"not_found": "text"}, "warnings": [], "failed": [1, 2], "rows": [{"errors": ["x"]}]}).problems
