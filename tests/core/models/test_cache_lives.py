import pytest

from ctxkit.core.models.cache_lives import LONG_CACHE, SHORT_CACHE, find_cache_seconds


@pytest.mark.parametrize(("short", "long", "seconds"), [(0, 0, 0), (5, 0, SHORT_CACHE), (0, 5, LONG_CACHE), (5, 1, LONG_CACHE)])
def test_writes_to_a_cache_say_how_long_it_lives(short: int, long: int, seconds: int) -> None:
    assert find_cache_seconds(short, long) == seconds
