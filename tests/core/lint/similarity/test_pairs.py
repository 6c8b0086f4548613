from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.similarity.comparison_budget import Effort
from ctxkit.core.lint.similarity.pairs import MIN_OVERLAP, compute_weights, find_candidates
from ctxkit.core.lint.similarity.similarity import jaccard

bags = st.dictionaries(
    st.integers(0, 40).map(str), st.frozensets(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=6), max_size=24
)


@given(bags)
def test_no_pair_that_overlaps_enough_is_missed(said) -> None:
    weigh = compute_weights(said)
    found = set(find_candidates(said, weigh, lambda one, two: True, Effort(len(said))))
    keys = list(said)
    for index, two in enumerate(keys):
        for one in keys[:index]:
            enough = jaccard(said[one], said[two], weigh.__getitem__) >= MIN_OVERLAP + 1e-9
            assert not enough or (one, two) in found
            assert (two, one) not in found


@given(bags)
def test_pairs_that_never_meet_are_left_out(said) -> None:
    assert list(find_candidates(said, compute_weights(said), lambda one, two: False, Effort(len(said)))) == []
