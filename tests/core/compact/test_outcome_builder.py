import json
import re

import pytest

from ctxkit.core.compact.outcome import ConversationSize, StageReport
from ctxkit.core.compact.outcome_builder import make_unchanged
from ctxkit.core.compact.plan import prepare_input
from ctxkit.core.compact.policy import CachePrices
from tests.core.compact.sizes import balance, compact, policy, read, session, total


def test_a_system_prompt_that_is_larger_than_the_window_is_refused_with_the_reason() -> None:
    data = json.dumps([{"role": "system", "content": "Be good. " * 900}, {"role": "user", "content": "hello"}]).encode()
    outcome = compact(read(data), policy(1000))
    assert (outcome.result, outcome.content) == ("refused", data)
    assert outcome.reason.startswith("system messages and tools alone take 2,7")


def test_a_refusal_without_truncation_names_the_stages() -> None:
    data = json.dumps([{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Well. " * 900}]).encode()
    outcome = compact(read(data), policy(1000, stages=("clear", "summarize")))
    assert outcome.result == "refused"
    assert re.fullmatch(r"\d,\d+ tokens remain after clear and summarize, and the effective window is 800", outcome.reason)


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (700, "tokens remain because truncate is undone (it breaks a rule: x), and the effective window is 800"),
        (1200, "what always stays takes 1,200 tokens "),
        (90_000, "tokens remain because truncate is undone (it breaks a rule: x), and the effective window is 800"),
    ],
)
def test_a_refusal_names_the_stage_whose_undoing_is_its_cause(after: int, reason: str) -> None:
    before = session("openai")
    conversation = prepare_input(before, balance(before), policy(1000))
    size = ConversationSize(balance(before).count_transcript(before).amount, len(before.records), len(before.text))
    reports = (StageReport("clear", 9000, 8999, "it saves less than 10%"), StageReport("truncate", 9000, after, "it breaks a rule: x"))
    outcome = make_unchanged(conversation, before.encode(before.text), size, reports)
    assert outcome.result == "refused"
    assert reason in outcome.reason


def test_it_compacts_only_where_that_pays_for_the_cache() -> None:
    before = session("openai")
    window = int(total(before) / 0.8 / 0.96)
    asked = policy(window, prices=CachePrices(), turns=1)
    kept = compact(before, asked)
    assert (kept.result, kept.reason.split(" does ")[1]) == ("unchanged", "not pay over 1 turns")
    assert compact(before, asked._replace(turns=50)).result == "compacted"
    blocked = compact(before, asked._replace(window=window * 9 // 10, reserve=window * 9 // 50))
    assert blocked.result == "compacted"


def test_a_page_is_made_on_demand_where_clearing_is_enough() -> None:
    outcome = compact(session("openai"), policy(8192, stages=("clear",)), always_summarize=True)
    assert [one.stage for one in outcome.stage_reports] == ["clear"]
    assert "Please fix the parser" in outcome.summary.page.task
