"""The older part of a conversation becomes a summary, between two messages where the API accepts it."""

import pytest

from ctxkit.core.compact.plan import CompactionPlan, ShortenedText, prepare_input
from ctxkit.core.compact.summarize import SummaryOrder, count_gain, summarize
from ctxkit.core.compact.summary_writer import make_summary_writer
from ctxkit.core.summary.template import render_page
from tests.core.chat.talks import FORMATS
from tests.core.compact.sizes import balance, loud, policy, session
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
