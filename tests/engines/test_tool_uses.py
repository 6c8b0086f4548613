"""Uses and pins of tools belong to a session, and go with it."""

from pathlib import Path

import pytest

from ctxkit.core.session.ledger import Session
from ctxkit.core.tools.selection import ToolUse
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.tool_uses import SQLiteToolUses


@pytest.fixture
def opened(tmp_path: Path):
    ledger, uses = SQLiteLedger(str(tmp_path), pytest.fail), SQLiteToolUses(str(tmp_path), pytest.fail)
    ledger.add(Session("s", 1000, 100))
    ledger.add(Session("other", 1000, 100))
    yield ledger, uses
    uses.close()
    ledger.close()


def test_later_calls_are_larger(opened) -> None:
    _, uses = opened
    uses.record("s", ["a", "b", "a"])
    uses.record("s", ["c"])
    found = uses.find("s")
    assert found["b"].last < found["a"].last < found["c"].last
    assert uses.find("other") == {}


def test_tools_that_were_called_or_found_are_pinned_until_a_compaction(opened) -> None:
    _, uses = opened
    uses.record("s", ["a"])
    uses.pin("s", ["a", "b"])
    assert uses.find("s") == {"a": ToolUse(1, is_pinned=True), "b": ToolUse(0, is_pinned=True)}
    uses.unpin_all("s")
    assert uses.find("s") == {"a": ToolUse(1), "b": ToolUse(0)}
    uses.record("s", ["b"])
    assert uses.find("s") == {"a": ToolUse(1), "b": ToolUse(2, is_pinned=True)}


def test_a_session_that_does_not_exist_has_none(opened) -> None:
    ledger, uses = opened
    uses.record("nobody", ["a"])
    uses.pin("nobody", ["a"])
    assert uses.find("nobody") == {}
    uses.record("s", ["a"])
    ledger.remove("s")
    ledger.add(Session("s", 1000, 100))
    assert uses.find("s") == {}


def test_there_need_be_no_database(tmp_path: Path) -> None:
    uses = SQLiteToolUses(str(tmp_path / "none"), pytest.fail)
    assert uses.find("s") == {}
    uses.close()
