import pytest

from ctxkit.core.hosts.profiles import PROFILES


@pytest.mark.parametrize("name", PROFILES)
def test_a_map_is_smaller_than_the_output_that_it_replaces(name: str) -> None:
    profile = PROFILES[name]
    assert 0 < profile.map_limit <= profile.output_limit < profile.window
