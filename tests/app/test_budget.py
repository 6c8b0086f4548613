"""Files of components; tests/commands/test_budget.py measures them."""

import json
from pathlib import Path

import pytest

from ctxkit.app import budget
from ctxkit.app.budget import ComponentFiles, _list_times, _read_tools
from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.budget.measure import ComponentUsage, ContextReport
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.amount import Amount, exact_amount
from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.session.history import Addition

TOOL = {"name": "read", "description": "Read.", "inputSchema": {"type": "object"}}


def test_stdin_is_read_if_nothing_else_is_named() -> None:
    assert ComponentFiles().with_request("-", is_needed=True).messages == "-"
    assert ComponentFiles().with_request("-", is_needed=False).messages == ""
    assert ComponentFiles(("s",)).with_request("-", is_needed=True).names() == ["s"]
    assert ComponentFiles(("s",)).with_request("f", is_needed=False).names() == ["s", "f"]
    with pytest.raises(UsageError, match="name the same"):
        ComponentFiles(messages="m").with_request("f", is_needed=True)


@pytest.mark.parametrize(
    "value",
    [
        [TOOL],
        TOOL,
        {"tools": [TOOL]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}},
        {"functionDeclarations": [TOOL]},
        {"type": "function", "function": TOOL},
    ],
)
def test_definitions_of_every_shape_are_read(tmp_path: Path, value: object) -> None:
    file = tmp_path / "tools"
    file.write_text(json.dumps(value, indent=1))
    assert [tool.name for tool in _read_tools(str(file))] == ["read"]


def test_a_server_without_tools_has_none(tmp_path: Path) -> None:
    file = tmp_path / "tools"
    file.write_text('{"result": {"tools": []}}')
    assert _read_tools(str(file)) == ()


def test_definitions_that_nest_too_deeply_are_malformed(tmp_path: Path) -> None:
    file = tmp_path / "tools"
    file.write_text('[{"name": "a", "inputSchema": ' + '{"a": ' * 100_000 + "1" + "}" * 100_000 + "}]")
    with pytest.raises(MalformedInputError, match="nested too deeply"):
        _read_tools(str(file))


def test_definitions_may_be_lines(tmp_path: Path) -> None:
    file = tmp_path / "tools"
    file.write_text(f"{json.dumps(TOOL)}\n\n{json.dumps(TOOL)}\n")
    assert len(_read_tools(str(file))) == 2
    file.write_text(f"{json.dumps(TOOL)}\nno\n")
    with pytest.raises(MalformedInputError, match="line 2 is not JSON"):
        _read_tools(str(file))


@pytest.mark.parametrize("text", ["3", "{}", '["a"]'])
def test_a_file_without_definitions_is_malformed(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tools"
    file.write_text(text)
    with pytest.raises(MalformedInputError, match="no tool definitions"):
        _read_tools(str(file))


LINES = b"".join(b'{"role": "user", "content": "message %d"}\n' % number for number in range(4))


def test_each_message_has_the_time_of_its_addition() -> None:
    transcript = parse_transcript(LINES, "history")
    additions = [Addition(5.0, 1, 1, 0, 9), Addition(7.0, 2, 3, 9, 30)]
    assert _list_times(transcript, additions) == [5.0, 7.0, 7.0, 7.0]
    assert _list_times(transcript, []) == [0.0] * 4


def report_of(conversation: Amount, unmeasured: int = 0) -> ContextReport:
    usage = ComponentUsage(conversation=conversation)
    budget = usage.apply_to(ContextBudget(1000, 200))._replace(unmeasured=unmeasured)
    return ContextReport(usage, budget, 3, 1, "o200k", "s")


def test_an_estimate_has_its_range() -> None:
    text = budget.format_report(report_of(Amount(80, 100, 130)))
    assert "an estimate: 80 to 130 tokens\n" in text
    facts = budget.make_facts(report_of(Amount(80, 100, 130)))
    assert (facts["method"], facts["low"], facts["high"]) == ("estimate", 80, 130)
    assert "an estimate" not in budget.format_report(report_of(exact_amount(100)))


@pytest.mark.parametrize(("used", "signs"), [(0, 0), (400, 20), (800, 40), (8000, 40)])
def test_the_bar_is_the_share_of_the_effective_window(used: int, signs: int) -> None:
    row = budget.format_report(report_of(exact_amount(used))).splitlines()[3]
    assert row.count("#") == signs


def test_what_only_the_ledger_knows_has_a_row() -> None:
    assert "in the ledger alone" in budget.format_report(report_of(exact_amount(10), 50))
    assert "in the ledger alone" not in budget.format_report(report_of(exact_amount(10)))


def test_the_note_is_a_member_on_request() -> None:
    report = report_of(exact_amount(100))
    assert "note" not in budget.make_facts(report)
    assert budget.make_facts(report, "short")["note"] == budget.make_note(report, "short") == ""
