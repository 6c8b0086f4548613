"""Which messages are recent: by number, or by tokens."""

import pytest

from ctxkit.core.compact.plan import prepare_input
from ctxkit.core.compact.recent import find_recent_start
from tests.core.compact.sizes import balance, policy, session


def prepared(**given):
    transcript = session("openai", 6)
    return prepare_input(transcript, balance(transcript), policy(4096, **given))


@pytest.mark.parametrize("last", [0, 1, 3, 99])
def test_so_many_messages_are_recent_as_the_policy_says(last: int) -> None:
    conversation = prepared(last=last)
    assert find_recent_start(conversation) == max(len(conversation.path) - last, 0)


@pytest.mark.parametrize("recent", [0, 50, 400, 100_000])
def test_the_recent_messages_are_the_most_that_fit_into_their_tokens(recent: int) -> None:
    conversation = prepared(recent=recent)
    count = conversation.token_counter.count_record
    start, budget = find_recent_start(conversation), conversation.policy.recent_tokens
    assert sum(map(count, conversation.path[start:])) <= budget
    assert start == 0 or sum(map(count, conversation.path[start - 1 :])) > budget
