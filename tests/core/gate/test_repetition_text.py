"""How a reference to earlier content and its changes are worded; tests/commands/test_repetition.py runs the gate."""

from pathlib import Path

import pytest

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.gate.policy import GatePolicy, GateServices
from ctxkit.core.gate.repetition_text import Repetition
from ctxkit.core.gate.result import GateResult
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_content import store_content
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.text.worker_interface import call_directly
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tokens.vocabularies import find_vocabulary
from ctxkit.core.tokens.vocabulary import rate_tokenizer
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
