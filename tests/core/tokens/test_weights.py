"""The numbers of each vocabulary belong to the features and their groups."""

import pytest

from ctxkit.core.tokens import features
from ctxkit.core.tokens.weights import WEIGHTS, feature_weights


@pytest.mark.parametrize("name", WEIGHTS)
def test_each_feature_has_a_weight_and_each_group_two_errors(name) -> None:
    weights, lower, upper = feature_weights(name)
    assert len(weights) == len(features.NAMES)
    assert len(lower) == len(upper) == len(features.GROUPS) + 1
    assert all(number >= 0 for numbers in (weights, lower, upper) for number in numbers)


def test_the_estimate_of_an_unknown_vocabulary_has_the_wider_band() -> None:
    _, _, known = feature_weights("o200k")
    _, _, unknown = feature_weights("estimate")
    assert all(wide > narrow for wide, narrow in zip(unknown, known, strict=True) if narrow < 1)


def test_an_unknown_vocabulary_has_no_weights() -> None:
    with pytest.raises(KeyError):
        feature_weights("none")
