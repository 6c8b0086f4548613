"""What a compaction does to a prompt cache."""

from ctxkit.core.compact.policy import Policy, Prices
from ctxkit.core.compact.prompt_cache import Rewrite, pays, rewrite_of, saving


def test_the_prefix_ends_at_the_first_message_that_changed():
    assert rewrite_of(["a", "b", "c"], ["a", "x", "c"], [10, 20, 30], 67, 7) == Rewrite(2, 17, 50)
    assert rewrite_of(["a", "b"], ["a"], [10], 17, 7) == Rewrite(2, 17, 0)
    assert rewrite_of(["a"], ["a"], [10], 17, 7) == Rewrite(0, 17, 0)


def test_each_turn_saves_what_it_no_longer_reads_and_the_first_one_pays():
    rewrite = Rewrite(2, 10_000, 20_000)
    assert saving(100_000, 30_000, rewrite, Prices(1.25, 0.1), 10) == 70_000 * 0.1 * 10 - 20_000 * 1.15
    assert not pays(100_000, 30_000, rewrite, Policy(1, 0, prices=Prices(), turns=3))
    assert pays(100_000, 30_000, rewrite, Policy(1, 0, prices=Prices(), turns=4))
    assert pays(100_000, 99_999, rewrite, Policy(1, 0))
