"""Components of a context, which add up to the whole."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.app.services import engines
from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.budget.measure import (
    ContextCut,
    ContextReport,
    ContextSources,
    TurnUsage,
    build_ledger_timeline,
    build_timeline,
    make_chart,
    measure_usage,
    place_cuts,
)
from ctxkit.core.chat.model.calls_and_results import read_toolset
from ctxkit.core.count.amount import CountOptions, exact_amount
from ctxkit.core.count.conversation import count_recognized, recognize_content
from ctxkit.core.count.message_tokens import MessageTokens
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.session.ledger_interface import ContextChange, DatedEntry
from ctxkit.core.tokens.vocabulary import find_vocabulary

SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "File to read."}}}
FUNCTION = {"name": "read", "description": "Read a file.", "parameters": SCHEMA}
SYSTEM = "You are a careful agent. Read a file before you change it."
SKILL = "# Skill: release\n\nRaise the version, then build and publish."
TURNS = [{"role": "user", "content": "What is in a.py?"}, {"role": "assistant", "content": "A function."}]
REQUESTS: dict[str, dict[str, Any]] = {
    "openai": {"model": "gpt-4o", "messages": [{"role": "system", "content": SYSTEM}, *TURNS],
               "tools": [{"type": "function", "function": FUNCTION}]},
    "anthropic": {"system": SYSTEM, "messages": TURNS, "tools": [{**FUNCTION, "input_schema": SCHEMA}]},
    "gemini": {"systemInstruction": {"parts": [{"text": SYSTEM}]}, "tools": [{"functionDeclarations": [FUNCTION]}],
               "contents": [{"role": "user", "parts": [{"text": "What is in a.py?"}]}]},
    "responses": {"instructions": SYSTEM, "input": TURNS, "tools": [{"type": "function", **FUNCTION}]},
}  # fmt: skip


def options_of(model: str = "gpt-4o", vocabulary: str = "o200k") -> CountOptions:
    known = find_vocabulary(vocabulary)
    return CountOptions(known, engines.load_tokenizer(known), engines.parse_json, model)


def sources_of(value: Any, options: CountOptions, **more: Any) -> ContextSources:
    content = recognize_content([json.dumps(value).encode()], "request", options)
    assert content.format is not None
    return ContextSources(entries=content.entries, format=content.format, **more)


@pytest.mark.parametrize("name", REQUESTS)
def test_components_of_a_request_add_up_to_its_count(name: str) -> None:
    """Seed 001: "tool defs sent to LLM", "messages + tool results"."""
    options = options_of()
    usage = measure_usage(sources_of(REQUESTS[name], options), options)
    whole = count_recognized(recognize_content([json.dumps(REQUESTS[name]).encode()], "request", options), options)
    assert usage.total == whole.amount
    assert usage.system_prompt.tokens >= options.count(SYSTEM)
    assert usage.tool_descriptions.tokens > 20
    assert usage.skill_prompts.tokens == 0


def test_files_add_up_to_the_request_that_they_make() -> None:
    """Seed 001: "base prompt + AGENT.md + memories", "active skill prompt fragments"."""
    options = options_of()
    tools = read_toolset(REQUESTS["openai"])
    assert tools is not None
    apart = measure_usage(sources_of(TURNS, options, system=(SYSTEM,), skills=(SKILL,), tools=tools.tools), options)
    request = {"role": "system", "content": f"{SYSTEM}\n\n{SKILL}"}
    whole = {**REQUESTS["openai"], "messages": [request, *TURNS]}
    total = measure_usage(sources_of(whole, options), options)
    assert apart.total == total.total
    assert apart.messages == total.messages == 3
    assert apart.skill_prompts.tokens == options.count(SKILL)
    assert abs(apart.system_prompt.tokens - options.count(SYSTEM)) <= 2


def test_a_skill_in_the_system_prompt_is_found_there() -> None:
    options = options_of()
    request = {"messages": [{"role": "system", "content": f"{SYSTEM}\n\n{SKILL}"}, *TURNS]}
    usage = measure_usage(sources_of(request, options, skills=(f"{SKILL}\n",)), options)
    assert usage.total == measure_usage(sources_of(request, options), options).total
    assert usage.skill_prompts.tokens >= options.count(SKILL)


def test_the_tree_of_a_session_is_measured_with_other_components() -> None:
    options = options_of()
    lines = [
        {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s", "message": TURNS[0]},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s", "message": TURNS[1]},
    ]
    content = recognize_content(["\n".join(map(json.dumps, lines)).encode()], "session", options)
    assert content.format is not None
    assert not content.format.LINEAR
    usage = measure_usage(
        ContextSources((SYSTEM,), (SKILL,), entries=content.entries, format=content.format), options
    )
    assert (usage.messages, usage.skill_prompts.tokens) == (3, options.count(SKILL))
    assert usage.conversation.tokens > 10


WORDS = st.text("abc \n.", max_size=60)


@given(st.lists(WORDS, max_size=3), st.lists(WORDS, max_size=3), st.lists(WORDS, min_size=1, max_size=5))
def test_components_are_never_negative_and_add_up(system: list[str], skills: list[str], turns: list[str]) -> None:
    options = options_of("", "estimate")
    messages = [{"role": "user", "content": text} for text in turns]
    usage = measure_usage(sources_of(messages, options, system=tuple(system), skills=tuple(skills)), options)
    parts = list(_parts(usage))
    assert min(parts) >= 0
    budget = usage.apply_to(ContextBudget(1000, 0))
    assert budget.used_tokens == sum(parts) == usage.total.tokens


def _parts(usage: Any) -> Iterator[int]:
    yield from (amount.tokens for amount in usage[:4])


def test_a_report_counts_what_only_the_ledger_knows() -> None:
    options = options_of()
    usage = measure_usage(sources_of(TURNS, options), options)
    budget = usage.apply_to(ContextBudget(1000, 0))._replace(unmeasured=50)
    report = ContextReport(usage, budget, 2, 0, "o200k")
    assert report.amount.tokens == budget.used_tokens == usage.total.tokens + 50


def row(role: str, tokens: int, *, has_results: bool = False) -> MessageTokens:
    return MessageTokens(role, "", (("other", exact_amount(tokens)),), has_results)


ROWS = [row("system", 50), row("user", 10), row("assistant", 20), row("user", 5, has_results=True), row("user", 7), row("assistant", 8)]


def test_a_turn_begins_with_a_message_of_the_user_not_with_a_result() -> None:
    timeline = build_timeline(ROWS, TurnUsage(system_prompt=50))
    assert timeline.turns == (TurnUsage(50, conversation=35), TurnUsage(50, conversation=50))
    assert timeline.cuts == ()


def test_what_no_message_contains_is_there_from_the_start() -> None:
    timeline = build_timeline(ROWS, TurnUsage(system_prompt=30, skill_prompts=30, tool_descriptions=9))
    assert timeline.turns == (TurnUsage(30, 30, 9, 35), TurnUsage(30, 30, 9, 50))


def test_a_cut_leaves_the_used_tokens_after_it() -> None:
    timeline = build_timeline(ROWS, TurnUsage(system_prompt=50), [ContextCut(4, "compaction", 70)])
    assert timeline.turns == (TurnUsage(50, conversation=35), TurnUsage(50, conversation=35))
    assert timeline.cuts == ((1, "compaction"),)
    last = build_timeline(ROWS, TurnUsage(system_prompt=50), [ContextCut(99, "edit", 60)])
    assert [turn.conversation for turn in last.turns] == [35, 50, 10]
    assert last.cuts == ((2, "edit"),)


def test_a_cut_is_placed_by_its_time() -> None:
    changes = [ContextChange("compaction", 90, 70, 2.5), ContextChange("reset", 90, 0, 9.0)]
    assert place_cuts(changes, [1.0, 2.0, 3.0]) == [ContextCut(2, "compaction", 70), ContextCut(3, "reset", 0)]


def test_a_ledger_has_a_column_for_each_content() -> None:
    entries = [DatedEntry(LedgerEntry("log", tokens, "exact", "raw"), at) for tokens, at in ((10, 1.0), (20, 2.0), (5, 4.0))]
    timeline = build_ledger_timeline(entries, [ContextChange("reset", 30, 3, 3.0)])
    assert [turn.conversation for turn in timeline.turns] == [10, 30, 3, 8]
    assert timeline.cuts == ((2, "reset"),)


def test_the_chart_has_a_series_for_each_component_and_the_window() -> None:
    chart = make_chart("t", build_timeline(ROWS, TurnUsage(system_prompt=50)), ContextBudget(1000, 200))
    assert {series.name: series.values for series in chart.series}["conversation"] == (35, 50)
    assert [limit.value for limit in chart.limits] == [800, 760]
    assert chart.labels == ("1", "2")
