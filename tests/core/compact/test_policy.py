"""The numbers that a compaction goes by."""

from ctxkit.core.compact.policy import (
    CachePrices,
    CacheRewrite,
    CompactionPolicy,
    estimate_saving,
    find_rewrite,
    is_worth_rewriting,
)


def test_the_marks_are_shares_of_the_effective_window() -> None:
    policy = CompactionPolicy(200_000, 40_000)
    assert (policy.effective, policy.goal, policy.trigger_size, policy.block_size) == (160_000, 80_000, 152_000, 156_800)
    assert policy.goal < policy.drop_threshold < policy.trigger_size


def test_what_stands_beside_the_conversation_takes_its_share() -> None:
    policy = CompactionPolicy(10_000, 2_000, overhead=3_000)
    assert (policy.effective, policy.goal, policy.trigger_size) == (5_000, 2_500, 4_600)


def test_the_newest_messages_get_a_quarter_of_a_small_window_and_no_more_of_a_large_one() -> None:
    assert CompactionPolicy(4096, 819).recent_tokens == 1024
    assert CompactionPolicy(1_000_000, 0).recent_tokens == 20_000
    assert CompactionPolicy(4096, 819, recent=3000).recent_tokens == 3000


def test_a_page_is_small_beside_the_window_it_is_for() -> None:
    assert CompactionPolicy(4096, 819).summary_limit == 819
    assert CompactionPolicy(1_000_000, 200_000).summary_limit == 4_000


def test_a_summary_gets_a_share_of_what_fixed_tokens_leave() -> None:
    policy = CompactionPolicy(4096, 819, fixed=1_277)
    assert (policy.effective, policy.summary_limit) == (3_277, 500)
    assert (policy.recent_tokens, policy.page_limit) == (1_024, 422)
    assert policy.goal == CompactionPolicy(4096, 819).goal
    assert [CompactionPolicy(window, window // 5).page_limit for window in (4096, 8192, 1_000_000)] == [614, 1228, 4_000]
    assert CompactionPolicy(4096, 819, page_tokens=200).page_limit == 200


def test_what_a_page_may_not_use_is_kept_for_its_record() -> None:
    assert CompactionPolicy(4096, 819).record_reserve == int(1.5 * (819 - 614))
    assert CompactionPolicy(200_000, 40_000).record_reserve == 0
    assert CompactionPolicy(4096, 819, page_tokens=200).record_reserve == 0


def test_a_request_stays_verbatim_up_to_a_quarter() -> None:
    assert [CompactionPolicy(window, window // 5).request_limit for window in (1024, 4096, 32_768)] == [512, 819, 6553]


def test_a_record_fills_up_to_the_mark_or_halfway_to_the_trigger_where_the_rest_reaches_the_mark() -> None:
    policy = CompactionPolicy(200_000, 40_000)
    assert policy.limit_record(60_000) == policy.goal
    assert policy.limit_record(80_000) == (80_000 + policy.trigger_size) // 2
    assert policy._replace(is_in_loop=True).limit_record(80_000) == policy.goal


def test_the_prefix_ends_at_the_first_message_that_changed() -> None:
    assert find_rewrite(["a", "b", "c"], ["a", "x", "c"], [10, 20, 30], 67, 7) == CacheRewrite(2, 17, 50)
    assert find_rewrite(["a", "b"], ["a"], [10], 17, 7) == CacheRewrite(2, 17, 0)
    assert find_rewrite(["a"], ["a"], [10], 17, 7) == CacheRewrite(0, 17, 0)


def test_each_turn_saves_what_it_no_longer_reads_and_the_first_one_pays() -> None:
    rewrite = CacheRewrite(2, 10_000, 20_000)
    assert estimate_saving(100_000, 30_000, rewrite, CachePrices(1.25, 0.1), 10) == 70_000 * 0.1 * 10 - 20_000 * 1.15
    assert not is_worth_rewriting(100_000, 30_000, rewrite, CompactionPolicy(1, 0, prices=CachePrices(), turns=3))
    assert is_worth_rewriting(100_000, 30_000, rewrite, CompactionPolicy(1, 0, prices=CachePrices(), turns=4))
    assert is_worth_rewriting(100_000, 99_999, rewrite, CompactionPolicy(1, 0))


def test_messages_behind_the_first_that_changed_are_not_read() -> None:
    before = iter(["a", "b", "c"])
    assert find_rewrite(before, iter(["a", "x", "c"]), [10, 20, 30], 67, 7) == CacheRewrite(2, 17, 50)
    assert list(before) == ["c"]
