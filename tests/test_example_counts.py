import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.example_counts import count_examples, is_thorough


@pytest.fixture
def profile(request: pytest.FixtureRequest) -> Iterator[str]:
    settings.load_profile(request.param)
    yield request.param
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.mark.parametrize(
    ("profile", "usual", "count"),
    [
        *(("steady", 60, 20), ("steady", 10, 10)),
        *(("ci", 60, 50), ("ci", 10, 10)),
        *(("random", 60, 60), ("random", 10, 10)),
        *(("thorough", 60, 600), ("thorough", 10, 100), ("thorough", 300, 3000)),
    ],
    indirect=["profile"],
)
def test_a_property_tries_its_share_of_the_examples(profile: str, usual: int, count: int) -> None:
    assert count_examples(usual) == count
    assert is_thorough() is (profile == "thorough")
