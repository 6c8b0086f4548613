import json
from pathlib import Path

import pytest

from ctxkit.app.services import engines
from ctxkit.core.brief import Briefing
from ctxkit.core.errors import Exit, InputOutputError
from ctxkit.core.gate.decision import UNCOUNTED, GatePolicy, GateResult
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge import say
from ctxkit.edge.report import ReportTerms, deliver_result

REF = "abcdef012345" + "6" * 52
TERMS = GatePolicy(Budget(1000, 200, 100), find_vocabulary("qwen3"), Hint(PRESETS["ctxkit"]), label=Label("log"))
RAW = GateResult("raw", TokenCount(3, 3, "exact"), (b"one\n", b"two"), size=7)
MAP = Briefing("text", "", 0.5, 9, "# log\n")
BRIEFING = GateResult(
    "briefing", TokenCount(9, 9, "exact"), (b"# log\n",), REF, TokenCount(5000, 5000, "exact"), 20_000, 400, briefing=MAP
)
REFUSED = GateResult("refused", UNCOUNTED, (), REF, TokenCount(5000, 5000, "exact"), 20_000, 400, "log (400 lines)")
BUDGET = {"window": 1000, "reserve": 200, "used": 100, "available": 700}


@pytest.fixture(autouse=True)
def _loudness(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(say, "_verbosity", 0)


@pytest.fixture
def delivered(capfd: pytest.CaptureFixture[str]):
    """Deliver an admission; return the answer, stdout and stderr."""

    def deliver_(admission, *, as_json=False, events="", **more):
        answer = deliver_result(admission, TERMS, ReportTerms(as_json, str(events), **more))
        return (answer, *capfd.readouterr())

    return deliver_


def test_content_goes_to_stdout_and_nothing_to_stderr(delivered) -> None:
    assert delivered(RAW) == (Exit.DONE, "one\ntwo", "")
    assert delivered(BRIEFING) == (Exit.DONE, "# log\n", "")


def test_a_refusal_is_said_on_stderr_alone_and_answers_no(delivered) -> None:
    said = (
        "ctxkit: refused: no map of log fits 350 tokens, half of what is available\n"
        "  hint: ctxkit compact frees tokens; ctxkit cache get abcdef0123456666 reads the stored content\n"
        "log (400 lines)\n"
    )
    assert delivered(REFUSED) == (Exit.NO, "", said)
    assert delivered(REFUSED, as_json=True)[::2] == (Exit.NO, said)


def test_a_refusal_is_an_object_that_says_why_and_what_helps(delivered) -> None:
    found = json.loads(delivered(REFUSED, as_json=True, extra_facts=lambda: {"exit": 3})[1])
    assert found == {
        "result": "refused",
        "tokens": 0,
        "method": "exact",
        "tokenizer": "qwen3",
        "original": {"bytes": 20_000, "lines": 400, "tokens": 5000, "method": "exact"},
        "budget": BUDGET,
        "reason": "no map of log fits 350 tokens, half of what is available",
        "hint": "ctxkit compact frees tokens; ctxkit cache get abcdef0123456666 reads the stored content",
        "ref": "abcdef0123456666",
        "exit": 3,
        "content": "",
    }


def failing(vocabulary):
    raise OSError(5, "Input/output error")


def estimated(vocabulary):
    return failing(vocabulary) if vocabulary.exact else engines.load_tokenizer(vocabulary)


@pytest.mark.parametrize(
    ("tokenizer", "tokens", "method"),
    [(engines.load_tokenizer, 600, "exact"), (estimated, 600, "estimate"), (failing, None, None)],
)
def test_what_passes_undecided_is_counted_for_the_object_and_the_ledger(capfd: pytest.CaptureFixture[str], tokenizer, tokens: int | None, method: str | None) -> None:
    data, account = b"hello " * 600, Booked()
    admission = GateResult("raw", UNCOUNTED, iter((data[:7], data[7:])), warning="content passes unchanged: no disk")
    deliver_result(admission, TERMS, ReportTerms(as_json=True), account, tokenizer=tokenizer)
    found = json.loads(capfd.readouterr().out)
    assert (found["method"], found["content"]) == (method, data.decode())
    assert found["tokens"] == (tokens and pytest.approx(tokens, rel=1))
    assert found["original"].get("tokens") == found["tokens"]
    assert [item.tokens for item in account.items] == [found["tokens"] or 1200]


def test_a_warning_goes_to_stderr_beside_the_content(delivered) -> None:
    assert delivered(RAW._replace(warning="careful")) == (Exit.DONE, "one\ntwo", "ctxkit: warning: careful\n")


@pytest.mark.parametrize(
    ("admission", "line"),
    [
        (RAW, "log: raw, 3 tokens (exact, qwen3) of 700 available"),
        (BRIEFING, "log: briefing, 9 tokens (exact, qwen3) of 700 available, stored as abcdef0123456666"),
        (RAW._replace(token_count=UNCOUNTED), "log: raw, not counted (bound, qwen3) of 700 available"),
        (
            RAW._replace(token_count=TokenCount(1234, 1234, "estimate")),
            "log: raw, 1,234 tokens (estimate, qwen3) of 700 available",
        ),
    ],
)
def test_the_talkative_are_told_what_was_decided(delivered, admission, line: str) -> None:
    say.change_verbosity(1)
    assert delivered(admission)[2] == f"ctxkit: {line}\n"


def test_json_has_the_decision_and_the_content(delivered) -> None:
    answer, text, err = delivered(RAW, as_json=True)
    assert (answer, err) == (Exit.DONE, "")
    assert json.loads(text) == {
        "result": "raw",
        "tokens": 3,
        "method": "exact",
        "tokenizer": "qwen3",
        "original": {"bytes": 7, "lines": 2, "tokens": 3, "method": "exact"},
        "budget": BUDGET,
        "content": "one\ntwo",
    }


def test_json_of_a_briefing_tells_of_the_original_its_ref_and_its_kind(delivered) -> None:
    assert json.loads(delivered(BRIEFING, as_json=True)[1]) == {
        "result": "briefing",
        "tokens": 9,
        "method": "exact",
        "tokenizer": "qwen3",
        "original": {"bytes": 20_000, "lines": 400, "tokens": 5000, "method": "exact"},
        "budget": BUDGET,
        "ref": "abcdef0123456666",
        "kind": "text",
        "content": "# log\n",
    }


def test_more_is_asked_for_once_the_content_has_been_read(delivered) -> None:
    read = []

    def content():
        yield b"x"
        read.append(True)

    def more():
        assert read
        return {"exit": 3}

    admission = RAW._replace(content=content())
    assert json.loads(delivered(admission, as_json=True, extra_facts=more)[1])["exit"] == 3


@pytest.mark.parametrize(
    ("admission", "event"),
    [
        (RAW, "gate"),
        (RAW._replace(result="tight"), "gate"),
        (BRIEFING, "tool_output_truncated"),
        (REFUSED, "tool_output_truncated"),
    ],
)
def test_the_decision_is_an_event_without_the_content(delivered, tmp_path: Path, admission, event: str) -> None:
    delivered(admission, events=tmp_path / "events", extra_facts=lambda: {"exit": 3})
    (line,) = (tmp_path / "events").read_text().splitlines()
    told = json.loads(line)
    assert (told["event"], told["name"], told["result"], told["exit"]) == (event, "log", admission.result, 3)
    assert told["budget"] == BUDGET
    assert "content" not in told


class Booked:
    """An account that remembers what is booked, which satisfies what is asked of core.account.Account."""

    def __init__(self) -> None:
        self.budget = TERMS.budget
        self.items: list[LedgerEntry] = []

    def record(self, item: LedgerEntry) -> None:
        self.items.append(item)


def test_what_was_delivered_is_booked_and_the_budget_is_that_after_it(capfd: pytest.CaptureFixture[str]) -> None:
    account = Booked()
    terms = TERMS._replace(label=Label("log", session="s"))
    deliver_result(BRIEFING, terms, ReportTerms(as_json=True), account)
    found = json.loads(capfd.readouterr().out)
    assert (found["session"], found["budget"]) == ("s", {**BUDGET, "used": 109, "available": 691})
    assert account.items == [LedgerEntry("log", 9, "exact", "briefing", False, REF)]


def test_what_is_past_the_trigger_is_booked_as_tight() -> None:
    account = Booked()
    deliver_result(RAW._replace(token_count=TokenCount(690, 690, "exact")), TERMS, ReportTerms(), account)
    assert account.items == [LedgerEntry("log", 690, "exact", "raw", True)]


def test_what_nobody_could_count_is_booked_as_a_third_of_its_bytes(capfd: pytest.CaptureFixture[str]) -> None:
    account = Booked()
    deliver_result(RAW._replace(token_count=UNCOUNTED), TERMS, ReportTerms(), account)
    assert account.items == [LedgerEntry("log", 3, "estimate", "raw")]


def test_a_refusal_books_nothing_and_a_failed_write_does(monkeypatch: pytest.MonkeyPatch) -> None:
    account = Booked()
    deliver_result(REFUSED, TERMS, ReportTerms(), account)
    assert account.items == []
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(InputOutputError):
        deliver_result(RAW, TERMS, ReportTerms(), account)
    assert [item.tokens for item in account.items] == [3]


def test_what_stood_in_for_something_absent_is_said(delivered) -> None:
    assert delivered(RAW._replace(remark="tokens are estimated"))[2] == "ctxkit: warning: tokens are estimated\n"
