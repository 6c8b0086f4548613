from collections.abc import Sequence
from pathlib import Path

import pytest

from ctxkit.app.gate.tool_results import gate_result_blocks
from ctxkit.core.hosts.host import EventKind, HookEvent
from ctxkit.core.text.json_value import JsonValue
from ctxkit.edge import settings
from ctxkit.edge.host_session import load_kept_tokens

LONG = "".join(f"row {number} of a long table\n" for number in range(6_000))
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
SHORT = {"type": "text", "text": "few words", "annotations": {"priority": 1}}


def gate(blocks: Sequence[JsonValue], tool: str = "mcp__db__query") -> list[JsonValue]:
    event = HookEvent(EventKind.RESULT, "s-1", tool=tool, blocks=blocks)
    return gate_result_blocks(event, "claude-code", settings.load())


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CTXKIT_CACHE_DIR", "CTXKIT_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.mark.slow
def test_long_text_becomes_a_map_and_all_else_stays() -> None:
    blocks = [SHORT, IMAGE, {"type": "text", "text": LONG}, "odd", {"type": "text", "text": 5}]
    short, image, long, *odd = gate(blocks)
    assert (short, image, odd) == (SHORT, IMAGE, blocks[3:])
    assert "# mcp__db__query (6,000 lines" in long["text"]
    assert "ctxkit cache get" in long["text"]
    assert len(long["text"]) < 10_000


@pytest.mark.parametrize(("name", "value"), [("STORE", "false"), ("EXCLUDE", "mcp__db__*"), ("INCLUDE", "make")])
def test_a_result_passes_where_the_user_says_so(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"CTXKIT_{name}", value)
    blocks = [{"type": "text", "text": LONG}]
    assert gate(blocks) == blocks


def test_secrets_are_masked_where_the_user_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [{"type": "text", "text": "key ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"}]
    assert gate(blocks) == blocks
    monkeypatch.setenv("CTXKIT_REDACT", "1")
    assert "ghp_Zx8K" not in str(gate(blocks))


@pytest.mark.slow
def test_a_map_counts_for_the_session_of_the_host(tmp_path: Path) -> None:
    data_dir = tmp_path / "CTXKIT_DATA_DIR"
    (data_dir / "hosts" / "claude-code").mkdir(parents=True)
    gate([{"type": "text", "text": LONG}])
    assert load_kept_tokens("s-1", str(data_dir)).tokens > 5_000
    event = HookEvent(EventKind.RESULT, "s-2", tool="db_query", blocks=[{"type": "text", "text": LONG}])
    assert gate_result_blocks(event, "opencode", settings.load()) != event.blocks
    assert load_kept_tokens("s-2", str(data_dir)) is None
