"""What a compaction does to a prompt cache."""

from ctxkit.core.compact.policy import CachePrices, CompactionPolicy
from ctxkit.core.compact.prompt_cache import CacheRewrite, estimate_saving, find_rewrite, is_worth_rewriting


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
