"""The older part of a conversation becomes a summary, between two messages where the API accepts it."""

import json

import pytest

from ctxkit.core.compact.plan import CompactionPlan, ShortenedText, prepare_input
from ctxkit.core.compact.services import make_summary_writer
from ctxkit.core.compact.summarize import SummaryOrder, count_gain, summarize
from ctxkit.core.summary.template import render_page
from tests.core.chat.talks import FORMATS
from tests.core.compact.sizes import balance, loud, policy, read, session
from tests.core.summary.page_breaches import find_breaches

REF = "0" * 64


def summarized(name="openai", turns=24, window=4096, **given):
    transcript = session(name, turns)
    conversation = prepare_input(transcript, balance(transcript), policy(window, **given))
    return conversation, summarize(conversation, CompactionPlan(), SummaryOrder(make_summary_writer("extract", None, loud), REF))


@pytest.mark.parametrize("name", FORMATS)
def test_the_older_messages_leave_and_the_request_stays(name) -> None:
    conversation, plan = summarized(name)
    request = conversation.path[conversation.last_request]
    assert request.at not in plan.dropped
    assert set(plan.dropped.values()) == {"summarized"}
    assert max(plan.dropped) < conversation.path[-1].at
    assert REF[:16] in plan.summary.text


@pytest.mark.parametrize("last", [2, 5, 8])
def test_at_least_so_many_messages_stay_as_the_policy_says(last: int) -> None:
    conversation, plan = summarized(last=last)
    assert not {record.at for record in conversation.path[-last:]} & plan.dropped.keys()


def test_a_reminder_behind_the_newest_result_does_not_let_it_leave() -> None:
    """Hosts append what they remind the model of; the model has not read the result before it."""
    call = {"id": "c", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "You are an agent. " * 200},
        {"role": "user", "content": "Please fix the parser."},
        *({"role": "assistant", "content": f"Step {number} is done, and the next one follows. " * 9} for number in range(20)),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "\n".join(f"line {number} of the file" for number in range(200))},
        {"role": "system", "content": "The user has not heard from you for a while. " * 5},
    ]
    transcript = read(json.dumps({"messages": messages}).encode(), "openai")
    conversation = prepare_input(transcript, balance(transcript), policy(3_000))
    plan = summarize(conversation, CompactionPlan(), SummaryOrder(make_summary_writer("extract", None, loud), REF))
    assert plan.dropped
    assert max(plan.dropped) < len(messages) - 3


def test_without_an_older_part_nothing_changes() -> None:
    _, plan = summarized(turns=1, last=99)
    assert plan.is_empty


def test_the_gain_of_an_entry_is_the_sum_of_its_edits() -> None:
    edit = ShortenedText("cleared", (), "", b"", REF, 30, "")
    plan = CompactionPlan().with_edits([(1, ("a",), edit), (1, ("b",), edit)])
    assert (count_gain(plan, 1), count_gain(plan, 2)) == (60, 0)


@pytest.mark.parametrize(("window", "page_tokens", "limit"), [(4096, None, 614), (4096, 200, 200), (32_768, 200, 200)])
def test_a_page_takes_at_most_its_share(window: int, page_tokens: int | None, limit: int) -> None:
    conversation, plan = summarized(turns=240, window=window, page_tokens=page_tokens)
    page = render_page(plan.summary.result.page)
    assert conversation.token_counter.count_text(page) <= limit
    assert find_breaches(page) == ()
