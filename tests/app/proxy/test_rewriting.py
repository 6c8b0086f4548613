"""Requests through the rewriter: never over the window, valid, and continued from request to request."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.app.proxy.conditions import Boundaries, ClientRequest
from ctxkit.app.proxy.rewriting import RequestRewriter, Rewrite
from ctxkit.app.services import engines
from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.chat.validity.request_limits import find_limit_breaches
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.count.conversation import count_entries
from ctxkit.core.proxy.model_apis import UpstreamFacts, find_api
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge.prompts import TurnOptions
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import load
from tests.app.proxy.conversations import PATHS, Step, make_request
from tests.example_counts import count_examples

SHARE = 0.85
WINDOWS = (4_096, 16_384, 32_768)
NO_FACTS = UpstreamFacts()
STEPS = st.builds(
    Step,
    st.sampled_from(["", "", "", "Now fix the next one.", "Never delete files. " * 20]),
    st.lists(st.sampled_from([0, 1, 5, 20, 60, 400]), max_size=3).map(tuple),
)


class Replay:
    """Sends requests through a rewriter with a store of its own, and checks what is sent."""

    def __init__(self, root: Path, api: str, window: int, boundaries: Boundaries | None = None, **members: Any) -> None:
        self.settings = load({"CTXKIT_CACHE_DIR": str(root / "cache"), "CTXKIT_DATA_DIR": str(root / "data")}, str(root))
        self.path = PATHS[api]
        found = find_api("POST", self.path)
        assert found is not None
        self.api, self.window = found, window
        self.boundaries = boundaries or Boundaries("")
        request = CliRequest(window=window, tokenizer="qwen3", **members)
        self.rewriter = RequestRewriter(request, self.settings, TurnOptions(), self.boundaries)

    def rewrite(self, value: Any, facts: UpstreamFacts = NO_FACTS, **how: bool) -> tuple[bytes, Rewrite]:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        rewrite = self.rewriter.rewrite(ClientRequest(self.api, self.path, body), facts, **how)
        return rewrite.content or body, rewrite

    def count(self, content: bytes) -> int:
        vocabulary = find_vocabulary("qwen3")
        options = CountOptions(vocabulary, engines.load_tokenizer(vocabulary), engines.parse_json)
        format_ = get_format(self.api.format)
        return count_entries(format_.read_entries(json.loads(content)), format_, options).amount.high

    def check(self, value: Any) -> bytes:
        """Return what is sent, which fits and is valid."""
        content, rewrite = self.rewrite(value)
        if rewrite.error is None:
            assert self.count(content) <= self.window
            transcript = parse_transcript(content, "sent", get_format(self.api.format))
            path = find_active_path(transcript)
            assert [*find_breaches(transcript, path), *find_limit_breaches(transcript, path)] == []
        return content


@pytest.mark.slow
@pytest.mark.parametrize("api", sorted(PATHS))
@given(plan=st.lists(STEPS, min_size=1, max_size=6), window=st.sampled_from(WINDOWS))
@settings(max_examples=count_examples(6), deadline=None)
def test_no_request_of_a_growing_conversation_is_over_the_window_or_invalid(
    tmp_path_factory: pytest.TempPathFactory, api: str, plan: list[Step], window: int
) -> None:
    replay = Replay(tmp_path_factory.mktemp("root"), api, window)
    plan = [Step("Find the bug.", (3,)), *plan]
    for length in range(1, len(plan) + 1):
        content = replay.check(make_request(api, plan[:length]))
        assert replay.check(make_request(api, plan[:length])) == content


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("api", sorted(PATHS))
@pytest.mark.parametrize("window", WINDOWS)
def test_a_request_continues_the_one_before_it(tmp_path: Path, api: str, window: int) -> None:
    lines = window // 600
    plan = [Step("Find the bug in the parser. Never delete files.", (lines,))]
    plan += [Step("", (lines // 2 + at * 7 % lines,)) for at in range(80)]
    replay = Replay(tmp_path, api, window)
    sent = [replay.check(make_request(api, plan[:length])) for length in range(1, len(plan) + 1)]
    shared = sum(count_common(old, new) for old, new in pairwise(sent))
    assert shared / sum(map(len, sent[:-1])) >= SHARE
    assert len(sent[-1]) < len(json.dumps(make_request(api, plan))) / 2
    assert b"Never delete files." in sent[-1]


def count_common(old: bytes, new: bytes) -> int:
    return next((at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right), min(len(old), len(new)))


PLAN = [Step("Find the bug.", (30,)), *(Step("", (40,)) for _ in range(12))]


def test_the_boundary_is_that_of_the_longest_prefix_even_after_a_restart(tmp_path: Path) -> None:
    first = Replay(tmp_path, "openai", 4_096, Boundaries(str(tmp_path)))
    content = first.check(make_request("openai", PLAN))
    second = Replay(tmp_path, "openai", 4_096, Boundaries(str(tmp_path)))
    assert second.check(make_request("openai", PLAN)) == content
    assert second.rewrite(make_request("openai", PLAN))[1].steps == ()


def test_marks_of_the_prompt_cache_that_move_keep_the_boundary(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "anthropic", 4_096)

    def mark(value: dict[str, Any], at: int) -> dict[str, Any]:
        value["messages"][at]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        return value

    first = replay.check(mark(make_request("anthropic", PLAN), -1))
    content, rewrite = replay.rewrite(mark(make_request("anthropic", [*PLAN, Step("", (1,))]), -1))
    assert rewrite.steps == ()
    assert content.count(b"cache_control") == 1
    assert count_common(first, content) > len(first) * 0.9


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b'{"messages": []}', b'{"messages": {}}', b'{"messages": [1]}', b'{"input": "hi"}'])
def test_what_is_no_conversation_stays(tmp_path: Path, body: bytes) -> None:
    assert Replay(tmp_path, "openai", 4_096).rewrite(body)[0] == body


def test_unknown_members_and_numbers_keep_their_bytes(tmp_path: Path) -> None:
    body = json.dumps({**make_request("openai", PLAN), "seed": 1}).replace('"seed": 1', '"seed": 100000000000000000000000000001.10, "seed": NaN').encode()
    content, rewrite = Replay(tmp_path, "openai", 4_096).rewrite(body)
    assert rewrite.steps
    assert content.endswith(body[body.index(b'"seed"') :])


def test_the_answer_may_take_what_is_left(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "anthropic", 4_096)
    small, _ = replay.rewrite({**make_request("anthropic", PLAN[:1]), "max_tokens": 64_000})
    assert 2_000 < json.loads(small)["max_tokens"] < 4_096 - replay.count(small) + 1
    assert replay.rewrite({**make_request("anthropic", PLAN[:1]), "max_tokens": 900})[1].content == b""
    content, rewrite = replay.rewrite({**make_request("anthropic", PLAN), "max_tokens": 64_000})
    assert json.loads(content)["max_tokens"] == 4_096 - rewrite.tokens
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 60_000}, "max_tokens": 64_000}
    assert json.loads(replay.rewrite({**make_request("anthropic", PLAN), **thinking})[0])["max_tokens"] == 64_000


def test_a_harder_compaction_goes_below_what_the_server_named(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "openai", 32_768)
    value = make_request("openai", [*PLAN, *PLAN])
    assert replay.rewrite(value)[1].steps == ()
    content, rewrite = replay.rewrite(value, UpstreamFacts(limits={"m": 8_192}), harder=True)
    assert rewrite.steps == ("force",)
    assert rewrite.window == 8_192
    assert replay.count(content) < 8_192
    assert replay.count(replay.rewrite(value)[0]) < 8_192


def test_the_window_comes_from_the_user_then_from_the_request_then_from_the_server(tmp_path: Path) -> None:
    value = {**make_request("ollama", PLAN[:2]), "options": {"num_ctx": 5_000}}
    facts = UpstreamFacts(6_000)
    replay = Replay(tmp_path, "ollama", 0)
    assert replay.rewrite(value, facts)[1].window == 5_000
    assert replay.rewrite(make_request("ollama", PLAN[:2]), facts)[1].window == 6_000
    assert Replay(tmp_path, "ollama", 7_000).rewrite(value, facts)[1].window == 7_000
    assert replay.rewrite({**make_request("ollama", PLAN[:2]), "model": "gpt-5"})[1].window > 100_000
    assert replay.rewrite(make_request("ollama", PLAN[:2]))[1].window == 0


def test_weights_that_cannot_be_read_do_not_matter(tmp_path: Path) -> None:
    facts = UpstreamFacts(4_096, str(tmp_path / "no.gguf"))
    _, rewrite = Replay(tmp_path, "openai", 0).rewrite(make_request("openai", PLAN[:2]), facts)
    assert rewrite.window == 4_096


def test_the_setting_for_large_results_holds(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "openai", 32_768)
    value = make_request("openai", [Step("Read it.", (80,))])
    assert replay.rewrite(value)[1].gated == 0
    settings = load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data"), "CTXKIT_RESULT_OFFLOAD_THRESHOLD": "1000"}, str(tmp_path))
    rewriter = RequestRewriter(CliRequest(window=32_768, tokenizer="qwen3"), settings, TurnOptions(), Boundaries(""))
    rewrite = rewriter.rewrite(ClientRequest(replay.api, replay.path, json.dumps(value).encode()), NO_FACTS)
    assert rewrite.gated == 1
    assert b"a map, not the content" in rewrite.content


def test_without_a_store_results_are_cut_and_nothing_is_written(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "openai", 4_096, no_store=True)
    content = replay.check(make_request("openai", [Step("Read it.", (2_000,))]))
    assert len(content) < 8_000
    assert not any((tmp_path / "cache").rglob("*/*"))
