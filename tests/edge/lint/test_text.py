from pathlib import Path

import pytest

from ctxkit.core.errors import UsageError
from ctxkit.core.lint.costs import Cost, Costs
from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.registry import rules
from ctxkit.edge.lint.text import (
    WIDTH,
    Painter,
    budget_lines,
    concise_lines,
    duplication_lines,
    explain_rules,
    overview_lines,
    render_line,
    report_lines,
    rule_lines,
    rule_summary,
    statistics_lines,
    summary_line,
)
from tests.edge.lint.findings import ALL, COPY, LONG, STALE


def told(text, finding, *, colored=False):
    document = parse_document(finding.path, text.encode())
    return list(report_lines({finding.path: document}, [finding], Painter(colored=colored)))


def test_a_finding_is_told_with_its_line_carets_copies_costs_and_fix() -> None:
    assert told("a\n\n- Run the tests\n", COPY) == [
        "MEMORY.md:3:1: warning DUP002 [*] also in AGENTS.md:7", "  |", "3 | - Run the tests", "  = also: AGENTS.md:7-8",
        "  = costs: 11 tokens in OpenClaw, and 1 more", "  = fix: remove the copy", "",
    ]  # fmt: skip
    assert told("x\n- `src/x.py`\n", STALE)[2:4] == ["2 | - `src/x.py`", "  |   ^^^^^^"]


def test_the_first_other_place_is_quoted() -> None:
    documents = {path: parse_document(path, text) for path, text in (("MEMORY.md", b"a\n\n- Run\n"), ("AGENTS.md", b"x\n" * 6 + b"- Run\n  it\n"))}
    lines = list(report_lines(documents, [COPY], Painter(colored=False)))
    assert lines[3:7] == ["  = also: AGENTS.md:7-8", "  |", "7 | - Run", "8 |   it"]


def test_a_concise_finding_is_one_line() -> None:
    assert list(concise_lines([COPY, STALE], Painter(colored=False))) == [
        "MEMORY.md:3:1: warning DUP002 [*] also in AGENTS.md:7", "a b/ü.md:2:3: error REF001 100% gone:\\nsince, x",
    ]  # fmt: skip


def test_the_summary_counts_each_rule() -> None:
    assert rule_summary([COPY, STALE, STALE], rules()) == "2 REF001 stale-path, 1 DUP002 duplicate-across-files"
    assert rule_summary([COPY], rules()) == ""


def test_of_a_long_finding_the_first_lines_are_shown() -> None:
    assert told("x\n" * 9, LONG)[1:] == ["  |", "1 | x", "  | ^", "2 | x", "3 | x", "  | ... to line 9", ""]


@pytest.mark.parametrize(
    ("line", "start", "end", "text", "carets"),
    [
        ("abc", 1, 2, "abc", " ^"), ("\tab", 1, 3, "    ab", "    ^^"), ("漢字ab", 1, 2, "漢字ab", "  ^^"),
        ("e\u0301x", 2, 3, "e\u0301x", " ^"), ("a\x1b[31mb", 0, 0, "a [31mb", ""), ("abc", 0, 0, "abc", ""),
    ],
)  # fmt: skip
def test_carets_stand_below_what_is_meant(line: str, start: int, end: int, text: str, carets: str) -> None:
    assert render_line(line, start, end) == (text, carets)


def test_of_a_long_line_the_part_around_what_is_meant_is_shown() -> None:
    text, carets = render_line("x" * 500 + "HERE" + "y" * 5_000_000, 500, 504)
    assert len(text) <= WIDTH + 6
    assert text[carets.index("^") : carets.rindex("^") + 1] == "HERE"


def test_secrets_are_starred_in_every_line_that_is_shown() -> None:
    text = "- key: sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0\n\n- Run\n"
    assert "Kq2Lm9" not in "\n".join(told(text, COPY._replace(line=1, end_line=3)))


def test_colours_are_put_where_they_are_wanted() -> None:
    assert any("\x1b[33mDUP002\x1b[0m" in line for line in told("a\n\nb\n", COPY, colored=True))


def test_the_last_line_counts_what_was_found_and_what_can_be_mended() -> None:
    assert summary_line(ALL, 2, 1) == "3 findings in 1 file (2 error, 1 warning). Fixed 2. 1 fixable with --fix"
    assert summary_line(ALL, 2, 1, is_fixing=True) == "3 findings in 1 file (2 error, 1 warning). Fixed 2."
    unsafe = COPY._replace(fix=COPY.fix._replace(safe=False))
    assert summary_line([unsafe], 0, 1).endswith(" 1 fixable with --unsafe-fixes")
    assert summary_line([COPY, unsafe], 0, 1).endswith(" 1 fixable with --fix; 1 more with --unsafe-fixes")
    assert summary_line([], 0, 3) == "Nothing found in 3 files."


def test_the_last_line_speaks_of_the_files_that_were_asked_for() -> None:
    assert summary_line([], 0, 32, ["AGENTS.md"]) == "Nothing found in AGENTS.md; 31 files are read with it."
    assert summary_line([], 0, 4, ["A.md", "B.md"]) == "Nothing found in 2 files; 2 files are read with them."
    assert summary_line([], 0, 1, ["A.md"]) == "Nothing found in A.md."
    assert summary_line(ALL[:1], 0, 2, ["A.md"]).startswith("1 finding in A.md; 1 file is read with it (")


def test_statistics_begin_with_the_most_frequent() -> None:
    assert [line.split()[:2] for line in statistics_lines([COPY, STALE, STALE], rules())] == [["2", "REF001"], ["1", "DUP002"]]


@pytest.mark.parametrize("span", [(0, 0), (0, 4), (70, 90), (120, 130), (150, 400)])
def test_a_line_of_plain_text_is_cut_as_one_with_an_accent(span) -> None:
    plain, accented = "x" * 300, "é" * 300
    text, caret = render_line(accented, *span)
    assert render_line(plain, *span) == (text.replace("é", "x"), caret)


def test_the_table_names_three_sources_and_the_waste() -> None:
    many = COPY._replace(related=(*COPY.related, LineRange("B.md", 1, 1), LineRange("C.md", 2, 2)), tokens=30)
    lines = list(duplication_lines([COPY, STALE, many]))
    assert lines[0] == "| Concept | Source 1 | Source 2 | Source 3 | Waste |"
    assert lines[2] == '| "Run \\| the tests" | AGENTS.md L7-8 | B.md L1 | C.md L2 +1 | 30 tokens, exact dup |'
    assert lines[3] == '| "Run \\| the tests" | AGENTS.md L7-8 | MEMORY.md L3 | — | 11 tokens, exact dup |'
    assert len(lines) == 4


def test_the_budget_gives_files_their_sum_and_load_sets() -> None:
    costs = Costs((Cost("A.md", 1200, 900),), (Cost("Codex", 1200, 900, ("A.md",), False),))
    text = "\n".join(budget_lines(costs, counter_name="estimate"))
    assert "| A.md | 1,200 tok | 900 tok |" in text
    assert "| **Total** | 1,200 tok | 900 tok |" in text
    assert "| **Savings** | | 300 tok (25%) |" in text
    assert "| Codex (at times) | 1,200 tok | 900 tok | 300 tok |" in text


ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("rule", rules().values(), ids=list(rules()))
def test_every_rule_says_why_it_is_there(rule) -> None:
    lines = list(rule_lines(rule))
    assert lines[0] == f"# {rule.code} {rule.name} ({rule.severity.word})"
    assert all((rule.summary, rule.rationale, rule.bad, rule.good, rule.evidence))
    assert rule.summary in lines
    assert f"Evidence: {rule.evidence}" in lines


def test_the_overview_has_a_line_a_rule() -> None:
    assert [line.split()[0] for line in overview_lines(rules())] == list(rules())


def test_the_page_of_all_rules_is_as_it_is_written() -> None:
    text = "\n\n".join("\n".join(rule_lines(rule)) for rule in rules().values()) + "\n"
    assert (ROOT / "examples/rules.md").read_text() == text, "ctxkit dedupe explain ALL > examples/rules.md"


def test_a_rule_that_there_is_not_is_misuse() -> None:
    with pytest.raises(UsageError, match="XYZ"):
        explain_rules(["xyz"])
