"""How a reference to earlier content and its changes are worded; tests/commands/test_repetition.py runs the gate."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
from ctxkit.core.gate.repetition_text import (
    OutcomeChange,
    Repetition,
    compare_outcomes,
    format_changes,
    list_changes,
    read_outcomes,
)
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.text.limits import call_directly
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary, rate_tokenizer
from ctxkit.engines.local_store import LocalStore

BYTES = find_vocabulary("bytes/3")
OLD = b"".join(b"line %d of the build says nothing\n" % number for number in range(60))
NEW = OLD.replace(b"line 7 of", b"line seven of")


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), pytest.fail)


def repeat(store: LocalStore, data: bytes, old: bytes = OLD, call: str = "", *, is_same: bool) -> GateResult | None:
    policy = GatePolicy(Budget(8000, 0), BYTES, Hint(PRESETS["ctxkit"]), label=Label("make"))
    services = GateServices(rate_tokenizer, lambda: store, parse_nothing, call_directly)
    gate_result = GateResult("raw", count_tokens((data,), BYTES, len), (data,))
    ref = store_content(store, (data,), policy.label)
    entry = LedgerEntry("make", 500, "estimate", "raw", ref=store_content(store, (old,), Label("make")), call=call)
    return Repetition(data, ref, gate_result, policy, services, store).replace(entry, is_same=is_same)


def read(gate_result: GateResult | None) -> str:
    assert gate_result is not None
    return b"".join(gate_result.content).decode()


def test_the_same_content_is_one_line_with_the_command_that_reads_it(store: LocalStore) -> None:
    gate_result = repeat(store, OLD, call="c1", is_same=True)
    assert gate_result is not None
    assert read(gate_result).startswith("# make (60 lines, 677 tokens): the same as the output of call c1 above. ")
    assert f"ctxkit cache get {gate_result.ref[:16]}" in read(gate_result)
    assert (gate_result.result, gate_result.lines, gate_result.size) == ("repeated", 60, len(OLD))


def test_changed_content_shows_its_changes(store: LocalStore) -> None:
    gate_result = repeat(store, NEW, is_same=False)
    head, *rows = read(gate_result).splitlines()
    assert head == "# make (60 lines, 678 tokens): what has changed since the output of an earlier call above"
    assert "-line 7 of the build says nothing" in rows
    assert "+line seven of the build says nothing" in rows
    assert gate_result is not None
    assert gate_result.result == "changed"


def test_changes_longer_than_half_of_the_content_replace_nothing(store: LocalStore) -> None:
    assert repeat(store, OLD.replace(b"build", b"test"), is_same=False) is None


@pytest.mark.parametrize(
    ("line", "name", "passed"),
    [
        (b"tests/test_a.py::test_x[1 2] PASSED   [ 50%]\n", "tests/test_a.py::test_x[1 2]", True),
        (b"FAILED tests/test_a.py::test_x - assert 1 == 2\n", "tests/test_a.py::test_x", False),
        (b"test parser::reads ... FAILED\n", "parser::reads", False),
        (b"    --- FAIL: TestSum/negative (0.00s)\n", "TestSum/negative", False),
        (b"test_x (tests.A.test_x) ... ok\n", "test_x (tests.A.test_x)", True),
        (b"not ok 3 - opens the file\n", "opens the file", False),
    ],
)
def test_each_runner_names_its_tests(line: bytes, name: str, passed: bool) -> None:
    assert read_outcomes([line]) == {name: passed}


def test_only_what_changed_is_named() -> None:
    old = [b"test a ... ok\n", b"test b ... FAILED\n", b"test c ... FAILED\n", b"test d ... FAILED\n"]
    new = [b"test a ... FAILED\n", b"test b ... ok\n", b"test c ... FAILED\n", b"test e ... FAILED\n"]
    change = compare_outcomes(old, new)
    assert change == OutcomeChange(("a", "e"), ("b",), ("d",))
    assert change.describe() == ["newly failing: a, e", "newly passing: b", "no longer named as failing: d"]


def test_a_test_that_is_no_longer_named_has_not_passed() -> None:
    change = compare_outcomes([b"FAILED a.py::x\n"], [b"1 passed\n"])
    assert (change.passing, change.unnamed) == ((), ("a.py::x",))


def test_other_text_has_no_outcomes() -> None:
    assert read_outcomes([b"ok\n", b"FAILED\n", b"build FAILED badly\n", b"\xff\xfe\n"]) == {}


def test_hostile_lines_take_little_time() -> None:
    lines = [b"::" * 249, b"test " * 99, b"a::" + b" " * 490, b"x" * 10_000] * 500
    began = time.monotonic()
    read_outcomes(lines)
    assert time.monotonic() - began < 10


TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"e\n", b"f\n", b"g\n"]), max_size=25)


@given(TEXTS, TEXTS)
def test_applying_the_changes_gives_the_new_text(old, new) -> None:
    result, at = [], 0
    for change in list_changes(old, new):
        assert change.start >= at
        result += old[at : change.start] + new[change.new_start : change.new_end]
        at = change.end
    assert result + old[at:] == new


@given(TEXTS)
def test_a_text_has_no_changes_to_itself(lines) -> None:
    assert list_changes(lines, lines) == []


@given(TEXTS, TEXTS)
def test_hunks_quote_both_texts_at_their_line_numbers(old, new) -> None:
    rows = list(format_changes(old, new, list_changes(old, new)))
    places = [0, 0]
    for row in rows:
        if match := re.fullmatch(rb"@@ -(\d+),\d+ \+(\d+),\d+ @@\n", row):
            places = [int(match[1]) - 1, int(match[2]) - 1]
            continue
        for side, (text, others) in enumerate(((old, b"+"), (new, b"-"))):
            if row[:1] != others:
                assert text[max(places[side], 0)] == row[1:]
                places[side] += 1


def test_an_edit_is_one_hunk() -> None:
    old = [b"line %d\n" % number for number in range(100)]
    new = [*old[:40], b"new\n", *old[41:]]
    assert b"".join(format_changes(old, new, list_changes(old, new))) == (
        b"@@ -40,3 +40,3 @@\n line 39\n-line 40\n+new\n line 41\n"
    )


def test_a_last_line_without_a_newline_is_marked() -> None:
    hunk = b"".join(format_changes([b"a\n", b"b"], [b"a\n", b"c\n"], list_changes([b"a\n", b"b"], [b"a\n", b"c\n"])))
    assert hunk.endswith(b"-b\n\\ No newline at end of file\n+c\n")


@pytest.mark.slow
def test_hostile_texts_take_little_time() -> None:
    shuffled = [b"%d\n" % (number * 7919 % 100_003) for number in range(100_000)]
    began = time.monotonic()
    for old, new in ((shuffled, sorted(shuffled)), ([b"a\n", b"b\n"] * 50_000, [b"b\n", b"a\n"] * 50_000)):
        list(format_changes(old, new, list_changes(old, new)))
    assert time.monotonic() - began < 8
