"""Limits of answers; tests/commands/test_proxy.py has them in requests."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.proxy.conditions import (
    FOLDER,
    LIFETIME,
    Boundaries,
    Conditions,
    RecentValues,
    dump_value,
    find_high_limits,
    lower_output_limit,
    make_conditions,
)
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.errors import CtxkitError
from ctxkit.core.proxy.model_apis import Boundary, find_api, hash_messages
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import load
from tests.app.proxy.conversations import PATHS

FORMAT = get_format("openai")


@pytest.fixture
def conditions() -> Conditions:
    return Conditions(CliRequest(window=8_192, tokenizer="qwen3"), load({}), FORMAT)


def make_request(sizes: list[int], **members: Any) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, size in enumerate(sizes):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"{number} word" * size})
    return {"model": "m", **members, "messages": messages}


def fits(conditions: Conditions, request: dict[str, Any]) -> bool:
    digests = hash_messages(request["messages"], dump_value)
    fixed = conditions.measure_fixed(request, "messages", digests)
    return conditions.measure_fitting(request, "messages", digests, fixed) is not None


def test_the_cap_is_a_quarter_of_what_the_prompt_leaves(conditions: Conditions) -> None:
    effective = conditions.budget.effective
    assert conditions.find_cap(0) == effective // 4
    assert conditions.find_cap(effective // 2) == effective // 8
    assert conditions.find_cap(effective) == 256
    assert Conditions(CliRequest(window=8_192, limit=99), load({}), FORMAT).find_cap(0) == 99


def test_tools_and_system_messages_before_the_others_are_fixed(conditions: Conditions) -> None:
    def measure(request: dict[str, Any]) -> int:
        return conditions.measure_fixed(request, "messages", hash_messages(request["messages"], dump_value))

    plain, tools = make_request([10]), [{"type": "function", "function": {"name": "t", "description": "word " * 100}}]
    system = {"role": "system", "content": "word " * 200}
    first, last = [system, *plain["messages"]], [*plain["messages"], system]
    assert measure({**plain, "tools": tools}) > measure(plain) + 100
    assert 200 <= measure({**plain, "messages": first}) - measure(plain) <= 220
    assert measure({**plain, "messages": last}) == measure(plain)


def test_a_request_that_fits_is_below_the_trigger_when_it_is_counted_whole(conditions: Conditions) -> None:
    answers = []
    for count in range(12):
        request = make_request([300] * count)
        whole = parse_transcript(json.dumps(request).encode(), "x", FORMAT)
        is_below = conditions.make_counter().count_transcript(whole).amount.high < conditions.make_thresholds(0).compact
        answers.append(fits(conditions, request))
        assert not answers[-1] or is_below
        assert fits(conditions, request) == answers[-1]
    assert answers[0]
    assert not answers[-1]


def test_one_large_result_does_not_fit_and_tools_count(conditions: Conditions) -> None:
    assert not fits(conditions, make_request([1_000]))
    tools = [{"type": "function", "function": {"name": f"t{n}", "description": "word " * 100}} for n in range(80)]
    assert fits(conditions, make_request([10]))
    assert not fits(conditions, make_request([10], tools=tools))


def test_what_cannot_be_used_is_left_out() -> None:
    settings = load({})
    typed = CliRequest(window=8_192)
    candidates = (typed._replace(tokenizer="/no/such.gguf"), typed)
    made = make_conditions(candidates, settings, FORMAT)
    assert made is not None
    assert made.budget.window == 8_192
    assert make_conditions((CliRequest(model="nobody-knows"), CliRequest()), settings, FORMAT) is None
    with pytest.raises(CtxkitError):
        make_conditions((typed._replace(tokenizer="/no/such.gguf"),), settings, FORMAT)


def test_recent_values_forget_the_oldest() -> None:
    values: RecentValues[int] = RecentValues(2)
    for number in range(3):
        values[b"%d" % number] = number
    assert list(values) == [b"1", b"2"]


@pytest.mark.parametrize("value", [{"a": 10**30}, "\ud800", float("nan"), {"b": [1, {}]}])
def test_any_value_has_a_hash(value: Any) -> None:
    assert dump_value(value)


@pytest.mark.parametrize(
    ("api", "members", "high"),
    [
        ("openai", {"max_tokens": 900}, ["max_tokens"]),
        ("openai", {"max_tokens": 500, "max_completion_tokens": 900}, ["max_completion_tokens"]),
        ("responses", {"max_output_tokens": 501}, ["max_output_tokens"]),
        ("anthropic", {"max_tokens": 900, "thinking": {"type": "enabled", "budget_tokens": 100}}, ["max_tokens"]),
        ("anthropic", {"max_tokens": 900, "thinking": {"type": "enabled", "budget_tokens": 600}}, []),
        ("gemini", {"generationConfig": {"maxOutputTokens": 900}}, []),
        ("ollama", {"max_tokens": 900}, []),
    ],
)
def test_limits_above_what_is_left(api: str, members: dict[str, Any], high: list[str]) -> None:
    found = find_api("POST", PATHS[api])
    assert found is not None
    assert find_high_limits(found, members, 500) == high


def test_a_lower_limit_leaves_all_other_bytes() -> None:
    found = find_api("POST", PATHS["openai"])
    assert found is not None
    body = b'{"max_tokens":  900, "messages": [{"role": "user", "content": "hi"}], "x": 1.10}'
    transcript = parse_transcript(body, "sent", get_format("openai"))
    assert lower_output_limit(found, transcript, 500) == body.replace(b"900", b"500")
    assert json.loads(lower_output_limit(found, transcript, 1_000)) == json.loads(body)


PREFIXES = [f"{number:032x}" for number in range(6)]
ENTRIES = ('{"role":"user","content":"\ud800 \u00e9"}', "{}")


def test_the_longest_prefix_wins_and_outlives_the_process(tmp_path: Path) -> None:
    kept = Boundaries(str(tmp_path))
    kept.save(PREFIXES, Boundary(2, ("{}",)))
    kept.save(PREFIXES, Boundary(4, ENTRIES))
    assert Boundaries(str(tmp_path)).find(PREFIXES) == Boundary(4, ENTRIES)
    assert Boundaries(str(tmp_path)).find(PREFIXES[:3]) == Boundary(2, ("{}",))
    assert Boundaries(str(tmp_path)).find(["f" * 32, *PREFIXES[1:]]).covered == 4
    assert Boundaries(str(tmp_path)).find(PREFIXES[:1]) == Boundary(0, ())


def test_one_message_identifies_no_conversation(tmp_path: Path) -> None:
    kept = Boundaries(str(tmp_path))
    kept.save(PREFIXES, Boundary(1, ("{}",)))
    assert kept.find(PREFIXES[:1]) == Boundary(0, ())


def test_files_belong_to_the_user_alone_and_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(2, ("{}",)))
    file = tmp_path / FOLDER / PREFIXES[1]
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    old = file.stat().st_mtime - LIFETIME - 10
    os.utime(file, (old, old))
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(3, ("{}",)))
    assert not file.exists()


def test_a_boundary_in_use_is_young_again(tmp_path: Path) -> None:
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(2, ("{}",)))
    file = tmp_path / FOLDER / PREFIXES[1]
    os.utime(file, (1, 1))
    Boundaries(str(tmp_path)).find(PREFIXES)
    assert file.stat().st_mtime > 1


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'["x"'])
def test_a_damaged_file_counts_as_none(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(2, ("{}",)))
    (tmp_path / FOLDER / PREFIXES[1]).write_bytes(content)
    assert Boundaries(str(tmp_path)).find(PREFIXES) == Boundary(0, ())
    assert "done again" in capsys.readouterr().err


def test_links_are_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / FOLDER).symlink_to(other)
    kept = Boundaries(str(tmp_path))
    kept.save(PREFIXES, Boundary(2, ("{}",)))
    assert kept.find(PREFIXES).covered == 2
    assert list(other.iterdir()) == []
    assert "kept in memory alone" in capsys.readouterr().err


def test_without_a_directory_memory_has_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxkit.app.proxy.conditions.MOST_IN_MEMORY", 2)
    kept = Boundaries("")
    for covered in (2, 3, 4):
        kept.save(PREFIXES, Boundary(covered, ("{}",)))
    assert kept.find(PREFIXES).covered == 4
    assert kept.find(PREFIXES[:2]).covered == 0
