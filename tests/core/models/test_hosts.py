import pytest

from ctxkit.core.models.hosts import find_host_limits
from ctxkit.core.models.lookup import MODELS


def test_what_hosts_offer_is_told_apart_by_window_and_answer() -> None:
    sizes = {one.window for one in find_host_limits("qwen3-30b-a3b")}
    assert {32_768, 131_072} <= sizes
    assert ("dashscope", "litellm") in next(one for one in find_host_limits("qwen3-30b-a3b") if one.window == 129_024).hosts


@pytest.mark.parametrize("name", ["", "unheard-of", "qwen3"])
def test_of_a_model_that_is_not_in_the_table_nothing_is_offered(name: str) -> None:
    assert find_host_limits(name) == []


def test_every_offer_can_be_read_and_the_smallest_comes_first() -> None:
    for name in MODELS:
        windows = [one.window for one in find_host_limits(name)]
        assert windows == sorted(windows)
        assert all(host and registry for one in find_host_limits(name) for host, registry in one.hosts)
