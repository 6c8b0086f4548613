"""The numbers that a compaction goes by."""

from ctxkit.core.compact.policy import Policy


def test_the_marks_are_shares_of_the_effective_window():
    policy = Policy(200_000, 40_000)
    assert (policy.effective, policy.goal, policy.due_from, policy.blocked_from) == (160_000, 80_000, 152_000, 156_800)
    assert policy.goal < policy.bearable < policy.due_from


def test_what_stands_beside_the_conversation_takes_its_share():
    policy = Policy(10_000, 2_000, beside=3_000)
    assert (policy.effective, policy.goal, policy.due_from) == (5_000, 2_500, 4_600)


def test_the_newest_messages_get_a_quarter_of_a_small_window_and_no_more_of_a_large_one():
    assert Policy(4096, 819).kept == 1024
    assert Policy(1_000_000, 0).kept == 20_000
    assert Policy(4096, 819, recent=3000).kept == 3000


def test_a_page_is_small_beside_the_window_it_is_for():
    assert Policy(4096, 819).page == 819
    assert Policy(1_000_000, 200_000).page == 4_000
