"""Each demand of the seeds that ctxkit follows has a test that quotes it.

The seeds are the design documents that ctxkit began with: 001 (context enhancements), 002 (limits, usage, truncation and
a loop), 003 (CONTEXT.md) and 004 (status and edits). Demands on their own languages and databases are left out.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

DEMANDS: dict[str, dict[str, str]] = {
    "seed 001, enhancement 1: a budget by component": {
        "Total - MaxOutputTokens": "core/budget/test_context_budget.py::test_the_formulas_are_those_of_the_seed",
        "sum of all components": "core/budget/test_context_budget.py::test_the_formulas_are_those_of_the_seed",
        "EffectiveWindow - UsedTokens": "core/budget/test_context_budget.py::test_the_formulas_are_those_of_the_seed",
        "UsedTokens / EffectiveWindow": "core/budget/test_context_budget.py::test_the_formulas_are_those_of_the_seed",
        "base prompt + AGENT.md + memories": "core/budget/test_measure.py::test_files_add_up_to_the_request_that_they_make",
        "active skill prompt fragments": "core/budget/test_measure.py::test_files_add_up_to_the_request_that_they_make",
        "tool defs sent to LLM": "core/budget/test_measure.py::test_components_of_a_request_add_up_to_its_count",
        "messages + tool results": "core/budget/test_measure.py::test_components_of_a_request_add_up_to_its_count",
        "populates all component fields": "commands/test_turn.py::test_the_request_is_counted_as_it_is_printed",
        "ShouldCompact and ExceedsBudget use EffectiveWindow() instead of raw budget": (
            "core/budget/test_context_budget.py::test_the_thresholds_are_those_of_the_seed"
        ),
    },
    "seed 001, enhancement 3: thresholds": {
        "compact_at = 0.95 * effective_window": (
            "core/budget/test_context_budget.py::test_the_thresholds_are_those_of_the_seed"
        ),
        "block_at = 0.98 * effective_window": (
            "core/budget/test_context_budget.py::test_the_thresholds_are_those_of_the_seed"
        ),
        "UsedTokens() > EffectiveWindow()": (
            "core/budget/test_context_budget.py::test_the_thresholds_are_those_of_the_seed"
        ),
        "force compaction before accepting the next user message": (
            "core/turn/test_steps.py::test_a_compaction_that_is_not_enough_is_forced"
        ),
    },
    "seed 001, enhancement 4: a prompt that keeps its cache": {
        "Section ordering (static → dynamic)": "core/test_prompt.py::test_the_sections_of_the_seed_are_in_its_order",
        "Cache breakpoints inserted after sections 1–3": (
            "core/test_prompt.py::test_breakpoints_follow_sections_1_to_3"
        ),
        "Build() (prompt string, breakpoints []int)": (
            "core/test_prompt.py::test_breakpoints_follow_sections_1_to_3"
        ),
        "Sometimes | On skill activate/deactivate": (
            "core/test_prompt.py::test_skills_are_cached_only_while_unchanged"
        ),
        "Dynamic content at any position invalidates provider-level caching": (
            "core/test_prompt.py::test_the_cached_prefix_is_the_same_over_100_turns"
        ),
        "Anthropic: translates to `cache_control` blocks": (
            "commands/test_prompt.py::test_anthropic_blocks_are_marked_where_the_model_caches"
        ),
        "OpenAI: ignores (auto-caches by prefix)": "commands/test_prompt.py::test_openai_has_messages",
    },
    "seed 001, enhancement 5: deferred tools": {
        "budgetThresholdPct float64 // default 0.10": "edge/test_settings.py::test_the_keys_of_the_seeds_have_their_defaults",
        "Built-in tools — never deferred": "core/tools/test_catalog.py::test_built_in_tools_are_never_deferred",
        "MCP tools — deferred first": (
            "core/tools/test_catalog.py::test_mcp_tools_are_deferred_before_those_of_skills"
        ),
        "Skill-registered tools — deferred second": (
            "core/tools/test_catalog.py::test_mcp_tools_are_deferred_before_those_of_skills"
        ),
        "Within category: LRU — least recently used deferred first": (
            "core/tools/test_catalog.py::test_the_least_recently_used_goes_first"
        ),
        "Returns matching names + descriptions + schemas": (
            "app/calls/test_reading.py::test_the_best_definitions_are_returned"
        ),
        "Matched tools promoted to active set for current turn": (
            "commands/test_call.py::test_tool_search_returns_definitions_and_promotes_them"
        ),
        "[N tools deferred to save context. Use tool_search to find them.]": (
            "commands/test_turn.py::test_tools_are_deferred_above_the_threshold"
        ),
    },
    "seed 001, enhancement 7: compact_context": {
        "BeforeTokens, AfterTokens, BeforeMsgCount, AfterMsgCount and StrategiesRun": (
            "commands/test_call.py::test_compact_context_reports_the_five_fields"
        ),
        "returns summary string": "commands/test_call.py::test_compact_context_reports_the_five_fields",
        "When usage exceeds 80%, inject a non-cacheable note": (
            "core/budget/test_context_budget.py::test_the_short_note_is_that_of_the_seed"
        ),
        "You can call compact_context to free space before continuing with large operations.": (
            "commands/test_turn.py::test_past_80_percent_a_note_rides_at_the_tail"
        ),
    },
    "seed 001, enhancement 8: a turn": {
        "Build system prompt via PromptBuilder": "app/turn/test_prompt_and_tools.py::test_a_prompt_has_static_and_volatile_text",
        "Measure component usage via ContextBudget": "commands/test_turn.py::test_the_request_is_counted_as_it_is_printed",
        "Check IsBlocked (98%) -> ForceCompact + snapshot": (
            "commands/test_turn.py::test_a_full_conversation_is_compacted_and_resumes_from_there"
        ),
        "Check ShouldCompact (95%) -> chain + snapshot": (
            "commands/test_turn.py::test_a_full_conversation_is_compacted_and_resumes_from_there"
        ),
        "Select tools via DeferralManager": "commands/test_turn.py::test_tools_are_deferred_above_the_threshold",
        "Build CompletionRequest with breakpoints": (
            "core/turn/test_request.py::"
            "test_anthropic_has_breakpoints_after_sections_and_at_the_end_of_the_conversation"
        ),
        "Execute tools -> offload large results": (
            "commands/test_turn.py::test_a_large_result_is_stored_and_mapped_and_a_small_one_is_raw"
        ),
        "Persist messages + update snapshot if compacted": (
            "app/services/test_compaction.py::test_a_compaction_saves_a_snapshot_that_covers_the_history"
        ),
        "result_offload_threshold": "core/turn/test_results.py::test_a_threshold_in_bytes_stores_what_would_fit",
        "All new fields have sensible defaults": (
            "commands/test_precedence.py::test_all_six_keys_of_the_seed_hold_in_the_user_s_file"
        ),
        "ResultStore fails -> results stay inline": (
            "commands/test_turn.py::test_without_a_usable_store_results_stay_inline"
        ),
        "DeferralManager fails -> all tools loaded": (
            "app/turn/test_prompt_and_tools.py::test_without_a_selection_all_tools_are_loaded"
        ),
        "PromptBuilder fails -> string concatenation fallback": (
            "app/turn/test_prompt_and_tools.py::test_a_prompt_that_cannot_be_built_is_joined"
        ),
        "Snapshot save fails -> resume loads full history": (
            "app/turn/test_next_request.py::test_without_a_snapshot_the_full_history_is_loaded"
        ),
    },
    "seed 002: limits": {
        "ContextWindow int // total context tokens": (
            "commands/test_models.py::test_every_number_has_its_source_and_the_range_of_hosts_is_said"
        ),
        "MaxOutput int // max completion tokens": (
            "commands/test_models.py::test_every_number_has_its_source_and_the_range_of_hosts_is_said"
        ),
        "callers can inject constants": "commands/test_models.py::test_gate_uses_what_the_settings_say_of_a_model",
    },
    "seed 002: usage": {
        "Adapters can map provider responses to this shape": (
            "app/turn/test_answer.py::test_facts_have_the_terms_of_all_providers"
        ),
        "Input, Output, Total": "core/usage/test_answer.py::test_the_last_answer_is_shown_and_all_are_added_up",
        '"max_tokens", "error", "abort"': "core/usage/test_answer.py::test_stop_reasons_are_those_of_the_seed_and_more",
    },
    "seed 002: truncate": {
        "MaxLines: 2000, MaxBytes: 50 * 1024": "commands/test_truncate.py::test_the_defaults_are_the_seeds",
        "TruncationMode: truncate.ModeTail": "commands/test_truncate.py::test_the_defaults_are_the_seeds",
        "func Tail(content string, opts Options) Result": (
            "core/truncation/test_truncate.py::test_the_last_lines_stay_by_default"
        ),
        "func Head(content string, opts Options) Result": (
            "core/truncation/test_truncate.py::test_the_first_lines_stay_with_head"
        ),
        '"Content", "Truncated", "TruncatedBy string // "lines" | "bytes"", "TotalLines", "TotalBytes"': (
            "commands/test_truncate.py::test_json_has_the_members_of_the_seed"
        ),
        "tool_output_truncated": "commands/test_truncate.py::test_an_event_has_the_name_of_the_seed",
    },
    "seed 002: loop": {
        "Reply, ToolCalls, Usage, StopReason": "app/turn/test_answer.py::test_facts_have_the_terms_of_all_providers",
        "detect truncation and decide whether to compact or warn the user": (
            "commands/test_turn.py::test_an_answer_at_its_limit_warns_and_the_next_turn_compacts"
        ),
        "persist tool calls and results between turns": "commands/test_turn.py::test_three_turns",
        "model usage reporting (when available)": "commands/test_turn.py::test_the_usage_of_an_answer_anchors_the_ledger",
        '"context_compaction_start", "context_compaction_end"': (
            "test_event_members.py::test_the_events_of_a_turn_have_the_names_of_the_seed"
        ),
    },
    "seed 003: CONTEXT.md in the prompt": {
        "as its own system prompt section": "core/test_prompt.py::test_the_sections_of_the_seed_are_in_its_order",
    },
    "seed 004: status": {
        "Example Output to Model": "core/budget/test_context_budget.py::test_the_full_note_is_the_example_of_the_seed",
        "If approaching limit (>80%), consider:": (
            "core/budget/test_context_budget.py::test_the_full_note_advises_past_80_percent"
        ),
        "Inject stats into system prompt on each turn": (
            "commands/test_turn.py::test_the_full_note_has_the_status_of_each_turn"
        ),
        "Automatic pruning at 80%": "commands/test_turn.py::test_pruning_comes_where_it_is_asked_for",
    },
    "seed 004: edits by the model": {
        "Return list of context items with token costs": (
            "commands/test_call.py::test_list_context_shows_items_with_their_costs"
        ),
        "Items 0-10: Initial task discussion (12,300 tokens)": (
            "core/edit/test_context_items.py::test_the_list_has_the_form_of_the_specification"
        ),
        "Replace range with summary": "commands/test_call.py::test_summarize_range_reaches_snapshot_and_ledger",
        "Removed items": "commands/test_call.py::test_remove_range_removes_and_what_is_appended_later_stays",
        "mark items as removable": "commands/test_call.py::test_what_is_kept_stays_and_what_is_removable_goes",
        "can't remove system prompts": "commands/test_call.py::test_a_wrong_range_is_answered_and_never_shifted",
        "Agent can manually edit if needed": "app/services/test_compaction.py::test_what_the_model_keeps_is_not_pruned",
    },
}
"""The test of each demand, by the words of the demand."""

ROWS = [(seed, quote, place) for seed, demands in DEMANDS.items() for quote, place in demands.items()]


def read_docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each test in a file."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


@pytest.fixture(scope="module")
def docstrings() -> dict[str, str]:
    """The docstrings of the tests that the table names, by their places, each on one line."""
    files = {place.partition("::")[0] for _, _, place in ROWS}
    return {f"{file}::{name}": " ".join(text.split()) for file in files for name, text in read_docstrings(TESTS / file)}


@pytest.mark.parametrize(("seed", "quote", "place"), ROWS)
def test_a_demand_has_a_test_that_quotes_it(docstrings: dict[str, str], seed: str, quote: str, place: str) -> None:
    assert place in docstrings, f"{seed}: the test does not exist"
    assert quote in docstrings[place]
    assert "seed " in docstrings[place].lower()
